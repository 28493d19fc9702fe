package picture

import (
	"fmt"
	"sort"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
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

// A typeface is one of the families that charts are written in.
type typeface uint8

const (
	regular typeface = iota
	mono
)

// A writer measures and draws text. Faces are not safe to share between goroutines, so every picture makes its own.
type writer struct {
	faces          [2]font.Face
	sizes          [2]float64 // pixels
	height, ascent int        // of a line of the larger face, pixels
}

// newWriter makes faces of a size given in pixels; numbers are one smaller.
func newWriter(size float64) (*writer, error) {
	f, err := fonts()
	if err != nil {
		return nil, err
	}
	w := &writer{sizes: [2]float64{size, size - 1}}
	for i := range f {
		// 72 dots an inch make a point a pixel.
		opt := opentype.FaceOptions{Size: w.sizes[i], DPI: 72, Hinting: font.HintingFull}
		if w.faces[i], err = opentype.NewFace(f[i], &opt); err != nil {
			return nil, err
		}
	}
	m := w.faces[regular].Metrics()
	w.ascent = m.Ascent.Ceil()
	w.height = w.ascent + m.Descent.Ceil()
	return w, nil
}

// width is how many pixels a text takes.
func (w *writer) width(f typeface, s string) int { return font.MeasureString(w.faces[f], s).Ceil() }

// longest is how many bytes of a text are looked at: names come from files that nobody vouches for.
const longest = 1000

// fit shortens s with an ellipsis until it takes at most width pixels.
func (w *writer) fit(f typeface, s string, width int) string {
	cut := len(s) > longest
	if cut {
		s = s[:longest]
	}
	if !cut && w.width(f, s) <= width {
		return s
	}
	r := []rune(s)
	n := sort.Search(len(r), func(n int) bool { return w.width(f, string(r[:n+1])+"…") > width })
	if n == 0 {
		return ""
	}
	return string(r[:n]) + "…"
}

// wrap breaks s between words into rows of at most width pixels; a word that is wider alone is shortened.
func (w *writer) wrap(f typeface, s string, width int) (rows []string) {
	row := ""
	for _, word := range strings.Fields(s) {
		if longer := row + " " + word; row != "" && w.width(f, longer) <= width {
			row = longer
			continue
		}
		if row != "" {
			rows = append(rows, row)
		}
		row = w.fit(f, word, width)
	}
	return append(rows, row)
}
