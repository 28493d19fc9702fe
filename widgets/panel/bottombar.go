package panel

import (
	"image"
	"image/color"

	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/unit"

	"strata/layout"
	"strata/widgets/describe"
	"strata/widgets/kit"
)

// A BottomBar says in one line what the pinned, else hovered, allocation is.
type BottomBar struct {
	Bring kit.Button // brings a pinned allocation that is out of view back
	unpin kit.Button
	more  kit.Button
	drawn int // how many fields had room
}

// Measures of the bar, dp: a row of fields, what is around them, their distance; how wide a window has room for all
// in one row, and how high one has to be for two.
const (
	fieldRow, fieldRows     = 42, 14
	fieldGap                = unit.Dp(24)
	oneRowWide, twoRowsHigh = 2200, 620
)

// BottomBarHeight is the bar's height in a window of a size, pixels.
func BottomBarHeight(gtx C, window image.Point) int {
	rows := 1
	if window.X < gtx.Dp(oneRowWide) && window.Y >= gtx.Dp(twoRowsHigh) {
		rows = 2
	}
	return gtx.Dp(unit.Dp(rows*fieldRow + fieldRows))
}

// BottomEvent is what the user did in the bottom bar.
type BottomEvent struct{ Bring, Unpin, More bool }

// Update reads the bar's events.
func (b *BottomBar) Update(gtx C) BottomEvent {
	return BottomEvent{Bring: b.Bring.Clicked(gtx), Unpin: b.unpin.Clicked(gtx), More: b.more.Clicked(gtx)}
}

// field is a title over a value.
type field struct {
	title string
	value kit.Label
	aside string  // quiet, after the value
	most  unit.Dp // width at which the value is cut; 0: none
}

// Layout draws the bar. offView tells that the pinned allocation is not in
// the view. With nothing selected it gives hints.
func (b *BottomBar) Layout(gtx C, th *kit.Theme, d *describe.Details, sel describe.Selection, offView bool,
	hints []kit.KeyHint) D {
	size := gtx.Constraints.Max
	gtx.Constraints = giolayout.Constraints{Max: size}
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	kit.Fill(gtx.Ops, image.Rectangle{Max: size}, th.Card)
	kit.Fill(gtx.Ops, image.Rect(0, 0, size.X, 1), th.Line)
	x := gtx.Dp(14)
	switch {
	case sel.Shown() == layout.None && sel.Failed == nil:
		b.hints(gtx, th, x, size, hints)
	case d.Rest:
		b.fields(gtx, th, size.X, size.Y, []field{
			{"Not drawn apart", kit.Label{Face: kit.MonoStrong, Colour: th.Text, Text: d.Size}, "", 0},
			{" ", th.Aside(d.Note), "", 0}})
	default:
		right := b.right(gtx, th, size, sel, offView)
		area := clip.Rect{Max: image.Pt(right, size.Y)}.Push(gtx.Ops)
		b.fields(gtx, th, right, size.Y, fields(th, d))
		area.Pop()
	}
	return D{Size: size}
}

// fields draws fields from left to right, in as many rows as there is room for.
func (b *BottomBar) fields(gtx C, th *kit.Theme, right, height int, fs []field) {
	for _, whole := range [...]bool{true, false} { // values are cut where they have not all room
		m := op.Record(gtx.Ops)
		all := b.place(gtx, th, right, height, fs, whole)
		if c := m.Stop(); all || !whole {
			c.Add(gtx.Ops)
			return
		}
	}
}

// place draws fields, whole or cut to their widths, and reports whether all had room.
func (b *BottomBar) place(gtx C, th *kit.Theme, right, height int, fs []field, whole bool) bool {
	row := gtx.Dp(fieldRow)
	rows := max(1, (height-gtx.Dp(fieldRows)/2)/row)
	left, y := gtx.Dp(14), (height-rows*row)/2
	if rows == 1 {
		row, y = height, 0
	}
	x, bottom := left, y+rows*row
	right -= left / 2
	for i, f := range fs {
		if whole {
			f.most = 0
		}
		m := op.Record(gtx.Ops)
		width := b.field(gtx, th, row, f)
		c := m.Stop()
		if i > 0 && x+width > right { // half a value is no value
			if x == left || y+2*row > bottom {
				return false
			}
			x, y = left, y+row
		}
		kit.Place(gtx.Ops, image.Pt(x, y), c)
		x, b.drawn = x+width+gtx.Dp(fieldGap), i+1
	}
	return true
}

// fields are what the bar says about an allocation, the most wanted first: a narrow window cuts off the last ones.
func fields(th *kit.Theme, d *describe.Details) []field {
	fs := make([]field, 0, 10)
	add := func(title string, value kit.Label, aside string, most unit.Dp) {
		if value.Text != "" {
			fs = append(fs, field{title, value, aside, most})
		}
	}
	if d.Failed {
		add("Out of memory, asked for", kit.Label{Face: kit.MonoStrong, Colour: th.Red, Text: d.Size}, d.Exact, 0)
		add("At", th.MonoText(d.Alive), "", 0)
		add("Total → with it", th.MonoText(d.Totals), "", 0)
		add("Call site", th.Body(d.Site), "", 260)
		add("Phase", th.Body(d.Phase), "", 220)
		add("Note", th.Body(d.Note), "", 0)
		return fs
	}
	what := "Allocation"
	if d.Segment {
		what = "Segment"
	}
	add(what, kit.Label{Face: kit.MonoStrong, Colour: th.Text, Text: d.Size}, d.Exact, 0)
	add("Alive", th.MonoText(d.Alive), d.Lasted, 0)
	add("Shape", kit.Label{Face: kit.Mono, Colour: th.Shape, Text: d.Shape}, "", 300)
	add("Total at alloc → free", th.MonoText(d.Totals), "", 0)
	add("Call site", th.Body(d.Site), "", 260)
	add("Phase", th.Body(d.Phase), "", 220)
	if d.Here != d.Phase {
		add("At the pointer", th.Body(d.Here), "", 180)
	}
	add("Note", th.Body(d.Note), "", 0)
	if d.Pool != "" {
		add("Stream, pool", th.MonoText(d.Stream+" · "+d.Pool), "", 0)
	}
	add("Asked by", th.Body(d.Asked), "", 420)
	add("Address", th.MonoText(d.Address), "", 0)
	return fs
}

// field draws a field in a row and returns its width.
func (b *BottomBar) field(gtx C, th *kit.Theme, height int, f field) int {
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(1<<16, height)}
	t, td := kit.Measure(gtx, th.Small(f.title).Line(th))
	g := gtx
	if f.most > 0 {
		g.Constraints.Max.X = gtx.Dp(f.most)
	}
	v, vd := kit.Measure(g, f.value.Line(th))
	gap := gtx.Dp(2)
	y := (height - td.Size.Y - vd.Size.Y - gap) / 2
	kit.Place(gtx.Ops, image.Pt(0, y), t)
	y += td.Size.Y + gap
	kit.Place(gtx.Ops, image.Pt(0, y), v)
	width := vd.Size.X
	if f.aside != "" {
		a, ad := kit.Measure(gtx, th.Figures(f.aside).Line(th))
		width += gtx.Dp(7)
		kit.Place(gtx.Ops, image.Pt(width, y+kit.Ascent(vd)-kit.Ascent(ad)), a)
		width += ad.Size.X
	}
	return max(width, td.Size.X)
}

// right draws what stands at the right end and returns where it begins.
func (b *BottomBar) right(gtx C, th *kit.Theme, size image.Point, sel describe.Selection, offView bool) int {
	if sel.Pinned < 0 && sel.Failed == nil || size.X < gtx.Dp(560) {
		return size.X
	}
	look := kit.ButtonLook{Small: true, HintLeft: true, HintAbove: true}
	var children []giolayout.FlexChild
	if offView {
		look.Text, look.Ground, look.Colour = "Show it", th.Raised, th.Link
		look.Hint = "The pinned allocation is out of view: bring it back"
		children = append(children, giolayout.Rigid(b.Bring.Look(th, look)), kit.Gap(6))
	}
	look.Icon, look.Text, look.Ground, look.Colour = kit.IconClose, "Pinned", color.NRGBA{}, th.Quiet
	look.Hint, look.Key = "Unpin", "Esc"
	children = append(children, giolayout.Rigid(b.unpin.Look(th, look)))
	if sel.Pinned >= 0 {
		look.Icon, look.Text, look.Hint, look.Key = kit.IconMore, "", "What can be done with it", "Shift+F10"
		children = append(children, giolayout.Rigid(b.more.Look(th, look)))
	}
	return kit.Before(gtx, kit.InRow(children...), size.X-gtx.Dp(8), size.Y) - gtx.Dp(8)
}

func (b *BottomBar) hints(gtx C, th *kit.Theme, x int, size image.Point, hints []kit.KeyHint) {
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(1<<16, size.Y)}
	r := kit.Row{Gtx: gtx, X: x, End: size.X, Height: size.Y}
	for _, h := range hints {
		key := func(gtx C) D { return kit.KeyCap(gtx, th, h.Key) }
		text := th.Aside(h.Text).Line(th)
		if !r.Fits(kit.InRow(giolayout.Rigid(key), kit.Gap(6), giolayout.Rigid(text))) {
			return // a hint cut in half is no hint
		}
		r.Add(key, 6)
		r.Add(text, 20)
	}
}
