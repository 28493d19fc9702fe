package panel

import (
	"fmt"
	"image"
	"strings"
	"testing"
	"unicode/utf8"

	"gioui.org/f32"
	"gioui.org/io/input"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	giolayout "gioui.org/layout"

	"strata/widgets/describe"
	"strata/widgets/kit"
	"strata/widgets/widgettest"
)

// A strip hosts a row of tabs.
type strip struct {
	*widgettest.Harness
	TabBar
	th     *kit.Theme
	tabs   []TabInfo
	active int
	last   TabEvent
}

func newStrip(t *testing.T, width, n int) *strip {
	s := &strip{th: kit.NewTheme(true), Harness: widgettest.New(image.Pt(width, 200))}
	for i := range n {
		s.tabs = append(s.tabs, TabInfo{Name: fmt.Sprintf("rank%d.pickle", i), Path: fmt.Sprintf("/run/rank%d.pickle",
			i), Note: "1.0 GiB"})
	}
	none := TabEvent{Choose: -1, Close: -1}
	s.last = none
	s.Draw = func(gtx giolayout.Context) {
		if e := s.Update(gtx); e.Choose >= 0 || e.Close >= 0 || e.List {
			s.last = e
		}
		s.TabBar.Layout(gtx, s.th, s.tabs, s.active)
	}
	s.Frame()
	s.Frame()
	return s
}

// labels are what the strip says of itself to those who do not see it.
func (s *strip) labels() map[string]input.SemanticNode {
	m := map[string]input.SemanticNode{}
	for _, n := range s.Router.AppendSemantics(nil) {
		if n.Desc.Label != "" && n.Desc.Class == semantic.Button {
			m[n.Desc.Label] = n
		}
	}
	return m
}

// TestTabStripClicks: a click chooses, the cross and the middle button close, the other buttons do nothing.
func TestTabStripClicks(t *testing.T) {
	s := newStrip(t, 900, 3)
	s.Click(widgettest.At(mostTab+30, 15))
	if s.last.Choose != 1 || s.last.Close != -1 {
		t.Fatalf("a click on the second: %+v", s.last)
	}
	s.Click(widgettest.At(mostTab-15, 15)) // the cross of the active one
	if s.last.Close != 0 || s.last.Choose != -1 {
		t.Fatalf("its cross: %+v", s.last)
	}
	s.Click(widgettest.At(2*mostTab-15, 15)) // that of one that is hovered
	if s.last.Close != 1 || s.last.Choose != -1 {
		t.Fatalf("the cross of another: %+v", s.last)
	}
	s.last = TabEvent{Choose: -1, Close: -1}
	third := widgettest.At(2*mostTab+30, 15)
	s.Send(widgettest.Move(third), widgettest.Press(third, pointer.ButtonSecondary), widgettest.Release(third))
	if s.last.Close != -1 || s.last.Choose != -1 {
		t.Fatalf("the right button: %+v", s.last)
	}
	s.Send(widgettest.Press(third, pointer.ButtonTertiary), widgettest.Release(third))
	if s.last.Close != 2 || s.last.Choose != -1 {
		t.Fatalf("the middle button: %+v", s.last)
	}
	s.last.Close = -1
	s.Send(widgettest.Press(third, pointer.ButtonTertiary), widgettest.Move(widgettest.At(800, 150)),
		widgettest.Release(widgettest.At(800, 150)))
	s.Send(widgettest.Press(widgettest.At(30, 15), pointer.ButtonPrimary), widgettest.Release(widgettest.At(30, 15)))
	if s.last.Close != -1 || s.last.Choose != 0 {
		t.Fatalf("the middle button, let go elsewhere: %+v", s.last)
	}
}

// TestTabStripScrolls: the active tab comes into sight, the wheel goes through
// the others, and a button opens the list of all.
func TestTabStripScrolls(t *testing.T) {
	s := newStrip(t, 700, 40)
	if s.offset != 0 {
		t.Fatal("it is scrolled at first")
	}
	s.active = 39
	s.Frame()
	end := s.offset
	if room := 40*leastTab - end; room > 700 || room < 500 {
		t.Fatalf("the last tab ends at %d", room)
	}
	s.Send(widgettest.Wheel(widgettest.At(100, 15), 0, -1e6))
	if s.offset != 0 {
		t.Fatal("the wheel does not scroll back to the beginning")
	}
	s.Send(widgettest.Wheel(widgettest.At(100, 15), 1e6, 0))
	if s.offset != end {
		t.Fatalf("scrolled to %d, the end is %d", s.offset, end)
	}
	s.Click(widgettest.At(680, 15))
	if !s.last.List || s.last.At.X < 600 {
		t.Fatalf("no list: %+v", s.last)
	}
	s.active = 0
	s.Frame()
	if s.offset != 0 {
		t.Fatal("the first tab is out of sight")
	}
	s.tabs = s.tabs[:2]
	s.Frame()
	s.Frame()
	if s.labels()["40 files"].ID != 0 || s.labels()["2 files"].ID != 0 {
		t.Fatal("there is a button for a list that nobody needs")
	}
}

// TestTabStripSays what each tab is, which is chosen, and what closes it.
func TestTabStripSays(t *testing.T) {
	s := newStrip(t, 900, 2)
	s.tabs[1].Folder, s.tabs[1].State = "run2", describe.Failed
	s.active = 1
	s.Frame()
	got := s.labels()
	first, second, closer := got["rank0.pickle"].Desc, got["rank1.pickle run2"].Desc, got["Close rank1.pickle"].Desc
	if first.Class != semantic.Button || first.Selected || second.Class != semantic.Button || !second.Selected ||
		closer.Class != semantic.Button {
		t.Fatalf("%+v\n%+v\n%+v", first, second, closer)
	}
	if !strings.Contains(second.Description, "/run/rank1.pickle") {
		t.Fatal(second.Description)
	}
}

// TestShortNames keep their beginning and their end, and fit.
func TestShortNames(t *testing.T) {
	h, th := widgettest.New(image.Pt(400, 50)), kit.NewTheme(true)
	h.Draw = func(gtx giolayout.Context) {
		for _, name := range []string{"rank0.pickle", "a_run_with_a_very_long_name_of_2026-11-29_rank117.pickle",
			strings.Repeat("ö", 80), "x", ""} {
			for _, width := range []int{400, 120, 60, 20, 0} {
				var s shortName
				got := s.fit(gtx, th, kit.Label{Text: name}, width)
				w := th.Width(gtx, kit.Label{Text: got})
				switch {
				case !utf8.ValidString(got):
					t.Errorf("%q", got)
				case got == name: // either it fits, or there is nothing to leave out
					if w > width && utf8.RuneCountInString(name) > 1 {
						t.Errorf("%q is %d wide, not %d", got, w, width)
					}
				case w > width && got != "…":
					t.Errorf("%q is %d wide, not %d", got, w, width)
				case strings.HasSuffix(got, "…") && got == Stem(name)+"…": // all but the extension
				case width >= 60 && (got[:1] != name[:1] || got[len(got)-1] != Stem(name)[len(Stem(name))-1]):
					t.Errorf("%q of %q", got, name)
				}
			}
		}
	}
	h.Frame()
}

// TestActiveTabStaysInSight when the window becomes narrower.
func TestActiveTabStaysInSight(t *testing.T) {
	s := newStrip(t, 900, 10)
	s.active = 9
	s.Frame()
	s.Size.X = 400
	s.Frame()
	if x := 9*s.TabBar.seen.width - s.TabBar.offset; x < 0 || x+s.TabBar.seen.width > s.TabBar.seen.room {
		t.Errorf("the active tab begins at %d in a strip of %d", x, s.TabBar.seen.room)
	}
}

// TestTabsOfRanksDiffer: where there is no room for the whole name, what is left
// of it tells the files of a run apart.
func TestTabsOfRanksDiffer(t *testing.T) {
	h, th := widgettest.New(image.Pt(200, 200)), kit.NewTheme(true)
	h.Draw = func(gtx giolayout.Context) {
		for width := 70; width < 140; width += 5 {
			var one, other shortName
			a := one.fit(gtx, th, kit.Label{Text: "run_rank10.pickle.gz"}, width)
			b := other.fit(gtx, th, kit.Label{Text: "run_rank12.pickle.gz"}, width)
			if !strings.Contains(a, "10") || !strings.Contains(b, "12") {
				t.Errorf("%d wide: %q and %q", width, a, b)
			}
		}
	}
	h.Frame()
	for name, want := range map[string]string{"run.pickle": "run", "RUN.PKL.zst": "RUN", ".pickle": ".pickle",
		"a.b": "a.b", "é.json": "é"} {
		if got := Stem(name); got != want {
			t.Errorf("stem of %q: %q, want %q", name, got, want)
		}
	}
}

// TestTabStripAtAnySize draws tabs where there is no room for them.
func TestTabStripAtAnySize(t *testing.T) {
	for _, width := range []int{0, 1, 50, 130, 300, 3000} {
		for _, n := range []int{0, 1, 2, 50} {
			s := newStrip(t, width, n)
			s.active = max(0, n-1)
			s.Send(widgettest.Move(f32.Pt(float32(width)/2, 15)))
		}
	}
}
