package widgets

import (
	"image/color"
	"math"

	"gioui.org/op"
)

type callOp = op.CallOp

func rgbOf(c color.NRGBA) [3]uint8 { return [3]uint8{c.R, c.G, c.B} }

// contrast is the ratio of WCAG 2.
func contrast(a, b [3]uint8) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + .05) / (min(la, lb) + .05)
}

func luminance(c [3]uint8) float64 {
	lin := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= .04045 {
			return x / 12.92
		}
		return math.Pow((x+.055)/1.055, 2.4)
	}
	return .2126*lin(c[0]) + .7152*lin(c[1]) + .0722*lin(c[2])
}
