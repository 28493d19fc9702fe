package colour

import (
	"image/color"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"strata/layout"
	"strata/layout/traces"
)

// TestByAllocationNeighbours: in no state do two allocations that lie on one another share a hue.
func TestByAllocationNeighbours(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 1))
	for i := range 30 {
		opt := layout.Options{}
		if i%3 == 0 {
			opt.MaxEntries = 40
		}
		tl := laidOut(traces.Random(rng, 2000, 1+rng.IntN(200)), opt)
		c := New(tl, ByAllocation, Dark())
		seen := map[uint8]bool{}
		for s := range int32(len(tl.Actions) + 1) {
			live := tl.Live(nil, s)
			for k := 1; k < len(live); k++ {
				if a, b := live[k-1], live[k]; c.index[a] == c.index[b] {
					t.Fatalf("program %d, state %d: %d and %d touch and are both %d", i, s, a, b, c.index[a])
				}
				seen[c.index[live[k]]] = true
			}
		}
		if i == 0 && len(seen) < 10 {
			t.Errorf("only %d hues used", len(seen))
		}
	}
}

// TestBySite: one line of code has one colour, whatever else is in the file, sites without a place are grey, and what
// lies on one another seldom shares a colour.
func TestBySite(t *testing.T) {
	program := traces.Training(30000)
	tl := laidOut(program, layout.Options{})
	c := New(tl, BySite, Dark())
	hue := map[uint32]color.RGBA{}
	used := map[color.RGBA]bool{}
	for id := range tl.Size {
		site, col := c.site(layout.ID(id)), c.Colour(layout.ID(id))
		if site == 0 && col != Dark().Unknown {
			t.Fatalf("allocation %d without a site is %v", id, col)
		}
		if old, ok := hue[site]; ok && old != col {
			t.Fatalf("site %d has two colours", site)
		}
		hue[site] = col
		used[col] = true
	}
	between := map[bool]int{} // pairs of one colour, by whether they are of one site
	for b := range layout.ID(len(tl.Size)) {
		if a := b - 1; b > 0 && c.index[a] == c.index[b] {
			same := c.site(a) == c.site(b)
			between[same]++
			if line := c.Separator(Always, a, b); (line == c.Edge[Always][c.index[a]]) != same {
				t.Fatalf("between %d and %d, of one site %v, is %v", a, b, same, Unpack(line))
			}
		}
	}
	if between[true] == 0 || between[false] == 0 {
		t.Errorf("neighbours of one colour by whether they are of one site: %v", between)
	}
	if want := min(program.Sites+1, hueCount); len(used) < want {
		t.Errorf("%d colours for %d sites", len(used), program.Sites)
	}
	var same, all int64
	live := tl.Live(nil, tl.PeakState)
	for k := 1; k < len(live); k++ {
		if a, b := live[k-1], live[k]; c.site(a) != c.site(b) {
			size := min(tl.Size[a], tl.Size[b])
			all += size
			if c.Colour(a) == c.Colour(b) {
				same += size
			}
		}
	}
	if float64(same) > .05*float64(all) { // one of 60 is chance
		t.Errorf("%d of %d bytes lie on another site of the same colour", same, all)
	}
	small := laidOut(traces.FIFO(400, 50, traces.Mixed), layout.Options{})
	d := New(small, BySite, Dark())
	named := map[string]color.RGBA{}
	for id := range tl.Size {
		named[c.SiteName(layout.ID(id))] = c.Colour(layout.ID(id))
	}
	for id := range small.Size {
		name := d.SiteName(layout.ID(id))
		if want, ok := named[name]; ok && d.Colour(layout.ID(id)) != want {
			t.Fatalf("%s is %v in one file and %v in the other", name, want, d.Colour(layout.ID(id)))
		}
	}
	again := New(tl, BySite, Light())
	if !slices.Equal(again.index, c.index) {
		t.Error("another theme has other hues")
	}
}

// TestLegend: in every mode the legend's counts add up to the allocations and its colours are those painted.
func TestLegend(t *testing.T) {
	t.Run("times", func(t *testing.T) { legendOf(t, laidOut(traces.Training(6000), layout.Options{})) })
	untimed := traces.Training(6000)
	untimed.Events.Time = nil
	t.Run("no times", func(t *testing.T) { legendOf(t, laidOut(untimed, layout.Options{})) })
}

func legendOf(t *testing.T, tl *layout.Timeline) {
	for _, mode := range Modes() {
		c := New(tl, mode, Dark())
		painted := map[color.RGBA]bool{}
		for id := range tl.Size {
			painted[c.Colour(layout.ID(id))] = true
		}
		if mode == ByAllocation {
			if len(c.Legend) != 0 {
				t.Errorf("%v: a legend of hues that mean nothing", mode)
			}
			continue
		}
		n, bytes := 0, int64(0)
		for _, e := range c.Legend {
			n += e.Count
			bytes += e.Bytes
			if e.Label == "" || strings.HasPrefix(e.Label, "1 steps") || !painted[e.Colour] {
				t.Errorf("%v: entry %+v", mode, e)
			}
		}
		var want int64
		for _, s := range tl.Size {
			want += s
		}
		if n != len(tl.Size) || bytes != want {
			t.Errorf("%v: the legend has %d allocations of %d bytes, the timeline %d of %d",
				mode, n, bytes, len(tl.Size), want)
		}
	}
}

// TestHighlighting dims the others and leaves the index of the first alone.
func TestHighlighting(t *testing.T) {
	tl := laidOut(traces.Training(1000), layout.Options{})
	c := New(tl, BySite, Dark())
	h := c.Highlighting(func(id layout.ID) bool { return id%2 == 0 })
	for id := range layout.ID(len(tl.Size)) {
		if same := h.Colour(id) == c.Colour(id); same != (id%2 == 0) {
			t.Fatalf("allocation %d: highlighted %v, dimmed as it should: %v", id, same, !same)
		}
	}
	back := h.Highlighting(func(layout.ID) bool { return true })
	if !slices.Equal(back.index, c.index) {
		t.Error("highlighting all is not what it was")
	}
}

// TestHues: no two hues are alike, and each theme's texts have contrast enough.
func TestHues(t *testing.T) {
	for _, p := range []Palette{Dark(), Light()} {
		for i, a := range p.Hues {
			for _, b := range p.Hues[:i] {
				if a == b {
					t.Errorf("two hues are %v", a)
				}
			}
		}
		for _, text := range []color.RGBA{p.Text, p.Quiet} {
			for _, ground := range []color.RGBA{p.Background, p.Panel} {
				if c := contrast(text, ground); c < 4.5 {
					t.Errorf("text %v on %v has a contrast of %.2f", text, ground, c)
				}
			}
		}
	}
}

// contrast is that of WCAG 2.
func contrast(a, b color.RGBA) float64 {
	l := func(c color.RGBA) float64 {
		return .2126*FromSRGB(c.R) + .7152*FromSRGB(c.G) + .0722*FromSRGB(c.B) + .05
	}
	return max(l(a)/l(b), l(b)/l(a))
}
