package panel

import (
	"image"
	"strings"
	"testing"

	giolayout "gioui.org/layout"

	"strata/layout"
	"strata/layout/state"
	"strata/snapshot"
	"strata/widgets/describe"
	"strata/widgets/kit"
	"strata/widgets/widgettest"
)

// twoOfOneStack finds two allocations of one stack.
func twoOfOneStack(t *testing.T, tl *layout.Timeline) (layout.ID, layout.ID) {
	t.Helper()
	for id := range layout.ID(len(tl.Size)) {
		a := tl.At(id)
		if a.AllocEvent < 0 || len(tl.Snapshot.Stacks.Of(a.Stack)) < 2 {
			continue
		}
		for other := id + 1; other < layout.ID(len(tl.Size)); other++ {
			if b := tl.At(other); b.Stack == a.Stack && b.AllocEvent >= 0 {
				return id, other
			}
		}
	}
	t.Fatal("no two allocations have one stack")
	return layout.None, layout.None
}

// TestStackPanelExtras: what was recorded of an allocation beside its frames is in the panel, and in the copied
// details: the program's own note, the compile context, what torch.fx knows of a frame, the forward pass. Another
// allocation of the same stack without them has none of it.
func TestStackPanelExtras(t *testing.T) {
	tl := widgettest.Open(t, widgettest.Sample)
	s := tl.Snapshot
	text := func(v string) snapshot.StringID {
		s.Strings = append(s.Strings, v)
		return snapshot.StringID(len(s.Strings) - 1)
	}
	with, without := twoOfOneStack(t, tl) // of which the first gets everything
	name := text("  File \"net.py\", line 7, in forward\n    return self.proj(x)\n")
	s.Frames.Name, s.Frames.File, s.Frames.Line = append(s.Frames.Name, name), append(s.Frames.File, 0),
		append(s.Frames.Line, 0)
	s.Stacks.Frame = append(s.Stacks.Frame, snapshot.FrameID(len(s.Frames.Name)-1))
	s.Stacks.Start = append(s.Stacks.Start, uint32(len(s.Stacks.Frame)))
	s.Stacks.Site = append(s.Stacks.Site, 0)
	forward := snapshot.StackID(s.Stacks.Len() - 1)
	s.Metas = append(s.Metas, snapshot.Meta{CompileContext: text("0/1"), User: text("epoch = 3"), Forward: forward})
	ev := &tl.Device.Events
	if ev.Meta == nil {
		ev.Meta = make([]snapshot.MetaID, ev.Len())
	}
	ev.Meta[tl.Origin[with]] = snapshot.MetaID(len(s.Metas) - 1)
	frames := s.Stacks.Of(tl.At(with).Stack)
	if s.Frames.FX == nil {
		s.Frames.FX = map[snapshot.FrameID]snapshot.FX{}
	}
	fxFrame := frames[0] // innermost, often the framework's own
	s.Frames.FX[fxFrame] = snapshot.FX{Op: text("call_function"), Node: text("linear_1"),
		OriginalTrace: text("model.py:12\n    y = self.linear(x)")}

	h, th := widgettest.New(image.Pt(320, 900)), kit.NewTheme(true)
	panel := Stack{HideFramework: true}
	sel := describe.NoSelection
	h.Draw = func(gtx giolayout.Context) {
		panel.Update(gtx)
		panel.Layout(gtx, th, tl, sel, "Ctrl+C")
	}
	content := func() string {
		h.Frame()
		h.Frame()
		var all []string
		for i := range panel.rows {
			all = append(all, panel.rows[i].title+"|"+panel.rows[i].place+"|"+panel.rows[i].function)
		}
		return strings.Join(all, "\n")
	}
	wanted := []string{"User metadata|epoch = 3", "Compile context|0/1", "linear_1", "y = self.linear(x)",
		"Forward pass", "net.py", "return self.proj(x)"}
	sel.Hovered = with
	got := content()
	for _, w := range wanted {
		if !strings.Contains(got, w) {
			t.Errorf("the panel lacks %q:\n%s", w, got)
		}
	}
	details := describe.AllocationText(tl, describe.About{}, with, layout.Events)
	for _, w := range []string{"user metadata: epoch = 3", "compile context: 0/1", "linear_1", "return self.proj(x)"} {
		if !strings.Contains(details, w) {
			t.Errorf("the details lack %q:\n%s", w, details)
		}
	}
	sel.Hovered = without
	if got := content(); strings.Contains(got, "epoch = 3") || strings.Contains(got, "Forward") {
		t.Errorf("the next allocation of that stack has the notes of this one:\n%s", got)
	}
	sel.Pinned = with
	if !strings.Contains(content(), "epoch = 3") {
		t.Error("the pinned one's notes are not shown")
	}
}

// TestStackPanelHidesFrameworkFrames: hidden and shown frames together are
// the whole stack, whatever is shown is the user's own.
func TestStackPanelHidesFrameworkFrames(t *testing.T) {
	tl := widgettest.Open(t, widgettest.Sample)
	s := tl.Snapshot
	for id := range layout.ID(len(tl.Size)) {
		frames := s.Stacks.Of(tl.At(id).Stack)
		p := Stack{HideFramework: true}
		p.set(tl, describe.Selection{Hovered: id, Pinned: layout.None})
		if len(p.rows)+p.hidden != len(frames) {
			t.Fatalf("allocation %d: %d shown and %d hidden of %d", id, len(p.rows), p.hidden, len(frames))
		}
		if len(frames) > 0 && len(p.rows) == 0 {
			t.Fatalf("allocation %d: an empty panel", id)
		}
		p.HideFramework = false
		p.set(tl, describe.Selection{Hovered: id, Pinned: layout.None})
		if len(p.rows) != len(frames) || p.hidden != 0 {
			t.Fatalf("allocation %d: %d of %d frames shown", id, len(p.rows), len(frames))
		}
		if text := describe.StackText(s, p.Stack(), false); len(frames) > 0 && strings.Count(text, "\n") < len(frames) {
			t.Fatalf("allocation %d: the copied stack has too few lines:\n%s", id, text)
		}
	}
}

// TestStackPanelOfSegments: where segments are stacked, the panel speaks of those.
func TestStackPanelOfSegments(t *testing.T) {
	tl := widgettest.Open(t, "sim-expandable.pickle")
	tl = state.New(tl.Snapshot, tl.Device).SegmentTimeline()
	var p Stack
	for id := layout.None; int(id) < len(tl.Size); id++ {
		sel := describe.Selection{Hovered: id, Pinned: layout.None}
		p.set(tl, sel)
		text := p.emptyText(sel)
		if strings.Contains(text, "allocat") || id == layout.None && !strings.Contains(text, "segment") {
			t.Errorf("of segment %d it says: %s", id, text)
		}
	}
}
