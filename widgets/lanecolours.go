package widgets

import "image/color"

// laneHues is how many colours names of annotations have.
const laneHues = 6

// The grounds and texts of bars: the contrast between them is at least 4.5.
// No red: that is kept for limits.
var (
	laneDark = [laneHues][2]color.NRGBA{
		{rgb(0x22304f), rgb(0xb4c6f2)}, {rgb(0x3d2b4d), rgb(0xd9bdec)}, {rgb(0x22433a), rgb(0xa9dcc6)},
		{rgb(0x473a20), rgb(0xe6cd98)}, {rgb(0x1f4149), rgb(0xa3d6e0)}, {rgb(0x39402a), rgb(0xcbd6a4)},
	}
	laneLight = [laneHues][2]color.NRGBA{
		{rgb(0xd3e0fb), rgb(0x20427f)}, {rgb(0xeadcf5), rgb(0x5b2f7d)}, {rgb(0xd0ede1), rgb(0x1a5a43)},
		{rgb(0xf6e7c4), rgb(0x694a08)}, {rgb(0xcfebf1), rgb(0x14525f)}, {rgb(0xe4ebcd), rgb(0x465316)},
	}
)

// laneColours are the ground and the text of a bar.
func (th *Theme) laneColours(hue uint8) (ground, text color.NRGBA) {
	c := laneLight[hue]
	if th.Dark {
		c = laneDark[hue]
	}
	return c[0], c[1]
}
