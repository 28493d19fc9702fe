package render

import "strata/layout"

// A Run is what one allocation covers of a pixel column: rows Top ≤ y < Bottom.
type Run struct{ X, Top, Bottom int }

// Outline is where an allocation lies in the raster, a run for each column
// in which it has a pixel, from left to right.
func (r *Raster) Outline(id layout.ID) []Run {
	if id < 0 || int(id) >= len(r.t.Size) {
		return nil
	}
	var runs []Run
	birth, death := r.t.Birth[id], r.t.Death[id]
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

// run finds an allocation in a column. Most go on where they were in the
// column before, or a little lower.
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
