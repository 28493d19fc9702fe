package colour

import "image/color"

// Category is PyTorch's colour for a category of a memory timeline: matplotlib's, three parts of ten white, as its own
// pictures have it on paper, which is readable in the dark theme as well. Categories that PyTorch does not have are as
// what is unknown.
func Category(name string) color.RGBA {
	c, known := map[string]uint32{"parameter": 0x006400, "optimizer_state": 0xdaa520, "input": 0, "temporary": 0x9370db,
		"activation": 0xff0000, "gradient": 0x0000cd, "autograd_detail": 0x4169e1}[name]
	if !known {
		c = 0x808080
	}
	full := rgb(c)
	paler := func(v uint8) uint8 { return uint8((7*int(v) + 3*255) / 10) }
	return color.RGBA{R: paler(full.R), G: paler(full.G), B: paler(full.B), A: 255}
}
