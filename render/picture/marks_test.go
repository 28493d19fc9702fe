package picture

import (
	"context"
	"image"
	"testing"

	"strata/layout"
	"strata/layout/traces"
	"strata/render"
	"strata/render/colour"
)

// TestChartLimit: the line lies at its bytes across the whole plot, dashed, nowhere else, and none is drawn where it
// is out of view.
func TestChartLimit(t *testing.T) {
	tl := laidOut(traces.Training(3000), layout.Options{})
	v := render.Whole(tl, layout.Events)
	chart := func(limit int64, label string) *image.RGBA {
		img, err := Draw(context.Background(), tl, v,
			Options{W: 800, H: 450, Palette: colour.Dark(), Limit: limit, LimitLabel: label})
		if err != nil {
			t.Fatal(err)
		}
		return img
	}
	line := colour.Mix(colour.Dark().Background, colour.Dark().Pinned, .75)
	rows := func(img *image.RGBA) map[int]int {
		found := map[int]int{}
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				if img.RGBAAt(x, y) == line {
					found[y]++
				}
			}
		}
		return found
	}
	limit := int64(v.Y1 / 2)
	got := rows(chart(limit, ""))
	if len(got) != 1 {
		t.Fatalf("the line is in rows %v, want one", got)
	}
	for y, n := range got {
		// The plot is what is left and right of the axes; its middle is half the view.
		if n < 400 || y < 450*4/10 || y > 450*6/10 {
			t.Errorf("%d pixels in row %d", n, y)
		}
	}
	for _, limit := range []int64{0, -5, int64(v.Y1 * 2)} {
		if got := rows(chart(limit, "")); len(got) != 0 {
			t.Errorf("limit %d: a line in rows %v", limit, got)
		}
	}
	red := func(img *image.RGBA) (n int) {
		for i := 0; i < len(img.Pix); i += 4 {
			if red := colour.Dark().Pinned; img.Pix[i] == red.R && img.Pix[i+1] == red.G && img.Pix[i+2] == red.B {
				n++
			}
		}
		return n
	}
	for _, limit := range []int64{limit, int64(v.Y1 * 2), int64(v.Y1)} {
		if with, without := red(chart(limit, "H100 80 GB")), red(chart(limit, "")); with <= without {
			t.Errorf("limit %d: no label", limit)
		}
	}
}
