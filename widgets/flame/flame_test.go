package flame

import (
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"

	"gioui.org/io/pointer"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/traces"
	"strata/widgets/kit"
	"strata/widgets/widgettest"
)

// stage is a Graph with what it shows.
type stage struct {
	*widgettest.Harness
	g Graph
	s *State
}

func newStage(tl *layout.Timeline, opt breakdown.TreeOptions) *stage {
	tree := breakdown.NewTree(breakdown.New(tl, breakdown.ByStack, breakdown.Options{}), opt)
	s := &stage{Harness: widgettest.New(image.Pt(800, 200)),
		s: &State{Tree: tree, Held: tree.Weights(tl.PeakState)}}
	th := kit.NewTheme(true)
	s.Draw = func(gtx C) {
		s.g.UpdateKeys(gtx, s.s)
		s.g.Update(gtx, s.s)
		s.g.Layout(gtx, th, s.s, None)
	}
	s.Frame()
	return s
}

// TestCellsAreAsWideAsTheirBytes: every cell has its share of the width to a pixel, lies under its caller's, and
// neighbours do not overlap; so it is after zooms, scrolled, and in every form of the tree.
func TestCellsAreAsWideAsTheirBytes(t *testing.T) {
	tl := widgettest.Open(t, widgettest.Sample)
	for _, opt := range []breakdown.TreeOptions{{}, {LeavesUp: true}, {Frames: true}, {LeavesUp: true, Frames: true}} {
		s := newStage(tl, opt)
		for range 4 {
			s.check(t)
			if len(s.g.cells) > 1 {
				c := s.g.cells[len(s.g.cells)-1].at
				s.Click(widgettest.At(float32(c.Min.X), float32(c.Min.Y+1)))
			}
			s.Send(widgettest.Wheel(widgettest.At(5, 5), 0, 30))
		}
	}
}

func (s *stage) check(t *testing.T) {
	t.Helper()
	at := map[int32]image.Rectangle{}
	root := s.s.Held[s.g.root].Bytes
	for i := range s.g.cells {
		c := &s.g.cells[i]
		held, _ := s.s.bytes(c)
		parent := c.of
		if c.node != None {
			at[c.node], parent = c.at, s.s.Tree.Nodes[c.node].Parent
		}
		want := min(1, float64(held)/float64(root)) * 800
		if got := float64(c.at.Dx()); got < want-1 || got > want+1 {
			t.Errorf("%v is %v wide, want %v", c, got, want)
		}
		if p, shown := at[parent]; shown && (c.at.Min.X < p.Min.X || c.at.Max.X > p.Max.X || c.at.Min.Y != p.Max.Y) {
			t.Errorf("%v does not lie below its caller at %v", c, p)
		}
		for j := range s.g.cells[:i] {
			if c.at.Overlaps(s.g.cells[j].at) {
				t.Errorf("%v overlaps %v", c, s.g.cells[j])
			}
		}
	}
	if len(s.g.cells) == 0 {
		t.Error("nothing is shown")
	}
}

// TestHistory: a click zooms in, the mouse's buttons for that go back and forward.
func TestHistory(t *testing.T) {
	s := newStage(widgettest.Open(t, widgettest.Sample), breakdown.TreeOptions{})
	p := widgettest.At(3, 30)
	s.Click(p)
	zoomed := s.g.root
	if zoomed == 0 || s.g.Shown() != zoomed {
		t.Fatalf("a click zooms to %d, shown is %d", zoomed, s.g.Shown())
	}
	for _, c := range []struct {
		button pointer.Buttons
		want   int32
	}{{pointer.ButtonQuaternary, 0}, {pointer.ButtonQuinary, zoomed}} {
		s.Send(widgettest.Press(p, c.button), widgettest.Release(p))
		if s.g.root != c.want {
			t.Errorf("the button %v goes to %d, want %d", c.button, s.g.root, c.want)
		}
	}
}

// TestWhatCellsSay: texts fit their cells, and a tooltip says bytes, share, what was before and what was found.
func TestWhatCellsSay(t *testing.T) {
	s := newStage(widgettest.Open(t, widgettest.Sample), breakdown.TreeOptions{})
	c := &s.g.cells[1]
	name, short := s.s.name(c)
	for n := range 60 {
		text := s.g.textOf(s.s, c, n)
		if got := len([]rune(text)); got > n || n >= 3 && got < min(3, len(short)) {
			t.Errorf("%q has %d letters where %d fit", text, got, n)
		}
	}
	s.s.Before, s.s.Matched = make([]breakdown.Weight, len(s.s.Held)), s.s.Held
	c.matched = s.s.Held[c.node].Bytes
	tip := strings.Join(s.s.tooltip(c), "\n")
	for _, want := range []string{name, "% of all", "0 B at A", "matches the search",
		fmt.Sprintf("%d block", s.s.Held[c.node].Blocks)} {
		if !strings.Contains(tip, want) {
			t.Errorf("%q is not in %q", want, tip)
		}
	}
}

// TestChangesHaveColours: what grew is warm, what shrank is cold, and what stayed is neither; what a search did not
// find is dim.
func TestChangesHaveColours(t *testing.T) {
	s := newStage(widgettest.Open(t, widgettest.Sample), breakdown.TreeOptions{})
	c, th := &s.g.cells[1], kit.NewTheme(true)
	of := func(before int64) color.NRGBA {
		state := *s.s
		state.Before = make([]breakdown.Weight, len(state.Held))
		state.Before[c.node].Bytes = before
		return s.g.ground(th, &state, c)
	}
	held := s.s.Held[c.node].Bytes
	if grown, shrunk, same := of(0), of(2*held), of(held); grown.R <= same.R || shrunk.B <= same.B ||
		grown.R <= grown.B || shrunk.B <= shrunk.R {
		t.Errorf("grown is %v, shrunk %v, the same %v", grown, shrunk, same)
	}
	plain := s.g.ground(th, s.s, c)
	state := *s.s
	state.Matched = make([]breakdown.Weight, len(state.Held))
	if dim := s.g.ground(th, &state, c); dim.G >= plain.G {
		t.Errorf("what is not found is %v, else %v", dim, plain)
	}
}

// BenchmarkArrange lays out and paints 100,000 stacks anew, as each frame of a drag of the playhead does.
func BenchmarkArrange(b *testing.B) {
	tr := traces.New()
	tr.Sites = 100_000
	for range 300_000 {
		tr.Alloc(1 << 16)
	}
	s := tr.Deep(4000)
	tl := layout.New(s, &s.Devices[0], layout.Options{})
	st := newStage(tl, breakdown.TreeOptions{})
	st.Size = image.Pt(1600, 300)
	for b.Loop() {
		next := *st.s
		next.Held = next.Tree.Weights(tl.PeakState)
		st.s = &next
		st.Frame()
	}
	b.ReportMetric(float64(len(st.s.Tree.Nodes)), "nodes")
}
