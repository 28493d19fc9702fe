package panel

import (
	"image"
	"strings"

	"gioui.org/gesture"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	giolayout "gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/widget"

	"strata/layout"
	"strata/snapshot"
	"strata/widgets/describe"
	"strata/widgets/kit"
)

// A stackRow is a frame, or a note about the allocation.
type stackRow struct {
	place, function string
	title           string // of a row that is no frame; its text is in place
	full            string // the function's name, where a shorter one is shown
	own             bool
	frame           snapshot.FrameID
	link            int // of a note: its describe.Note.Link
	*shownRow           // nil until it is on screen
}

// A shownRow is a row on screen, whose texts can be selected. It takes a hundred times the memory of its texts, and
// most of a long stack is never scrolled to.
type shownRow struct {
	lines         [2]string // place and function
	texts         [2]widget.Selectable
	area          gesture.Hover
	rests         kit.Rest
	find, without kit.Button
}

// maxShaped is how many bytes of a frame's line are shown: names from C++
// templates have thousands, of which shaping each takes its time.
const maxShaped = 400

// shorten cuts a text to so many bytes.
func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// show prepares a row for the screen. Notes wrap and are shown whole.
func (r *stackRow) show() {
	if r.shownRow != nil {
		return
	}
	r.shownRow = new(shownRow)
	for i, text := range [...]string{r.place, r.function} {
		if r.title == "" {
			text = shorten(text, maxShaped)
		}
		r.lines[i] = text
		r.texts[i].SetText(text)
	}
}

// makeRows puts the frames of the stack into words.
func (p *Stack) makeRows(t *layout.Timeline) {
	p.rows, p.hidden, p.frames = nil, 0, 0
	if t == nil {
		return
	}
	s := t.Snapshot
	frames := s.Stacks.Of(p.stack)
	hide := p.hides(s, frames)
	p.rows = make([]stackRow, 0, len(frames))
	for _, n := range p.extras.Notes {
		p.rows = append(p.rows, stackRow{title: n.Title, place: n.Text, link: n.Link})
	}
	for _, f := range frames {
		fx, known := fxRow(s, f)
		if hide(f) && !known {
			p.hidden++
			continue
		}
		fr := describe.FrameAt(s, f)
		under := fr.Function
		if fr.Folder != "" {
			if under != "" {
				under += "  ·  "
			}
			under += fr.Folder
		}
		row := stackRow{place: fr.Place, function: under, full: fr.Full, own: !s.IsFramework(f) || s.IsHeading(f),
			frame: f}
		p.rows = append(p.rows, row)
		p.frames++
		if known {
			p.rows = append(p.rows, fx)
		}
	}
	if len(p.rows) > 0 && p.frames == 0 && p.hidden == 0 {
		p.rows = append(p.rows, noteRow("Stack", "not recorded"))
	}
	if lines := describe.ForwardLines(s, p.extras.Forward); len(lines) > 0 {
		p.rows = append(p.rows, noteRow("Forward pass that led here", strings.Join(lines, "\n")))
	}
}

// hides says which frames are left out: those of the framework, or, in a stack that has no others, those that say
// nothing about who asked. An empty panel would help nobody.
func (p *Stack) hides(s *snapshot.Snapshot, frames []snapshot.FrameID) func(snapshot.FrameID) bool {
	if !p.HideFramework {
		return func(snapshot.FrameID) bool { return false }
	}
	for _, hide := range [...]func(snapshot.FrameID) bool{s.IsFramework, s.IsNoise} {
		for _, f := range frames {
			if !hide(f) {
				return hide
			}
		}
	}
	return func(snapshot.FrameID) bool { return false }
}

func (p *Stack) row(gtx C, th *kit.Theme, r *stackRow) D {
	r.show()
	return giolayout.Inset{Right: 12}.Layout(gtx, func(gtx C) D {
		gtx.Constraints.Min = image.Point{}
		if r.title != "" {
			return r.note(gtx, th)
		}
		width := gtx.Constraints.Max.X
		colour, face := th.Text, kit.MonoStrong
		if !r.own {
			colour, face = th.Quiet, kit.Mono
		}
		y := gtx.Dp(5)
		line := func(i int, l kit.Label) {
			l.Text = r.lines[i]
			m, d := kit.Measure(gtx, func(gtx C) D {
				if p.fixed {
					// It is there to be selected; what is seen is the label.
					r.texts[i].MaxLines = 1
					l.Selectable(gtx, th, &r.texts[i], false)
				}
				return l.Layout(gtx, th)
			})
			area := clip.Rect{Min: image.Pt(0, y), Max: image.Pt(d.Size.X, y+d.Size.Y)}.Push(gtx.Ops)
			semantic.LabelOp(l.Text).Add(gtx.Ops)
			kit.Place(gtx.Ops, image.Pt(0, y), m)
			area.Pop()
			y += d.Size.Y
		}
		line(0, kit.Label{Face: face, Colour: colour})
		if r.function != "" {
			line(1, kit.Label{Size: kit.SmallSize, Colour: th.Quiet})
		}
		y += gtx.Dp(5)
		kit.Fill(gtx.Ops, image.Rect(0, y, width, y+1), kit.WithAlpha(th.Line, 160))
		size := image.Pt(width, y+1)
		r.actions(gtx, th, size)
		return D{Size: size}
	})
}

// actions are the buttons of the row under the pointer: search for the frame, or leave out what came through it.
func (r *stackRow) actions(gtx C, th *kit.Theme, size image.Point) {
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	pass := pointer.PassOp{}.Push(gtx.Ops)
	r.area.Add(gtx.Ops)
	pass.Pop()
	over := r.area.Update(gtx.Source)
	resting := 0
	if over && r.full != "" {
		resting = 1
	}
	if r.rests.On(gtx, resting) {
		full := gtx
		full.Constraints.Max = image.Pt(gtx.Dp(520), gtx.Dp(400))
		name := kit.Label{Face: kit.Mono, Size: kit.SmallSize, Colour: th.Text, Text: shorten(r.full, 2*maxShaped)}
		kit.Hint(full, th, giolayout.Flex{}, []giolayout.FlexChild{giolayout.Flexed(1, name.Wrapped(th))},
			func(d image.Point) image.Point { return image.Pt(size.X-d.X, size.Y+gtx.Dp(2)) })
	}
	if !over {
		return
	}
	look := func(icon kit.Icon, hint string) kit.ButtonLook {
		return kit.ButtonLook{Icon: icon, Small: true, Colour: th.Quiet, HintLeft: true, Hint: hint}
	}
	kit.Actions(gtx, th, size, size.X, -1,
		r.find.Look(th, look(kit.IconSearch, "Search for all that came through this line")),
		r.without.Look(th, look(kit.IconHide, "Search without what came through this line")))
}

// note draws a row that is no frame.
func (r *stackRow) note(gtx C, th *kit.Theme) D {
	width := gtx.Constraints.Max.X
	c, d := kit.Measure(gtx, kit.Label{Size: kit.SmallSize, Colour: th.Link, Text: r.title}.Line(th))
	y := gtx.Dp(5)
	kit.Place(gtx.Ops, image.Pt(0, y), c)
	y += d.Size.Y + gtx.Dp(1)
	c, d = kit.Measure(gtx, func(gtx C) D {
		return kit.Label{Face: kit.Mono, Size: kit.SmallSize, Colour: th.Text}.Selectable(gtx, th, &r.texts[0], true)
	})
	kit.Place(gtx.Ops, image.Pt(0, y), c)
	y += d.Size.Y + gtx.Dp(5)
	if r.link > 0 {
		c, d = kit.Measure(gtx, r.find.Look(th, kit.ButtonLook{Text: "Show in the allocator", Small: true,
			Ground: th.Raised, HintLeft: true, Hint: "The free ranges that this is about, in their segments"}))
		kit.Place(gtx.Ops, image.Pt(0, y), c)
		y += d.Size.Y + gtx.Dp(6)
	}
	kit.Fill(gtx.Ops, image.Rect(0, y, width, y+1), kit.WithAlpha(th.Line, 160))
	return D{Size: image.Pt(width, y+1)}
}

func noteRow(title, text string) stackRow {
	return stackRow{title: title, place: text}
}

// fxRow makes a row of what torch.fx knows of a frame; false if nothing.
func fxRow(s *snapshot.Snapshot, f snapshot.FrameID) (stackRow, bool) {
	node, code := s.FX(f)
	if node == "" && len(code) == 0 {
		return stackRow{}, false
	}
	if node != "" {
		code = append([]string{node}, code...)
	}
	return noteRow("From torch.fx, with the model's own code", strings.Join(code, "\n")), true
}
