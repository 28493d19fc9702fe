package tiles

import (
	"context"
	"slices"
	"time"

	"strata/layout"
	"strata/render"
	"strata/render/colour"
	"strata/render/raster"
)

// A request is something a worker can do.
type request struct {
	colouring *colour.Colouring
	level     *level
	from, to  tileAt         // tiles to be made
	drawing   *drawing       // or a drawing to be made or painted anew
	raster    *raster.Raster // the drawing's, if made
}

// stripTiles is how many columns of tiles a worker makes in one sweep at most.
const stripTiles = 4

// request lists what a window needs, most urgent first: tiles in sight, the overview, colours, then the tiles to the
// left and right, and last the overview of the other axis, so that to switch to it shows no empty window.
func (c *Cache) request(w *window, o *drawing, colouring *colour.Colouring) {
	c.requests = nil
	paint := func(d *drawing) {
		if d.colouring != colouring && !d.busy {
			c.requests = append(c.requests, request{colouring: colouring, drawing: d})
		}
	}
	from, to := w.tiles()
	c.missing(w.level, from, to, colouring)
	paint(o)
	for j := from.j; j < to.j; j++ {
		for i := from.i; i < to.i; i++ {
			if t := w.level.tiles[tileAt{i, j}]; t != nil {
				paint(&t.drawing)
			}
		}
	}
	last := floorDiv(int(w.t.Extent(w.axis)/w.dx), tilePixels) // column of tiles with the end of the data
	for _, i := range [...]int{from.i - 1, to.i} {
		if i >= 0 && i <= last {
			c.missing(w.level, tileAt{i, from.j}, tileAt{i + 1, to.j}, colouring)
		}
	}
	if w.t.HasTime() {
		paint(c.overview(w.t, layout.Events+layout.Time-w.axis))
	}
}

// missing requests those tiles of [from, to) that are neither there nor being made, in strips.
func (c *Cache) missing(l *level, from, to tileAt, colouring *colour.Colouring) {
	lacks := func(i, j int) bool { return l.tiles[tileAt{i, j}] == nil && !l.making[tileAt{i, j}] }
	gap := func(i int) (first, end int) { // rows of tiles that a column lacks, from the lowest on without a hole
		for first = from.j; first < to.j && !lacks(i, first); first++ {
		}
		for end = first; end < to.j && lacks(i, end); end++ {
		}
		return first, end
	}
	width := min(max(1, (to.i-from.i+1)/2), stripTiles) // so that two workers share it
	for i := from.i; i < to.i; {
		first, end := gap(i)
		strip := request{colouring: colouring, level: l, from: tileAt{i, first}}
		for i++; i < to.i && i-strip.from.i < width; i++ {
			if a, b := gap(i); a != first || b != end {
				break
			}
		}
		if strip.to = (tileAt{i, end}); first < end {
			c.requests = append(c.requests, strip)
		}
	}
}

// running is a request that a worker is at.
type running struct {
	request
	since  time.Time
	cancel context.CancelFunc
}

func (q *request) timeline() *layout.Timeline {
	if q.drawing != nil {
		return q.drawing.t
	}
	return q.level.t
}

// patience is how long a worker may go on with what the newest frame does not ask for any more: it will likely serve
// as the nearest zoom level soon.
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
		for len(c.requests) == 0 && !c.closed {
			c.pending.Wait()
		}
		if c.closed {
			return
		}
		r := &running{request: c.requests[0], since: time.Now()}
		c.requests = c.requests[1:]
		if !c.begin(&r.request) {
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

// finished takes what a worker made into the cache, nil if it was given up, and reports whether a frame should be
// drawn.
func (c *Cache) finished(r *running, finish func(*Cache)) (news bool) {
	delete(c.running, r)
	c.end(&r.request)
	if finish != nil {
		finish(c)
		c.evict()
	}
	// Frames ask for nothing that is being made. If the colours changed meanwhile, and what was made is out of
	// sight, no frame follows that would ask for it in the new ones.
	if d := r.drawing; d != nil && c.last != nil && d.t == c.key.t && d.colouring != c.key.colouring {
		c.requests = append(c.requests, request{colouring: c.key.colouring, drawing: d})
	}
	return c.news(&r.request)
}

// wakeEvery is how often a frame is asked for while more is about to come: a frame may take long to draw, and takes
// the processor from those who work.
const wakeEvery = 30 * time.Millisecond

// news reports whether a frame should be drawn after a request is done or given up: a new frame may
// request it again. It is so once everything in sight is there, and now and then before.
func (c *Cache) news(q *request) bool {
	if !c.sight.shows(q) {
		return false
	}
	c.changes++
	now := time.Now()
	c.changed = now
	more := slices.ContainsFunc(c.requests, func(q request) bool { return c.sight.shows(&q) })
	for r := range c.running {
		more = more || c.sight.shows(&r.request)
	}
	if more && now.Sub(c.woken) < wakeEvery {
		return false
	}
	c.woken = now
	return true
}

// shows reports whether what is asked for is in the window, or may be.
func (w *window) shows(what *request) bool {
	if d := what.drawing; d != nil {
		return d.t == w.t && d.axis == w.axis
	}
	from, to := w.tiles()
	return what.level == w.level && what.from.i < to.i && from.i < what.to.i && what.from.j < to.j && from.j < what.to.j
}

// begin marks what a request is about as being made; false if it is made or being made already.
func (c *Cache) begin(q *request) bool {
	if d := q.drawing; d != nil {
		if d.busy || d.colouring == q.colouring {
			return false
		}
		d.busy, q.raster = true, d.raster
		return true
	}
	for at := range q.tiles {
		if q.level.making[at] || q.level.tiles[at] != nil {
			return false
		}
	}
	for at := range q.tiles {
		q.level.making[at] = true
	}
	return true
}

func (c *Cache) end(q *request) {
	if q.drawing != nil {
		q.drawing.busy = false
		return
	}
	for at := range q.tiles {
		delete(q.level.making, at)
	}
}

// tiles goes through the places of the tiles to be made.
func (q *request) tiles(yield func(tileAt) bool) {
	for j := q.from.j; j < q.to.j; j++ {
		for i := q.from.i; i < q.to.i; i++ {
			if !yield(tileAt{i, j}) {
				return
			}
		}
	}
}

// make does what is requested. What it returns puts the result into the cache, under its lock; nil if the request was
// given up.
func (q *request) make(ctx context.Context) func(*Cache) {
	if d := q.drawing; d != nil {
		r := q.raster
		if r == nil {
			var err error
			if r, err = raster.New(ctx, d.t, render.Whole(d.t, d.axis), overviewW, overviewH); err != nil {
				return nil
			}
		}
		picture := paintTile(r, q.colouring)
		return func(*Cache) { d.raster, d.colouring, d.picture = r, q.colouring, picture }
	}
	tiles, err := q.level.strip(ctx, q.from, q.to)
	if err != nil {
		return nil
	}
	for _, t := range tiles {
		t.picture, t.colouring = paintTile(t.raster, q.colouring), q.colouring
	}
	return func(c *Cache) {
		if q.level.tiles == nil {
			return // forgotten meanwhile
		}
		for _, t := range tiles {
			t.used = c.frame
			q.level.tiles[t.at] = t
			c.bytes += tileBytes
		}
	}
}
