// Package tiles keeps the timeline's picture in tiles of every zoom level looked at, makes what is missing in the
// background, and composes a frame of what there is. gio.go is the only file that draws with Gio.
package tiles

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"strata/layout"
	"strata/render"
	"strata/render/colour"
	"strata/render/raster"
)

// A Cache keeps pictures of timelines: tiles of every zoom level looked at,
// as many as fit its budget, and of each axis a coarse overview. Its workers
// make what a frame wishes for, the newest wishes first; a frame never waits
// for them, but shows what there is.
//
// Compose and what it returns belong to the window's goroutine; everything
// else may be called from any.
type Cache struct {
	wake   func()
	budget int64
	cancel context.CancelFunc
	ctx    context.Context
	work   sync.WaitGroup

	mu        sync.Mutex
	wished    *sync.Cond
	closed    bool
	frame     uint64
	changes   uint64 // of the tiles
	bytes     int64  // of all tiles
	levels    []*level
	overviews []*overview
	wishes    []wish // of the last frame, most urgent first
	running   map[*running]bool
	shown     int64     // bytes of the tiles of the last frame
	sight     window    // of the last frame
	woken     time.Time // when a frame was last asked for, or another view composed
	changed   time.Time // when something in sight last was

	last     *Composition
	key      compositionKey
	versions uint64 // of compositions

	stretcher stretcher // of the window's goroutine
}

// DefaultBudget is a good number of bytes for a Cache.
const DefaultBudget = 128 << 20

// An overview is the whole of an axis, coarse. It is kept as long as its
// timeline.
type overview struct {
	t         *layout.Timeline
	axis      layout.Axis
	raster    *raster.Raster // nil until made
	colouring *colour.Colouring
	picture   *Picture
	busy      bool
}

// Pixels of an overview.
const (
	overviewW = 1024
	overviewH = 512
)

// overviewBytes is what an overview takes: lookup and picture.
const overviewBytes = 4*overviewW*(overviewH+raster.Margin) + 4*overviewW*overviewH

// A wish is something a worker can do.
type wish struct {
	colouring *colour.Colouring
	level     *level
	from, to  tileAt         // tiles to be made
	repaint   *tile          // or a tile to be painted anew
	overview  *overview      // or an overview to be made or painted anew
	raster    *raster.Raster // the overview's, if made
}

// running is a wish that a worker is at.
type running struct {
	wish
	since  time.Time
	cancel context.CancelFunc
}

// NewCache starts a cache that keeps tiles of up to budget bytes (more if one
// picture needs more) and calls wake, from any goroutine, when there is
// something new to show. Close must be called to end its workers.
func NewCache(budget int64, wake func()) *Cache {
	c := &Cache{wake: wake, budget: budget, running: make(map[*running]bool), stretcher: stretcher{most: maxStretched}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.wished = sync.NewCond(&c.mu)
	// One core is left to the window where there are more than two.
	for range min(max(2, runtime.GOMAXPROCS(0)-1), 4) {
		c.work.Add(1)
		go c.serve()
	}
	return c
}

// Close ends the workers and waits for them.
func (c *Cache) Close() {
	c.mu.Lock()
	c.closed = true
	c.wishes = nil
	c.cancel()
	c.wished.Broadcast()
	c.mu.Unlock()
	c.work.Wait()
}

// A State is what a Cache is at, for whoever measures it.
type State struct {
	Bytes   int64     // of all tiles and overviews
	Working bool      // workers are making more
	Changed time.Time // when the last of what is in sight was ready
}

// Work lets the workers begin with what Compose wished for. It is called when
// the frame is laid out: workers that begin before take the processor from it,
// where there are no more cores than workers.
func (c *Cache) Work() {
	c.mu.Lock()
	more := len(c.wishes) > 0
	c.mu.Unlock()
	if more {
		c.wished.Broadcast()
	}
}

// State is the cache's state now.
func (c *Cache) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return State{c.bytes + c.ofOverviews(), len(c.running) > 0, c.changed}
}

// ofOverviews is the bytes of all overviews.
func (c *Cache) ofOverviews() int64 {
	n := 0
	for _, o := range c.overviews {
		if o.raster != nil {
			n++
		}
	}
	return int64(n) * overviewBytes
}

// Forget lets go of all pictures but those of the timelines that keep
// reports true for.
func (c *Cache) Forget(keep func(*layout.Timeline) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wishes, c.last = nil, nil
	for r := range c.running {
		if t := r.timeline(); !keep(t) {
			r.cancel()
		}
	}
	c.levels = slices.DeleteFunc(c.levels, func(l *level) bool {
		if keep(l.t) {
			return false
		}
		c.bytes -= int64(len(l.tiles)) * tileBytes
		l.tiles = nil // a worker may still hold the level
		return true
	})
	c.overviews = slices.DeleteFunc(c.overviews, func(o *overview) bool { return !keep(o.t) })
}

func (w *wish) timeline() *layout.Timeline {
	switch {
	case w.overview != nil:
		return w.overview.t
	case w.repaint != nil:
		return w.repaint.level.t
	}
	return w.level.t
}

// Bytes is what the tiles take.
func (c *Cache) Bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

// Prepare makes the overview of an axis before it is first shown, so that
// there is something to show from the first frame on. It runs in the caller's
// goroutine; the error is that of ctx.
func (c *Cache) Prepare(ctx context.Context, t *layout.Timeline, axis layout.Axis, colouring *colour.Colouring) error {
	r, err := raster.New(ctx, t, render.Whole(t, axis), overviewW, overviewH)
	if err != nil {
		return err
	}
	picture := paintTile(r, colouring)
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.overview(t, axis)
	o.raster, o.colouring, o.picture = r, colouring, picture
	c.changes++
	return nil
}

// overview finds or begins an overview.
func (c *Cache) overview(t *layout.Timeline, axis layout.Axis) *overview {
	for _, o := range c.overviews {
		if o.t == t && o.axis == axis {
			return o
		}
	}
	o := &overview{t: t, axis: axis}
	c.overviews = append(c.overviews, o)
	return o
}

// sameZoom is how far apart two zooms may be to be one: panning changes the
// width of a view by rounding errors.
const sameZoom = 1e-7

// levelOf finds or begins the level of a zoom.
func (c *Cache) levelOf(t *layout.Timeline, axis layout.Axis, dx, dy float64) *level {
	for _, l := range c.levels {
		if l.t == t && l.axis == axis && math.Abs(l.dx/dx-1) < sameZoom && math.Abs(l.dy/dy-1) < sameZoom {
			return l
		}
	}
	c.prune()
	l := &level{t: t, axis: axis, dx: dx, dy: dy, tiles: make(map[tileAt]*tile), making: make(map[tileAt]bool)}
	c.levels = append(c.levels, l)
	return l
}

// patience is how long a worker may go on with what the newest frame does not
// wish for any more: it will likely serve as the nearest zoom level soon.
const patience = 25 * time.Millisecond

// drop stops workers that have been at something outdated for too long.
func (c *Cache) drop(now time.Time, l *level) {
	for r := range c.running {
		if r.level != nil && r.level != l && (r.level.t != l.t || now.Sub(r.since) > patience) {
			r.cancel()
		}
	}
}

// serve is a worker.
func (c *Cache) serve() {
	defer c.work.Done()
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for len(c.wishes) == 0 && !c.closed {
			c.wished.Wait()
		}
		if c.closed {
			return
		}
		r := &running{wish: c.wishes[0], since: time.Now()}
		c.wishes = c.wishes[1:]
		if !c.begin(&r.wish) {
			continue
		}
		var ctx context.Context
		ctx, r.cancel = context.WithCancel(c.ctx)
		c.running[r] = true
		c.mu.Unlock()
		finish := r.make(ctx)
		r.cancel()
		c.mu.Lock()
		if c.closed {
			return
		}
		if c.finished(r, finish) {
			c.mu.Unlock()
			c.wake()
			c.mu.Lock()
		}
	}
}

// finished takes what a worker made into the cache, nil if it was given up, and
// reports whether a frame should be drawn.
func (c *Cache) finished(r *running, finish func(*Cache)) (news bool) {
	delete(c.running, r)
	c.end(&r.wish)
	if finish != nil {
		finish(c)
		c.evict()
	}
	// Frames wish for nothing that is being made. If the colours changed
	// meanwhile, and what was made is out of sight, no frame follows that
	// would wish for it in the new ones.
	if o := r.overview; o != nil && c.last != nil && o.t == c.key.t && o.colouring != c.key.colouring {
		c.wishes = append(c.wishes, wish{colouring: c.key.colouring, overview: o})
	}
	return c.news(&r.wish)
}

// wakeEvery is how often a frame is asked for while more is about to come: a
// frame may take long to draw, and takes the processor from those who work.
const wakeEvery = 30 * time.Millisecond

// news reports whether a frame should be drawn now that a wish is fulfilled
// or given up, because somebody may wish for it again. It is so once
// everything in sight is there, and now and then before.
func (c *Cache) news(w *wish) bool {
	if !c.sight.shows(w) {
		return false
	}
	c.changes++
	now := time.Now()
	c.changed = now
	more := slices.ContainsFunc(c.wishes, func(w wish) bool { return c.sight.shows(&w) })
	for r := range c.running {
		more = more || c.sight.shows(&r.wish)
	}
	if more && now.Sub(c.woken) < wakeEvery {
		return false
	}
	c.woken = now
	return true
}

// shows reports whether what is wished for is in the window, or may be.
func (w *window) shows(what *wish) bool {
	if o := what.overview; o != nil {
		return o.t == w.t && o.axis == w.axis
	}
	if what.level == nil { // colours of what is shown
		return true
	}
	from, to := w.tiles()
	return what.level == w.level && what.from.i < to.i && from.i < what.to.i && what.from.j < to.j && from.j < what.to.j
}

// begin marks what a wish is about as being made; false if it is made or
// being made already.
func (c *Cache) begin(w *wish) bool {
	switch {
	case w.overview != nil:
		if w.overview.busy || w.overview.colouring == w.colouring {
			return false
		}
		w.overview.busy, w.raster = true, w.overview.raster
	case w.repaint != nil:
		if w.repaint.painting || w.repaint.colouring == w.colouring {
			return false
		}
		w.repaint.painting = true
	default:
		for at := range w.tiles {
			if w.level.making[at] || w.level.tiles[at] != nil {
				return false
			}
		}
		for at := range w.tiles {
			w.level.making[at] = true
		}
	}
	return true
}

func (c *Cache) end(w *wish) {
	switch {
	case w.overview != nil:
		w.overview.busy = false
	case w.repaint != nil:
		w.repaint.painting = false
	default:
		for at := range w.tiles {
			delete(w.level.making, at)
		}
	}
}

// tiles goes through the places of the tiles to be made.
func (w *wish) tiles(yield func(tileAt) bool) {
	for j := w.from.j; j < w.to.j; j++ {
		for i := w.from.i; i < w.to.i; i++ {
			if !yield(tileAt{i, j}) {
				return
			}
		}
	}
}

// make fulfils a wish. What it returns puts the result into the cache, under
// its lock; nil if the wish was given up.
func (w *wish) make(ctx context.Context) func(*Cache) {
	switch {
	case w.overview != nil:
		o := w.overview
		r := w.raster
		if r == nil {
			var err error
			if r, err = raster.New(ctx, o.t, render.Whole(o.t, o.axis), overviewW, overviewH); err != nil {
				return nil
			}
		}
		picture := paintTile(r, w.colouring)
		return func(*Cache) { o.raster, o.colouring, o.picture = r, w.colouring, picture }
	case w.repaint != nil:
		picture := paintTile(w.repaint.raster, w.colouring)
		return func(*Cache) { w.repaint.picture, w.repaint.colouring = picture, w.colouring }
	}
	tiles, err := w.level.strip(ctx, w.from, w.to)
	if err != nil {
		return nil
	}
	for _, t := range tiles {
		t.picture, t.colouring = paintTile(t.raster, w.colouring), w.colouring
	}
	return func(c *Cache) {
		if w.level.tiles == nil {
			return // forgotten meanwhile
		}
		for _, t := range tiles {
			t.used = c.frame
			w.level.tiles[t.at] = t
			c.bytes += tileBytes
		}
	}
}

// evict throws away the tiles that were not shown for longest when there are
// too many. It goes well below the budget, so that it is seldom needed.
func (c *Cache) evict() {
	budget := max(c.budget-c.ofOverviews(), c.shown*2)
	if c.bytes <= budget {
		return
	}
	var all []*tile
	for _, l := range c.levels {
		for _, t := range l.tiles {
			if t.used < c.frame {
				all = append(all, t)
			}
		}
	}
	slices.SortFunc(all, func(a, b *tile) int { return cmp.Compare(a.used, b.used) })
	for _, t := range all {
		if c.bytes <= budget*3/4 {
			break
		}
		delete(t.level.tiles, t.at)
		c.bytes -= tileBytes
	}
}

// prune lets go of zoom levels that were passed by and have no tiles.
func (c *Cache) prune() {
	c.levels = slices.DeleteFunc(c.levels, func(l *level) bool {
		return len(l.tiles) == 0 && len(l.making) == 0 && l.used < c.frame
	})
}
