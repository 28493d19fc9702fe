package sheet

import (
	giolayout "gioui.org/layout"
	"gioui.org/op/paint"
	"gioui.org/widget"

	"strata/widgets/describe"
	"strata/widgets/kit"
)

// An ProblemCard says why a file could not be used. It lies over the window without covering what is still good.
type ProblemCard struct {
	dismiss, retry kit.Button

	of    *describe.Problem // that image is of
	image paint.ImageOp
}

// ProblemEvent is what the user did in the card.
type ProblemEvent struct{ Dismiss, Retry bool }

// Update reads the card's events.
func (c *ProblemCard) Update(gtx C) ProblemEvent {
	return ProblemEvent{Dismiss: c.dismiss.Clicked(gtx), Retry: c.retry.Clicked(gtx)}
}

// Layout draws the card, at most as wide as the constraints.
func (c *ProblemCard) Layout(gtx C, th *kit.Theme, p *describe.Problem) D {
	text := []giolayout.FlexChild{
		giolayout.Rigid(kit.InRow(
			giolayout.Rigid(th.Picture(kit.IconError, 20, th.Red)),
			kit.Gap(8),
			giolayout.Flexed(1, kit.Wide(th.Strong(p.Title).Wrapped(th))))),
		kit.Gap(8),
		giolayout.Rigid(th.Body(p.What).Wrapped(th))}
	if p.Image != nil {
		text = append(text, kit.Gap(8), giolayout.Rigid(c.picture(p)))
	}
	if p.Advice != "" {
		text = append(text, kit.Gap(6), giolayout.Rigid(th.Aside(p.Advice).Wrapped(th)))
	}
	buttons := []giolayout.FlexChild{giolayout.Rigid(c.dismiss.Look(th, kit.ButtonLook{Text: "Dismiss",
		Ground: th.Raised, Hint: "Close this message", Key: "Esc"}))}
	if p.Path != "" {
		buttons = append(buttons, kit.Gap(8), giolayout.Rigid(c.retry.Look(th, kit.ButtonLook{Text: "Try again",
			Colour: th.Link, Hint: "Read the file again"})))
	}
	text = append(text, kit.Gap(12), giolayout.Rigid(kit.InRow(buttons...)))
	width := cardWidth
	if p.Image != nil {
		width = 2 * cardWidth
	}
	return card(gtx, th, th.Red, width, kit.InColumn(text...))
}

// picture draws what the file holds as large as there is room.
func (c *ProblemCard) picture(p *describe.Problem) giolayout.Widget {
	if c.of != p {
		c.of, c.image = p, paint.NewImageOp(p.Image)
	}
	return func(gtx C) D {
		gtx.Constraints.Max.Y = max(gtx.Dp(60), gtx.Constraints.Max.Y-gtx.Dp(220)) // for the text and the buttons
		return widget.Image{Src: c.image, Fit: widget.ScaleDown, Scale: 1 / gtx.Metric.PxPerDp}.Layout(gtx)
	}
}
