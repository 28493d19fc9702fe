package window

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"gioui.org/gpu/headless"
	"gioui.org/unit"

	"strata/app/options"
	"strata/widgets/widgettest"
)

// TestResizeWhileLoading: a window that is resized in every frame while a file
// is read shows the file in the size it has come to.
func TestResizeWhileLoading(t *testing.T) {
	d := drive(t, options.Options{Files: []string{sample}, Device: options.AnyDevice, NoCache: true})
	rng := rand.New(rand.NewPCG(1, 1))
	d.until("the file is open", func() bool {
		d.Size = image.Pt(200+rng.IntN(2000), 100+rng.IntN(1200))
		scale := 1 + 2*rng.Float32()
		d.Metric = unit.Metric{PxPerDp: scale, PxPerSp: scale}
		return d.tab().Doc != nil
	})
	d.Size, d.Metric = image.Pt(900, 600), unit.Metric{PxPerDp: 1, PxPerSp: 1}
	d.sharp()
	plot := d.plot()
	if got := d.tab().scene.Size; got != plot.Size() {
		t.Errorf("the picture has %v, want %v", got, plot.Size())
	}
	if v := d.tab().View; v.X0 != 0 || v.X1 != d.tab().Timeline().Extent(v.Axis) {
		t.Errorf("the view is %+v, want the whole", v)
	}
}

// TestSizes draws the window with the graphics system, which panics on what
// is too large for it, from the smallest window to the largest: zooming in,
// and the deepest zoom.
func TestSizes(t *testing.T) {
	for _, c := range []struct {
		name  string
		size  image.Point
		scale float32
		large bool
	}{
		{"400x300", image.Pt(400, 300), 1, false},
		{"400x300 at 3", image.Pt(400, 300), 3, false},
		{"1000x700", image.Pt(1000, 700), 1, false},
		{"5000x700", image.Pt(5000, 700), 1, true},
		{"8K at 2", image.Pt(7680, 4320), 2, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("EGL_PLATFORM", "surfaceless")
			if c.large && testing.Short() {
				t.Skip("large windows take seconds")
			}
			w, err := headless.NewWindow(c.size.X, c.size.Y)
			if err != nil {
				t.Skip("no graphics system for drawing without a window: ", err)
			}
			defer w.Release()
			d := drive(t, options.Options{Files: []string{sample}, Device: options.AnyDevice, NoCache: true})
			d.Size, d.Metric = c.size, unit.Metric{PxPerDp: c.scale, PxPerSp: c.scale}
			frame := func() {
				t.Helper()
				d.draw()
				if err := w.Frame(&d.Ops); err != nil {
					t.Fatal(err)
				}
				if c.large || c.scale > 1 { // too long to look at, or no room for a picture
					return
				}
				// The picture hides all of what the window is cleared with.
				img, bare, plot := image.NewRGBA(image.Rectangle{Max: c.size}), 0, d.plot()
				if err := w.Screenshot(img); err != nil {
					t.Fatal(err)
				}
				back := d.theme.Panel
				for y := plot.Min.Y; y < plot.Max.Y; y++ {
					for x := plot.Min.X; x < plot.Max.X; x++ {
						if img.RGBAAt(x, y) == (color.RGBA{R: back.R, G: back.G, B: back.B, A: 255}) {
							bare++
						}
					}
				}
				if bare > plot.Dx()*plot.Dy()/200 {
					t.Errorf("%d pixels of the picture are bare", bare)
				}
			}
			d.until("the file is open", func() bool { return d.tab().Doc != nil })
			plot := d.plot()
			if plot.Dx() < 40 || plot.Dy() < 40 {
				t.Logf("the picture has no room: %v", plot)
				return
			}
			centre := plot.Min.Add(plot.Size().Div(2))
			for range 12 { // to where only the overview is, stretched
				d.Queue(widgettest.Wheel(middle(centre), 0, -100))
				d.draw()
			}
			frame()
			for range 60 {
				d.Queue(widgettest.Wheel(middle(centre), 0, -100))
				d.draw()
			}
			d.sharp()
			frame()
		})
	}
}
