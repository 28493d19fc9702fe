package search

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"strata/layout"
	"strata/snapshot"
)

// A Set is allocations of one timeline, a bit for each ID.
type Set []uint64

// Has reports whether an allocation is in the set; none is in a nil one.
func (s Set) Has(id layout.ID) bool {
	return id >= 0 && int(id>>6) < len(s) && s[id>>6]>>(id&63)&1 == 1
}

// Next is the first allocation of the set from id on, or layout.None.
func (s Set) Next(id layout.ID) layout.ID {
	for id = max(id, 0); int(id>>6) < len(s); id++ {
		if s.Has(id) {
			return id
		}
	}
	return layout.None
}

// Previous is the last allocation of the set up to id, or layout.None.
func (s Set) Previous(id layout.ID) layout.ID {
	for id = min(id, layout.ID(len(s)<<6-1)); id >= 0; id-- {
		if s.Has(id) {
			return id
		}
	}
	return layout.None
}

// A Result is what a search found. It is immutable.
type Result struct {
	Query    *Query
	Timeline *layout.Timeline
	Matches  Set
	Count    int
	Bytes    int64 // of all matches, whenever they were live
	// PeakBytes is the most that matches held at once, and PeakState the first state (package layout) in which they
	// did.
	PeakBytes int64
	PeakState int32
	Sites     []Site // by AtPeak, AtOwnPeak and Bytes, the most first

	// The matches' total, where it changes: totals[i] holds from states[i] on. states is nil where that is state i:
	// all allocations match.
	states []int32
	totals []int64
	maxima layout.Maxima
}

// A Site is a line of code among the matches.
type Site struct {
	Frame snapshot.FrameID // 0: no stack was recorded
	// Freed: the line freed the memory, who asked for it is not known.
	Freed     bool
	Count     int
	Bytes     int64 // of all its matches
	AtPeak    int64 // bytes live at the timeline's peak
	LiveThen  int   // how many those are
	AtOwnPeak int64 // bytes live at the peak of the matches
	First     layout.ID
}

// Share is the part of the timeline's peak that a site held.
func (r *Result) Share(s *Site) float64 {
	if r.Timeline.PeakBytes == 0 {
		return 0
	}
	return float64(s.AtPeak) / float64(r.Timeline.PeakBytes)
}

// At is what matches held in a state, bytes.
func (r *Result) At(state int32) int64 { return r.totals[r.index(state)] }

// index is the entry in force in a state.
func (r *Result) index(state int32) int32 {
	if r.states == nil {
		return max(0, min(state, int32(len(r.totals)-1)))
	}
	return int32(max(0, sort.Search(len(r.states), func(i int) bool { return r.states[i] > state })-1))
}

// Max is the most that matches held in the states from lo to hi, lo ≤ hi.
func (r *Result) Max(lo, hi int32) int64 {
	return r.totals[r.maxima.First(r.index(lo), r.index(hi))]
}

// Column is the most that matches held in the part [x0, x1) of an axis: what a curve over the timeline shows in a
// pixel column. Of all allocations it is the height of layout's own column. Outside the data it is 0.
func (r *Result) Column(axis layout.Axis, x0, x1 float64) (most int64) {
	begin, lo, hi := r.Timeline.States(axis, x0, x1)
	if begin != layout.NoMoment {
		most = r.At(begin.Step)
		if gone, down := r.Timeline.Sliding(begin); r.Matches.Has(gone) {
			most -= down // what is freed has closed that far
		}
	}
	if lo <= hi {
		most = max(most, r.Max(lo, hi))
	}
	return most
}

// sum works out the totals over time and the sites.
func (r *Result) sum(ctx context.Context) error {
	t := r.Timeline
	if r.Count == len(t.Size) {
		r.totals, r.maxima, r.PeakBytes, r.PeakState = t.Total, t.Highest(), t.PeakBytes, t.PeakState
		return r.sites(ctx)
	}
	var total int64
	for id := r.Matches.Next(0); id != layout.None; id = r.Matches.Next(id + 1) {
		if t.Birth[id] == 0 {
			total += t.Size[id]
		}
	}
	r.states, r.totals, r.PeakBytes = []int32{0}, []int64{total}, total
	for i, x := range t.Actions {
		if i%every == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		id := max(x, ^x)
		if !r.Matches.Has(id) {
			continue
		}
		if x < 0 {
			total -= t.Size[id]
		} else if total += t.Size[id]; total > r.PeakBytes {
			r.PeakBytes, r.PeakState = total, int32(i)+1
		}
		r.states, r.totals = append(r.states, int32(i)+1), append(r.totals, total)
	}
	r.maxima = layout.NewMaxima(r.totals)
	return r.sites(ctx)
}

// sites adds up the matches of each line of code.
func (r *Result) sites(ctx context.Context) error {
	t := r.Timeline
	place := make([]int32, 2*len(t.Snapshot.Frames.Name)) // in Sites, + 1
	for id := r.Matches.Next(0); id != layout.None; id = r.Matches.Next(id + 1) {
		if id%every == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		f := t.Snapshot.Stacks.Site[t.StackOf(id)]
		freed := f != 0 && t.KnownByFree(id)
		key := 2 * int(f)
		if freed {
			key++
		}
		if place[key] == 0 {
			r.Sites = append(r.Sites, Site{Frame: f, Freed: freed, First: id})
			place[key] = int32(len(r.Sites))
		}
		site, size := &r.Sites[place[key]-1], t.Size[id]
		site.Count++
		site.Bytes += size
		birth, death := t.Birth[id], t.Death[id]
		if birth <= t.PeakState && death > t.PeakState {
			site.AtPeak += size
			site.LiveThen++
		}
		if birth <= r.PeakState && death > r.PeakState {
			site.AtOwnPeak += size
		}
	}
	slices.SortFunc(r.Sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.AtPeak, a.AtPeak), cmp.Compare(b.AtOwnPeak, a.AtOwnPeak),
			cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.First, b.First))
	})
	return nil
}
