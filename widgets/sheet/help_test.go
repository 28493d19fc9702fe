package sheet

import (
	"image"
	"testing"

	giolayout "gioui.org/layout"

	"strata/widgets/kit"
	"strata/widgets/widgettest"
)

// TestHelpLeadsToRecording: the button at the foot of the sheet is in sight in
// small windows too, and reports its click once.
func TestHelpLeadsToRecording(t *testing.T) {
	for _, size := range []image.Point{{700, 500}, {1400, 900}} {
		h, th := widgettest.New(size), kit.NewTheme(true)
		var help Help
		asked, closed := 0, false
		rows := make([]kit.KeyHint, 40)
		for i := range rows {
			rows[i] = kit.KeyHint{Key: "K", Text: "does"}
		}
		h.Draw = func(gtx giolayout.Context) {
			c, record := help.Update(gtx)
			if closed = closed || c; record {
				asked++
			}
			help.Layout(gtx, th, []HelpSection{{"A", rows}}, "F2")
		}
		h.Frame()
		h.Frame()
		left := float32(size.X-min(size.X-24, 820))/2 + 60
		if size.X <= 700 {
			left = float32(size.X-420)/2 + 60
		}
		for y := float32(size.Y) - 20; y > float32(size.Y)/2 && asked == 0; y -= 8 {
			h.Click(widgettest.At(left, y))
		}
		if asked != 1 {
			t.Errorf("%v: asked %d times", size, asked)
		}
	}
}
