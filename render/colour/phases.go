package colour

import (
	"image/color"

	"strata/layout"
)

// phaseHueCount is how many colours names of annotations have.
const phaseHueCount = 6

// The grounds and texts of bars: the contrast between them is at least 4.5. No red: that is kept for limits.
var (
	phasesDark = [phaseHueCount][2]color.RGBA{
		{rgb(0x22304f), rgb(0xb4c6f2)}, {rgb(0x3d2b4d), rgb(0xd9bdec)}, {rgb(0x22433a), rgb(0xa9dcc6)},
		{rgb(0x473a20), rgb(0xe6cd98)}, {rgb(0x1f4149), rgb(0xa3d6e0)}, {rgb(0x39402a), rgb(0xcbd6a4)},
	}
	phasesLight = [phaseHueCount][2]color.RGBA{
		{rgb(0xd3e0fb), rgb(0x20427f)}, {rgb(0xeadcf5), rgb(0x5b2f7d)}, {rgb(0xd0ede1), rgb(0x1a5a43)},
		{rgb(0xf6e7c4), rgb(0x694a08)}, {rgb(0xcfebf1), rgb(0x14525f)}, {rgb(0xe4ebcd), rgb(0x465316)},
	}
)

// PhaseHues gives each phase the hue of its name, for PhaseColours.
func PhaseHues(p *layout.Phases) []uint8 {
	of := map[string]uint8{}
	hues := make([]uint8, len(p.All))
	for i := range p.All {
		h, ok := of[p.All[i].Name]
		if !ok {
			h = uint8(len(of) % phaseHueCount)
			of[p.All[i].Name] = h
		}
		hues[i] = h
	}
	return hues
}

// PhaseColours are the ground of a phase's bar, and what is written on it.
func PhaseColours(dark bool, hue uint8) (ground, text color.RGBA) {
	c := phasesLight[hue]
	if dark {
		c = phasesDark[hue]
	}
	return c[0], c[1]
}
