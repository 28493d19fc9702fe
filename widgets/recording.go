package widgets

import (
	_ "embed" // for the page's text
	"image"
	"strings"

	giolayout "gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/widget"
	"gioui.org/widget/material"
)

// RecordingText is how one records a snapshot: headings, paragraphs, points,
// and code that is indented. The README has the same text, a test compares.
//
//go:embed recording.md
var RecordingText string

// A guideBlock is a part of a page: what it is follows from its mark.
type guideBlock struct {
	mark guideMark
	text string
}

type guideMark uint8

const (
	guideParagraph guideMark = iota
	guideHeading
	guidePoint
	guideCode
)

// recordingPage is RecordingText, taken apart once.
var recordingPage = guideBlocks(RecordingText)

// RecordingCode is the page's first code: what one needs at least.
var RecordingCode = firstCode(recordingPage)

func firstCode(page []guideBlock) string {
	for _, b := range page {
		if b.mark == guideCode {
			return b.text
		}
	}
	return ""
}

// guideBlocks takes a text apart. It knows the little of Markdown that is in
// ours.
func guideBlocks(text string) []guideBlock {
	var page []guideBlock
	blank := 0 // lines since the last block
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		last := guideParagraph
		if len(page) > 0 {
			last = page[len(page)-1].mark
		}
		code, isCode := strings.CutPrefix(line, "    ")
		heading, isHeading := strings.CutPrefix(line, "### ")
		point, isPoint := strings.CutPrefix(line, "- ")
		switch {
		case line == "":
			blank++
			continue
		case isCode && last == guideCode:
			page[len(page)-1].text += strings.Repeat("\n", blank) + code + "\n"
		case isCode:
			page = append(page, guideBlock{guideCode, code + "\n"})
		case isHeading:
			page = append(page, guideBlock{guideHeading, heading})
		case isPoint:
			page = append(page, guideBlock{guidePoint, point})
		case blank == 0 && len(page) > 0 && (last == guideParagraph || last == guidePoint):
			page[len(page)-1].text += " " + strings.TrimSpace(line)
		default:
			page = append(page, guideBlock{guideParagraph, line})
		}
		blank = 0
	}
	return page
}

// A RecordingSheet is the page on how to record a snapshot.
type RecordingSheet struct {
	modal  modal
	close  Button
	copies []Button // of each block; only code has one
	list   widget.List
}

// Update returns what is to be copied, "" for nothing, and reports that the
// sheet was closed.
func (s *RecordingSheet) Update(gtx giolayout.Context) (code string, closed bool) {
	for i := range s.copies {
		if s.copies[i].Clicked(gtx) {
			code = recordingPage[i].text
		}
	}
	return code, s.modal.update(gtx) || s.close.Clicked(gtx)
}

// Layout draws the sheet over the window.
func (s *RecordingSheet) Layout(gtx giolayout.Context, th *Theme) {
	if s.copies == nil {
		s.copies = make([]Button, len(recordingPage))
	}
	s.modal.layout(gtx, th, 680, func(gtx giolayout.Context) giolayout.Dimensions {
		return giolayout.Inset{Top: 12, Bottom: 12, Left: 20, Right: 8}.Layout(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
			return giolayout.Flex{Axis: giolayout.Vertical}.Layout(gtx,
				giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
					return sheetTitle(gtx, th, "How to record a snapshot", &s.close)
				}),
				giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
					s.list.Axis = giolayout.Vertical
					style := material.List(th.mat, &s.list)
					style.Indicator.Color = withAlpha(th.Quiet, 120)
					gtx.Constraints.Min.Y = 0
					return style.Layout(gtx, len(recordingPage), func(gtx giolayout.Context, i int) giolayout.Dimensions {
						return giolayout.Inset{Right: 12}.Layout(gtx, func(gtx giolayout.Context) giolayout.Dimensions { return s.block(gtx, th, i) })
					})
				}),
			)
		})
	})
}

// block draws one part of the page.
func (s *RecordingSheet) block(gtx giolayout.Context, th *Theme, i int) giolayout.Dimensions {
	gtx.Constraints.Min = image.Point{}
	switch b := recordingPage[i]; b.mark {
	case guideHeading:
		inset := giolayout.Inset{Top: 10, Bottom: 4}
		if i == 0 {
			inset.Top = 0
		}
		return inset.Layout(gtx, Label{Face: Strong, Colour: th.Link, Text: b.text}.widget(th))
	case guideCode:
		return giolayout.Inset{Top: 2, Bottom: 8}.Layout(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
			return codeBox(gtx, th, b.text, &s.copies[i])
		})
	case guidePoint:
		return giolayout.Inset{Bottom: 4}.Layout(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
			return giolayout.Flex{}.Layout(gtx,
				giolayout.Rigid(Label{Colour: th.Quiet, Text: "•"}.widget(th)),
				giolayout.Rigid(giolayout.Spacer{Width: 8}.Layout),
				giolayout.Flexed(1, func(gtx giolayout.Context) giolayout.Dimensions { return flow(gtx, th, b.text) }))
		})
	default:
		return giolayout.Inset{Bottom: 6}.Layout(gtx, func(gtx giolayout.Context) giolayout.Dimensions { return flow(gtx, th, b.text) })
	}
}

// codeBox draws code in a box as wide as there is room, with a button that
// copies it.
func codeBox(gtx giolayout.Context, th *Theme, code string, copy *Button) giolayout.Dimensions {
	width := gtx.Constraints.Max.X
	b, bd := measure(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
		return copy.Layout(gtx, th, ButtonLook{Icon: IconCopy, Text: "Copy", Small: true, Ground: th.Raised, Hint: "Copy these lines", HintLeft: true})
	})
	c, d := measure(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
		return giolayout.Inset{Left: 12, Right: 12, Top: 10, Bottom: 10}.Layout(gtx, Label{Face: Mono, Size: SmallSize, Colour: th.Text, Text: strings.TrimSuffix(code, "\n")}.paragraph(th))
	})
	edge := gtx.Dp(6)
	r := image.Rect(0, 0, width, max(d.Size.Y, bd.Size.Y+2*edge))
	roundFrame(gtx, th, r, th.Line, th.Ground)
	area := clip.Rect(r).Push(gtx.Ops)
	place(gtx.Ops, image.Pt(0, (r.Dy()-d.Size.Y)/2), c)
	area.Pop()
	place(gtx.Ops, image.Pt(width-bd.Size.X-edge, edge), b)
	return giolayout.Dimensions{Size: r.Max}
}

// flow draws a paragraph whose `marked` parts are code.
func flow(gtx giolayout.Context, th *Theme, text string) giolayout.Dimensions {
	width := gtx.Constraints.Max.X
	space := th.width(gtx, Label{Text: "n n"}) - th.width(gtx, Label{Text: "nn"})
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
				label = Label{Face: Mono, Colour: th.Text, Text: word}
			}
			c, d := measure(gtx, label.widget(th))
			if x > 0 && x+d.Size.X > width {
				x, y = 0, y+height+leading
			}
			height = max(height, d.Size.Y)
			place(gtx.Ops, image.Pt(x, y), c)
			x += d.Size.X
		}
	}
	return giolayout.Dimensions{Size: image.Pt(width, y+height)}
}
