package picture

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	"strata/layout"
	"strata/layout/units"
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
	best, err := drawBlocks(s.ctx, r, c, scale)
	steps := r.View.Axis == layout.Events && r.View.X1-r.View.X0 <= float64(r.W)
	if err == nil && steps && svgFiner*len(best) < svgBytes && svgFiner*max(r.W, r.H) <= MaxSize {
		var finer *raster.Raster
		if finer, err = raster.New(s.ctx, r.Timeline, r.View, r.W*svgFiner, r.H*svgFiner); err != nil {
			return err
		}
		var b []byte
		if b, err = drawBlocks(s.ctx, finer, c, svgFiner); err == nil && len(b) <= svgBytes {
			best, scale = b, svgFiner
		}
	}
	for err == nil && len(best) > svgBytes && float64(min(r.W, r.H))*scale > MinSize {
		scale /= 2
		var coarser *raster.Raster
		w, h := int(float64(r.W)*scale), int(float64(r.H)*scale)
		if coarser, err = raster.New(s.ctx, r.Timeline, r.View, w, h); err == nil {
			best, err = drawBlocks(s.ctx, coarser, c, scale)
		}
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(s.w, `<g transform="translate(%d %d) scale(%s %s)">`+"\n", to.Min.X, to.Min.Y,
		number(float64(r.W)/float64(int(float64(r.W)*scale))), number(float64(r.H)/float64(int(float64(r.H)*scale))))
	s.w.Write(best)
	s.w.WriteString("</g>\n")
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
	if r.Timeline.PendingBytes == 0 {
		return
	}
	for id := range r.Timeline.Size {
		if !r.Timeline.Pending(layout.ID(id)) {
			continue
		}
		runs := r.Outline(layout.ID(id))
		for i := 0; i < len(runs); {
			from := runs[i]
			for i++; i < len(runs) && runs[i] == (raster.Run{X: runs[i-1].X + 1, Top: from.Top, Bottom: from.Bottom}); i++ {
			}
			box := image.Rect(from.X, from.Top, runs[i-1].X+1, from.Bottom).Add(at)
			edge := colour.Unpack(c.Edge[colour.Always][c.Slot(layout.ID(id))])
			s.hatch(box, raster.HatchStripe, raster.HatchGap, edge)
		}
	}
}

// Blocks that have at least so many pixels of the chart, and rows of them somewhere, are shapes of their own; with
// many pixels they say what they are.
const (
	svgShapeRows, svgShapeArea = 3, 24
	svgTitleArea               = 600
)

// drawBlocks draws the blocks of a raster, scale of whose pixels are one of the chart, in the raster's own pixels.
func drawBlocks(ctx context.Context, r *raster.Raster, c *colour.Colouring, scale float64) ([]byte, error) {
	b := &blocks{r: r, c: c, scale: scale, size: make([]extent, len(r.Timeline.Size))}
	for x := range r.W {
		b.runs(x, func(id layout.ID, top, bottom int) {
			if id >= 0 {
				e := &b.size[id]
				e.rows = max(e.rows, int32(bottom-top))
				e.area += int32(bottom - top)
			}
		})
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b.small()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b.large()
	return b.out.Bytes(), ctx.Err()
}

// extent is how much of a raster a block covers, pixels.
type extent struct{ rows, area int32 }

type blocks struct {
	r     *raster.Raster
	c     *colour.Colouring
	scale float64
	size  []extent // by ID
	out   bytes.Buffer
}

// runs walks what a column shows, from top to bottom.
func (b *blocks) runs(x int, f func(id layout.ID, top, bottom int)) {
	ids, w, h := b.r.IDs, b.r.W, b.r.H
	for y := 0; y < h; {
		id, top := ids[y*w+x], y
		for y < h && ids[y*w+x] == id {
			y++
		}
		if id != layout.None {
			f(id, top, y)
		}
	}
}

// shape reports whether a block is drawn as a shape of its own.
func (b *blocks) shape(id layout.ID) bool {
	if id < 0 {
		return false
	}
	e := b.size[id]
	return float64(e.rows) >= svgShapeRows*b.scale && float64(e.area) >= svgShapeArea*b.scale*b.scale
}

// An open rectangle goes on as long as the columns show the same there.
type openRect struct {
	slot        uint8
	top, bottom int
	from        int
}

// small draws all that are no shapes of their own, those of one colour together: rectangles where neighbouring pixels
// show the same, strokes where they are one pixel wide.
func (b *blocks) small() {
	var wide, thin [256][]byte
	flush := func(o openRect, x int) {
		if x-o.from > 1 {
			wide[o.slot] = appendRect(wide[o.slot], image.Rect(o.from, o.top, x, o.bottom))
			return
		}
		d := append(thin[o.slot], 'M')
		d = strconv.AppendInt(d, int64(o.from), 10)
		d = append(d, ' ')
		d = strconv.AppendInt(d, int64(o.top), 10)
		d = append(d, 'v')
		thin[o.slot] = strconv.AppendInt(d, int64(o.bottom-o.top), 10)
	}
	var open, now []openRect
	for x := range b.r.W {
		now = now[:0]
		b.runs(x, func(id layout.ID, top, bottom int) {
			if b.shape(id) {
				return
			}
			slot := b.c.Slot(id)
			if n := len(now); n > 0 && now[n-1].slot == slot && now[n-1].bottom == top {
				now[n-1].bottom = bottom
				return
			}
			now = append(now, openRect{slot, top, bottom, x})
		})
		k := 0
		for i := range now {
			for k < len(open) && open[k].top < now[i].top {
				flush(open[k], x)
				k++
			}
			if k < len(open) && open[k].top == now[i].top {
				if open[k].bottom == now[i].bottom && open[k].slot == now[i].slot {
					now[i].from = open[k].from
				} else {
					flush(open[k], x)
				}
				k++
			}
		}
		for ; k < len(open); k++ {
			flush(open[k], x)
		}
		open, now = now, open
	}
	for _, o := range open {
		flush(o, b.r.W)
	}
	b.out.WriteString(`<g shape-rendering="crispEdges">` + "\n")
	for slot := range wide {
		fill := hex(colour.Unpack(b.c.Fill[colour.Always][slot]))
		if len(wide[slot]) > 0 {
			fmt.Fprintf(&b.out, `<path fill="%s" d="%s"/>`+"\n", fill, wide[slot])
		}
		if len(thin[slot]) > 0 { // in the middle of its pixels
			fmt.Fprintf(&b.out, `<path fill="none" stroke="%s" stroke-width="1.05" `+
				`transform="translate(.5)" d="%s"/>`+"\n",
				fill, thin[slot])
		}
	}
	b.out.WriteString("</g>\n")
}

// large draws the shapes, those of one colour in a group.
func (b *blocks) large() {
	bySlot := make([][]layout.ID, 256)
	for id := range b.size {
		if id := layout.ID(id); b.shape(id) {
			slot := b.c.Slot(id)
			bySlot[slot] = append(bySlot[slot], id)
		}
	}
	// What a column shows of each shape, in order of columns.
	shown := map[layout.ID][]raster.Run{}
	for x := range b.r.W {
		b.runs(x, func(id layout.ID, top, bottom int) {
			if b.shape(id) {
				shown[id] = append(shown[id], raster.Run{X: x, Top: top, Bottom: bottom})
			}
		})
	}
	for slot, ids := range bySlot {
		if len(ids) == 0 {
			continue
		}
		fmt.Fprintf(&b.out, `<g fill="%s" stroke="%s" stroke-width="%s">`+"\n",
			hex(colour.Unpack(b.c.Fill[colour.Always][slot])), hex(colour.Unpack(b.c.Edge[colour.Always][slot])), number(.6*b.scale))
		for _, id := range ids {
			b.out.WriteString(`<path d="`)
			b.out.Write(appendShape(nil, shown[id]))
			if float64(b.size[id].area) < svgTitleArea*b.scale*b.scale {
				b.out.WriteString("\"/>\n")
				continue
			}
			title := units.Bytes(b.r.Timeline.Size[id]) + " · " + b.c.SiteName(id)
			fmt.Fprintf(&b.out, "\"><title>%s</title></path>\n", xmlText(title))
		}
		b.out.WriteString("</g>\n")
	}
}

// appendShape appends the outline of runs as a path: a polygon for each stretch of columns in which they touch.
func appendShape(d []byte, runs []raster.Run) []byte {
	step := func(command byte, n int) {
		if n != 0 {
			d = append(d, command)
			d = strconv.AppendInt(d, int64(n), 10)
		}
	}
	for i := 0; i < len(runs); {
		j := i + 1
		for j < len(runs) && runs[j].X == runs[j-1].X+1 &&
			runs[j].Top < runs[j-1].Bottom && runs[j].Bottom > runs[j-1].Top {
			j++
		}
		part := runs[i:j]
		d = append(d, 'M')
		d = strconv.AppendInt(d, int64(part[0].X), 10)
		d = append(d, ' ')
		d = strconv.AppendInt(d, int64(part[0].Top), 10)
		from := 0 // of the level that is being gone along
		for k := range part {
			if k > 0 && part[k].Top != part[k-1].Top {
				step('h', k-from)
				step('v', part[k].Top-part[k-1].Top)
				from = k
			}
		}
		last := len(part) - 1
		step('h', len(part)-from)
		step('v', part[last].Bottom-part[last].Top)
		from = len(part)
		for k := last; k > 0; k-- {
			if part[k].Bottom != part[k-1].Bottom {
				step('h', k-from)
				step('v', part[k-1].Bottom-part[k].Bottom)
				from = k
			}
		}
		d = append(d, 'H')
		d = strconv.AppendInt(d, int64(part[0].X), 10)
		d = append(d, 'z')
		i = j
	}
	return d
}

// appendRect appends a rectangle as a path.
func appendRect(d []byte, r image.Rectangle) []byte {
	d = append(d, 'M')
	d = strconv.AppendInt(d, int64(r.Min.X), 10)
	d = append(d, ' ')
	d = strconv.AppendInt(d, int64(r.Min.Y), 10)
	d = append(d, 'h')
	d = strconv.AppendInt(d, int64(r.Dx()), 10)
	d = append(d, 'v')
	d = strconv.AppendInt(d, int64(r.Dy()), 10)
	d = append(d, 'H')
	d = strconv.AppendInt(d, int64(r.Min.X), 10)
	return append(d, 'z')
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
