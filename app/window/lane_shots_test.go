package window

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"gioui.org/gpu/headless"

	"strata/app/options"
	"strata/layout/capacity"
)

// TestLaneShots writes pictures of the lane and the limits into the folder
// that STRATA_SHOTS names, for people to look at.
func TestLaneShots(t *testing.T) {
	dir := os.Getenv("STRATA_SHOTS")
	if dir == "" {
		t.Skip("STRATA_SHOTS names no folder")
	}
	t.Setenv("EGL_PLATFORM", "surfaceless")
	gpu := func(s string) capacity.Capacity {
		c, err := capacity.Find(s)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	shared := "../../../shared/snapshots/"
	for _, s := range []struct {
		name, file string
		size       image.Point
		opt        options.Options
		do         func(d *driver)
	}{
		{"sample", "../../testdata/sample.pickle.gz", image.Pt(1440, 900), options.Options{GPU: gpu("T4")}, nil},
		{"sample-light", "../../testdata/sample.pickle.gz", image.Pt(1440, 900), options.Options{Theme: "light", GPU: gpu("20GiB"), Offset: 1 << 30}, func(d *driver) { d.press("M", 0) }},
		{"sample-small", "../../testdata/sample.pickle.gz", image.Pt(900, 600), options.Options{GPU: gpu("H100"), Offset: 600 << 20}, func(d *driver) { d.press("A", 4); d.press("]", 0) }},
		{"compiled", shared + "compiled-forward.pickle", image.Pt(1440, 900), options.Options{}, nil},
		{"compiled-all", shared + "compiled-forward.pickle", image.Pt(1440, 900), options.Options{AllAnnotations: true}, nil},
		{"compiled-all-time", shared + "compiled-forward.pickle", image.Pt(900, 600), options.Options{AllAnnotations: true, Theme: "light"}, func(d *driver) { d.press("M", 0); d.press("A", 4) }},
		{"options", "../../testdata/sample.pickle.gz", image.Pt(1440, 900), options.Options{GPU: gpu("T4")}, func(d *driver) { d.press(",", 0) }},
		{"options-small", "../../testdata/sample.pickle.gz", image.Pt(900, 600), options.Options{Theme: "light", Model: "../nowhere"}, func(d *driver) { d.press(",", 0) }},
		{"tiny", shared + "tiny-annotated.pickle", image.Pt(1440, 900), options.Options{}, nil},
	} {
		t.Run(s.name, func(t *testing.T) {
			if _, err := os.Stat(s.file); err != nil {
				t.Skip(err)
			}
			s.opt.Files, s.opt.Device, s.opt.NoCache = []string{s.file}, options.AnyDevice, true
			if s.opt.Theme == "" {
				s.opt.Theme = "dark"
			}
			d := opened(t, s.opt)
			d.size = s.size
			d.sharp()
			if s.do != nil {
				s.do(d)
			}
			p := d.plot()
			d.move(image.Pt(p.Min.X+p.Dx()/3, p.Max.Y-p.Dy()/4))
			d.sharp()
			w, err := headless.NewWindow(s.size.X, s.size.Y)
			if err != nil {
				t.Skipf("no graphics: %v", err)
			}
			defer w.Release()
			if err := w.Frame(&d.ops); err != nil {
				t.Fatal(err)
			}
			img := image.NewRGBA(image.Rectangle{Max: s.size})
			if err := w.Screenshot(img); err != nil {
				t.Fatal(err)
			}
			f, err := os.Create(filepath.Join(dir, s.name+".png"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := png.Encode(f, img); err != nil {
				t.Fatal(err)
			}
		})
	}
}
