package sheet

import (
	"image"
	"strings"

	giolayout "gioui.org/layout"
	"gioui.org/op/clip"

	"strata/snapshot/recording"
	"strata/widgets/kit"
)

// recordingPage is how one records a snapshot.
var recordingPage = recording.Page()

// RecordingCode is the page's first code: what one needs at least.
var RecordingCode = recording.Snippet("cuda")

// A Recording is the page on how to record a snapshot.
type Recording struct {
	modal  kit.Modal
	copies []kit.Button // of each block; only code has one
}

// Update returns what is to be copied, "" for nothing, and reports that the sheet was closed.
func (s *Recording) Update(gtx C) (code string, closed bool) {
	for i := range s.copies {
		if s.copies[i].Clicked(gtx) {
			code = recordingPage[i].Text
		}
	}
	return code, s.modal.Update(gtx)
}

// Layout draws the sheet over the window.
func (s *Recording) Layout(gtx C, th *kit.Theme) {
	if s.copies == nil {
		s.copies = make([]kit.Button, len(recordingPage))
	}
	item := func(gtx C, i int) D {
		return giolayout.Inset{Right: 12}.Layout(gtx, s.block(th, i))
	}
	s.modal.Layout(gtx, th, 680, "How to record a snapshot",
		giolayout.Rigid(s.modal.List(th, len(recordingPage), item)))
}

// block draws one part of the page.
func (s *Recording) block(th *kit.Theme, i int) giolayout.Widget {
	b := recordingPage[i]
	text := func(gtx C) D { return flow(gtx, th, b.Text) }
	switch b.Mark {
	case recording.Heading:
		inset := giolayout.Inset{Top: 10, Bottom: 4}
		if i == 0 {
			inset.Top = 0
		}
		return kit.Padded(inset, kit.Label{Face: kit.Strong, Colour: th.Link, Text: b.Text}.Line(th))
	case recording.Code:
		code := func(gtx C) D { return codeBox(gtx, th, b.Text, &s.copies[i]) }
		return kit.Padded(giolayout.Inset{Top: 2, Bottom: 8}, code)
	case recording.Point:
		return kit.Padded(giolayout.Inset{Bottom: 4}, kit.Noted(th.Aside("•").Line(th), 8, text))
	}
	return kit.Padded(giolayout.Inset{Bottom: 6}, text)
}

// codeBox draws code in a box as wide as there is room, with a button that copies it.
func codeBox(gtx C, th *kit.Theme, code string, copy *kit.Button) D {
	width := gtx.Constraints.Max.X
	b, bd := kit.Measure(gtx, copy.Look(th, kit.ButtonLook{Icon: kit.IconCopy, Text: "Copy", Small: true,
		Ground: th.Raised, Hint: "Copy these lines", HintLeft: true}))
	text := kit.Label{Face: kit.Mono, Size: kit.SmallSize, Colour: th.Text, Text: strings.TrimSuffix(code, "\n")}
	c, d := kit.Measure(gtx, kit.Padded(giolayout.Inset{Left: 12, Right: 12, Top: 10, Bottom: 10}, text.Wrapped(th)))
	edge := gtx.Dp(6)
	r := image.Rect(0, 0, width, max(d.Size.Y, bd.Size.Y+2*edge))
	kit.Box(gtx, th, r, th.Line, th.Ground)
	area := clip.Rect(r).Push(gtx.Ops)
	kit.Place(gtx.Ops, image.Pt(0, (r.Dy()-d.Size.Y)/2), c)
	area.Pop()
	kit.Place(gtx.Ops, image.Pt(width-bd.Size.X-edge, edge), b)
	return D{Size: r.Max}
}

// flow draws a paragraph whose `marked` parts are code.
func flow(gtx C, th *kit.Theme, text string) D {
	width := gtx.Constraints.Max.X
	space := th.Width(gtx, kit.Label{Text: "n n"}) - th.Width(gtx, kit.Label{Text: "nn"})
	leading := gtx.Dp(2)
	x, y, height := 0, 0, 0
	for i, part := range strings.Split(text, "`") {
		words := strings.Split(part, " ")
		for k, word := range words {
			if k > 0 {
				x += space
			}
			if word == "" {
				continue
			}
			label := th.Body(word)
			if i%2 == 1 {
				label = th.MonoText(word)
			}
			c, d := kit.Measure(gtx, label.Line(th))
			if x > 0 && x+d.Size.X > width {
				x, y = 0, y+height+leading
			}
			height = max(height, d.Size.Y)
			kit.Place(gtx.Ops, image.Pt(x, y), c)
			x += d.Size.X
		}
	}
	return D{Size: image.Pt(width, y+height)}
}
