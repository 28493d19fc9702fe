package tiles

import (
	"context"
	"image"
	"math/rand/v2"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/render"
	"strata/render/colour"
	"strata/render/raster"
)

// TestTilesBelowTheData: tiles that reach below byte 0 are empty there and right above.
func TestTilesBelowTheData(t *testing.T) {
	tl := laidOut(traces.Random(rand.New(rand.NewPCG(2, 9)), 500, 30), layout.Options{})
	v := render.Whole(tl, layout.Events)
	v.Below = float64(tl.PeakBytes) / 2
	l := &level{t: tl, axis: v.Axis, dx: (v.X1 - v.X0) / 300, dy: (v.Y1 + v.Below) / 300, tiles: map[tileAt]*tile{}}
	low := v
	low.Y0 = -v.Below
	w := l.over(low, image.Pt(300, 300))
	from, to := w.tiles()
	if from.j >= 0 {
		t.Fatalf("no tile below the data among %v to %v", from, to)
	}
	tiles, err := l.strip(context.Background(), from, to)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, one := range tiles {
		for y := range one.raster.H {
			for x := range one.raster.W {
				byteAt := one.raster.ByteAt(y)
				want := tl.Hit(one.raster.Columns[x], byteAt)
				if got := one.raster.At(x, y); got != want {
					t.Fatalf("tile %v, pixel %d,%d at byte %d shows %d, not %d", one.at, x, y, byteAt, got, want)
				}
				if byteAt < 0 && want != layout.None {
					t.Fatal("something is below nothing")
				}
				if want >= 0 {
					seen++
				}
			}
		}
	}
	if seen == 0 {
		t.Error("the tiles are empty")
	}
}

// TestTilesHaveNoSeams: cut into tiles, a picture has the same pixels.
func TestTilesHaveNoSeams(t *testing.T) {
	tl := laidOut(traces.Training(3000), layout.Options{})
	c := colour.New(tl, colour.BySite, colour.Dark())
	s := newScreen(t, DefaultBudget)
	const n = 3 * tilePixels
	v := render.Whole(tl, layout.Events)
	v.X1, v.Y1 = v.X1/4, v.Y1/4
	shown := s.sharp(tl, c, v, image.Pt(n, n))
	if len(shown.pieces) != 9 {
		t.Fatalf("%d pieces, want 9", len(shown.pieces))
	}
	whole := image.NewRGBA(image.Rect(0, 0, n, n))
	r, err := raster.New(context.Background(), tl, v, n, n)
	if err != nil {
		t.Fatal(err)
	}
	r.Paint(whole, c)
	for _, p := range shown.pieces {
		tile := image.NewRGBA(image.Rect(0, 0, tilePixels, tilePixels))
		p.raster.Paint(tile, c)
		for y := range tilePixels {
			for x := range tilePixels {
				if got, want := tile.RGBAAt(x, y), whole.RGBAAt(p.rect.Min.X+x, p.rect.Min.Y+y); got != want {
					t.Fatalf("pixel %d,%d of the tile at %v is %v, in one piece %v", x, y, p.rect.Min, got, want)
				}
			}
		}
	}
}
