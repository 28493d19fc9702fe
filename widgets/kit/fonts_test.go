package kit

import (
	"image"
	"os"
	"testing"
	"time"

	"gioui.org/font"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/text"
	"gioui.org/unit"
	"golang.org/x/image/math/fixed"
)

// missing counts the glyphs of a text that no font has: they are drawn as boxes.
func missing(s *text.Shaper, f font.Font, txt string) (n int) {
	s.LayoutString(text.Parameters{Font: f, PxPerEm: fixed.I(20), MaxWidth: maxLine}, txt)
	for g, ok := s.NextGlyph(); ok; g, ok = s.NextGlyph() {
		if uint32(g.ID) == 0 {
			n++
		}
	}
	return n
}

// TestSystemFontsComeWhenNeeded: nothing is looked for while the embedded fonts have all that is drawn; other scripts
// bring the machine's fonts, and what the embedded fonts have looks as before.
func TestSystemFontsComeWhenNeeded(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	th := NewTheme(true)
	frame := func(txt string) int {
		var ops op.Ops
		gtx := giolayout.Context{Ops: &ops, Metric: unit.Metric{PxPerDp: 1, PxPerSp: 1},
			Constraints: giolayout.Constraints{Max: image.Pt(500, 500)}}
		th.Body(txt).Layout(gtx, th)
		th.loadFonts(gtx)
		return th.Width(gtx, th.Body("model.py:57 forward"))
	}
	before := frame("model.py:57, größer, Привет, →")
	if th.system.coming != nil {
		t.Fatal("fonts are looked for that nothing needs")
	}
	for end := time.Now().Add(time.Minute); !th.system.here; {
		if time.Now().After(end) {
			t.Fatal("the machine's fonts do not come")
		}
		frame("שלום مرحبا 模型 नमस्ते")
		time.Sleep(time.Millisecond)
	}
	if after := frame("x"); after != before {
		t.Errorf("a text is %d px wide with the machine's fonts, %d without", after, before)
	}
	without := newShaper(false)
	for name, txt := range map[string]string{"Hebrew": "שלום", "Arabic": "مرحبا", "Chinese": "模型",
		"Devanagari": "नमस्ते",
		"Thai":       "สวัสดี", "Korean": "안녕", "emoji": "🙂"} {
		_, err := os.Stat("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
		known := err == nil && (name == "Hebrew" || name == "Arabic")
		now, before := missing(th.shaper, th.font(Regular), txt), missing(without, fonts[Regular], txt)
		if now > before || now > 0 && known {
			t.Errorf("%s: %d letters are boxes with the machine's fonts, %d without", name, now, before)
		}
	}
}
