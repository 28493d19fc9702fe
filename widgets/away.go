package widgets

import (
	"image"

	giolayout "gioui.org/layout"

	"strata/layout"
)

// Away is on which side of the picture something out of view is.
type Away uint8

// The sides; InView is none of them.
const (
	InView Away = iota
	AwayLeft
	AwayRight
	AwayAbove
	AwayBelow
)

// An AwayButton stands at the edge of the picture where the pinned allocation
// has gone, and brings it back.
type AwayButton struct{ button Button }

// Update reports a click.
func (b *AwayButton) Update(gtx giolayout.Context) bool { return b.button.Clicked(gtx) }

// Layout draws the button inside plot, or nothing if all is in view. It has to
// lie beside the timeline in the tree of areas, not in it: a click on it is
// none on the picture.
func (b *AwayButton) Layout(gtx giolayout.Context, th *Theme, plot image.Rectangle, where Away, key string) {
	if where == InView || plot.Dx() < gtx.Dp(120) || plot.Dy() < gtx.Dp(60) {
		return
	}
	look := ButtonLook{Text: "Pinned", Small: true, Colour: th.Text, Ground: th.Raised, Hint: "Bring the pinned allocation back into view", Key: key}
	switch where {
	case AwayLeft:
		look.Icon = IconBack
	case AwayRight:
		look.Trailing, look.HintLeft = IconForward, true
	case AwayAbove:
		look.Icon = IconUp
	default:
		look.Icon, look.HintAbove = IconDownward, true
	}
	c, d := measure(gtx, func(gtx giolayout.Context) giolayout.Dimensions { return b.button.Layout(gtx, th, look) })
	edge, border := gtx.Dp(6), gtx.Dp(1)
	at := plot.Min.Add(plot.Size().Sub(d.Size).Div(2))
	switch where {
	case AwayLeft:
		at.X = plot.Min.X + edge
	case AwayRight:
		at.X = plot.Max.X - d.Size.X - edge
	case AwayAbove:
		at.Y = plot.Min.Y + edge
	default:
		at.Y = plot.Max.Y - d.Size.Y - edge
	}
	fillRound(gtx, th, image.Rectangle{Min: at, Max: at.Add(d.Size)}.Inset(-border), th.Red) // the colour of what is pinned
	place(gtx.Ops, at, c)
}

// ShowsPinned reports whether the picture drawn last has a pixel of the pinned
// allocation.
func (tl *Timeline) ShowsPinned(id layout.ID) bool {
	o := &tl.outlines[1]
	return o.key.id == id && len(o.rects) > 0
}
