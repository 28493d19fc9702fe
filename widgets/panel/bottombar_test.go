package panel

import (
	"image"
	"testing"

	giolayout "gioui.org/layout"

	"strata/layout"
	"strata/widgets/describe"
	"strata/widgets/kit"
	"strata/widgets/widgettest"
)

// TestBottomBarHasAll: a window of usual size has room for every field of an
// allocation in its bottom bar, pinned or not.
func TestBottomBarHasAll(t *testing.T) {
	tl := widgettest.Open(t, widgettest.Sample)
	for _, size := range []image.Point{{1400, 900}, {1280, 720}, {1920, 1080}} {
		h, th := widgettest.New(size), kit.NewTheme(true)
		var bar BottomBar
		shape := func(int64) string { return "bf16: 4608 x 4096 · fp32: 4096 x 2304" }
		d := describe.Allocation(tl, describe.About{Shape: shape}, 3, layout.Events)
		d.Phase, d.Here, d.Note = "## forward ## → ## backward ##", "## optimizer ##",
			"live before recording, free pending for 12.5 ms"
		want := len(fields(th, &d))
		h.Draw = func(gtx giolayout.Context) {
			gtx.Constraints = giolayout.Exact(image.Pt(size.X, BottomBarHeight(gtx, size)))
			bar.Layout(gtx, th, &d, describe.Selection{Hovered: layout.None, Pinned: 3}, true, nil)
		}
		h.Frame()
		if bar.drawn != want {
			t.Errorf("%v: %d of %d fields", size, bar.drawn, want)
		}
	}
}
