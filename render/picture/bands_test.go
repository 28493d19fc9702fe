package picture

import (
	"bytes"
	"context"
	"image"
	"math/rand/v2"
	"strings"
	"testing"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/traces"
	"strata/render"
	"strata/render/colour"
)

// TestBandsAddUp: in every column the bands sum up to what is held at its highest moment, in any view and grouping,
// and the picture is as high as that.
func TestBandsAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, limit := range []int{0, 20} {
		tl := laidOut(traces.Random(rng, 6000, 300), layout.Options{MaxEntries: limit})
		for _, by := range []breakdown.By{breakdown.ByCallSite, breakdown.BySize, breakdown.ByStack} {
			g := breakdown.New(tl, by, breakdown.Options{})
			whole := render.Whole(tl, layout.Events)
			for _, v := range []render.View{whole, whole.ZoomX(900, 30), whole.ZoomX(0, .7)} {
				checkBands(t, tl, g, v)
			}
		}
	}
}

func checkBands(t *testing.T, tl *layout.Timeline, g *breakdown.Grouping, v render.View) {
	t.Helper()
	const w, h = 300, 200
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	p := colour.Dark()
	c := &chart{t: tl, view: v, opt: Options{W: w, H: h, Palette: p, Bands: g}, plot: img.Rect, space: 8, line: 1,
		colouring: colour.New(tl, colour.BySite, p)}
	var err error
	if c.writer, err = newWriter(200); err != nil { // names fit nowhere
		t.Fatal(err)
	}
	c.on = &bitmap{img, c.writer}
	c.bands = NewBands(g, v, c.colouring, w)
	bands := c.bands.all
	if len(bands) > mostBands+1 {
		t.Fatalf("%d bands", len(bands))
	}
	c.drawBands()
	again := image.NewRGBA(img.Rect)
	c.bands.Paint(again, v, p.Background, breakdown.Excluded)
	for x := range w {
		m := tl.Column(v.Axis, v.XAt(float64(x), w), v.XAt(float64(x+1), w))
		want, sum := int64(0), int64(0)
		if m != layout.NoMoment {
			want = tl.Total[m.Step]
		}
		for i := range bands {
			if bands[i].bytes[x] < 0 {
				t.Errorf("%s holds %d bytes in column %d", bands[i].name, bands[i].bytes[x], x)
			}
			sum += bands[i].bytes[x]
		}
		if sum != want {
			t.Fatalf("%v, column %d: the bands hold %d bytes, the timeline %d", g.By, x, sum, want)
		}
		for y := range h {
			if got, want := again.RGBAAt(x, y), img.RGBAAt(x, y); got != want && want != p.Grid {
				t.Fatalf("%d, %d: painted %v, drawn %v", x, y, got, want)
			}
			group := c.bands.At(v, img.Rect.Size(), image.Pt(x, y))
			for i := range bands {
				if bands[i].group == group && group != breakdown.Excluded && again.RGBAAt(x, y) != bands[i].colour {
					t.Fatalf("%d, %d: group %d is not %v", x, y, group, again.RGBAAt(x, y))
				}
			}
		}
		if y := bandY(v, h, want); y > 0 && y < h {
			if above, at := img.RGBAAt(x, y-1), img.RGBAAt(x, y); above != p.Background || at == p.Background {
				t.Fatalf("column %d: at %d, the top, is %v below %v", x, y, at, above)
			}
		}
	}
}

// TestBandsAsSVG: bands are shapes with names.
func TestBandsAsSVG(t *testing.T) {
	tl := laidOut(traces.Training(3000), layout.Options{})
	var out bytes.Buffer
	opt := Options{W: 900, H: 500, Palette: colour.Light(), Bands: breakdown.New(tl, breakdown.ByStream,
		breakdown.Options{})}
	if err := SVG(context.Background(), &out, tl, render.Whole(tl, layout.Events), opt); err != nil {
		t.Fatal(err)
	}
	name := ">" + opt.Bands.Label(0) + "</text>"
	if s := out.String(); strings.Count(s, name) != 1 || !strings.Contains(s, hex(opt.Palette.Hues[0])) {
		t.Errorf("%s stands there %d times in %d bytes", name, strings.Count(s, name), len(s))
	}
}

// BenchmarkBands works bands out and paints them, which each frame does in which heights change.
func BenchmarkBands(b *testing.B) {
	tl := laidOut(traces.Training(2_700_000), layout.Options{})
	g := breakdown.New(tl, breakdown.ByCallSite, breakdown.Options{})
	v, c := render.Whole(tl, layout.Events), colour.New(tl, colour.BySite, colour.Dark())
	bands := NewBands(g, v, c, 1200)
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			NewBands(g, v, c, 1200)
		}
	})
	b.Run("paint", func(b *testing.B) {
		img := image.NewRGBA(image.Rect(0, 0, 1200, 700))
		for b.Loop() {
			bands.Paint(img, v, c.Palette.Background, breakdown.Excluded)
		}
	})
}
