package colour

import (
	"image/color"
	"math"
	"sync"
)

// hueCount is how many hues tell categories apart, shadeCount how many shades of them call sites.
const hueCount, shadeCount = 20, 3 * hueCount

// A Palette is the colours of a theme. Red is kept for what is pinned and for limits, white (black in the light
// theme) for what is hovered.
type Palette struct {
	Dark bool

	Background color.RGBA // also gaps
	Panel      color.RGBA // around the timeline
	Line       color.RGBA // frames
	Grid       color.RGBA // grid lines over the background
	Text       color.RGBA
	Quiet      color.RGBA // ticks and the like
	Hovered    color.RGBA
	Pinned     color.RGBA
	Curve      color.RGBA // what the matches of a search held
	Rest       color.RGBA // the band of undrawn allocations
	Unknown    color.RGBA // no call site recorded

	// Hues are equally light and equally colourful, each far from the ones before it: take them in this order. Those
	// after the first hueCount are the same hues paler, and darker.
	Hues [shadeCount]color.RGBA
	// Ramp runs from little to much.
	Ramp [rampCount]color.RGBA
}

// rampCount is the number of steps of Palette.Ramp.
const rampCount = 24

// Dark is the palette of the dark theme.
func Dark() Palette { return dark() }

// Light is the palette of the light theme.
func Light() Palette { return light() }

var dark = sync.OnceValue(func() Palette {
	p := Palette{
		Dark:       true,
		Background: rgb(0x0f1118), Panel: rgb(0x141722), Line: rgb(0x262b3a), Grid: rgb(0x1b1f2b),
		Text: rgb(0xd9deea), Quiet: rgb(0x8a93a8), Hovered: rgb(0xffffff), Pinned: rgb(0xff5d5d), Curve: rgb(0x6e9bff),
		Rest: rgb(0x5a6070), Unknown: rgb(0x7d8391),
	}
	p.fill(.70, .085, func(f float64) color.RGBA {
		return oklch(.38+.46*f, .055+.055*math.Sin(math.Pi*f), 270-190*f)
	})
	return p
})

var light = sync.OnceValue(func() Palette {
	p := Palette{
		Background: rgb(0xffffff), Panel: rgb(0xf4f5f8), Line: rgb(0xd5d9e2), Grid: rgb(0xeceef3),
		Text: rgb(0x1c2130), Quiet: rgb(0x5c6478), Hovered: rgb(0x000000), Pinned: rgb(0xd62c2c), Curve: rgb(0x2456c8),
		Rest: rgb(0xb3b8c4), Unknown: rgb(0x9aa0ad),
	}
	p.fill(.74, .085, func(f float64) color.RGBA {
		return oklch(.88-.44*f, .05+.06*math.Sin(math.Pi*f), 80+190*f)
	})
	return p
})

// hueStep is how many places on the circle of hues lead from each to the next: it visits all twenty and keeps
// neighbours nearly opposite.
const hueStep = 9

// fill makes the hues, of a lightness and a chroma, and the ramp, of what it is at parts of its length.
func (p *Palette) fill(l, c float64, ramp func(part float64) color.RGBA) {
	for i := range p.Ramp {
		p.Ramp[i] = ramp(float64(i) / (rampCount - 1))
	}
	for i := range p.Hues {
		shade := [...]struct{ l, c float64 }{{0, 1}, {.1, .8}, {-.11, 1.1}}[i/hueCount]
		p.Hues[i] = oklch(l+shade.l, c*shade.c, 200+float64(i*hueStep%hueCount)*360/hueCount)
	}
}

func rgb(v uint32) color.RGBA {
	return color.RGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 255}
}

// oklch is a colour of lightness l (0 to 1), chroma c and hue h (degrees) in Björn Ottosson's OKLCH, clipped to sRGB.
func oklch(l, c, h float64) color.RGBA {
	a, b := c*math.Cos(h*math.Pi/180), c*math.Sin(h*math.Pi/180)
	lc := cube(l + 0.3963377774*a + 0.2158037573*b)
	mc := cube(l - 0.1055613458*a - 0.0638541728*b)
	sc := cube(l - 0.0894841775*a - 1.2914855480*b)
	return color.RGBA{
		R: ToSRGB(4.0767416621*lc - 3.3077115913*mc + 0.2309699292*sc),
		G: ToSRGB(-1.2684380046*lc + 2.6097574011*mc - 0.3413193965*sc),
		B: ToSRGB(-0.0041960863*lc - 0.7034186147*mc + 1.7076147010*sc),
		A: 255,
	}
}

func cube(x float64) float64 { return x * x * x }

// ToSRGB encodes linear light, 0 to 1.
func ToSRGB(x float64) uint8 {
	x = min(max(x, 0), 1)
	if x <= 0.0031308 {
		return uint8(math.Round(x * 12.92 * 255))
	}
	return uint8(math.Round((1.055*math.Pow(x, 1/2.4) - 0.055) * 255))
}

// FromSRGB decodes to linear light, 0 to 1.
func FromSRGB(v uint8) float64 {
	x := float64(v) / 255
	if x <= 0.04045 {
		return x / 12.92
	}
	return math.Pow((x+0.055)/1.055, 2.4)
}

// Mix is part f of b and the rest of a, in linear light.
func Mix(a, b color.RGBA, f float64) color.RGBA {
	ch := func(a, b uint8) uint8 { return ToSRGB(FromSRGB(a)*(1-f) + FromSRGB(b)*f) }
	return color.RGBA{R: ch(a.R, b.R), G: ch(a.G, b.G), B: ch(a.B, b.B), A: 255}
}
