package window

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"gioui.org/gpu/headless"
	"gioui.org/unit"

	"strata/app/options"
)

// TestShots writes pictures of the window in several sizes, scales and themes
// into the folder that STRATA_SHOTS names, for people to look at.
func TestShots(t *testing.T) {
	dir := os.Getenv("STRATA_SHOTS")
	if dir == "" {
		t.Skip("STRATA_SHOTS names no folder")
	}
	t.Setenv("EGL_PLATFORM", "surfaceless")
	file := os.Getenv("STRATA_SHOTS_FILE")
	if file == "" {
		file = "../../testdata/sample.pickle.gz"
	}
	for _, s := range []struct {
		size  image.Point
		scale float32
		theme string
		do    func(d *driver)
	}{
		{image.Pt(1440, 900), 1, "dark", nil},
		{image.Pt(1440, 900), 1, "light", func(d *driver) { d.press("M", 0) }},
		{image.Pt(900, 600), 1, "dark", nil},
		{image.Pt(400, 300), 1, "light", nil},
		{image.Pt(2880, 1800), 2, "dark", nil},
		{image.Pt(2400, 1800), 3, "light", nil},
		{image.Pt(900, 600), 1, "dark", func(d *driver) { d.press("?", 0) }},
	} {
		t.Run(fmt.Sprintf("%dx%d@%v-%s", s.size.X, s.size.Y, s.scale, s.theme), func(t *testing.T) {
			d := opened(t, options.Options{Files: []string{file}, Device: options.AnyDevice, Theme: s.theme})
			d.size, d.metric = s.size, unit.Metric{PxPerDp: s.scale, PxPerSp: s.scale}
			d.sharp()
			p := d.plot()
			d.click(image.Pt((p.Min.X+p.Max.X)/2, p.Max.Y-p.Dy()/3))
			d.move(image.Pt(p.Min.X+p.Dx()/3, p.Max.Y-p.Dy()/5))
			if s.do != nil {
				s.do(d)
			}
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
			f, err := os.Create(filepath.Join(dir, filepath.Base(t.Name())+".png"))
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
