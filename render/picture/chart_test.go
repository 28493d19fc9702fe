package picture

import (
	"context"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/layout/units"
	"strata/render"
	"strata/render/colour"
)

// TestChart draws charts of many sizes. STRATA_CHART_DIR keeps the pictures.
func TestChart(t *testing.T) {
	tl := laidOut(traces.Training(30000), layout.Options{})
	v := render.Whole(tl, layout.Events)
	views := map[string]render.View{"whole": v, "time": render.Whole(tl, layout.Time),
		"deep": v.ZoomX(v.XAt(.6, 1), 300).ZoomY(v.YAt(.4, 1), 8)}
	for name, v := range views {
		for _, opt := range []Options{
			{W: 1600, H: 900, Palette: colour.Dark(), Title: "run_rank0.pickle · GPU 0"},
			{W: 900, H: 500, Palette: colour.Light(), Title: "run_rank0.pickle · GPU 0",
				Colours: colour.BySize, Scale: 1.5},
			{W: MinSize, H: MinSize, Palette: colour.Dark(), Title: "run"},
		} {
			img, err := Draw(context.Background(), tl, v, opt)
			if err != nil {
				t.Fatal(err)
			}
			if img.Rect.Dx() != opt.W || img.Rect.Dy() != opt.H {
				t.Fatalf("picture of %v, want %d×%d", img.Rect, opt.W, opt.H)
			}
			for i := 3; i < len(img.Pix); i += 4 {
				if img.Pix[i] != 255 {
					t.Fatalf("%s: pixel %d is not opaque", name, i/4)
				}
			}
			if dir := os.Getenv("STRATA_CHART_DIR"); dir != "" {
				save(t, filepath.Join(dir, name+"-"+opt.Colours.String()+"-"+units.Count(opt.W)+".png"), img)
			}
		}
	}
	if _, err := Draw(context.Background(), tl, v, Options{W: 10, H: 10}); err == nil {
		t.Error("a picture of 10×10 was drawn")
	}
}

func save(t *testing.T, name string, img image.Image) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
}
