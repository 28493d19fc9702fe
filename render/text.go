package render

import (
	"fmt"
	"image"
	"image/color"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// fonts parses the two families once.
var fonts = sync.OnceValues(func() (f [2]*opentype.Font, err error) {
	for i, ttf := range [][]byte{goregular.TTF, gomono.TTF} {
		if f[i], err = opentype.Parse(ttf); err != nil {
			return f, fmt.Errorf("the built-in font cannot be read: %w", err)
		}
	}
	return f, nil
})

// A writer draws text into one picture. Faces are not safe to share between
// goroutines, so every picture makes its own.
type writer struct {
	dst            *image.RGBA
	regular, mono  font.Face
	height, ascent int // of a line of the larger face, pixels
}

// newWriter makes faces of a size given in pixels; numbers are one smaller.
func newWriter(dst *image.RGBA, size float64) (*writer, error) {
	f, err := fonts()
	if err != nil {
		return nil, err
	}
	w := &writer{dst: dst}
	// 72 dots an inch make a point a pixel.
	if w.regular, err = opentype.NewFace(f[0], &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull}); err != nil {
		return nil, err
	}
	if w.mono, err = opentype.NewFace(f[1], &opentype.FaceOptions{Size: size - 1, DPI: 72, Hinting: font.HintingFull}); err != nil {
		return nil, err
	}
	m := w.regular.Metrics()
	w.ascent = m.Ascent.Ceil()
	w.height = w.ascent + m.Descent.Ceil()
	return w, nil
}

// width is how many pixels a text takes.
func (w *writer) width(face font.Face, s string) int { return font.MeasureString(face, s).Ceil() }

// text writes s with its left end at x and its baseline at y.
func (w *writer) text(face font.Face, x, y int, s string, c color.RGBA) {
	d := font.Drawer{Dst: w.dst, Src: image.NewUniform(c), Face: face, Dot: fixed.P(x, y)}
	d.DrawString(s)
}

// fit shortens s with an ellipsis until it takes at most width pixels.
func (w *writer) fit(face font.Face, s string, width int) string {
	if w.width(face, s) <= width {
		return s
	}
	r := []rune(s)
	for len(r) > 0 && w.width(face, string(r)+"…") > width {
		r = r[:len(r)-1]
	}
	if len(r) == 0 {
		return ""
	}
	return string(r) + "…"
}
