package chart

import (
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	giolayout "gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/unit"

	"strata/layout"
	"strata/layout/units"
	"strata/render"
	"strata/widgets/describe"
	"strata/widgets/kit"
)

// A Lane shows annotations as labelled bars above the timeline, a row for each level of nesting. Many short ones
// become cells that are the brighter the more of them is covered.
type Lane struct {
	// Notch is how much one notch of the wheel scrolls on this system.
	Notch  float32
	Filter LaneFilter

	levels laneLevels

	bars   []laneBar
	shapes kit.ShapeBatch // of the bars
	origin int            // left end of the bars, px of the widget
	width  int
	at     image.Point
	inside bool
	press  bool
}

// laneBar is a bar as it was prepared for this frame.
type laneBar struct {
	layout.Bar
	rect image.Rectangle // in the widget
	thin bool
}

// Measures of the lane, dp. The lower rows have no labels. Levels that are
// deeper still are a few steps away, see laneLevels.
const (
	laneRow, laneThin, laneGap = 20, 5, 2
	laneRows, laneThins        = 3, 5
)

// laneRowsOf is how many full and thin rows the lane has.
func laneRowsOf(d *describe.Annotations) (full, thin int) {
	if d == nil {
		return 0, 0
	}
	depth := d.Phases.Depth()
	full = min(depth, laneRows)
	return full, min(depth-full, laneThins)
}

// Height is the height of the lane with its filter, 0 where the device has no annotations.
func (l *Lane) Height(gtx C, d *describe.Annotations) int {
	if d == nil || d.Total == 0 {
		return 0
	}
	full, thin := laneRowsOf(d)
	h := gtx.Dp(unit.Dp(max(1, full)*(laneRow+laneGap) + thin*(laneThin+laneGap) + 4))
	if l.Filter.Open {
		h += gtx.Dp(laneFilterHeight)
	}
	return h
}

// Prepare finds out which bars show: to be called before Update and Layout.
// origin is where the picture begins, as wide as width.
func (l *Lane) Prepare(gtx C, d *describe.Annotations, v render.View, origin, width int) {
	l.bars, l.origin, l.width = l.bars[:0], origin, width
	if d == nil || d.Bars[v.Axis] == nil || width < 2 {
		return
	}
	var found []layout.Bar
	full, thin := laneRowsOf(d)
	first := l.levels.keep(d)
	y := gtx.Dp(2)
	if l.Filter.Open {
		y += gtx.Dp(laneFilterHeight)
	}
	for row := range full + thin {
		h := gtx.Dp(laneRow)
		if row >= full {
			h = gtx.Dp(laneThin)
		}
		found = d.Bars[v.Axis].Appear(found[:0], first+row, v.X0, v.X1, width)
		for _, b := range found {
			x0, x1 := int(math.Round(max(b.X0, -1))), int(math.Round(min(b.X1, float64(width)+1)))
			if b.Count == 1 && x1-x0 > 3 {
				x1-- // bars that touch are told apart
			}
			r := image.Rect(origin+x0, y, origin+max(x1, x0+1), y+h)
			r = r.Intersect(image.Rect(origin, y, origin+width, y+h))
			if r.Empty() {
				continue
			}
			// A cell ends where a long bar begins in it.
			if n := len(l.bars); n > 0 && l.bars[n-1].rect.Min.Y == y && r.Min.X < l.bars[n-1].rect.Max.X {
				before := &l.bars[n-1]
				if r.Min.X > before.rect.Min.X {
					before.rect.Max.X = r.Min.X
				} else if r.Min.X = before.rect.Max.X; r.Empty() {
					before.Count += b.Count
					continue
				}
			}
			l.bars = append(l.bars, laneBar{b, r, row >= full})
		}
		y += h + gtx.Dp(laneGap)
	}
}

// LaneEvent is what the user did in the lane.
type LaneEvent struct {
	Phase   int32 // that was clicked; NoPhase if none
	View    render.View
	Changed bool // View is another one than was given
	FilterEvent
}

// Update reads the pointer and the filter.
func (l *Lane) Update(gtx C, t *layout.Timeline, v render.View) LaneEvent {
	e := LaneEvent{Phase: describe.NoPhase, View: v, FilterEvent: l.Filter.update(gtx)}
	l.levels.update(gtx)
	all := pointer.Filter{Target: l, Kinds: kit.AllPointer, ScrollX: kit.AnyScroll, ScrollY: kit.AnyScroll}
	for p := range kit.Events[pointer.Event](gtx, all) {
		l.at = p.Position.Round()
		switch p.Kind {
		case pointer.Enter, pointer.Move:
			l.inside = true
		case pointer.Leave, pointer.Cancel:
			l.inside, l.press = false, false
		case pointer.Press:
			l.inside, l.press = true, p.Buttons == pointer.ButtonPrimary
		case pointer.Release:
			if b := l.under(); l.press && b != nil {
				e.Phase = b.Phase
			}
			l.press = false
		case pointer.Scroll:
			l.scroll(p, &e)
			e.View = e.View.Clamp(t)
			e.Changed = e.View != v
		}
	}
	return e
}

// scroll zooms at the pointer, pans sideways, or with Shift goes to deeper levels.
func (l *Lane) scroll(p pointer.Event, e *LaneEvent) {
	x, y := float64(p.Scroll.X)/notches(l.Notch), float64(p.Scroll.Y)/notches(l.Notch)
	if p.Modifiers.Contain(key.ModShift) { // Gio turns Shift+wheel into sideways scrolling
		l.levels.scroll(x + y)
		return
	}
	if x != 0 {
		e.View = e.View.Pan(x*.08*(e.View.X1-e.View.X0), 0)
	}
	at := e.View.XAt(float64(l.at.X-l.origin), max(1, l.width))
	e.View = e.View.ZoomX(at, math.Pow(zoomPerNotch, -max(-8, min(8, y))))
}

// under is the bar under the pointer, nil if none.
func (l *Lane) under() *laneBar {
	if !l.inside {
		return nil
	}
	for i := range l.bars {
		if r := l.bars[i].rect; l.at.In(image.Rect(r.Min.X, r.Min.Y, max(r.Max.X, r.Min.X+3), r.Max.Y)) {
			return &l.bars[i]
		}
	}
	return nil
}

// Hovered is the phase under the pointer, NoPhase if none.
func (l *Lane) Hovered() int32 {
	if b := l.under(); b != nil {
		return b.Phase
	}
	return describe.NoPhase
}

// Layout draws the lane. lit are phases that are pointed out.
func (l *Lane) Layout(gtx C, th *kit.Theme, d *describe.Annotations, lit ...int32) {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	event.Op(gtx.Ops, l)
	semantic.LabelOp("Annotations").Add(gtx.Ops)
	gtx.Constraints.Min = image.Point{}
	l.Filter.layout(gtx, th, d, l.origin, l.width, l.bars)
	l.levels.layout(gtx, th, d, l.origin, l.Filter.Open)
	hovered := l.under()
	bright := func(b *laneBar) bool {
		return b == hovered || b.Count == 1 && slices.Contains(lit, b.Phase)
	}
	for i := range l.bars {
		l.bar(gtx, th, d, &l.bars[i], bright(&l.bars[i]))
	}
	l.shapes.Draw(gtx)
	for i := range l.bars {
		if b := &l.bars[i]; b.labelled(gtx, d) {
			ground, text := laneColours(th, d.Hue[b.Phase])
			if bright(b) {
				edge := gtx.Dp(1)
				th.RoundRects(gtx, kit.RoundRect{Rect: b.rect.Inset(-edge), Radius: gtx.Dp(3) + edge, Colour: text},
					kit.RoundRect{Rect: b.rect.Inset(edge), Radius: gtx.Dp(3) - edge, Colour: ground})
				if d.Phases.All[b.Phase].Open {
					kit.Fill(gtx.Ops, openMark(gtx, b.rect), text)
				}
			}
			l.label(gtx, th, d.Phases.All[b.Phase].Name, b.rect, text)
		}
	}
	if hovered != nil {
		area := clip.Rect(hovered.rect).Push(gtx.Ops)
		pointer.CursorPointer.Add(gtx.Ops)
		area.Pop()
	}
}

// labelled reports that a bar has a ground with room for a name.
func (b *laneBar) labelled(gtx C, d *describe.Annotations) bool {
	return b.Count == 1 && !d.Phases.All[b.Phase].Instant && !b.thin && b.rect.Dx() >= gtx.Dp(8)
}

// bar draws one bar, or one cell, without its name.
func (l *Lane) bar(gtx C, th *kit.Theme, d *describe.Annotations, b *laneBar, bright bool) {
	ground, text := laneColours(th, d.Hue[b.Phase])
	if b.Count > 1 {
		c := th.Quiet
		c.A = uint8(60 + 150*math.Sqrt(b.Dense))
		if bright {
			c = th.Text
		}
		l.shapes.Add(kit.RoundRect{Rect: b.rect, Colour: c})
		return
	}
	ph := &d.Phases.All[b.Phase]
	switch r := b.rect; {
	case ph.Instant: // a moment, not a stretch
		l.shapes.Add(kit.RoundRect{Rect: image.Rect(r.Min.X, r.Min.Y, r.Min.X+max(1, gtx.Dp(1)), r.Max.Y),
			Colour: text})
	case !b.labelled(gtx, d):
		switch {
		case bright:
			ground = text
		case r.Dx() < gtx.Dp(8):
			ground = kit.WithAlpha(text, 170) // too small for a ground to be seen
		}
		l.shapes.Add(kit.RoundRect{Rect: r, Colour: ground})
	default:
		l.shapes.Add(kit.RoundRect{Rect: r, Radius: gtx.Dp(3), Colour: ground})
		if ph.Open { // it goes on
			l.shapes.Add(kit.RoundRect{Rect: openMark(gtx, r), Colour: text})
		}
	}
}

// openMark is the end of a bar of which the end was not recorded.
func openMark(gtx C, r image.Rectangle) image.Rectangle {
	return image.Rect(r.Max.X-gtx.Dp(2), r.Min.Y, r.Max.X, r.Max.Y)
}

// label draws a name in a bar, where enough of it fits.
func (l *Lane) label(gtx C, th *kit.Theme, name string, r image.Rectangle, c color.NRGBA) {
	room := r.Dx() - gtx.Dp(12)
	if room < gtx.Dp(14) {
		return
	}
	label := kit.Label{Size: kit.SmallSize, Colour: c, Text: name}
	if th.Width(gtx, label) > room {
		// PyTorch's own code puts names between signs: "## forward ##".
		label.Text = strings.Trim(name, "# ")
		if label.Text == "" || room < gtx.Dp(64) && th.Width(gtx, label) > room {
			return // a few letters say nothing
		}
	}
	// Each width is shaped anew: while zooming, the room is another in each frame.
	if th.Width(gtx, label) <= room {
		room = 1 << 20
	} else {
		room &^= 15
	}
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(room, r.Dy())}
	call, d := kit.Measure(gtx, label.Line(th))
	kit.Place(gtx.Ops, image.Pt(r.Min.X+gtx.Dp(6), r.Min.Y+(r.Dy()-d.Size.Y)/2), call)
}

// LayoutTooltip says what the bar under the pointer is. origin is where the lane lies in the window.
func (l *Lane) LayoutTooltip(gtx C, th *kit.Theme, origin image.Point, t *layout.Timeline,
	d *describe.Annotations, axis layout.Axis) {
	b := l.under()
	if b == nil || d == nil {
		return
	}
	window := gtx.Constraints.Max
	gtx.Constraints = giolayout.Constraints{Max: image.Pt(min(gtx.Dp(420), window.X), window.Y)}
	lines := describe.PhaseText(t, d, b.Phase, axis)
	if b.Count > 1 {
		lines = []string{units.Count(b.Count) + " annotations", "from " + d.Phases.All[b.Phase].Name +
			" on; zoom in to tell them apart"}
	}
	c, dims := kit.Measure(gtx, kit.Padded(tipInset, th.Titled(lines)))
	at := origin.Add(image.Pt(l.at.X+gtx.Dp(12), b.rect.Max.Y+gtx.Dp(6)))
	at.X = max(gtx.Dp(4), min(at.X, window.X-dims.Size.X-gtx.Dp(4)))
	kit.Float(gtx, th, at, c, dims, nil)
}
