package app

import (
	"context"
	"image"
	"math"
	"sync"

	"gioui.org/f32"
	"gioui.org/op"

	"strata/layout"
	"strata/render"
)

// A painter makes pictures of views off the window's goroutine: the newest
// wish first, older ones dropped. A frame never waits for it; it shows the
// last picture, stretched to the view, until the sharp one is there.
type painter struct {
	wake func()

	mu     sync.Mutex
	wished *wish         // what is to be painted next
	stop   func()        // ends the painting at hand
	signal chan struct{} // there is a wish
	done   *painting
	count  uint64

	last *scene // what the last frame showed
}

// wish is what a picture depends on.
type wish struct {
	timeline  *layout.Timeline
	colouring *render.Colouring
	view      render.View
	size      image.Point
}

// painting is a finished picture.
type painting struct {
	wish
	raster  *render.Raster
	picture *render.Picture
	number  uint64
}

// newPainter starts the painter's goroutine, which ends with ctx.
func newPainter(ctx context.Context, work *sync.WaitGroup, wake func()) *painter {
	p := &painter{wake: wake, signal: make(chan struct{}, 1)}
	work.Add(1)
	go func() {
		defer work.Done()
		p.run(ctx)
	}()
	return p
}

func (p *painter) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.signal:
		}
		p.mu.Lock()
		w, old := p.wished, p.done
		p.wished = nil
		one, cancel := context.WithCancel(ctx)
		p.stop = cancel
		p.mu.Unlock()
		if w != nil {
			if made := paint(one, w, old); made != nil {
				p.mu.Lock()
				p.count++
				made.number = p.count
				p.done = made
				p.mu.Unlock()
				p.wake()
			}
		}
		cancel()
	}
}

// paint makes a picture, nil when it is no longer wanted. A new colouring of
// the same view is painted from the lookup that is there.
func paint(ctx context.Context, w *wish, old *painting) *painting {
	var raster *render.Raster
	if old != nil && old.timeline == w.timeline && old.view == w.view && old.size == w.size {
		raster = old.raster
	} else {
		r, err := render.Rasterize(ctx, w.timeline, w.view, w.size.X, w.size.Y)
		if err != nil {
			return nil
		}
		raster = r
	}
	img := image.NewRGBA(image.Rectangle{Max: w.size})
	raster.Paint(img, w.colouring)
	return &painting{wish: *w, raster: raster, picture: render.NewPicture(img)}
}

// scene is what to show of a view now; nil before the first picture.
func (p *painter) scene(st *stage, v render.View, size image.Point) *scene {
	want := wish{st.timeline, st.colouring, v, size}
	p.mu.Lock()
	done := p.done
	if done == nil || done.wish != want {
		if p.wished == nil || *p.wished != want {
			if p.stop != nil && (done == nil || done.timeline != st.timeline) {
				p.stop() // nobody will ever look at that one
			}
			p.wished = &want
			select {
			case p.signal <- struct{}{}:
			default:
			}
		}
	}
	p.mu.Unlock()
	if done == nil || done.timeline != st.timeline || done.view.Axis != v.Axis {
		p.last = nil
		return nil
	}
	if p.last != nil && p.last.painting == done && p.last.view == v && p.last.size == size {
		return p.last
	}
	p.last = newScene(done, v, size, p.last)
	return p.last
}

// settled reports that the sharp picture of a view is on screen.
func (s *scene) settled() bool {
	return s != nil && s.scaleX == 1 && s.scaleY == 1 && s.at == f32.Point{}
}

// A scene shows a painting for a view; it implements widgets.Scene.
type scene struct {
	*painting
	view    render.View
	size    image.Point
	at      f32.Point // where the painting's corner lies, pixels
	scaleX  float32
	scaleY  float32
	version uint64
}

func newScene(p *painting, v render.View, size image.Point, last *scene) *scene {
	s := &scene{painting: p, view: v, size: size, scaleX: 1, scaleY: 1}
	if last != nil {
		s.version = last.version + 1
	}
	if p.view == v && p.size == size {
		return s
	}
	x0, x1 := v.XPixel(p.view.X0, size.X), v.XPixel(p.view.X1, size.X)
	y0, y1 := v.YPixel(p.view.Y1, size.Y), v.YPixel(p.view.Y0, size.Y)
	s.at = f32.Pt(float32(x0), float32(y0))
	s.scaleX, s.scaleY = float32((x1-x0)/float64(p.size.X)), float32((y1-y0)/float64(p.size.Y))
	return s
}

// Add draws the scene.
func (s *scene) Add(ops *op.Ops) {
	if s.settled() {
		s.picture.Add(ops, image.Point{})
		return
	}
	s.picture.AddStretched(ops, s.at, s.scaleX, s.scaleY)
}

// At is the allocation shown at a pixel.
func (s *scene) At(x, y int) layout.ID {
	if s.settled() {
		return s.raster.At(x, y)
	}
	px := math.Floor((float64(x) + .5 - float64(s.at.X)) / float64(s.scaleX))
	py := math.Floor((float64(y) + .5 - float64(s.at.Y)) / float64(s.scaleY))
	return s.raster.At(int(px), int(py))
}

// Outline is where an allocation is on screen.
func (s *scene) Outline(id layout.ID) []render.Run {
	runs := s.raster.Outline(id)
	if s.settled() {
		return runs
	}
	var out []render.Run
	pixel := func(at, scale float32, v int) int { return int(math.Round(float64(at) + float64(scale)*float64(v))) }
	for _, r := range runs {
		x0, x1 := max(0, pixel(s.at.X, s.scaleX, r.X)), min(s.size.X, pixel(s.at.X, s.scaleX, r.X+1))
		top, bottom := max(0, pixel(s.at.Y, s.scaleY, r.Top)), min(s.size.Y, pixel(s.at.Y, s.scaleY, r.Bottom))
		for x := x0; x < x1 && bottom > top; x++ {
			out = append(out, render.Run{X: x, Top: top, Bottom: bottom})
		}
	}
	return out
}

// Version changes whenever At may answer differently.
func (s *scene) Version() uint64 { return s.version }
