package picture

import (
	"bufio"
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"strata/layout"
	"strata/render/colour"
	"strata/render/raster"
)

// An svg is the canvas of vectors. What goes wrong while writing comes out at the last flush.
type svg struct {
	ctx   context.Context
	w     *bufio.Writer
	sizes [2]float64 // of text
}

// Families of the text: those the chart is measured with, and what any machine has in their place.
var svgFamilies = [2]string{"Go, Helvetica, Arial, sans-serif", "Go Mono, Menlo, Consolas, monospace"}

func (s *svg) begin(opt Options, text *writer) {
	s.sizes = text.sizes
	fmt.Fprintf(s.w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d">`+"\n",
		opt.W, opt.H)
	if opt.Title != "" {
		fmt.Fprintf(s.w, "<title>%s</title>\n", xmlText(opt.Title))
	}
}

func (s *svg) rects(c color.RGBA, alpha uint8, r ...image.Rectangle) {
	var d []byte
	for _, r := range r {
		if !r.Empty() {
			d = appendRect(d, r)
		}
	}
	if len(d) == 0 {
		return
	}
	fmt.Fprintf(s.w, `<path fill="%s"`, hex(c))
	if alpha < 255 {
		fmt.Fprintf(s.w, ` fill-opacity="%.2f"`, float64(alpha)/255)
	}
	fmt.Fprintf(s.w, ` shape-rendering="crispEdges" d="%s"/>`+"\n", d)
}

func (s *svg) hatch(r image.Rectangle, stripe, gap int, c color.RGBA) {
	fmt.Fprintf(s.w, `<path fill="none" stroke="%s" stroke-width="%s" d="`,
		hex(c), number(float64(stripe)*math.Sqrt2/2))
	for sum := (r.Min.X + r.Min.Y) / gap * gap; sum < r.Max.X+r.Max.Y; sum += gap {
		at := sum + stripe/2 // of the stripe's middle x+y is this
		x0, x1 := max(r.Min.X, at-r.Max.Y), min(r.Max.X, at-r.Min.Y)
		if x0 < x1 {
			fmt.Fprintf(s.w, "M%d %dL%d %d", x0, at-x0, x1, at-x1)
		}
	}
	s.w.WriteString("\"/>\n")
}

// text keeps to the width that was measured, whatever fonts there are.
func (s *svg) text(f typeface, x, y, width int, text string, c color.RGBA) {
	fmt.Fprintf(s.w, `<text x="%d" y="%d" font-family="%s" font-size="%g" fill="%s" `+
		`textLength="%d" lengthAdjust="spacingAndGlyphs" xml:space="preserve">%s</text>`+"\n",
		x, y, svgFamilies[f], s.sizes[f], hex(c), width, xmlText(text))
}

// What a picture of blocks may weigh, bytes, and how much finer than the chart's pixels its lookup is, where that is
// fine.
const (
	svgBytes = 4 << 20
	svgFiner = 4
)

// picture draws the blocks: as the pixels of the chart show them, so that no peak is lost that is narrower than one;
// finer where there is none, as every timestep has a pixel; coarser where that would weigh too much.
func (s *svg) picture(to image.Rectangle, r *raster.Raster, c *colour.Colouring, xs, ys []int) error {
	s.rects(c.Palette.Background, 255, to)
	var grid []image.Rectangle
	for _, x := range xs {
		grid = append(grid, image.Rect(x, 0, x+1, r.H).Add(to.Min))
	}
	for _, y := range ys {
		grid = append(grid, image.Rect(0, y, r.W, y+1).Add(to.Min))
	}
	s.rects(c.Palette.Grid, 255, grid...)
	scale := 1.
	if steps := r.View.Axis == layout.Events && r.View.X1-r.View.X0 <= float64(r.W); steps &&
		svgFiner*max(r.W, r.H) <= MaxSize {
		scale = svgFiner
	}
	for ; ; scale /= 2 {
		scaled, w, h := r, int(float64(r.W)*scale), int(float64(r.H)*scale)
		if scale != 1 {
			var err error
			if scaled, err = raster.New(s.ctx, r.Timeline, r.View, w, h); err != nil {
				return err
			}
		}
		body, err := drawBlocks(s.ctx, scaled, c, scale)
		if err != nil {
			return err
		}
		if len(body) <= svgBytes || min(w, h) <= MinSize {
			fmt.Fprintf(s.w, `<g transform="translate(%d %d) scale(%s %s)">`+"\n", to.Min.X, to.Min.Y,
				number(float64(r.W)/float64(w)), number(float64(r.H)/float64(h)))
			s.w.Write(body)
			s.w.WriteString("</g>\n")
			break
		}
	}
	s.veil(to.Min, r, c)
	s.pending(to.Min, r, c)
	return nil
}

// veil lays the background over what a column does not hold all of its time, neighbours of one height together.
func (s *svg) veil(at image.Point, r *raster.Raster, c *colour.Colouring) {
	tops := r.ToneTops()
	for tone := colour.Mean; tone <= colour.Peak; tone++ {
		var d []image.Rectangle
		from := 0
		for x := range r.W + 1 {
			top, bottom := tops[tone], tops[tone-1]
			if x < r.W && top[x] == top[from] && bottom[x] == bottom[from] {
				continue
			}
			d = append(d, image.Rect(from, int(top[from]), x, int(bottom[from])).Add(at))
			from = x
		}
		s.rects(c.Palette.Background, colour.Veil[tone], d...)
	}
}

// pending hatches what waits to be freed, neighbours of one height together.
func (s *svg) pending(at image.Point, r *raster.Raster, c *colour.Colouring) {
	if !r.Timeline.Waits() {
		return
	}
	for id := range r.Timeline.Size {
		first := r.WaitsFrom(layout.ID(id))
		if first == r.W {
			continue
		}
		runs := r.Outline(layout.ID(id))
		runs = slices.DeleteFunc(runs, func(run raster.Run) bool { return run.X < first })
		for i := 0; i < len(runs); {
			from := runs[i]
			next := from
			for ; i < len(runs) && runs[i] == next; i++ {
				next.X++
			}
			box := image.Rect(from.X, from.Top, next.X, from.Bottom).Add(at)
			edge := colour.Unpack(c.Edge[colour.Always][c.Slot(layout.ID(id))])
			s.hatch(box, raster.HatchStripe, raster.HatchGap, edge)
		}
	}
}

// appendRect appends a rectangle as a path.
func appendRect(d []byte, r image.Rectangle) []byte {
	return fmt.Appendf(d, "M%d %dh%dv%dH%dz", r.Min.X, r.Min.Y, r.Dx(), r.Dy(), r.Min.X)
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// number is a factor with as many digits as matter.
func number(f float64) string { return strconv.FormatFloat(f, 'g', 8, 64) }

// xmlText writes text for XML: names in it come from files that nobody vouches for, and may hold what XML cannot.
func xmlText(s string) string {
	return xmlEscapes.Replace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == '\uFFFE' || r == '\uFFFF' {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")))
}

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")
