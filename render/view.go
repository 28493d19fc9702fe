// Package render says what part of a timeline a picture shows, and which marks its axes have. The rooms below draw
// it.
package render

import (
	"math"

	"strata/layout"
)

// A View is the part of a timeline that a picture shows: three numbers that survive any window size. X is in the
// axis' unit (timesteps, or microseconds after the first event), Y in bytes, upwards.
type View struct {
	Axis   layout.Axis
	X0, X1 float64 // X0 < X1
	Y0, Y1 float64 // Y0 < Y1
	// Below and Above are how far Y may go beyond the data, bytes: down to
	// -Below, and up to Above if that is higher than what is there anyway.
	Below, Above float64
}

// The deepest zoom. Eight timesteps are two frees with their slides; below 64 bytes nothing is to be seen, and
// coordinates of terabytes keep far more precision than that in a float64.
const (
	minWidth  = 8  // timesteps, or microseconds
	minHeight = 64 // bytes
)

// Whole is the view of everything on an axis, with headroom above the peak.
func Whole(t *layout.Timeline, axis layout.Axis) View {
	return View{Axis: axis, X0: 0, X1: t.Extent(axis), Y0: 0, Y1: headroom(t.PeakBytes)}
}

// headroom is the upper end of the Y axis for a highest value of peak bytes.
func headroom(peak int64) float64 { return max(1, float64(peak)*1.06) }

// Clamp brings a view back to the data: X inside the axis, Y from 0 to twice the peak's headroom or as far as Below
// and Above let it, no span below the deepest zoom or above the whole. It moves a view before it shrinks one.
func (v View) Clamp(t *layout.Timeline) View {
	extent, ceiling := t.Extent(v.Axis), max(2*headroom(t.PeakBytes), v.Above*1.06)
	v.X0, v.X1 = clampSpan(v.X0, v.X1, minWidth, 0, extent)
	v.Y0, v.Y1 = clampSpan(v.Y0, v.Y1, minHeight, -v.Below, ceiling)
	return v
}

// Within brings a view back into another one that shows all there is: X inside of it, Y from its lower end to twice its
// height.
func (v View) Within(all View) View {
	v.X0, v.X1 = clampSpan(v.X0, v.X1, minWidth, all.X0, all.X1)
	v.Y0, v.Y1 = clampSpan(v.Y0, v.Y1, minHeight, all.Y0, all.Y0+2*(all.Y1-all.Y0))
	return v
}

// clampSpan moves [a, b] into [low, high] with a length of at least least.
func clampSpan(a, b, least, low, high float64) (float64, float64) {
	if !(b > a) || math.IsInf(a, 0) || math.IsInf(b, 0) { // NaN included
		return low, high
	}
	length, middle := b-a, a+(b-a)/2
	if short := min(least, high-low); length < short {
		length = short
		a = middle - length/2
	} else if a >= low && b <= high {
		return a, b // to the bit
	}
	if length >= high-low {
		return low, high
	}
	a = min(max(a, low), high-length)
	return a, a + length
}

// ZoomX magnifies by factor (above 1 shows less) and keeps the place at, in the axis' unit, where it is in the
// picture. It stops at the deepest zoom.
func (v View) ZoomX(at, factor float64) View {
	v.X0, v.X1 = zoomSpan(v.X0, v.X1, at, factor, minWidth)
	return v
}

// ZoomY is ZoomX for bytes.
func (v View) ZoomY(at, factor float64) View {
	v.Y0, v.Y1 = zoomSpan(v.Y0, v.Y1, at, factor, minHeight)
	return v
}

func zoomSpan(a, b, at, factor, least float64) (float64, float64) {
	if !(factor > 0) || math.IsInf(factor, 0) {
		return a, b
	}
	length := b - a
	factor = min(factor, max(1, length/least))
	if factor == 1 {
		return a, b
	}
	part := (at - a) / length
	length /= factor
	a = at - part*length
	return a, a + length
}

// Pan moves the view by dx (axis' unit) and dy (bytes).
func (v View) Pan(dx, dy float64) View {
	v.X0, v.X1 = v.X0+dx, v.X1+dx
	v.Y0, v.Y1 = v.Y0+dy, v.Y1+dy
	return v
}

// FitY shows the stack from the bottom to the highest point in view, with headroom.
func (v View) FitY(t *layout.Timeline) View {
	v.Y0, v.Y1 = -v.Below, headroom(t.Height(t.Column(v.Axis, v.X0, v.X1)))
	return v
}

// WithLimit makes room for the line of a GPU's memory, in bytes of the snapshot, unless the run is so low beside it
// that little of it would be seen.
func (v View) WithLimit(bytes int64) View {
	if y := 1.06 * float64(bytes); y > v.Y1 && y < 4*v.Y1 {
		v.Y1 = y
	}
	return v
}

// Holding makes room for a line at so many bytes of the snapshot.
func (v View) Holding(bytes int64) View {
	v.Y1 = max(v.Y1, headroom(bytes))
	return v
}

// XAt is the place on the axis at px pixels from the left of a picture w pixels wide; YAt the bytes at px pixels from
// its top of h.
func (v View) XAt(px float64, w int) float64 { return v.X0 + px*(v.X1-v.X0)/float64(w) }

// YAt is the bytes at px pixels from the top of a picture h pixels high.
func (v View) YAt(px float64, h int) float64 { return v.Y1 - px*(v.Y1-v.Y0)/float64(h) }

// XPixel is the inverse of XAt.
func (v View) XPixel(x float64, w int) float64 { return (x - v.X0) / (v.X1 - v.X0) * float64(w) }

// YPixel is the inverse of YAt.
func (v View) YPixel(y float64, h int) float64 { return (v.Y1 - y) / (v.Y1 - v.Y0) * float64(h) }
