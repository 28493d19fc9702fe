package chart

import (
	"image/color"
	"math"

	"strata/render"
	"strata/render/colour"
	"strata/widgets/describe"
	"strata/widgets/kit"
)

// A PhaseLine is the START or the END of a phase, drawn over the picture.
type PhaseLine struct {
	X      int // pixel of the picture
	End    bool
	Strong bool // of a phase that is pointed out
	Colour color.NRGBA
}

// Lines appends the lines of the phases in view to dst: those pointed out, and
// of those that are wide, the outermost levels that are not too many.
func (l *Lane) Lines(gtx C, dst []PhaseLine, th *kit.Theme, d *describe.Annotations, v render.View,
	lit ...int32) []PhaseLine {
	if d == nil || d.Bars[v.Axis] == nil {
		return dst
	}
	add := func(phase int32, strong bool) {
		_, c := laneColours(th, d.Hue[phase])
		x0, x1 := d.Bars[v.Axis].Span(phase)
		ph := &d.Phases.All[phase]
		line := func(x float64, end bool) {
			if px := int(math.Floor(v.XPixel(x, l.width))); px >= 0 && px <= l.width {
				dst = append(dst, PhaseLine{X: min(px, l.width-1), End: end, Strong: strong, Colour: c})
			}
		}
		if !ph.Instant {
			line(x0, false)
		}
		if !ph.Open {
			line(x1, true)
		}
	}
	shown := 0
	for i := 0; i < len(l.bars); { // level by level, the outermost first
		wide, j := 0, i
		for ; j < len(l.bars) && l.bars[j].rect.Min.Y == l.bars[i].rect.Min.Y; j++ {
			if l.bars[j].Count == 1 && l.bars[j].rect.Dx() >= gtx.Dp(lineBar) {
				wide++
			}
		}
		if shown += wide; shown > maxLines {
			break
		}
		for ; i < j; i++ {
			if b := &l.bars[i]; b.Count == 1 && b.rect.Dx() >= gtx.Dp(lineBar) {
				add(b.Phase, false)
			}
		}
	}
	for _, p := range lit {
		if p != describe.NoPhase {
			add(p, true)
		}
	}
	return dst
}

// laneColours are the ground and the text of a bar.
func laneColours(th *kit.Theme, hue uint8) (ground, text color.NRGBA) {
	g, t := colour.PhaseColours(th.Dark, hue)
	return color.NRGBA(g), color.NRGBA(t) // both opaque
}

// How wide a bar is whose lines show unasked, dp, and how many of them.
const (
	lineBar  = 24
	maxLines = 16
)
