package chart

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	"gioui.org/op"
	"gioui.org/op/clip"

	"strata/layout"
	"strata/render"
	"strata/render/colour"
	"strata/widgets/kit"
)

// A Minimap shows the whole run's total as a filled curve, and the view as a brush that can be dragged and resized.
type Minimap struct {
	// Notch is how much one notch of the wheel scrolls on this system.
	Notch float32
	// Offset is memory the snapshot does not know of, bytes: a base under the curve.
	Offset int64

	grip  grip
	hover grip
	from  float64     // where on the axis the brush was gripped
	start render.View // the view when it was gripped
	width int         // of the last layout, px

	// curve is recorded once for what it shows and replayed.
	ops   op.Ops
	curve op.CallOp
	key   minimapKey
}

type minimapKey struct {
	t    *layout.Timeline
	axis layout.Axis
	size image.Point
	dark bool
	base int64
}

// A grip is the part of the brush that a pointer has hold of.
type grip uint8

const (
	gripNone grip = iota
	gripMiddle
	gripLeft
	gripRight
)

// gripDp is how far from the brush's edge the edge can be taken.
const gripDp = 5

// at says which part of the brush is at px.
func (m *Minimap) at(gtx C, t *layout.Timeline, v render.View, px float32) grip {
	left, right := m.brush(t, v)
	reach := float64(gtx.Dp(gripDp))
	x := float64(px)
	dl, dr := math.Abs(x-left), math.Abs(x-right)
	switch {
	case dl <= reach && dl <= dr && x < (left+right)/2+1:
		return gripLeft
	case dr <= reach:
		return gripRight
	case dl <= reach:
		return gripLeft
	case x > left && x < right:
		return gripMiddle
	}
	return gripNone
}

// brush is where the view's ends are, in pixels.
func (m *Minimap) brush(t *layout.Timeline, v render.View) (left, right float64) {
	scale := float64(m.width) / t.Extent(v.Axis)
	return v.X0 * scale, v.X1 * scale
}

// Update reads the pointer and returns the view the user asks for.
func (m *Minimap) Update(gtx C, t *layout.Timeline, v render.View) (render.View, bool) {
	changed := false
	all := pointer.Filter{Target: m, Kinds: kit.AllPointer, ScrollY: kit.AnyScroll}
	for e := range kit.Events[pointer.Event](gtx, all) {
		if t == nil || m.width == 0 {
			continue
		}
		x := float64(e.Position.X) / float64(m.width) * t.Extent(v.Axis)
		switch e.Kind {
		case pointer.Move, pointer.Enter:
			m.hover = m.at(gtx, t, v, e.Position.X)
		case pointer.Leave:
			m.hover = gripNone
		case pointer.Press:
			if !e.Buttons.Contain(pointer.ButtonPrimary) {
				break
			}
			if m.grip = m.at(gtx, t, v, e.Position.X); m.grip == gripNone {
				// A press beside the brush brings it there.
				v = v.Pan(x-(v.X0+v.X1)/2, 0).Clamp(t)
				m.grip, changed = gripMiddle, true
			}
			m.from, m.start = x, v
			gtx.Execute(pointer.GrabCmd{Tag: m, ID: e.PointerID})
		case pointer.Drag:
			if m.grip != gripNone {
				v, changed = m.dragged(t, x), true
			}
		case pointer.Scroll: // the wheel zooms the brush at the pointer
			v = v.ZoomX(x, math.Pow(zoomPerNotch, -max(-8, min(8, float64(e.Scroll.Y)/notches(m.Notch))))).Clamp(t)
			changed = true
		case pointer.Release, pointer.Cancel:
			m.grip = gripNone
		}
	}
	return v, changed
}

// dragged is the view after the brush was drawn from m.from to x.
func (m *Minimap) dragged(t *layout.Timeline, x float64) render.View {
	v := m.start
	switch m.grip {
	case gripLeft:
		v.X0 += x - m.from
	case gripRight:
		v.X1 += x - m.from
	default:
		return v.Pan(x-m.from, 0).Clamp(t)
	}
	if v.X1 < v.X0 { // drawn over the other edge
		v.X0, v.X1 = v.X1, v.X0
	}
	v.X0, v.X1 = max(0, v.X0), min(t.Extent(v.Axis), v.X1)
	if !(v.X1 > v.X0) {
		return m.start
	}
	return v.Clamp(t)
}

// Layout draws the map as wide and high as the constraints.
func (m *Minimap) Layout(gtx C, th *kit.Theme, t *layout.Timeline, v render.View) D {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	m.width = size.X
	if t == nil || size.X < 2 || size.Y < 4 {
		kit.Fill(gtx.Ops, image.Rectangle{Max: size}, th.Card)
		return D{Size: size}
	}
	event.Op(gtx.Ops, m)
	semantic.LabelOp("The whole run, with what is in view").Add(gtx.Ops)
	if key := (minimapKey{t, v.Axis, size, th.Dark, m.Offset}); key != m.key {
		m.key = key
		m.record(th, t, v.Axis, size)
	}
	m.curve.Add(gtx.Ops)
	l, r := m.brush(t, v)
	left, right := int(math.Floor(l)), int(math.Ceil(r))
	if right-left < 3 { // always to be seen and taken
		left, right = (left+right)/2-1, (left+right)/2+2
	}
	kit.Fill(gtx.Ops, image.Rect(0, 0, left, size.Y), th.Shade)
	kit.Fill(gtx.Ops, image.Rect(right, 0, size.X, size.Y), th.Shade)
	kit.Border(gtx.Ops, image.Rect(max(0, left), 0, min(size.X, right), size.Y), th.Link)
	for _, g := range [...]struct {
		g grip
		x int
	}{{gripLeft, left}, {gripRight, right}} {
		if m.hover == g.g || m.grip == g.g {
			kit.Fill(gtx.Ops, image.Rect(g.x-gtx.Dp(1), 0, g.x+gtx.Dp(1), size.Y), th.Accent)
		}
	}
	switch {
	case m.hover == gripLeft || m.hover == gripRight || m.grip == gripLeft || m.grip == gripRight:
		pointer.CursorColResize.Add(gtx.Ops)
	case m.grip == gripMiddle:
		pointer.CursorGrabbing.Add(gtx.Ops)
	case m.hover == gripMiddle:
		pointer.CursorGrab.Add(gtx.Ops)
	default:
		pointer.CursorPointer.Add(gtx.Ops)
	}
	return D{Size: size}
}

// record makes the curve: the exact least, mean and most of each pixel column, in the tones of the timeline.
func (m *Minimap) record(th *kit.Theme, t *layout.Timeline, axis layout.Axis, size image.Point) {
	bands := make([]layout.Band, size.X)
	dx := t.Extent(axis) / float64(size.X)
	t.ColumnsBetween(nil, bands, axis, size.X, func(i int) float64 { return float64(i) * dx })
	y := func(h int64) int {
		part := float64(h+m.Offset) / max(1, float64(t.PeakBytes+m.Offset))
		return max(0, int(math.Round(float64(size.Y)-part*float64(size.Y-4))))
	}
	img := image.NewRGBA(image.Rectangle{Max: size})
	fill := func(r image.Rectangle, tone colour.Tone) {
		c := tone.Under(color.RGBA(th.Curve), color.RGBA(th.Card))
		draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
	}
	draw.Draw(img, img.Rect, image.NewUniform(th.Card), image.Point{}, draw.Src)
	base := min(y(0), size.Y)
	for x, b := range bands {
		fill(image.Rect(x, y(b.High), x+1, base), colour.Peak)
		fill(image.Rect(x, y(b.Mean), x+1, base), colour.Mean)
		fill(image.Rect(x, y(b.Low), x+1, base), colour.Always)
	}
	s := kit.NewSprite(img, image.Point{})
	m.ops.Reset()
	rec := op.Record(&m.ops)
	s.Add(&m.ops, image.Point{})
	if m.Offset > 0 {
		kit.Hatch(&m.ops, image.Rect(0, base, size.X, size.Y), 5, 1, kit.WithAlpha(th.Quiet, 110))
	}
	m.curve = rec.Stop()
}
