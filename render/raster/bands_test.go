package raster

import (
	"bytes"
	"image"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/render"
	"strata/render/colour"
)

// TestPeriodicRunIsFlat: a run of equal iterations, each narrower than a column, is drawn alike in all columns, with
// the same least and most, and a mean that lies between them and hardly moves.
func TestPeriodicRunIsFlat(t *testing.T) {
	tr := traces.New()
	tr.Alloc(1 << 20)
	for range 3000 {
		var live []uint64
		for range 20 {
			live = append(live, tr.Alloc(1<<20))
		}
		for i := len(live) - 1; i >= 0; i-- {
			tr.Free(live[i])
		}
	}
	tl := laidOut(tr, layout.Options{})
	r := rasterize(t, tl, render.Whole(tl, layout.Events), 641, 90)
	for x, b := range r.Bands[1 : r.W-1] {
		// An alloc after the last free shows at once, so that the state between the two is never shown.
		if b.Low != 2<<20 || b.High != 21<<20 {
			t.Fatalf("column %d is %+v", x+1, b)
		}
		if b.Mean < 10<<20 || b.Mean > 12<<20 {
			t.Errorf("column %d has a mean of %.1f MiB", x+1, float64(b.Mean)/(1<<20))
		}
	}
	img := image.NewRGBA(image.Rect(0, 0, r.W, r.H))
	c := colour.New(tl, colour.BySite, colour.Light())
	r.Paint(img, c)
	seen := map[colour.Tone]bool{}
	for y := range r.H {
		for tone := range c.Fill {
			fill := colour.Unpack(c.Fill[tone][c.Slot(r.At(300, y))])
			seen[colour.Tone(tone)] = seen[colour.Tone(tone)] || r.At(300, y) >= 0 && img.RGBAAt(300, y) == fill
		}
	}
	if len(seen) != 3 || !seen[colour.Always] || !seen[colour.Mean] || !seen[colour.Peak] {
		t.Errorf("tones seen in a column: %v", seen)
	}
	part := rasterize(t, tl, render.Whole(tl, layout.Events), 641, 90).Part(100, 0, 200, 90)
	again := image.NewRGBA(image.Rect(0, 0, 200, 90))
	part.Paint(again, c)
	for y := range 90 {
		if !bytes.Equal(again.Pix[y*again.Stride:][:4*200], img.Pix[y*img.Stride+400:][:4*200]) {
			t.Fatalf("row %d of a part is drawn otherwise", y)
		}
	}
}
