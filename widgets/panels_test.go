package widgets

import (
	"image"
	"strings"
	"testing"

	"gioui.org/io/pointer"
	giolayout "gioui.org/layout"

	"strata/layout"
	"strata/layout/units"
	"strata/render"
	"strata/snapshot"
)

// mapStage hosts a minimap.
func mapStage(t *testing.T) (*harness, *layout.Timeline, *render.View) {
	h := newHarness(t, image.Pt(500, 60))
	tl := open(t, sample)
	v := render.Whole(tl, layout.Events)
	var m Minimap
	h.draw = func(gtx giolayout.Context) {
		v, _ = m.Update(gtx, tl, v)
		m.Layout(gtx, h.th, tl, v)
	}
	h.frame()
	h.frame()
	return h, tl, &v
}

func TestMinimapBrush(t *testing.T) {
	h, tl, v := mapStage(t)
	extent := tl.Extent(layout.Events)
	px := extent / 500 // of the axis in a pixel
	drag := func(from, to float32) {
		h.send(move(at(from, 30)), press(at(from, 30), pointer.ButtonPrimary), drag(at((from+to)/2, 30)), drag(at(to, 30)), release(at(to, 30)))
	}
	drag(499, 300) // the right edge
	if !near(v.X0, 0, extent) || !near(v.X1, extent-199*px, extent) {
		t.Fatalf("right edge: %v to %v of %v", v.X0, v.X1, extent)
	}
	drag(0, 100) // the left one
	if !near(v.X0, 100*px, extent) || !near(v.X1, extent-199*px, extent) {
		t.Fatalf("left edge: %v to %v", v.X0, v.X1)
	}
	width := v.X1 - v.X0
	drag(200, 220) // the middle
	if !near(v.X0, 120*px, extent) || !near(v.X1-v.X0, width, extent) {
		t.Fatalf("middle: %v to %v", v.X0, v.X1)
	}
	drag(200, -900) // cannot leave the run
	if v.X0 != 0 || !near(v.X1-v.X0, width, extent) {
		t.Fatalf("beyond the edge: %v to %v", v.X0, v.X1)
	}
	h.send(move(at(300, 30)), press(at(300, 30), pointer.ButtonPrimary), release(at(300, 30)))
	if !near((v.X0+v.X1)/2, 300*px, extent) {
		t.Fatalf("press beside the brush: %v to %v, middle wanted at %v", v.X0, v.X1, 300*px)
	}
}

func TestSplitter(t *testing.T) {
	h := newHarness(t, image.Pt(400, 100))
	s := Splitter{Vertical: true}
	x, ended := 200, 0
	h.draw = func(gtx giolayout.Context) {
		moved, done := s.Update(gtx)
		x += int(moved)
		if done {
			ended++
		}
		gtx.Constraints = giolayout.Exact(image.Pt(400, 100))
		offset := image.Pt(x-3, 0)
		place(gtx.Ops, offset, func() (c callOp) {
			c, _ = measure(gtx, func(gtx giolayout.Context) giolayout.Dimensions {
				gtx.Constraints = giolayout.Exact(image.Pt(7, 100))
				return s.Layout(gtx, h.th)
			})
			return c
		}())
	}
	h.frame()
	h.frame()
	h.send(move(at(200, 50)), press(at(200, 50), pointer.ButtonPrimary), drag(at(230, 50)), drag(at(260, 50)), drag(at(250, 50)), release(at(250, 50)))
	if x != 250 || ended != 1 {
		t.Fatalf("the edge is at %d, want 250; %d drags ended", x, ended)
	}
}

func TestMenu(t *testing.T) {
	h := newHarness(t, image.Pt(400, 300))
	var m Menu
	var got []string
	h.draw = func(gtx giolayout.Context) {
		if id, ok := m.Update(gtx); ok {
			got = append(got, id)
		}
		m.Layout(gtx, h.th)
	}
	items := []MenuItem{{Heading: true, Text: "Title"}, {ID: "a", Text: "First"}, {ID: "b", Text: "Second", Disabled: true}, {ID: "c", Text: "Third"}}
	openMenu := func() {
		m.Open("x", image.Pt(350, 10), items) // must stay inside the window
		h.frame()
		h.frame()
	}
	openMenu()
	// 4 dp, a heading of 24, then rows of 28.
	h.click(at(300, 10+4+24+14))
	openMenu()
	h.click(at(300, 10+4+24+28+14)) // disabled
	if !m.Showing() {
		t.Fatal("a click on what cannot be chosen closed the menu")
	}
	h.click(at(300, 10+4+24+56+14))
	openMenu()
	h.click(at(20, 250))
	if m.Showing() {
		t.Fatal("a click beside the menu leaves it open")
	}
	if strings.Join(got, " ") != "a c" {
		t.Fatalf("chose %q", got)
	}
}

// TestStackPanelHidesFrameworkFrames: hidden and shown frames together are
// the whole stack, whatever is shown is the user's own.
func TestStackPanelHidesFrameworkFrames(t *testing.T) {
	tl := open(t, sample)
	s := tl.Snapshot
	for id := range layout.ID(len(tl.Size)) {
		frames := s.Stacks.Of(tl.At(id).Stack)
		p := StackPanel{HideFramework: true}
		p.set(tl, id)
		if len(p.rows)+p.hidden != len(frames) {
			t.Fatalf("allocation %d: %d shown and %d hidden of %d", id, len(p.rows), p.hidden, len(frames))
		}
		if len(frames) > 0 && len(p.rows) == 0 {
			t.Fatalf("allocation %d: an empty panel", id)
		}
		p.HideFramework = false
		p.set(tl, id)
		if len(p.rows) != len(frames) || p.hidden != 0 {
			t.Fatalf("allocation %d: %d of %d frames shown", id, len(p.rows), len(frames))
		}
		if text := StackText(s, p.Stack()); len(frames) > 0 && strings.Count(text, "\n") < len(frames) {
			t.Fatalf("allocation %d: the copied stack has too few lines:\n%s", id, text)
		}
	}
}

func TestDescribe(t *testing.T) {
	tl := open(t, sample)
	for id, size := range tl.Size {
		for _, axis := range []layout.Axis{layout.Events, layout.Time} {
			d := Describe(tl, About{}, layout.ID(id), axis)
			if d.Exact != units.ExactBytes(size) || d.Size != units.Bytes(size) {
				t.Fatalf("allocation %d of %d bytes is called %s, %s", id, size, d.Size, d.Exact)
			}
			if d.Alive == "" || d.Lasted == "" || d.Totals == "" {
				t.Fatalf("allocation %d: %+v", id, d)
			}
			if tl.Death[id] == layout.Never && !strings.Contains(d.Note, "never freed") {
				t.Fatalf("allocation %d is never freed, and nothing says so", id)
			}
		}
	}
	if d := Describe(tl, About{}, layout.None, layout.Events); d.Size != "" {
		t.Fatal("nothing has a size")
	}
}

func TestPairOfBytes(t *testing.T) {
	for _, c := range []struct {
		a, b int64
		want string
	}{{8 << 30, 5 << 30, "8.00 → 5.00 GiB"}, {5, 7, "5 → 7 B"}, {1 << 20, 1 << 30, "1.00 MiB → 1.00 GiB"}} {
		if got := units.BytesChange(c.a, c.b); got != c.want {
			t.Errorf("%d, %d: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

// TestEveryWidgetAtEverySize lays everything out in windows from nothing to
// large, in both themes: nothing may panic, and no picture may be missing.
func TestEveryWidgetAtEverySize(t *testing.T) {
	tl := open(t, sample)
	findings := []snapshot.Finding{{Severity: snapshot.Warning, Title: "w", Explain: "e", Advice: "a"}, {Title: "n"}}
	for _, size := range []image.Point{{}, {1, 1}, {50, 20}, {400, 300}, {900, 600}, {3000, 2000}} {
		for _, dark := range []bool{true, false} {
			h := newHarness(t, size)
			h.th.SetDark(dark)
			var (
				bar   Toolbar
				stack StackPanel
				line  StatusLine
				foot  BottomBar
				help  Help
				list  FindingsSheet
				start Start
				guide RecordingSheet
				card  ErrorCard
				load  LoadingBar
				ask   PathSheet
				plot  Timeline
				over  Minimap
			)
			d := Describe(tl, About{}, 0, layout.Events)
			v := render.Whole(tl, layout.Events)
			sel := Selection{Hovered: 1, Pinned: 0}
			h.draw = func(gtx giolayout.Context) {
				bar.Layout(gtx, h.th, &ToolbarState{File: "a.pickle", Device: "GPU 0", Devices: 2, Colour: "call site", Key: func(string) string { return "K" }})
				stack.Layout(gtx, h.th, tl, sel, "Ctrl+C")
				line.Layout(gtx, h.th, &Status{Figures: []string{"1 event", "1 allocation"}, View: "view", Findings: findings, Right: "notice"})
				foot.Layout(gtx, h.th, &d, sel, true, nil)
				foot.Layout(gtx, h.th, &d, NoSelection, false, []KeyHint{{"K", "does"}})
				help.Layout(gtx, h.th, []HelpSection{{"A", []KeyHint{{"K  L", "does"}}}, {"B", []KeyHint{{"M", "does"}}}}, "F2")
				list.Layout(gtx, h.th, findings)
				start.Layout(gtx, h.th, []RecentFile{{Path: "/a/b", Name: "b", Folder: "/a", Size: "1 MiB"}, {Path: "/a/c", Name: "c", Missing: true}}, "K", "F2")
				guide.Layout(gtx, h.th)
				card.Layout(gtx, h.th, &Problem{Title: "t", What: "w", Advice: "a", Path: "p"})
				load.Layout(gtx, h.th, &Loading{Name: "n", Done: 5, Total: 3})
				ask.Layout(gtx, h.th, PathLook{Note: "note"})
				plot.Prepare(gtx, size, plot.Gutter(gtx, h.th, v, size.Y))
				plot.Layout(gtx, h.th, tl, v, nil, sel)
				plot.LayoutTooltip(gtx, h.th, image.Point{}, &d)
				over.Layout(gtx, h.th, tl, v)
				DropCurtain(gtx, h.th, "Open a.pickle")
				for i := NoIcon; i < iconCount; i++ {
					if dims := h.th.icon(gtx, i, 18, h.th.Text); dims.Size != image.Pt(18, 18) {
						t.Fatalf("icon %d: %v", i, dims.Size)
					}
				}
			}
			h.frame()
			h.frame()
			if len(h.th.icons) < int(iconCount)-1 {
				t.Fatalf("%d of %d icons could be read", len(h.th.icons), iconCount-1)
			}
		}
	}
}

// TestContrast: text can be read on every ground it stands on, in both themes.
func TestContrast(t *testing.T) {
	for name, c := range map[string]Colours{"dark": darkColours, "light": lightColours} {
		for _, pair := range []struct {
			what     string
			text, on [3]uint8
			least    float64
		}{
			{"text on ground", rgbOf(c.Text), rgbOf(c.Ground), 4.5}, {"text on panel", rgbOf(c.Text), rgbOf(c.Panel), 4.5}, {"text on raised", rgbOf(c.Text), rgbOf(c.Raised), 4.5},
			{"text on selected", rgbOf(c.Text), rgbOf(c.Selected), 4.5},
			{"quiet on ground", rgbOf(c.Quiet), rgbOf(c.Ground), 4.5}, {"quiet on panel", rgbOf(c.Quiet), rgbOf(c.Panel), 4.5}, {"quiet on card", rgbOf(c.Quiet), rgbOf(c.Card), 4.5}, {"quiet on raised", rgbOf(c.Quiet), rgbOf(c.Raised), 4.5},
			{"link on panel", rgbOf(c.Link), rgbOf(c.Panel), 4.5}, {"link on raised", rgbOf(c.Link), rgbOf(c.Raised), 4.5}, {"on accent", rgbOf(c.OnAccent), rgbOf(c.Accent), 4.5},
			{"warning", rgbOf(c.Warning), rgbOf(c.WarningGround), 4.5}, {"shape on card", rgbOf(c.Shape), rgbOf(c.Card), 4.5},
			{"red on ground", rgbOf(c.Red), rgbOf(c.Ground), 3}, {"hover on ground", rgbOf(c.Hover), rgbOf(c.Ground), 3},
		} {
			if got := contrast(pair.text, pair.on); got < pair.least {
				t.Errorf("%s, %s: contrast %.2f, want %.1f", name, pair.what, got, pair.least)
			}
		}
	}
}

// TestRecordingPage: the page has all its parts, and each copy button copies
// the code beside it, to the letter.
func TestRecordingPage(t *testing.T) {
	var headings, codes []string
	for _, b := range recordingPage {
		switch b.mark {
		case guideHeading:
			headings = append(headings, b.text)
		case guideCode:
			codes = append(codes, b.text)
			if !strings.Contains(RecordingText, "    "+strings.SplitAfter(b.text, "\n")[0]) || strings.HasPrefix(b.text, " ") {
				t.Errorf("code %q", b.text)
			}
		}
	}
	if len(headings) < 5 || len(codes) < 5 || RecordingCode != codes[0] {
		t.Fatalf("%d headings, %d codes", len(headings), len(codes))
	}
	for _, word := range []string{"max_entries", "stacks=", "global_record_annotations", "record_function", "_cuda_attach_out_of_memory_observer", "expandable_segments", "empty_cache", "_dump_snapshot"} {
		if !strings.Contains(RecordingText, word) {
			t.Errorf("nothing about %s", word)
		}
	}
	h := newHarness(t, image.Pt(700, 2000)) // high enough for all of it
	var sheet RecordingSheet
	var copied []string
	closed := false
	h.draw = func(gtx giolayout.Context) {
		code, c := sheet.Update(gtx)
		if code != "" {
			copied = append(copied, code)
		}
		closed = closed || c
		sheet.Layout(gtx, h.th)
	}
	h.frame()
	h.frame()
	// The buttons stand in one column; a click on each pixel of it hits each.
	for y := float32(2); y < 2000; y += 10 {
		before := len(copied)
		h.click(at(620, y))
		if n := len(copied); n > before+1 || n > before && n > 1 && copied[n-1] == copied[n-2] {
			copied = copied[:n-1] // the same button once more
		}
	}
	if strings.Join(copied, "|") != strings.Join(codes, "|") {
		t.Errorf("copied %q, the codes are %q", copied, codes)
	}
	h.send(press(at(3, 1000), pointer.ButtonPrimary), release(at(3, 1000)))
	if !closed {
		t.Error("a press beside the sheet leaves it open")
	}
}

// TestHelpLeadsToRecording: the button at the foot of the sheet is in sight in
// small windows too, and reports its click once.
func TestHelpLeadsToRecording(t *testing.T) {
	for _, size := range []image.Point{{700, 500}, {1400, 900}} {
		h := newHarness(t, size)
		var help Help
		asked, closed := 0, false
		rows := make([]KeyHint, 40)
		for i := range rows {
			rows[i] = KeyHint{"K", "does"}
		}
		h.draw = func(gtx giolayout.Context) {
			c, record := help.Update(gtx)
			if closed = closed || c; record {
				asked++
			}
			help.Layout(gtx, h.th, []HelpSection{{"A", rows}}, "F2")
		}
		h.frame()
		h.frame()
		left := float32(size.X-min(size.X-24, 820))/2 + 60
		if size.X <= 700 {
			left = float32(size.X-420)/2 + 60
		}
		for y := float32(size.Y) - 20; y > float32(size.Y)/2 && asked == 0; y -= 8 {
			h.click(at(left, y))
		}
		if asked != 1 {
			t.Errorf("%v: asked %d times", size, asked)
		}
	}
}

// TestMinimapOffset: the base is under the curve, as high as its part of all.
func TestMinimapOffset(t *testing.T) {
	tl := open(t, sample)
	h := newHarness(t, image.Pt(500, 104))
	m := Minimap{Offset: tl.PeakBytes}
	v := render.Whole(tl, layout.Events)
	h.draw = func(gtx giolayout.Context) { m.Layout(gtx, h.th, tl, v) }
	h.frame()
	first := m.key
	m.Offset *= 3
	h.frame()
	if m.key == first || m.key.base != 3*tl.PeakBytes {
		t.Error("the curve of the other offset is still shown")
	}
}

// TestBottomBarHasAll: a window of usual size has room for every field of an
// allocation in its bottom bar, pinned or not.
func TestBottomBarHasAll(t *testing.T) {
	tl := open(t, sample)
	for _, size := range []image.Point{{1400, 900}, {1280, 720}, {1920, 1080}} {
		h := newHarness(t, size)
		var bar BottomBar
		d := Describe(tl, About{Shape: func(int64) string { return "bf16: 4608 x 4096 · fp32: 4096 x 2304" }}, 3, layout.Events)
		d.Phase, d.Here, d.Note = "## forward ## → ## backward ##", "## optimizer ##", "live before recording, free pending for 12.5 ms"
		want := len(fields(h.th, &d))
		h.draw = func(gtx giolayout.Context) {
			gtx.Constraints = giolayout.Exact(image.Pt(size.X, BottomBarHeight(gtx, size)))
			bar.Layout(gtx, h.th, &d, Selection{Hovered: layout.None, Pinned: 3}, true, nil)
		}
		h.frame()
		if bar.drawn != want {
			t.Errorf("%v: %d of %d fields", size, bar.drawn, want)
		}
	}
}

// TestRecordingCodeFits: no line of code is so long that the start page breaks
// it.
func TestRecordingCodeFits(t *testing.T) {
	for _, b := range recordingPage {
		for _, line := range strings.Split(b.text, "\n") {
			if b.mark == guideCode && len(line) > 76 {
				t.Errorf("%d characters: %q", len(line), line)
			}
		}
	}
}
