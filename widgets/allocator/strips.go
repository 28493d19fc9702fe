package allocator

import (
	"image"
	"image/color"
	"slices"

	"gioui.org/f32"
	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/unit"

	"strata/layout"
	"strata/layout/state"
	"strata/layout/units"
	"strata/render/colour"
	"strata/widgets/kit"
)

type (
	// C is Gio's, under a short name.
	C = giolayout.Context
	// D is Gio's, under a short name.
	D = giolayout.Dimensions
)

// None is no block and no segment.
const None int32 = -1

// State is what Strips show.
type State struct {
	At      *state.State
	Current bool        // At is the state that is asked for, not one before it
	IDs     []layout.ID // by block: its allocation
	Colours *colour.Colouring
	Choice  Choice
	Moving  bool // the moment is being moved: rows stay where they are
	// Hovered and Pinned are the blocks of what the timeline has hovered and pinned, None without.
	Hovered, Pinned int32
	// PoolName names a pool and stream.
	PoolName func(state.PoolKey) string
	Lit      *Ranges // that stand out, nil for none
	// Site is the line of code that made a block.
	Site func(block int32) string
}

// Strips are a bar of totals, and a row for each segment.
type Strips struct {
	top    int // pixels of rows above those in sight
	rows   []Row
	places map[int32]int // of rows that were drawn last, by life
	of     rowsKey
	most   int64 // bytes of the largest segment
	high   int   // of a row, pixels
	kept   bool  // the rows are in the order of before

	pointer f32.Point
	inside  bool
	tag     int8
	told    layout.ID // what Update said is under the pointer

	bars [parts]image.Rectangle
	body image.Rectangle // of the strips, without labels
	made painted
	img  kit.Sprite
}

// rowsKey is what rows are made of.
type rowsKey struct {
	at     *state.State
	choice Choice
}

// painted is what the picture of the strips is made of.
type painted struct {
	rows     rowsKey
	kept     bool
	colours  *colour.Colouring
	size     image.Point
	top, row int
	part     Part
	dark     bool
	dim      bool
	lit      *Ranges
}

// The measures of the page, dp.
const (
	ledgerHeight = unit.Dp(46)
	stripRow     = unit.Dp(22)
	stripHeight  = unit.Dp(16)
	labelWidth   = unit.Dp(216)
)

// An Event is what the user did.
type Event struct {
	Hovered layout.ID // the allocation under the pointer, layout.None without
	Clicked bool
	Pin     layout.ID // of a click: the allocation, layout.None beside all
	Segment int       // of a click on a label: the segment, else -1
}

// Update reads what was done since the frame before.
func (p *Strips) Update(gtx C, s *State) Event {
	e := Event{Hovered: layout.None, Pin: layout.None, Segment: -1}
	filter := pointer.Filter{Target: &p.tag, Kinds: pointer.Press | pointer.Move | pointer.Drag | pointer.Enter |
		pointer.Leave | pointer.Cancel | pointer.Scroll, ScrollY: kit.AnyScroll}
	for ev := range kit.Events[pointer.Event](gtx, filter) {
		switch ev.Kind {
		case pointer.Leave, pointer.Cancel:
			p.inside = false
			continue
		case pointer.Scroll:
			p.top = max(0, p.top+int(ev.Scroll.Y))
		case pointer.Press:
			p.pointer = ev.Position
			if ev.Buttons.Contain(pointer.ButtonPrimary) {
				e.Clicked = true
				u := p.under(s)
				e.Pin = s.allocation(u.block)
				if u.label {
					e.Segment = u.segment
				}
			}
		}
		p.pointer, p.inside = ev.Position, true
	}
	e.Hovered = s.allocation(p.under(s).block)
	p.told = e.Hovered
	return e
}

// allocation is the allocation of a block.
func (s *State) allocation(block int32) layout.ID {
	if block == None || s.At == nil {
		return layout.None
	}
	return s.IDs[block]
}

// under is what lies under the pointer.
type under struct {
	segment int   // -1 without
	block   int32 // None without
	label   bool  // it is the segment's label
	addr    uint64
	part    Part
}

// under finds what lies under the pointer.
func (p *Strips) under(s *State) under {
	u := under{segment: -1, block: None, part: NoPart}
	if !p.inside || s.At == nil || p.of.at != s.At {
		return u
	}
	at := image.Pt(int(p.pointer.X), int(p.pointer.Y))
	for part, r := range p.bars {
		if at.In(r) {
			u.part = Part(part)
		}
	}
	if at.Y < p.body.Min.Y || at.Y >= p.body.Max.Y || p.high == 0 {
		return u
	}
	i := (at.Y - p.body.Min.Y + p.top) / p.high
	if i < 0 || i >= len(p.rows) || p.rows[i].Segment < 0 {
		return u
	}
	if at.X < p.body.Min.X {
		u.segment, u.label = p.rows[i].Segment, true
		return u
	}
	st := p.strip(s, i)
	if x := at.X - p.body.Min.X; x < st.at.Min.X+st.width() {
		u.segment, u.addr, u.block = p.rows[i].Segment, st.byteAt(x), st.under(x)
	}
	return u
}

// Layout draws the page.
func (p *Strips) Layout(gtx C, th *kit.Theme, s *State) D {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	event.Op(gtx.Ops, &p.tag)
	semantic.LabelOp("Segments of the allocator").Add(gtx.Ops)
	p.list(s)
	label := min(gtx.Dp(labelWidth), size.X/3)
	p.body = image.Rect(label, min(size.Y, gtx.Dp(ledgerHeight)), size.X, size.Y)
	p.high = gtx.Dp(stripRow)
	p.top = max(0, min(p.top, len(p.rows)*p.high-p.body.Dy()))
	p.ledger(gtx, th, s, size.X)
	if p.body.Empty() {
		return D{Size: size}
	}
	p.refresh(th, s)
	area := clip.Rect(image.Rect(0, p.body.Min.Y, size.X, size.Y)).Push(gtx.Ops)
	p.img.Add(gtx.Ops, p.body.Min)
	p.labels(gtx, th, s, label)
	p.outline(gtx, s, s.Pinned, th.Red)
	u := p.under(s)
	if s.allocation(u.block) != p.told { // rows moved below a pointer that rests
		gtx.Execute(op.InvalidateCmd{})
	}
	if u.label {
		pointer.CursorPointer.Add(gtx.Ops)
	}
	if u.block != None {
		p.outline(gtx, s, u.block, th.Hover)
	} else {
		p.outline(gtx, s, s.Hovered, th.Hover)
	}
	area.Pop()
	p.scrollBar(gtx, th, size)
	return D{Size: size}
}

// list brings the rows up to date.
func (p *Strips) list(s *State) {
	key := rowsKey{s.At, s.Choice}
	if key == p.of && (s.Moving || !p.kept) {
		return
	}
	same := key.choice == p.of.choice
	p.of, p.rows, p.kept, p.most = key, Rows(s.At, s.Choice), s.Moving && same, 1
	for i := range s.At.Segments {
		p.most = max(p.most, s.At.Segments[i].Size)
	}
	if p.kept {
		Keep(s.At, p.rows, p.places)
		return
	}
	p.places = Places(s.At, p.rows)
}

// strip is the strip of a row, where it lies in the picture.
func (p *Strips) strip(s *State, row int) *strip {
	g := &s.At.Segments[p.rows[row].Segment]
	y := row*p.high - p.top
	gap := max(1, p.high*int(stripRow-stripHeight)/int(2*stripRow))
	st := &strip{s: s, g: g, at: image.Rect(0, y+gap, p.body.Dx(), y+p.high-gap)}
	st.scale = float64(p.most) / float64(max(1, p.body.Dx()))
	if s.Choice.Fit {
		st.scale = float64(max(1, g.Size)) / float64(max(1, p.body.Dx()))
	}
	return st
}

// refresh paints the strips in sight anew, if what they are made of differs.
func (p *Strips) refresh(th *kit.Theme, s *State) {
	high := p.high
	now := painted{p.of, p.kept, s.Colours, p.body.Size(), p.top, high, p.under(s).part, th.Dark, !s.Current,
		s.Lit}
	if now == p.made {
		return
	}
	p.made = now
	img := image.NewRGBA(image.Rectangle{Max: p.body.Size()})
	c := coloursOf(th)
	for row := p.top / high; row < len(p.rows) && row*high < p.top+p.body.Dy(); row++ {
		if p.rows[row].Segment < 0 {
			continue
		}
		st := p.strip(s, row)
		st.paint(img, c)
		st.mark(img, c, now.part)
	}
	if !s.Current {
		ground := color.RGBA(th.Panel)
		for i := 0; i < len(img.Pix); i += 4 {
			for k, v := range [...]uint8{ground.R, ground.G, ground.B} {
				img.Pix[i+k] = uint8((int(img.Pix[i+k]) + int(v)) / 2)
			}
		}
	}
	p.img = kit.NewSprite(img, image.Point{})
}

func coloursOf(th *kit.Theme) *stripColours {
	return &stripColours{ground: color.RGBA(th.Panel), free: color.RGBA(th.Ground), line: color.RGBA(th.Line),
		lost: color.RGBA(th.Quiet), lit: color.RGBA(th.Accent)}
}

// labels writes what each segment in sight is.
func (p *Strips) labels(gtx C, th *kit.Theme, s *State, width int) {
	high := p.high
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(width-gtx.Dp(10), high)}
	for row := p.top / high; row < len(p.rows) && row*high < p.top+p.body.Dy(); row++ {
		y := p.body.Min.Y + row*high - p.top
		place := func(x int, l kit.Label, right bool, most int) {
			g := gtx
			g.Constraints.Max.X = most
			c, d := kit.Measure(g, l.Line(th))
			if right {
				x -= d.Size.X
			}
			kit.Place(gtx.Ops, image.Pt(x, y+(high-d.Size.Y)/2), c)
		}
		r := &p.rows[row]
		if r.Segment < 0 {
			kit.Fill(gtx.Ops, image.Rect(0, y+high-1, p.body.Max.X, y+high), th.Line)
			place(0, th.Strong(s.PoolName(r.Pool.PoolKey)), false, p.body.Max.X/2)
			place(p.body.Max.X-gtx.Dp(10), th.Small(units.Plural(r.Pool.Segments, "segment")+" · "+
				units.Bytes(r.Pool.Reserved)+" reserved · "+units.Bytes(r.Pool.Free)+" free · largest "+
				units.Bytes(r.Pool.Largest)), true, p.body.Max.X/2)
			continue
		}
		g := &s.At.Segments[r.Segment]
		place(width-gtx.Dp(96), th.MonoText(units.Bytes(g.Size)), true, width-gtx.Dp(96))
		place(width-gtx.Dp(10), th.Small(share(g.Free, g.Size)+" free"), true, gtx.Dp(80))
		if !s.Choice.Split && width > gtx.Dp(190) {
			place(0, th.Small(kindOf(g)), false, width-gtx.Dp(170))
		}
	}
}

// kindOf is a segment's kind in a word.
func kindOf(g *state.Segment) string {
	switch {
	case g.Expandable:
		return "grows"
	case !g.Large:
		return "small"
	}
	return ""
}

// outline frames a block, if it is in sight.
func (p *Strips) outline(gtx C, s *State, block int32, c color.NRGBA) {
	r, is := p.find(s, block)
	if !is {
		return
	}
	r = r.Add(p.body.Min).Inset(-1)
	kit.Border(gtx.Ops, r, c)
	kit.Border(gtx.Ops, r.Inset(1), c)
}

// find is where a block lies in the picture, if it is in a row in sight.
func (p *Strips) find(s *State, block int32) (image.Rectangle, bool) {
	row := p.rowOf(s, block)
	if row < 0 {
		return image.Rectangle{}, false
	}
	b, st := s.At.History.Block(block), p.strip(s, row)
	r := image.Rect(st.pixel(b.Addr), st.at.Min.Y, max(st.pixel(b.Addr)+1, st.pixel(b.End())), st.at.Max.Y)
	return r, r.Max.Y > 0 && r.Min.Y < p.body.Dy()
}

// rowOf is the row of the segment that a block lies in, -1 without.
func (p *Strips) rowOf(s *State, block int32) int {
	if block == None {
		return -1
	}
	return p.rowAt(s, s.At.History.Block(block).Addr)
}

// rowAt is the row of the segment that has an address, -1 without.
func (p *Strips) rowAt(s *State, addr uint64) int {
	return slices.IndexFunc(p.rows, func(r Row) bool {
		return r.Segment >= 0 && addr-s.At.Segments[r.Segment].Addr < uint64(s.At.Segments[r.Segment].Size)
	})
}

// Reveal scrolls to a block.
func (p *Strips) Reveal(s *State, block int32) {
	p.list(s)
	p.reveal(p.rowOf(s, block))
}

// RevealByte scrolls to the segment that has an address.
func (p *Strips) RevealByte(s *State, addr uint64) {
	p.list(s)
	p.reveal(p.rowAt(s, addr))
}

// reveal scrolls to a row, -1 for none.
func (p *Strips) reveal(row int) {
	if row < 0 || p.high == 0 {
		return
	}
	if y := row*p.high - p.top; y < 0 || y+p.high > p.body.Dy() {
		p.top = max(0, row*p.high-p.body.Dy()/2)
	}
}

// scrollBar shows how far the rows are scrolled.
func (p *Strips) scrollBar(gtx C, th *kit.Theme, size image.Point) {
	all := len(p.rows) * p.high
	if all <= p.body.Dy() {
		return
	}
	from := p.body.Min.Y + p.body.Dy()*p.top/all
	long := max(gtx.Dp(16), p.body.Dy()*p.body.Dy()/all)
	kit.Fill(gtx.Ops, image.Rect(size.X-gtx.Dp(5), from, size.X-gtx.Dp(1), from+long), th.Line)
}
