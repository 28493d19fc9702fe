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

// A Cache keeps pictures of timelines: tiles of every zoom level looked at, as many as fit its budget, and of each
// axis a coarse overview. Its workers make what a frame asks for, the newest requests first; a frame never waits for
// them, but shows what there is.
//
// Compose and what it returns belong to the window's goroutine; everything else may be called from any.
type Cache struct {
	wake   func()
	budget int64
	cancel context.CancelFunc
	ctx    context.Context
	work   sync.WaitGroup

	mu        sync.Mutex
	pending   *sync.Cond
	closed    bool
	frame     uint64
	changes   uint64 // of the tiles
	bytes     int64  // of all tiles
	levels    []*level
	overviews []*drawing
	requests  []request // of the last frame, most urgent first
	running   map[*running]bool
	shown     int64     // bytes of the tiles of the last frame
	sight     window    // of the last frame
	woken     time.Time // when a frame was last asked for, or another view composed
	changed   time.Time // when something in sight last was

	last     *Composition
	key      compositionKey
	versions uint64 // of compositions

	upscaled int // the most pixels that are scaled here
}

// DefaultBudget is a good number of bytes for a Cache.
const DefaultBudget = 128 << 20

// Pixels of an overview: the whole of an axis, coarse. It is kept as long as its timeline.
const (
	overviewW = 1024
	overviewH = 512
)

// overviewBytes is what an overview takes: lookup and picture.
const overviewBytes = 4*overviewW*(overviewH+raster.Margin) + 4*overviewW*overviewH

// NewCache starts a cache that keeps tiles of up to budget bytes (more if one picture needs more) and calls wake,
// from any goroutine, when there is something new to show. Close must be called to end its workers.
func NewCache(budget int64, wake func()) *Cache {
	c := &Cache{wake: wake, budget: budget, running: make(map[*running]bool), upscaled: maxUpscaled}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.pending = sync.NewCond(&c.mu)
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
	c.requests = nil
	c.cancel()
	c.pending.Broadcast()
	c.mu.Unlock()
	c.work.Wait()
}

// A State is what a Cache is at, for whoever measures it.
type State struct {
	Bytes   int64     // of all tiles and overviews
	Working bool      // workers are making more
	Changed time.Time // when the last of what is in sight was ready
}

// Work lets the workers begin with what Compose asked for. It is called when the frame is laid out: workers that
// begin before take the processor from it, where there are no more cores than workers.
func (c *Cache) Work() {
	c.mu.Lock()
	more := len(c.requests) > 0
	c.mu.Unlock()
	if more {
		c.pending.Broadcast()
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

// Forget lets go of all pictures but those of the timelines that keep reports true for.
func (c *Cache) Forget(keep func(*layout.Timeline) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests, c.last = nil, nil
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
	c.overviews = slices.DeleteFunc(c.overviews, func(o *drawing) bool { return !keep(o.t) })
}

// Prepare makes the overview of an axis before it is first shown, so that there is something to show from the first
// frame on. It runs in the caller's goroutine; the error is that of ctx.
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
func (c *Cache) overview(t *layout.Timeline, axis layout.Axis) *drawing {
	for _, o := range c.overviews {
		if o.t == t && o.axis == axis {
			return o
		}
	}
	o := &drawing{t: t, axis: axis}
	c.overviews = append(c.overviews, o)
	return o
}

// sameZoom is how far apart two zooms may be to be one: panning changes the width of a view by rounding errors.
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

// evict throws away the tiles that were not shown for longest when there are too many. It goes well below the budget,
// so that it is seldom needed.
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
