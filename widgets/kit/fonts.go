package kit

import (
	"time"

	"gioui.org/font/gofont"
	"gioui.org/op"
	"gioui.org/text"
	"golang.org/x/image/math/fixed"
)

// systemFonts brings in the machine's fonts once a text needs them: to look for them takes a tenth of a second, and a
// second where nothing has done so before, and most texts do without.
type systemFonts struct {
	coming chan *text.Shaper // nil: not asked for yet
	here   bool
}

// newShaper makes a shaper with the embedded fonts and, where it is asked for, those of the machine for what the
// embedded ones lack.
func newShaper(system bool) *text.Shaper {
	options := []text.ShaperOption{text.WithCollection(gofont.Collection())}
	if !system {
		options = append(options, text.NoSystemFonts())
	}
	return text.NewShaper(options...)
}

// loadFonts starts to look for the machine's fonts when a text was drawn that needs them, and takes them when they are
// found. It is called once a frame.
func (th *Theme) loadFonts(gtx C) {
	f := &th.system
	switch {
	case f.here || f.coming == nil && !th.typesetter.lacking:
		return
	case f.coming == nil:
		coming := make(chan *text.Shaper, 1)
		f.coming = coming
		go func() {
			s := newShaper(true)
			s.LayoutString(text.Parameters{Font: fonts[Regular], PxPerEm: fixed.I(13), MaxWidth: maxLine}, "x") // looks
			coming <- s
		}()
	}
	select {
	case s := <-f.coming:
		f.here = true
		th.shaper, th.mat.Shaper, th.typesetter.shaper = s, s, s
		clear(th.typesetter.texts)
		gtx.Execute(op.InvalidateCmd{})
	default:
		gtx.Execute(op.InvalidateCmd{At: gtx.Now.Add(50 * time.Millisecond)})
	}
}
