package tiles

import (
	"context"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"gioui.org/gpu/headless"
	"gioui.org/op"

	"strata/layout"
	"strata/layout/traces"
	"strata/render"
	"strata/render/colour"
)

// TestScreen draws compositions with the graphics system and compares every pixel with the colour of what At answers
// there, scaled ones as well.
func TestScreen(t *testing.T) {
	size := image.Pt(300, 200)
	w, err := headless.NewWindow(size.X, size.Y)
	if err != nil {
		t.Skip("no graphics system for drawing without a window: ", err)
	}
	defer w.Release()
	rng := rand.New(rand.NewPCG(81, 1))
	tl := laidOut(traces.Random(rng, 400, 30), layout.Options{})
	c := colour.New(tl, colour.BySite, colour.Dark())
	s := newScreen(t, DefaultBudget)
	if err := s.Prepare(context.Background(), tl, layout.Events, c); err != nil {
		t.Fatal(err)
	}
	v := render.Whole(tl, layout.Events)
	scaled := 0
	shot := image.NewRGBA(image.Rectangle{Max: size})
	for step := range 40 {
		here := step%3 > 0 // else the graphics system scales
		if s.upscaled = 0; here {
			s.upscaled = maxUpscaled
		}
		if step%5 == 1 {
			s.sharp(tl, c, v, size)
		}
		v = v.ZoomX(v.XAt(rng.Float64(), 1), math.Exp(rng.NormFloat64()))
		v = v.ZoomY(v.YAt(rng.Float64(), 1), math.Exp(rng.NormFloat64()*.3)).Clamp(tl)
		shown := s.Compose(tl, c, v, size)
		if !shown.Sharp() {
			scaled++
		}
		var ops op.Ops
		shown.Add(&ops)
		if err := w.Frame(&ops); err != nil {
			t.Fatal(err)
		}
		if err := w.Screenshot(shot); err != nil {
			t.Fatal(err)
		}
		wrong, painted := 0, shown.painted()
		for y := range size.Y {
			for x := range size.X {
				if got, want := shot.RGBAAt(x, y), painted.RGBAAt(x, y); !near(got, want) {
					if wrong++; wrong == 1 {
						t.Logf("step %d (%d pieces, sharp %v): pixel %d,%d is %v, want %v", step,
							len(shown.pieces), shown.Sharp(), x, y, got, want)
					}
				}
			}
		}
		// Where a pixel's centre falls on the border of two scaled ones the graphics system may round the other
		// way.
		if wrong > 0 && (shown.Sharp() || here) || wrong > size.X*size.Y/200 {
			t.Errorf("step %d: %d pixels differ", step, wrong)
		}
	}
	if scaled == 0 {
		t.Error("no scaled picture was seen")
	}
}

// TestDrawnSizes: on the largest screens, too, nothing is drawn in one piece that graphics systems cannot draw,
// whatever a picture is scaled to.
func TestDrawnSizes(t *testing.T) {
	tl := laidOut(traces.Random(rand.New(rand.NewPCG(81, 2)), 400, 30), layout.Options{})
	c := colour.New(tl, colour.BySite, colour.Dark())
	scaled := 0
	for _, size := range []image.Point{{7680, 4320}, {4320, 7680}} {
		s := newScreen(t, DefaultBudget)
		if err := s.Prepare(context.Background(), tl, layout.Events, c); err != nil {
			t.Fatal(err)
		}
		for _, zoom := range []float64{.7, 1, 1.9, 4, 30, 1000} {
			v := render.Whole(tl, layout.Events)
			v = v.ZoomX(v.XAt(.3, 1), zoom).ZoomY(v.YAt(.3, 1), math.Sqrt(zoom)).Clamp(tl)
			shown := s.Compose(tl, c, v, size)
			for _, p := range shown.pieces {
				if p.exact() {
					continue
				}
				scaled++
				for _, tile := range p.picture.tiles {
					w := tile.size.X * p.rect.Dx() / p.raster.W
					if h := tile.size.Y * p.rect.Dy() / p.raster.H; w > 4096 || h > 4096 {
						t.Errorf("%v, zoom %g: a texture of %v is scaled to %d×%d", size, zoom, tile.size, w, h)
					}
				}
			}
		}
		s.Close()
	}
	if scaled == 0 {
		t.Error("nothing was scaled")
	}
}

// near allows for the graphics system's rounding of linear light.
func near(a, b color.RGBA) bool {
	d := func(a, b uint8) bool { return max(a, b)-min(a, b) <= 2 }
	return d(a.R, b.R) && d(a.G, b.G) && d(a.B, b.B)
}

// painted makes a picture of what the composition's uppermost pieces have at each pixel, separators included.
func (s *Composition) painted() *image.RGBA {
	all := image.NewRGBA(image.Rectangle{Max: s.Size})
	for y := range s.Size.Y {
		for x := range s.Size.X {
			all.SetRGBA(x, y, s.colouring.Palette.Background)
		}
	}
	for _, p := range s.pieces {
		own := image.NewRGBA(image.Rect(0, 0, p.raster.W, p.raster.H))
		p.raster.Paint(own, s.colouring)
		r := p.rect.Intersect(all.Rect)
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				px := (2*(x-p.rect.Min.X) + 1) * p.raster.W / (2 * p.rect.Dx())
				py := (2*(y-p.rect.Min.Y) + 1) * p.raster.H / (2 * p.rect.Dy())
				all.SetRGBA(x, y, own.RGBAAt(px, py))
			}
		}
	}
	return all
}
