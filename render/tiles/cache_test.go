package tiles

import (
	"context"
	"image"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"gioui.org/op"

	"strata/layout"
	"strata/layout/traces"
	"strata/render"
	"strata/render/colour"
)

// A screen drives a cache as the window does.
type screen struct {
	*Cache
	t     testing.TB
	woken chan struct{}
}

func newScreen(t testing.TB, budget int64) *screen {
	s := &screen{t: t, woken: make(chan struct{}, 1)}
	s.Cache = NewCache(budget, func() {
		select {
		case s.woken <- struct{}{}:
		default:
		}
	})
	t.Cleanup(s.Close)
	return s
}

// Compose composes, and has the workers begin.
func (s *screen) Compose(tl *layout.Timeline, c *colour.Colouring, v render.View, size image.Point) *Composition {
	shown := s.Cache.Compose(tl, c, v, size)
	s.Work()
	return shown
}

// sharp composes until everything is exact.
func (s *screen) sharp(tl *layout.Timeline, c *colour.Colouring, v render.View, size image.Point) *Composition {
	s.t.Helper()
	late := time.After(20 * time.Second)
	for {
		if shown := s.Compose(tl, c, v, size); shown.Sharp() {
			return shown
		}
		select {
		case <-s.woken:
		case <-late:
			s.t.Fatalf("%+v is not sharp after 20 s", v)
		}
	}
}

// overviewIn waits until an overview has its colours.
func (s *screen) overviewIn(tl *layout.Timeline, axis layout.Axis, c *colour.Colouring) {
	s.t.Helper()
	for late := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		done := s.overview(tl, axis).colouring == c
		s.mu.Unlock()
		switch {
		case done:
			return
		case time.Now().After(late):
			s.t.Fatalf("the overview of axis %v is not painted", axis)
		}
	}
}

// checkSharp compares a sharp composition with layout at every pixel.
func checkSharp(t *testing.T, tl *layout.Timeline, s *Composition) {
	t.Helper()
	dx, dy := zoomOf(s.View, s.Size)
	left, bottom := math.Round(s.View.X0/dx), math.Round(s.View.Y0/dy)
	for x := range s.Size.X {
		m := tl.Column(s.View.Axis, (left+float64(x))*dx, (left+float64(x+1))*dx)
		for y := range s.Size.Y {
			b := int64(math.Floor((bottom + float64(s.Size.Y-1-y) + .5) * dy))
			if got, want := s.At(x, y), tl.Hit(m, b); got != want {
				t.Fatalf("pixel %d,%d of %+v is %d, want %d", x, y, s.View, got, want)
			}
		}
	}
}

// TestSharpIsLayoutsAnswer: tiles, however they are cut, show at each pixel what layout says.
func TestSharpIsLayoutsAnswer(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	for range 6 {
		tl := laidOut(traces.Random(rng, 1+rng.IntN(600), 40), layout.Options{MaxEntries: rng.IntN(2) * 100})
		s := newScreen(t, DefaultBudget)
		c := colour.New(tl, colour.BySite, colour.Dark())
		for range 3 {
			v := randomView(rng, tl).Clamp(tl)
			checkSharp(t, tl, s.sharp(tl, c, v, image.Pt(1+rng.IntN(300), 1+rng.IntN(280))))
		}
		s.Close()
	}
}

// TestOnScreen: whatever is shown, scaled or sharp, an outline is made of the pixels for which At answers with the
// allocation.
func TestOnScreen(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	tl := laidOut(traces.Random(rng, 400, 30), layout.Options{})
	s := newScreen(t, DefaultBudget)
	c := colour.New(tl, colour.BySite, colour.Dark())
	if err := s.Prepare(context.Background(), tl, layout.Events, c); err != nil {
		t.Fatal(err)
	}
	size := image.Pt(300, 200)
	v := render.Whole(tl, layout.Events)
	seen := map[bool]int{}
	for step := range 30 {
		if step%7 == 6 {
			s.sharp(tl, c, v, size)
		}
		v = v.ZoomX(v.XAt(rng.Float64(), 1), math.Exp(rng.NormFloat64()))
		v = v.ZoomY(v.YAt(rng.Float64(), 1), math.Exp(rng.NormFloat64()*.3))
		v = v.Pan((v.X1-v.X0)*rng.NormFloat64()*.2, 0).Clamp(tl)
		shown := s.Compose(tl, c, v, size)
		seen[shown.Sharp()]++
		var grid [300][200]layout.ID
		for x := range grid {
			for y := range grid[x] {
				grid[x][y] = shown.At(x, y)
			}
		}
		at := func(x, y int) layout.ID { return grid[x][y] }
		for range 25 {
			id := layout.ID(rng.IntN(len(tl.Size)))
			if got, want := shown.Outline(id), scanned(size.X, size.Y, at, id); !slices.Equal(got, want) {
				t.Fatalf("step %d: outline of %d is\n%v, want\n%v (%d pieces)", step, id, got, want, len(shown.pieces))
			}
		}
		var ops op.Ops
		shown.Add(&ops)
	}
	if seen[false] == 0 {
		t.Error("nothing but sharp pictures: the test has not seen a scaled one")
	}
}

// TestFirstFrame: with the overview prepared, no frame is blank.
func TestFirstFrame(t *testing.T) {
	tl := laidOut(traces.Training(20000), layout.Options{})
	s := newScreen(t, DefaultBudget)
	c := colour.New(tl, colour.BySite, colour.Dark())
	if err := s.Prepare(context.Background(), tl, layout.Events, c); err != nil {
		t.Fatal(err)
	}
	v := render.Whole(tl, layout.Events)
	for _, zoom := range []float64{1, 3, 50, 1e4} {
		z := v.ZoomX(v.XAt(.5, 1), zoom)
		shown := s.Compose(tl, c, z, image.Pt(800, 500))
		for x := 0; x < 800; x += 10 {
			if id := shown.At(x, 490); id == layout.None {
				t.Fatalf("zoomed %g times, column %d of the first frame is blank", zoom, x)
			}
		}
	}
}

// TestPanKeepsTiles: panning shows what was made before, and only the new columns are requested.
func TestPanKeepsTiles(t *testing.T) {
	tl := laidOut(traces.Training(20000), layout.Options{})
	s := newScreen(t, DefaultBudget)
	c := colour.New(tl, colour.BySite, colour.Dark())
	v := render.Whole(tl, layout.Events)
	v = v.ZoomX(v.XAt(.3, 1), 8)
	size := image.Pt(700, 400)
	s.sharp(tl, c, v, size)
	dx := (v.X1 - v.X0) / 700
	for range 40 {
		v = v.Pan(20*dx, 0).Clamp(tl)
		before := s.Compose(tl, c, v, size)
		after := s.sharp(tl, c, v, size)
		if !before.Sharp() && len(before.pieces) == 0 {
			t.Fatal("panning by 20 pixels blanked the picture")
		}
		checkSample(t, tl, after)
	}
	if n := len(s.levels); n != 1 {
		t.Errorf("panning made %d zoom levels, want 1", n)
	}
}

// checkSample is checkSharp for a few pixels.
func checkSample(t *testing.T, tl *layout.Timeline, s *Composition) {
	t.Helper()
	dx, dy := zoomOf(s.View, s.Size)
	for x := 3; x < s.Size.X; x += 97 {
		left := math.Round(s.View.X0/dx) + float64(x)
		m := tl.Column(s.View.Axis, left*dx, (left+1)*dx)
		for y := 5; y < s.Size.Y; y += 61 {
			b := int64(math.Floor((math.Round(s.View.Y0/dy) + float64(s.Size.Y-1-y) + .5) * dy))
			if got, want := s.At(x, y), tl.Hit(m, b); got != want {
				t.Fatalf("pixel %d,%d of %+v is %d, want %d", x, y, s.View, got, want)
			}
		}
	}
}

// TestBudget: however much is looked at, tiles stay within the budget, and forgetting a timeline frees them.
func TestBudget(t *testing.T) {
	tl := laidOut(traces.Training(20000), layout.Options{})
	const budget = 40 * tileBytes
	s := newScreen(t, budget)
	c := colour.New(tl, colour.BySite, colour.Dark())
	v := render.Whole(tl, layout.Events)
	for i := range 30 {
		z := v.ZoomX(v.XAt(float64(i)/30, 1), 1+float64(i)).Clamp(tl)
		s.sharp(tl, c, z, image.Pt(700, 400))
		if got := s.ofTiles(); got > budget {
			t.Fatalf("%d bytes of tiles, budget %d", got, budget)
		}
	}
	tiles := 0
	for _, l := range s.levels {
		tiles += len(l.tiles)
	}
	if got := s.ofTiles(); got != int64(tiles)*tileBytes {
		t.Errorf("%d bytes counted, there are %d tiles of %d", got, tiles, tileBytes)
	}
	s.Forget(func(*layout.Timeline) bool { return false })
	if got := s.ofTiles(); got != 0 {
		t.Errorf("%d bytes left after forgetting", got)
	}
}

// TestLevelsPassedBy: zooming without a rest leaves no levels behind.
func TestLevelsPassedBy(t *testing.T) {
	tl := laidOut(traces.Training(5000), layout.Options{})
	s := newScreen(t, 60*tileBytes)
	c := colour.New(tl, colour.BySite, colour.Dark())
	v := render.Whole(tl, layout.Events)
	for i := range 2000 {
		s.Compose(tl, c, v.ZoomX(100, 1+float64(i)/10).Clamp(tl), image.Pt(500, 300))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.levels); n > 60+8 { // each with a tile, or being made
		t.Errorf("%d zoom levels are kept", n)
	}
}

// TestClose: no worker is left.
func TestClose(t *testing.T) {
	n := runtime.NumGoroutine()
	tl := laidOut(traces.Training(20000), layout.Options{})
	for range 5 {
		c := NewCache(DefaultBudget, func() {})
		dark := colour.New(tl, colour.BySite, colour.Dark())
		c.Compose(tl, dark, render.Whole(tl, layout.Events), image.Pt(1600, 900))
		c.Work()
		c.Close()
	}
	if got := runtime.NumGoroutine(); got > n {
		t.Errorf("%d goroutines, %d before", got, n)
	}
}

// TestUnchanged: composing the same again costs nothing.
func TestUnchanged(t *testing.T) {
	tl := laidOut(traces.Training(5000), layout.Options{})
	s := newScreen(t, DefaultBudget)
	c := colour.New(tl, colour.BySite, colour.Dark())
	v, size := render.Whole(tl, layout.Events), image.Pt(500, 300)
	s.sharp(tl, c, v, size)
	for s.busy() || !s.Compose(tl, c, v, size).Sharp() {
		time.Sleep(time.Millisecond)
	}
	a := s.Compose(tl, c, v, size)
	if allocs := testing.AllocsPerRun(100, func() { s.Compose(tl, c, v, size) }); allocs > 0 {
		t.Errorf("%g allocations to compose the same again", allocs)
	}
	if b := s.Compose(tl, c, v, size); a != b {
		t.Error("a new composition of the same")
	}
}

// ofTiles is what the tiles take.
func (c *Cache) ofTiles() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

// busy reports that workers have something to do.
func (c *Cache) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.requests) > 0 || len(c.running) > 0
}

// TestNews: a frame is asked for when what is in sight is complete, and now and then before, but not for tiles made
// ahead or of a level passed by.
func TestNews(t *testing.T) {
	here, passed := new(level), new(level)
	c := &Cache{sight: window{here, 1000, 0, image.Pt(600, 400)}, running: make(map[*running]bool)}
	in := request{level: here, from: tileAt{4, 0}, to: tileAt{6, 2}}
	ahead := request{level: here, from: tileAt{7, 0}, to: tileAt{8, 2}}
	for i, w := range []request{ahead, {level: passed, from: in.from, to: in.to}} {
		if c.news(&w) || c.changes != 0 {
			t.Errorf("case %d asks for a frame", i)
		}
	}
	c.requests = []request{ahead}
	for range 3 {
		if !c.news(&in) {
			t.Error("no frame although everything is there")
		}
	}
	c.requests = []request{in, ahead}
	if c.news(&in) || c.changes != 4 {
		t.Error("a frame too many, while more is about to come")
	}
	c.woken = time.Now().Add(-wakeEvery)
	if !c.news(&in) || c.news(&in) {
		t.Error("not now and then while more is about to come")
	}
	c.requests, c.running[&running{request: in}] = nil, true
	if c.news(&in) {
		t.Error("a frame too many, while a worker is at more")
	}
	tl := laidOut(traces.Training(1000), layout.Options{})
	c.running, c.woken = make(map[*running]bool), time.Time{}
	c.pending = sync.NewCond(&c.mu)
	c.Compose(tl, colour.New(tl, colour.BySite, colour.Dark()), render.Whole(tl, layout.Events), image.Pt(600, 400))
	if first := c.requests[0]; len(c.requests) < 2 || c.news(&first) {
		t.Errorf("a frame too many, as soon as the first of %d requests for a new view is fulfilled", len(c.requests))
	}
	shown := request{drawing: c.overview(tl, layout.Events)}
	if !c.sight.shows(&shown) || !c.sight.shows(&request{drawing: &drawing{t: tl, axis: layout.Events}}) {
		t.Error("the overview and new colours show at once")
	}
	if c.sight.shows(&request{drawing: c.overview(tl, layout.Time)}) {
		t.Error("the overview of the other axis does not show")
	}
}

// TestNearestCovers: where the nearest level covers all that is missing, nothing is drawn behind it; where it does
// not, the overview is.
func TestNearestCovers(t *testing.T) {
	tl := laidOut(traces.Training(20_000), layout.Options{})
	c := colour.New(tl, colour.BySite, colour.Dark())
	size := image.Pt(700, 500)
	for _, zoom := range []float64{1.25, .5} {
		s := newScreen(t, DefaultBudget)
		if err := s.Prepare(t.Context(), tl, layout.Events, c); err != nil {
			t.Fatal(err)
		}
		v := render.Whole(tl, layout.Events)
		v = v.ZoomX(v.X1/2, 4)
		s.sharp(tl, c, v, size)
		s.Close() // nothing is made any more
		shown := s.Compose(tl, c, v.ZoomX(v.X0+1, zoom), size)
		behind := 0
		for _, p := range shown.pieces {
			if p.tile == nil {
				behind++
			}
		}
		if want := map[float64]int{1.25: 0, .5: 1}[zoom]; behind != want || shown.bare != (want == 1) || shown.Sharp() {
			t.Errorf("zoomed by %v: %d overviews among %d pieces, bare %v", zoom, behind, len(shown.pieces), shown.bare)
		}
	}
}
