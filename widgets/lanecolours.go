package widgets

import (
	"image/color"

	"strata/render/colour"
)

// laneColours are the ground and the text of a bar.
func (th *Theme) laneColours(hue uint8) (ground, text color.NRGBA) {
	g, t := colour.PhaseColours(th.Dark, hue)
	return color.NRGBA(g), color.NRGBA(t) // both opaque
}
