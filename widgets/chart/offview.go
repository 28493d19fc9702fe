package chart

import (
	"image"

	"strata/layout"
	"strata/widgets/kit"
)

// Side is on which side of the picture something out of view is.
type Side uint8

// The sides; InView is none of them.
const (
	InView Side = iota
	OffLeft
	OffRight
	OffAbove
	OffBelow
)

// An OffViewButton stands at the edge of the picture where the pinned allocation has gone, and brings it back.
type OffViewButton struct{ button kit.Button }

// Update reports a click.
func (b *OffViewButton) Update(gtx C) bool { return b.button.Clicked(gtx) }

// Layout draws the button inside plot, or nothing if all is in view. It has to lie beside the timeline in the tree of
// areas, not in it: a click on it is none on the picture.
func (b *OffViewButton) Layout(gtx C, th *kit.Theme, plot image.Rectangle, where Side, key string) {
	if where == InView || plot.Dx() < gtx.Dp(120) || plot.Dy() < gtx.Dp(60) {
		return
	}
	look := kit.ButtonLook{Text: "Pinned", Small: true, Colour: th.Text, Ground: th.Raised,
		Hint: "Bring the pinned allocation back into view", Key: key}
	half := image.Pt(1, 1) // halves of the room that are left of and above the button
	switch where {
	case OffLeft:
		look.Icon, half.X = kit.IconBack, 0
	case OffRight:
		look.Trailing, look.HintLeft, half.X = kit.IconForward, true, 2
	case OffAbove:
		look.Icon, half.Y = kit.IconUp, 0
	default:
		look.Icon, look.HintAbove, half.Y = kit.IconDownward, true, 2
	}
	c, d := kit.Measure(gtx, b.button.Look(th, look))
	border, inside := gtx.Dp(1), plot.Inset(gtx.Dp(6))
	room := inside.Size().Sub(d.Size)
	at := inside.Min.Add(image.Pt(room.X*half.X/2, room.Y*half.Y/2))
	// the colour of what is pinned
	kit.FillRound(gtx, th, image.Rectangle{Min: at, Max: at.Add(d.Size)}.Inset(-border), th.Red)
	kit.Place(gtx.Ops, at, c)
}

// ShowsPinned reports whether the picture drawn last has a pixel of the pinned allocation.
func (tl *Timeline) ShowsPinned(id layout.ID) bool {
	o := &tl.outlines[1]
	return o.key.id == id && len(o.rects) > 0
}
