package widgets

import (
	"image"
	"image/color"

	giolayout "gioui.org/layout"
	"gioui.org/op/clip"

	"strata/layout/units"
)

// An ErrorCard says why a file could not be used. It lies over the window
// without covering what is still good.
type ErrorCard struct {
	dismiss, retry Button
}

// Problem is what an ErrorCard says.
type Problem struct {
	Title  string // "run.pickle could not be opened"
	What   string // what is wrong, and where
	Advice string // what to try; may be ""
	Path   string // the file, to try again; may be ""
}

// ErrorEvent is what the user did in the card.
type ErrorEvent struct{ Dismiss, Retry bool }

// Update reads the card's events.
func (c *ErrorCard) Update(gtx giolayout.Context) ErrorEvent {
	return ErrorEvent{Dismiss: c.dismiss.Clicked(gtx), Retry: c.retry.Clicked(gtx)}
}

// Layout draws the card, at most as wide as the constraints.
func (c *ErrorCard) Layout(gtx giolayout.Context, th *Theme, p *Problem) giolayout.Dimensions {
	return card(gtx, th, th.Red, func(gtx giolayout.Context) giolayout.Dimensions {
		return giolayout.Flex{Axis: giolayout.Vertical}.Layout(gtx,
			giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
				return giolayout.Flex{Alignment: giolayout.Middle}.Layout(gtx,
					giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions { return th.icon(gtx, IconError, 20, th.Red) }),
					giolayout.Rigid(giolayout.Spacer{Width: 8}.Layout),
					giolayout.Flexed(1, wide(Label{Face: Strong, Colour: th.Text, Text: p.Title}.paragraph(th))),
				)
			}),
			giolayout.Rigid(giolayout.Spacer{Height: 8}.Layout),
			giolayout.Rigid(th.Body(p.What).paragraph(th)),
			giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
				if p.Advice == "" {
					return giolayout.Dimensions{}
				}
				return giolayout.Inset{Top: 6}.Layout(gtx, Label{Colour: th.Quiet, Text: p.Advice}.paragraph(th))
			}),
			giolayout.Rigid(giolayout.Spacer{Height: 12}.Layout),
			giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
				return giolayout.Flex{}.Layout(gtx,
					giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
						return c.dismiss.Layout(gtx, th, ButtonLook{Text: "Dismiss", Ground: th.Raised, Hint: "Close this message", Key: "Esc"})
					}),
					giolayout.Rigid(giolayout.Spacer{Width: 8}.Layout),
					giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
						if p.Path == "" {
							return giolayout.Dimensions{}
						}
						return c.retry.Layout(gtx, th, ButtonLook{Text: "Try again", Colour: th.Link, Hint: "Read the file again"})
					}),
				)
			}),
		)
	})
}

// card draws content in a box with a coloured left edge.
func card(gtx giolayout.Context, th *Theme, edge color.NRGBA, content giolayout.Widget) giolayout.Dimensions {
	gtx.Constraints.Min = image.Point{}
	gtx.Constraints.Max.X = min(gtx.Constraints.Max.X, gtx.Dp(560))
	c, d := measure(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
		return giolayout.Inset{Left: 20, Right: 16, Top: 14, Bottom: 14}.Layout(gtx, content)
	})
	r := image.Rectangle{Max: image.Pt(max(d.Size.X, gtx.Constraints.Max.X), d.Size.Y)}
	shadow(gtx, th, r)
	roundFrame(gtx, th, r, th.Line, th.Card)
	fill(gtx.Ops, image.Rect(1, gtx.Dp(4), 1+gtx.Dp(3), r.Max.Y-gtx.Dp(4)), edge)
	c.Add(gtx.Ops)
	return giolayout.Dimensions{Size: r.Max}
}

// LoadingBar shows how far a file has been read.
type LoadingBar struct {
	cancel Button
}

// Loading is what the bar shows.
type Loading struct {
	Name        string
	Phase       string  // "Reading", "Laying out"
	Done, Total int64   // bytes; Total 0 while unknown
	Rate        float64 // bytes per second; 0 while unknown
}

// Update reports that the user cancels.
func (b *LoadingBar) Update(gtx giolayout.Context) bool { return b.cancel.Clicked(gtx) }

// Layout draws the bar as a card.
func (b *LoadingBar) Layout(gtx giolayout.Context, th *Theme, l *Loading) giolayout.Dimensions {
	return card(gtx, th, th.Accent, func(gtx giolayout.Context) giolayout.Dimensions {
		return giolayout.Flex{Axis: giolayout.Vertical}.Layout(gtx,
			giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
				return giolayout.Flex{Alignment: giolayout.Middle}.Layout(gtx,
					giolayout.Flexed(1, wide(Label{Face: Strong, Colour: th.Text, Text: l.Phase + " " + l.Name}.widget(th))),
					giolayout.Rigid(giolayout.Spacer{Width: 8}.Layout),
					giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions {
						return b.cancel.Layout(gtx, th, ButtonLook{Text: "Cancel", Small: true, Ground: th.Raised, Hint: "Stop; what was open stays", Key: "Esc", HintLeft: true})
					}),
				)
			}),
			giolayout.Rigid(giolayout.Spacer{Height: 10}.Layout),
			giolayout.Rigid(func(gtx giolayout.Context) giolayout.Dimensions { return progress(gtx, th, l) }),
			giolayout.Rigid(giolayout.Spacer{Height: 8}.Layout),
			giolayout.Rigid(Label{Face: Mono, Size: SmallSize, Colour: th.Quiet, Text: l.text()}.widget(th)),
		)
	})
}

// text is the progress in figures.
func (l *Loading) text() string {
	s := units.Bytes(l.Done)
	if l.Total > 0 {
		s += " of " + units.Bytes(l.Total)
	}
	if l.Rate > 0 {
		s += "   " + units.Bytes(int64(l.Rate)) + "/s"
	}
	return s
}

func progress(gtx giolayout.Context, th *Theme, l *Loading) giolayout.Dimensions {
	size := image.Pt(gtx.Constraints.Max.X, gtx.Dp(4))
	defer clip.UniformRRect(image.Rectangle{Max: size}, size.Y/2).Push(gtx.Ops).Pop()
	fill(gtx.Ops, image.Rectangle{Max: size}, th.Raised)
	if l.Total > 0 {
		part := min(1, float64(l.Done)/float64(l.Total))
		fill(gtx.Ops, image.Rect(0, 0, int(part*float64(size.X)), size.Y), th.Accent)
	}
	return giolayout.Dimensions{Size: size}
}
