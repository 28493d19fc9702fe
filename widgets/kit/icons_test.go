package kit

import (
	"image"
	"testing"

	giolayout "gioui.org/layout"

	"strata/widgets/widgettest"
)

// TestIcons: every icon can be read and has the size asked for.
func TestIcons(t *testing.T) {
	h, th := widgettest.New(image.Pt(400, 300)), NewTheme(true)
	h.Draw = func(gtx giolayout.Context) {
		for i := NoIcon; i < iconCount; i++ {
			if dims := th.Icon(gtx, i, 18, th.Text); dims.Size != image.Pt(18, 18) {
				t.Fatalf("icon %d: %v", i, dims.Size)
			}
		}
	}
	h.Frame()
	if len(th.icons) < int(iconCount)-1 {
		t.Fatalf("%d of %d icons could be read", len(th.icons), iconCount-1)
	}
}
