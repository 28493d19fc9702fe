package picture

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"slices"

	"strata/layout"
	"strata/layout/units"
	"strata/render/colour"
	"strata/render/raster"
)

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
	b.small()
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
		} else {
			thin[o.slot] = fmt.Appendf(thin[o.slot], "M%d %dv%d", o.from, o.top, o.bottom-o.top)
		}
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
		fill, edge := colour.Unpack(b.c.Fill[colour.Always][slot]), colour.Unpack(b.c.Edge[colour.Always][slot])
		fmt.Fprintf(&b.out, `<g fill="%s" stroke="%s" stroke-width="%s">`+"\n",
			hex(fill), hex(edge), number(.6*b.scale))
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
	for len(runs) > 0 {
		n := 1
		for n < len(runs) && runs[n].X == runs[n-1].X+1 &&
			runs[n].Top < runs[n-1].Bottom && runs[n].Bottom > runs[n-1].Top {
			n++
		}
		part := runs[:n]
		runs = runs[n:]
		at := image.Pt(part[0].X, part[0].Top)
		d = fmt.Appendf(d, "M%d %d", at.X, at.Y)
		level := func(x, y int) { // goes on to x, and there up or down to y
			if y != at.Y {
				d = fmt.Appendf(d, "h%dv%d", x-at.X, y-at.Y)
				at = image.Pt(x, y)
			}
		}
		for _, r := range part {
			level(r.X, r.Top)
		}
		for _, r := range slices.Backward(part) {
			level(r.X+1, r.Bottom)
		}
		d = fmt.Appendf(d, "H%dz", part[0].X)
	}
	return d
}
