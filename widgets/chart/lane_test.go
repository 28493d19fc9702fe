package chart

import (
	"fmt"
	"image"
	"testing"

	"gioui.org/io/key"
	giolayout "gioui.org/layout"

	"strata/layout"
	"strata/render"
	"strata/snapshot"
	"strata/widgets/describe"
	"strata/widgets/kit"
	"strata/widgets/widgettest"
)

// nested gives a timeline a nest of annotations, so many levels deep.
func nested(t *testing.T, levels int) *layout.Timeline {
	tl := widgettest.Open(t, widgettest.Sample)
	s := tl.Snapshot
	mark := func(level int, start bool, at int64) {
		name := fmt.Sprintf("level %d", level)
		if start {
			s.Strings = append(s.Strings, name)
		}
		id := len(s.Strings) - 1
		for i, have := range s.Strings {
			if have == name {
				id = i
			}
		}
		s.Annotations = append(s.Annotations, snapshot.Annotation{Name: snapshot.StringID(id), Start: start,
			Device: int32(tl.Device.Index), Time: at})
	}
	s.Annotations = nil
	for i := range levels {
		mark(i, true, tl.Start+int64(i))
	}
	for i := range levels {
		mark(levels-1-i, false, tl.End-int64(levels-1-i))
	}
	return tl
}

// TestLaneLevels: however deep annotations are nested, each level can be brought into the lane: by the buttons beside
// it, by Shift+scroll, and by going to one of its annotations; what is deeper is counted.
func TestLaneLevels(t *testing.T) {
	const levels = 14
	tl := nested(t, levels)
	d := describe.NewAnnotations(tl, layout.AllPhases(tl))
	if d.Phases.Depth() != levels {
		t.Fatalf("%d levels", d.Phases.Depth())
	}
	h, th := widgettest.New(image.Pt(800, 120)), kit.NewTheme(true)
	v := render.Whole(tl, layout.Events)
	var lane Lane
	h.Draw = func(gtx giolayout.Context) {
		lane.Prepare(gtx, d, v, 72, 700)
		e := lane.Update(gtx, tl, v)
		if e.Phase != describe.NoPhase {
			t.Errorf("a click beside the bars is one on %d", e.Phase)
		}
		v = e.View
		lane.Prepare(gtx, d, v, 72, 700)
		lane.Layout(gtx, th, d)
	}
	shown := func() (depths map[int]bool) {
		depths = map[int]bool{}
		for _, b := range lane.bars {
			depths[d.Phases.All[b.Phase].Depth] = true
		}
		return depths
	}
	h.Frame()
	h.Frame()
	union := shown()
	if len(union) != laneRows+laneThins || !union[0] {
		t.Fatalf("at first levels %v", union)
	}
	down, up := widgettest.At(72-6-14, 24+22+14+10), widgettest.At(72-6-14, 24+10)
	for range 4 {
		h.Click(down)
		for level := range shown() {
			union[level] = true
		}
	}
	if len(union) != levels {
		t.Errorf("the button leads to levels %v only", union)
	}
	for range 4 {
		h.Click(up)
	}
	if !shown()[0] {
		t.Errorf("back up there are %v", shown())
	}
	before := v
	h.Mods = key.ModShift
	h.Send(widgettest.Move(widgettest.At(300, 10)), widgettest.Wheel(widgettest.At(300, 10), 60, 0))
	h.Mods = 0
	if s := shown(); s[0] || s[2] || !s[3] || v != before {
		t.Errorf("three notches with Shift lead to %v", s)
	}
	lane.ShowLevel(levels - 1)
	h.Frame()
	labelled := false
	for _, b := range lane.bars {
		labelled = labelled || d.Phases.All[b.Phase].Depth == levels-1
	}
	if !labelled {
		t.Errorf("the deepest level is not among %v", shown())
	}
	lane.ShowLevel(0)
	h.Frame()
	if !shown()[0] {
		t.Error("the outermost level is not shown again")
	}
	h.Send(widgettest.Move(widgettest.At(300, 10)), widgettest.Wheel(widgettest.At(300, 10), 0, -40))
	if v == before {
		t.Error("the wheel alone no longer zooms")
	}
}

// TestLaneOfThousands: however many annotations there are, in each row of the lane nothing overlaps, what is drawn is
// bounded by the width, and every one is in a bar or counted in a cell. Unpaired ones are instants and open spans.
func TestLaneOfThousands(t *testing.T) {
	tl := widgettest.Open(t, widgettest.Sample)
	s := tl.Snapshot
	s.Annotations = nil
	id := func(name string) snapshot.StringID {
		s.Strings = append(s.Strings, name)
		return snapshot.StringID(len(s.Strings) - 1)
	}
	step, inner, orphan, open := id("## step ##"), id("inner"), id("orphan"), id("open")
	device := int32(tl.Device.Index)
	add := func(name snapshot.StringID, start bool, part float64) {
		s.Annotations = append(s.Annotations, snapshot.Annotation{Name: name, Start: start, Device: device,
			Time: tl.Start + int64(part*float64(tl.End-tl.Start))})
	}
	const n = 5000
	for i := range n {
		a, b := float64(i)/n, (float64(i)+.8)/n
		add(step, true, a)
		add(inner, true, a+(b-a)*.2)
		add(inner, false, a+(b-a)*.6)
		add(step, false, b)
	}
	add(orphan, false, .5)
	add(open, true, .9)
	d := describe.NewAnnotations(tl, layout.AllPhases(tl))
	if len(d.Phases.All) != 2*n+2 {
		t.Fatalf("%d phases", len(d.Phases.All))
	}
	h, th := widgettest.New(image.Pt(800, 120)), kit.NewTheme(true)
	var lane Lane
	for _, axis := range []layout.Axis{layout.Events, layout.Time} {
		v := render.Whole(tl, axis)
		for range 6 {
			h.Draw = func(gtx giolayout.Context) {
				lane.Prepare(gtx, d, v, 72, 700)
				lane.Layout(gtx, th, d)
			}
			h.Frame()
			rows := map[int]int{} // right end of the last bar in the row
			for _, b := range lane.bars {
				row := b.rect.Min.Y
				if end, seen := rows[row]; seen && b.rect.Min.X < end {
					t.Fatalf("axis %d: a bar at %v begins left of %d", axis, b.rect, end)
				}
				rows[row] = b.rect.Max.X
			}
			if len(lane.bars) > 700*len(rows) {
				t.Errorf("%d bars", len(lane.bars))
			}
			v = v.ZoomX(v.XAt(.63, 1), 4).Clamp(tl)
		}
	}
	for i := range d.Phases.All {
		switch ph := &d.Phases.All[i]; ph.Name {
		case "orphan":
			if !ph.Instant || describe.PhaseText(tl, d, int32(i), layout.Time)[2] != "its START was not recorded" {
				t.Errorf("%+v", ph)
			}
		case "open":
			if !ph.Open || describe.PhaseText(tl, d, int32(i), layout.Time)[2] != "its END was not recorded" {
				t.Errorf("%+v", ph)
			}
		}
	}
}
