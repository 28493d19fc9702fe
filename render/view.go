// Package render turns a layout.Timeline and a View into pixels and a lookup
// map on the CPU. It knows nothing of windows; the one file that makes a Gio
// operation of its pictures is paintop.go.
package render

import "strata/layout"

// A View is the part of a timeline that a picture shows: three numbers that
// survive any window size. X is in the axis' unit (timesteps, or microseconds
// after the first event), Y in bytes, upwards.
type View struct {
	Axis   layout.Axis
	X0, X1 float64 // X0 < X1
	Y0, Y1 float64 // Y0 < Y1
}

// Whole is the view of everything on an axis, with headroom above the peak.
func Whole(t *layout.Timeline, axis layout.Axis) View {
	return View{Axis: axis, X0: 0, X1: t.Extent(axis), Y0: 0, Y1: headroom(t.PeakBytes)}
}

// headroom is the upper end of the Y axis for a highest value of peak bytes.
func headroom(peak int64) float64 { return max(1, float64(peak)*1.06) }
