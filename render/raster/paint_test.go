package raster

import (
	"image"
	"math/rand/v2"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/render"
	"strata/render/colour"
	"strata/snapshot"
)

// TestPaint compares the picture with the rule for separators, worked out from layout at every pixel, and tiles with
// a picture made in one piece.
func TestPaint(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 1))
	for range 8 {
		tl := laidOut(traces.Random(rng, 1+rng.IntN(200), 25), layout.Options{MaxEntries: rng.IntN(2) * 30})
		c := colour.New(tl, colour.BySite, colour.Dark())
		v := randomView(rng, tl)
		const w, h = 90, 70
		r := rasterize(t, tl, v, w, h)
		img := image.NewRGBA(image.Rect(0, 0, w, h))
		r.Paint(img, c)
		dx := (v.X1 - v.X0) / w
		column := func(x int) layout.Moment {
			return tl.Column(v.Axis, v.X0+float64(x)*dx, v.X0+float64(x+1)*dx)
		}
		bands := make([]layout.Band, w)
		tl.ColumnsBetween(nil, bands, v.Axis, w, func(i int) float64 { return v.X0 + float64(i)*dx })
		hit := func(x, y int) layout.ID { return tl.Hit(column(x), r.bytes[y+before]) }
		for y := range h {
			for x := range w {
				id := hit(x, y)
				tone := colour.Peak
				if at := r.bytes[y+before]; at < bands[x].Low {
					tone = colour.Always
				} else if at < bands[x].Mean {
					tone = colour.Mean
				}
				want := colour.Unpack(c.Fill[tone][c.Slot(id)])
				if id >= 0 {
					top := hit(x, y-1) != id && hit(x, y+1) == id && hit(x, y+2) == id && hit(x, y+3) == id
					before, after := column(x-1), column(x+3)
					first := before.Step >= 0 && tl.Birth[id] > before.Step &&
						after.Step >= 0 && tl.Death[id] > after.Step
					if top || first {
						want = colour.Unpack(c.Edge[tone][c.Slot(id)])
					}
					if top {
						want = colour.Unpack(c.Separator(tone, id, hit(x, y-1)))
					}
				}
				if got := img.RGBAAt(x, y); got != want {
					t.Fatalf("pixel %d,%d of %+v (allocation %d) is %v, want %v", x, y, v, id, got, want)
				}
			}
		}
	}
}

// TestPendingIsHatched: what waits to be freed has stripes, and nothing else has.
func TestPendingIsHatched(t *testing.T) {
	tr := traces.New()
	tr.Block(1 << 20)
	tr.Block(1 << 20)
	tr.Blocks.State[0] = snapshot.BlockPendingFree
	tr.Free(tr.Alloc(512))
	waits := tr.Alloc(1 << 20)
	for range 3 {
		tr.Free(tr.Alloc(512))
	}
	tr.Add(snapshot.ActionFreeRequested, waits, 1<<20)
	for range 3 {
		tr.Free(tr.Alloc(512))
	}
	tr.Add(snapshot.ActionFreeCompleted, waits, 1<<20)
	delete(tr.Live, waits)
	tr.Free(tr.Alloc(512))
	tl := laidOut(tr, layout.Options{})
	c := colour.New(tl, colour.BySite, colour.Dark())
	r := rasterize(t, tl, render.Whole(tl, layout.Events), 64, 64)
	img := image.NewRGBA(image.Rect(0, 0, r.W, r.H))
	r.Paint(img, c)
	stripes := map[layout.ID]int{}
	first := map[layout.ID]int{}
	for y := 2; y < r.H; y++ {
		for x := range r.W {
			id := r.At(x, y)
			edge := colour.Unpack(c.Edge[colour.Always][c.Slot(id)])
			if id >= 0 && r.At(x, y-1) == id && img.RGBAAt(x, y) == edge {
				stripes[id]++
				if was, ok := first[id]; !ok || x < was {
					first[id] = x
				}
			}
		}
	}
	for id := range tl.Size {
		id := layout.ID(id)
		x, waits := tl.WaitsFrom(id, layout.Events)
		if column := int(r.View.XPixel(x, r.W)); waits != (stripes[id] > 50) || !waits && stripes[id] > 0 ||
			waits && (first[id] < column || first[id] > column+HatchGap) {
			t.Errorf("allocation %d waits %v from column %d: %d stripes from %d", id, waits, column, stripes[id],
				first[id])
		}
	}
	if len(stripes) != 2 {
		t.Errorf("%d allocations are hatched, want the block from before and the one that waited", len(stripes))
	}
}
