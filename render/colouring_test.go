package render

import (
	"image"
	"image/color"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"strata/layout"
	"strata/snapshot"
)

// TestByAllocationNeighbours: in no state do two allocations that lie on one
// another share a hue.
func TestByAllocationNeighbours(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 1))
	for i := range 30 {
		opt := layout.Options{}
		if i%3 == 0 {
			opt.MaxEntries = 40
		}
		tl := random(rng, 2000, 1+rng.IntN(200)).timeline(opt)
		c := NewColouring(tl, ByAllocation, Dark())
		seen := map[uint8]bool{}
		for s := range int32(len(tl.Actions) + 1) {
			live := tl.Live(nil, s)
			for k := 1; k < len(live); k++ {
				if a, b := live[k-1], live[k]; c.index[a] == c.index[b] {
					t.Fatalf("program %d, state %d: %d and %d lie on one another and are both %d", i, s, a, b, c.index[a])
				}
				seen[c.index[live[k]]] = true
			}
		}
		if i == 0 && len(seen) < 10 {
			t.Errorf("only %d hues used", len(seen))
		}
	}
}

// TestBySite: one line of code has one hue, sites without a place are grey,
// and what lies on one another seldom shares a hue.
func TestBySite(t *testing.T) {
	program := training(30000)
	tl := program.timeline(layout.Options{})
	c := NewColouring(tl, BySite, Dark())
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
	if float64(same) > .02*float64(all) {
		t.Errorf("%d of %d bytes lie on another site of the same hue", same, all)
	}
	again := NewColouring(tl, BySite, Light())
	if !slices.Equal(again.index, c.index) {
		t.Error("another theme has other hues")
	}
}

// TestLegend: in every mode the legend's counts add up to the allocations
// and its colours are those painted.
func TestLegend(t *testing.T) {
	t.Run("times", func(t *testing.T) { legendOf(t, training(6000).timeline(layout.Options{})) })
	untimed := training(6000)
	untimed.Events.Time = nil
	t.Run("no times", func(t *testing.T) { legendOf(t, untimed.timeline(layout.Options{})) })
}

func legendOf(t *testing.T, tl *layout.Timeline) {
	for _, mode := range ColourModes() {
		c := NewColouring(tl, mode, Dark())
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
			t.Errorf("%v: the legend has %d allocations of %d bytes, the timeline %d of %d", mode, n, bytes, len(tl.Size), want)
		}
	}
}

// TestPaint compares the picture with the rule for separators, worked out
// from layout at every pixel, and tiles with a picture made in one piece.
func TestPaint(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 1))
	for range 8 {
		tl := random(rng, 1+rng.IntN(200), 25).timeline(layout.Options{MaxEntries: rng.IntN(2) * 30})
		c := NewColouring(tl, BySite, Dark())
		v := randomView(rng, tl)
		const w, h = 90, 70
		r := rasterize(t, tl, v, w, h)
		img := image.NewRGBA(image.Rect(0, 0, w, h))
		r.Paint(img, c)
		dx := (v.X1 - v.X0) / w
		column := func(x int) layout.Moment {
			return tl.Column(v.Axis, v.X0+float64(x)*dx, v.X0+float64(x+1)*dx)
		}
		hit := func(x, y int) layout.ID { return tl.Hit(column(x), r.bytes[y+before]) }
		for y := range h {
			for x := range w {
				id := hit(x, y)
				want := unpack(c.fill[c.slot(id)])
				if id >= 0 {
					top := hit(x, y-1) != id && hit(x, y+1) == id && hit(x, y+2) == id && hit(x, y+3) == id
					before, after := column(x-1), column(x+3)
					first := before.Step >= 0 && tl.Birth[id] > before.Step && after.Step >= 0 && tl.Death[id] > after.Step
					if top || first {
						want = unpack(c.edge[c.slot(id)])
					}
				}
				if got := img.RGBAAt(x, y); got != want {
					t.Fatalf("pixel %d,%d of %+v (allocation %d) is %v, want %v", x, y, v, id, got, want)
				}
			}
		}
	}
}

// TestTilesHaveNoSeams: cut into tiles, a picture has the same pixels.
func TestTilesHaveNoSeams(t *testing.T) {
	tl := training(3000).timeline(layout.Options{})
	c := NewColouring(tl, BySite, Dark())
	s := newScreen(t, DefaultBudget)
	const n = 3 * tilePixels
	v := Whole(tl, layout.Events)
	v.X1, v.Y1 = v.X1/4, v.Y1/4
	shown := s.sharp(tl, c, v, image.Pt(n, n))
	if len(shown.pieces) != 9 {
		t.Fatalf("%d pieces, want 9", len(shown.pieces))
	}
	whole := image.NewRGBA(image.Rect(0, 0, n, n))
	rasterize(t, tl, v, n, n).Paint(whole, c)
	for _, p := range shown.pieces {
		tile := image.NewRGBA(image.Rect(0, 0, tilePixels, tilePixels))
		p.raster.Paint(tile, c)
		for y := range tilePixels {
			for x := range tilePixels {
				if got, want := tile.RGBAAt(x, y), whole.RGBAAt(p.rect.Min.X+x, p.rect.Min.Y+y); got != want {
					t.Fatalf("pixel %d,%d of the tile at %v is %v, in one piece %v", x, y, p.rect.Min, got, want)
				}
			}
		}
	}
}

// TestHighlighting dims the others and leaves the index of the first alone.
func TestHighlighting(t *testing.T) {
	tl := training(1000).timeline(layout.Options{})
	c := NewColouring(tl, BySite, Dark())
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

// TestHues: no two hues are alike, all are about equally light, and each
// theme's texts have contrast enough.
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

// TestPoolName: pools have the names that PyTorch's users know, and one that
// was not recorded is not called the default one.
func TestPoolName(t *testing.T) {
	s := &snapshot.Snapshot{Pools: []snapshot.Pool{{}, {}, {A: 0, B: 7}, {A: 3}, {A: 1, B: 2}}}
	for id, want := range [][2]string{
		{"not recorded", "pool not recorded"}, {"default", "default pool"}, {"MemPool 7", "MemPool 7"},
		{"CUDA graph 3", "CUDA graph 3"}, {"(1, 2)", "pool (1, 2)"},
	} {
		name := PoolName(s, snapshot.PoolID(id))
		if name != want[0] || PoolTitle(name) != want[1] {
			t.Errorf("pool %d is %q, %q, want %q", id, name, PoolTitle(name), want)
		}
	}
}
