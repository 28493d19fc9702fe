package chart

import (
	"image"
	"math"

	"gioui.org/io/key"
	"gioui.org/io/pointer"

	"strata/layout"
	"strata/layout/units"
	"strata/render"
	"strata/widgets/kit"
)

// A ruler measures bytes, or time or steps. It is kept in the data's units, so
// that it stays where it is while the view changes.
type ruler struct {
	set  bool
	axis layout.Axis // of the place on the axis
	a, b float64     // its ends: bytes of the snapshot, or places on the axis
	at   float64     // where it lies in the other direction
}

// rulers are the two rulers there can be, and which one is being drawn.
type rulers struct {
	held     key.Name // R or T while it is held down, "" else
	drawing  *ruler   // nil: none
	vertical ruler
	across   ruler
}

// The keys that a drag draws a ruler with.
const (
	bytesRulerKey key.Name = "R"
	timeRulerKey  key.Name = "T"
)

// rulerKey learns which of the keys is held. Where the system tells of no
// release, a press of the other key ends it, or Esc.
func (tl *Timeline) rulerKey(e key.Event) {
	switch {
	case e.State == key.Press:
		tl.rulers.held = e.Name
	case e.Name == tl.rulers.held:
		tl.rulers.held = ""
	}
}

// startRuler begins a ruler where the pointer is pressed, if a key for one is held.
func (tl *Timeline) startRuler(v render.View, p pointer.Event) {
	tl.rulers.drawing = nil
	if p.Buttons != pointer.ButtonPrimary {
		return
	}
	x, y := v.XAt(tl.plotX(p.Position), tl.plot.Dx()), v.YAt(tl.plotY(p.Position), tl.plot.Dy())
	switch tl.rulers.held {
	case bytesRulerKey:
		tl.rulers.drawing = &tl.rulers.vertical
		tl.rulers.vertical = ruler{axis: v.Axis, a: y, b: y, at: x}
	case timeRulerKey:
		tl.rulers.drawing = &tl.rulers.across
		tl.rulers.across = ruler{axis: v.Axis, a: x, b: x, at: y}
	}
}

// dragRuler draws the ruler at hand on; it reports whether there is one.
func (tl *Timeline) dragRuler(v render.View, p pointer.Event) bool {
	r := tl.rulers.drawing
	if r == nil {
		return false
	}
	r.set = true
	if r == &tl.rulers.vertical {
		r.b = v.YAt(tl.plotY(p.Position), tl.plot.Dy())
	} else {
		r.b = v.XAt(tl.plotX(p.Position), tl.plot.Dx())
	}
	return true
}

// Rulers are the ends of the rulers there are: bytes of the snapshot, and places on the axis they were drawn on.
func (tl *Timeline) Rulers() (bytes, across [2]float64, hasBytes, hasAcross bool) {
	r := &tl.rulers
	return [2]float64{r.vertical.a, r.vertical.b}, [2]float64{r.across.a, r.across.b}, r.vertical.set, r.across.set
}

// RemoveRulers takes the rulers away; it reports whether there were any.
func (tl *Timeline) RemoveRulers() bool {
	had := tl.rulers.vertical.set || tl.rulers.across.set
	tl.rulers = rulers{}
	return had
}

// onAxis is a place of a ruler on the axis that is shown.
func onAxis(t *layout.Timeline, r *ruler, v render.View, x float64) float64 {
	if r.axis == v.Axis || !t.HasTime() {
		return x
	}
	return t.XOfTime(v.Axis, t.TimeAt(r.axis, x))
}

// drawRulers draws them over the picture.
func (tl *Timeline) drawRulers(gtx C, th *kit.Theme, t *layout.Timeline, v render.View) {
	size := tl.plot.Size()
	px := func(x float64) int { return tl.plot.Min.X + clampPixel(v.XPixel(x, size.X), size.X) }
	py := func(y float64) int { return tl.plot.Min.Y + clampPixel(v.YPixel(y, size.Y), size.Y) }
	w, end := max(1, gtx.Dp(1)), gtx.Dp(6)
	halo := kit.WithAlpha(th.Ground, 170) // to be seen on any colour
	if r := &tl.rulers.vertical; r.set {
		x := px(onAxis(t, r, v, r.at))
		low, high := min(r.a, r.b), max(r.a, r.b)
		y0, y1 := py(high), py(low)
		kit.Fill(gtx.Ops, image.Rect(x-w, y0, x+2*w, y1), halo)
		kit.Fill(gtx.Ops, image.Rect(x, y0, x+w, y1), th.Text)
		for _, y := range [...]int{y0, y1} {
			kit.Fill(gtx.Ops, image.Rect(x-end, y, x+end+w, y+w), th.Text)
		}
		step := (v.Y1 - v.Y0) / float64(size.Y)
		say := func(bytes float64) string {
			return units.PreciseBytes(max(0, bytes+float64(tl.Limits.Offset)), step)
		}
		tl.rulerTag(gtx, th, say(high), image.Pt(x, y0), 0, -1)
		tl.rulerTag(gtx, th, say(low), image.Pt(x, y1), 0, 1)
		tl.rulerTag(gtx, th, "Δ "+units.PreciseBytes(high-low, step), image.Pt(x+gtx.Dp(6), (y0+y1)/2), 1, 0)
	}
	if r := &tl.rulers.across; r.set {
		y := py(r.at)
		from, to := onAxis(t, r, v, min(r.a, r.b)), onAxis(t, r, v, max(r.a, r.b))
		x0, x1 := px(from), px(to)
		kit.Fill(gtx.Ops, image.Rect(x0, y-w, x1, y+2*w), halo)
		kit.Fill(gtx.Ops, image.Rect(x0, y, x1, y+w), th.Text)
		for _, x := range [...]int{x0, x1} {
			kit.Fill(gtx.Ops, image.Rect(x, y-end, x+w, y+end+w), th.Text)
		}
		step := (v.X1 - v.X0) / float64(size.X)
		say := func(x float64) string {
			if v.Axis == layout.Time {
				return units.PreciseTime(x, step)
			}
			return units.Count(t.StepAt(x))
		}
		length := say(to - from)
		if v.Axis == layout.Events {
			length = units.Plural(t.StepAt(to)-t.StepAt(from), "step")
		}
		tl.rulerTag(gtx, th, say(from), image.Pt(x0-gtx.Dp(3), y), -1, 0)
		tl.rulerTag(gtx, th, say(to), image.Pt(x1+gtx.Dp(3), y), 1, 0)
		tl.rulerTag(gtx, th, "Δ "+length, image.Pt((x0+x1)/2, y-gtx.Dp(8)), 0, -1)
	}
}

// clampPixel is a pixel, at most a little outside of the picture, so that what
// ends out of view goes on to its border.
func clampPixel(at float64, size int) int {
	return int(math.Round(min(max(at, -1), float64(size)+1)))
}

// rulerTag writes at a point, on one side of it in each direction, inside the picture.
func (tl *Timeline) rulerTag(gtx C, th *kit.Theme, text string, at image.Point, dx, dy int) {
	tl.tag(gtx, th, text, func(d image.Point) image.Point {
		p := image.Pt(at.X+(dx-1)*d.X/2, at.Y+(dy-1)*d.Y/2+dy*gtx.Dp(3))
		p.X = max(tl.plot.Min.X, min(p.X, tl.plot.Max.X-d.X))
		p.Y = max(tl.plot.Min.Y, min(p.Y, tl.plot.Max.Y-d.Y))
		return p
	})
}
