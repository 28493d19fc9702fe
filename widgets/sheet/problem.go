package sheet

import (
	giolayout "gioui.org/layout"

	"strata/widgets/describe"
	"strata/widgets/kit"
)

// An ProblemCard says why a file could not be used. It lies over the window without covering what is still good.
type ProblemCard struct {
	dismiss, retry kit.Button
}

// ProblemEvent is what the user did in the card.
type ProblemEvent struct{ Dismiss, Retry bool }

// Update reads the card's events.
func (c *ProblemCard) Update(gtx C) ProblemEvent {
	return ProblemEvent{Dismiss: c.dismiss.Clicked(gtx), Retry: c.retry.Clicked(gtx)}
}

// Layout draws the card, at most as wide as the constraints.
func (c *ProblemCard) Layout(gtx C, th *kit.Theme, p *describe.Problem) D {
	return card(gtx, th, th.Red, func(gtx C) D {
		return giolayout.Flex{Axis: giolayout.Vertical}.Layout(gtx,
			giolayout.Rigid(func(gtx C) D {
				return giolayout.Flex{Alignment: giolayout.Middle}.Layout(gtx,
					giolayout.Rigid(th.Picture(kit.IconError, 20, th.Red)),
					kit.Gap(8),
					giolayout.Flexed(1, kit.Wide(kit.Label{Face: kit.Strong, Colour: th.Text,
						Text: p.Title}.Wrapped(th))),
				)
			}),
			kit.Gap(8),
			giolayout.Rigid(th.Body(p.What).Wrapped(th)),
			giolayout.Rigid(func(gtx C) D {
				if p.Advice == "" {
					return D{}
				}
				return giolayout.Inset{Top: 6}.Layout(gtx, th.Aside(p.Advice).Wrapped(th))
			}),
			kit.Gap(12),
			giolayout.Rigid(func(gtx C) D {
				return giolayout.Flex{}.Layout(gtx,
					giolayout.Rigid(c.dismiss.Look(th, kit.ButtonLook{Text: "Dismiss", Ground: th.Raised,
						Hint: "Close this message", Key: "Esc"})),
					kit.Gap(8),
					giolayout.Rigid(func(gtx C) D {
						if p.Path == "" {
							return D{}
						}
						return c.retry.Layout(gtx, th, kit.ButtonLook{Text: "Try again", Colour: th.Link,
							Hint: "Read the file again"})
					}),
				)
			}),
		)
	})
}
