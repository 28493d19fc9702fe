package window

import (
	"testing"

	"strata/app/options"
	"strata/layout/capacity"
	"strata/render"
)

// TestWholeRunShowsTheCapacity: the view of the whole run has the line of the
// GPU in it, as strata render has, unless the run would be too low beside it;
// a view of a part stays what it is.
func TestWholeRunShowsTheCapacity(t *testing.T) {
	d := opened(t, options.Options{Files: []string{annotated}, Device: options.AnyDevice, NoCache: true})
	peak, top := d.tab().Timeline().PeakBytes, d.tab().View.Y1
	bare := render.Whole(d.tab().Timeline(), d.tab().View.Axis).Y1
	line := func(bytes int64) capacity.Capacity { return capacity.Capacity{Name: "test", Bytes: bytes} }
	for _, tt := range []struct {
		name  string
		bytes int64
		want  float64
	}{
		{"beyond the peak", 2 * peak, 1.06 * 2 * float64(peak)},
		{"under the peak", peak / 2, bare},
		{"far beyond it", 10 * peak, bare},
		{"none", 0, bare},
	} {
		d.setCapacity(line(tt.bytes))
		if d.tab().View.Y1 != tt.want {
			t.Errorf("%s: the view reaches to %g, want %g", tt.name, d.tab().View.Y1, tt.want)
		}
	}
	d.setCapacity(line(2 * peak))
	d.sessions.SetOffset(peak / 2)
	if want := 1.06 * float64(2*peak-peak/2); d.tab().View.Y1 != want || d.tab().View.Y0 != -float64(peak/2) {
		t.Errorf("with memory outside the view is %g to %g, want up to %g", d.tab().View.Y0, d.tab().View.Y1, want)
	}
	d.sessions.SetOffset(0)
	d.setCapacity(line(0))
	if d.tab().View.Y1 != top {
		t.Errorf("without the line the view reaches to %g, before it did to %g", d.tab().View.Y1, top)
	}
	d.tab().View.Y1 = top / 3
	d.setCapacity(line(2 * peak))
	if d.tab().View.Y1 != top/3 {
		t.Errorf("a view of a part reaches to %g", d.tab().View.Y1)
	}
	d.press("0", 0)
	if want := 1.06 * 2 * float64(peak); d.tab().View.Y1 != want {
		t.Errorf("the whole run reaches to %g, want %g", d.tab().View.Y1, want)
	}
}
