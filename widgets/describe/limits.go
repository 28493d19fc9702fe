package describe

import (
	"strata/layout"
	"strata/layout/capacity"
	"strata/render"
)

// Limits is what a timeline shows that is not in its allocations.
type Limits struct {
	// Capacity is the memory to draw a line at; the zero value is none.
	Capacity capacity.Capacity
	// Offset is memory the snapshot does not know of, bytes: it is drawn as a
	// base under the stack and is in all totals.
	Offset int64
	// Line is the highest point of the allocator's lines, bytes; 0 without them.
	Line int64
	// OOMs are the requests that failed.
	OOMs []layout.OOM
}

// CapacityAt is where the line of the capacity is, in bytes of the snapshot.
func (l *Limits) CapacityAt() int64 { return l.Capacity.Bytes - l.Offset }

// Extend lets a view reach what the limits show: the base below, the capacity above.
func (l *Limits) Extend(v render.View) render.View {
	v.Below, v.Above = float64(l.Offset), float64(l.Line)
	if l.Capacity.Bytes > 0 {
		v.Above = max(v.Above, float64(l.CapacityAt()))
	}
	return v
}

// Whole lets the view of a whole run show its limits: the base, and the
// capacity's line where that leaves the run high enough, the others in any case.
func (l *Limits) Whole(v render.View) render.View {
	v = l.Extend(v).Holding(l.Line).WithLimit(l.CapacityAt())
	v.Y0 = -v.Below
	return v
}
