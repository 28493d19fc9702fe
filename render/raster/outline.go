package raster

import (
	"image"

	"strata/layout"
)

// A Run is what one allocation covers of a pixel column: rows Top ≤ y < Bottom.
type Run struct{ X, Top, Bottom int }

// Outline is where an allocation lies in the raster, a run for each column in which it has a pixel, from left to
// right.
func (r *Raster) Outline(id layout.ID) []Run {
	if id < 0 || int(id) >= len(r.Timeline.Size) {
		return nil
	}
	var runs []Run
	birth, death := r.Timeline.Birth[id], r.Timeline.Death[id]
	last := Run{Top: r.H, Bottom: r.H}
	for x, m := range r.Columns {
		if m.Step < birth || m.Step >= death {
			continue // that of NoMoment is below any birth
		}
		if run, ok := r.run(id, x, last); ok {
			runs = append(runs, run)
			last = run
		}
	}
	return runs
}

// run finds an allocation in a column. Most go on where they were in the column before, or a little lower.
func (r *Raster) run(id layout.ID, x int, last Run) (Run, bool) {
	top := last.Top
	if top < r.H && r.At(x, top) == id {
		for top > 0 && r.IDs[(top-1)*r.W+x] == id {
			top--
		}
	} else {
		for top++; top < r.H && r.IDs[top*r.W+x] != id; {
			top++
		}
		if top >= r.H {
			end := min(last.Top, r.H)
			for top = 0; top < end && r.IDs[top*r.W+x] != id; {
				top++
			}
			if top == end {
				return Run{}, false
			}
		}
	}
	bottom := top + 1
	if r.At(x, last.Bottom-1) == id && last.Bottom > bottom {
		bottom = last.Bottom // all between is the same block
	}
	for bottom < r.H && r.IDs[bottom*r.W+x] == id {
		bottom++
	}
	return Run{x, top, bottom}, true
}

// AppendEdge appends the edge of runs as rectangles inside them: width pixels along the top, the bottom and wherever
// a side borders on something else. Runs of equal rows are taken together, so that a straight edge costs one
// rectangle.
func AppendEdge(dst []image.Rectangle, runs []Run, width int) []image.Rectangle {
	add := func(x0, y0, x1, y1 int) {
		if x1 > x0 && y1 > y0 {
			dst = append(dst, image.Rect(x0, y0, x1, y1))
		}
	}
	// side adds what of a side from y0 to y1 the neighbour k does not cover.
	side := func(x0, x1, y0, y1, k, touching int) {
		if k < 0 || k >= len(runs) || runs[k].X != touching || runs[k].Bottom <= y0 || runs[k].Top >= y1 {
			add(x0, y0, x1, y1)
			return
		}
		add(x0, y0, x1, runs[k].Top)
		add(x0, runs[k].Bottom, x1, y1)
	}
	for i := 0; i < len(runs); {
		r := runs[i]
		j := i + 1
		for j < len(runs) && runs[j].Top == r.Top && runs[j].Bottom == r.Bottom && runs[j].X == r.X+j-i {
			j++
		}
		x1 := r.X + j - i
		edge := min(width, (r.Bottom-r.Top+1)/2)
		add(r.X, r.Top, x1, r.Top+edge)
		add(r.X, r.Bottom-edge, x1, r.Bottom)
		depth := min(width, x1-r.X)
		side(r.X, r.X+depth, r.Top, r.Bottom, i-1, r.X-1)
		side(x1-depth, x1, r.Top, r.Bottom, j, x1)
		i = j
	}
	return dst
}
