package search

import (
	"cmp"
	"context"
	"math/bits"
	"slices"
	"sort"
	"sync"

	"strata/layout"
	"strata/snapshot"
)

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
func (r *Result) Column(axis layout.Axis, x0, x1 float64) int64 {
	t := r.Timeline
	n := len(t.Actions)
	if x1 <= 0 || x0 >= t.Extent(axis) || n == 0 {
		return 0
	}
	x0 = max(x0, 0)
	if axis == layout.Time {
		lo := sort.Search(n, func(a int) bool { return float64(t.TimeOf(a)) >= x0 })
		hi := lo + sort.Search(n-lo, func(a int) bool { return float64(t.TimeOf(lo+a)) >= x1 })
		if lo < hi && x0 > 0 && float64(t.TimeOf(lo)) == x0 {
			lo++
		}
		return r.Max(int32(lo), int32(hi))
	}
	a0 := max(0, sort.Search(n, func(a int) bool { return float64(t.Timestep[a]) > x0 })-1)
	a1 := max(a0, sort.Search(n, func(a int) bool { return float64(t.Timestep[a]) >= x1 })-1)
	first := r.At(shown(t, a0))
	if since := x0 - float64(t.Timestep[a0]) - 1; since >= 0 && t.Actions[a0] < 0 {
		// The column begins in a slide: what is freed has closed that far.
		m := layout.Moment{Step: int32(a0), Slide: 1 + uint32(since/float64(t.Timestep[a0+1]-t.Timestep[a0]-1)*65536)}
		if gone, down := t.Sliding(m); r.Matches.Has(gone) {
			first -= down
		}
	}
	if a1 == a0 {
		return first
	}
	return max(first, r.Max(shown(t, a0+1), shown(t, a1)))
}

// shown is the state that counts while an action lasts: the one an alloc leads to, the one a free starts from.
func shown(t *layout.Timeline, a int) int32 {
	if t.Actions[a] >= 0 {
		return int32(a) + 1
	}
	return int32(a)
}

// inParts has f look at [0, n) in parts, at the same time where that pays, and returns how many there are. Parts
// begin at multiples of 64.
func inParts(n int, f func(part, from, to int)) int {
	if n < 4*every {
		f(0, 0, n)
		return 1
	}
	var wg sync.WaitGroup
	length := (n/workers + 63) &^ 63
	for part := range workers {
		wg.Go(func() { f(part, min(n, part*length), min(n, (part+1)*length)) })
	}
	wg.Wait()
	return workers
}

// A partial is what one part of the actions adds up to.
type partial struct {
	count     int   // of matches' actions
	sum       int64 // bytes
	peak      int64 // the most of the sum on the way, at least 0
	peakState int32
	begin     int // its entries in Result.states
}

// sum works out the totals over time and the sites.
func (r *Result) sum(ctx context.Context, s *Searcher) error {
	t := r.Timeline
	if r.Count == len(t.Size) {
		r.totals, r.maxima, r.PeakBytes, r.PeakState = t.Total, t.Highest(), t.PeakBytes, t.PeakState
		return r.sites(ctx, s)
	}
	var total int64
	for id := r.Matches.Next(0); id != layout.None; id = r.Matches.Next(id + 1) {
		if t.Birth[id] == 0 {
			total += t.Size[id]
		}
	}
	var parts [workers]partial
	n := inParts(len(t.Actions), func(part, from, to int) {
		count := 0
		for _, x := range t.Actions[from:to] {
			id := max(x, ^x)
			count += int(r.Matches[id>>6] >> (id & 63) & 1)
		}
		parts[part].count = count
	})
	at := 1
	for i := range parts[:n] {
		parts[i].begin = at
		at += parts[i].count
	}
	r.states, r.totals = make([]int32, at), make([]int64, at)
	r.totals[0], r.PeakBytes = total, total
	inParts(len(t.Actions), func(part, from, to int) { r.add(ctx, &parts[part], from, to) })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i := range parts[:n] {
		p := &parts[i]
		if total+p.peak > r.PeakBytes {
			r.PeakBytes, r.PeakState = total+p.peak, p.peakState
		}
		if total != 0 {
			for k := range r.totals[p.begin : p.begin+p.count] {
				r.totals[p.begin+k] += total
			}
		}
		total += p.sum
	}
	r.maxima = layout.NewMaxima(r.totals)
	return r.sites(ctx, s)
}

// add sums up the actions from one to another, from 0 on.
func (r *Result) add(ctx context.Context, p *partial, from, to int) {
	t, at := r.Timeline, p.begin
	for ; from < to; from += every {
		if ctx.Err() != nil {
			return
		}
		for i, x := range t.Actions[from:min(to, from+every)] {
			id := max(x, ^x)
			if r.Matches[id>>6]>>(id&63)&1 == 0 {
				continue
			}
			state := int32(from+i) + 1
			if x < 0 {
				p.sum -= t.Size[id]
			} else if p.sum += t.Size[id]; p.sum > p.peak {
				p.peak, p.peakState = p.sum, state
			}
			r.states[at], r.totals[at] = state, p.sum
			at++
		}
	}
}

// sites adds up the matches of each line of code.
func (r *Result) sites(ctx context.Context, s *Searcher) error {
	stacks := s.stacksOf()
	var parts [workers][]Site
	n := inParts(len(r.Timeline.Size), func(part, from, to int) { parts[part] = r.sitesOf(ctx, stacks, from, to) })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.Sites = parts[0]
	if n > 1 {
		place := make(map[uint64]int, len(r.Sites))
		for i := range r.Sites {
			place[r.Sites[i].key()] = i
		}
		for _, more := range parts[1:] {
			for _, x := range more {
				if i, there := place[x.key()]; there {
					r.Sites[i].join(&x)
				} else {
					place[x.key()] = len(r.Sites)
					r.Sites = append(r.Sites, x)
				}
			}
		}
	}
	slices.SortFunc(r.Sites, func(a, b Site) int {
		return cmp.Or(cmp.Compare(b.AtPeak, a.AtPeak), cmp.Compare(b.AtOwnPeak, a.AtOwnPeak), cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.First, b.First))
	})
	return nil
}

// key tells sites apart.
func (s *Site) key() uint64 {
	k := uint64(s.Frame) << 1
	if s.Freed {
		k++
	}
	return k
}

// join adds what another part of the allocations has of the site.
func (s *Site) join(x *Site) {
	s.Count += x.Count
	s.Bytes += x.Bytes
	s.AtPeak += x.AtPeak
	s.AtOwnPeak += x.AtOwnPeak
}

// sitesOf adds up the matches among the allocations from one to another, a multiple of 64 the first.
func (r *Result) sitesOf(ctx context.Context, stacks []snapshot.StackID, from, to int) (sites []Site) {
	t := r.Timeline
	frames := t.Snapshot.Stacks.Site
	place := make([]int32, 2*len(t.Snapshot.Frames.Name)) // in sites, + 1
	peak, own := t.PeakState, r.PeakState
	for ; from < to; from += 64 {
		if from%every == 0 && ctx.Err() != nil {
			return nil
		}
		for w := r.Matches[from>>6]; w != 0; w &= w - 1 {
			id := layout.ID(from + bits.TrailingZeros64(w))
			f := frames[stacks[id]]
			freed := f != 0 && t.Origin[id] >= 0 && t.Origin[id] == t.Freed[id]
			key := 2 * int(f)
			if freed {
				key++
			}
			if place[key] == 0 {
				sites = append(sites, Site{Frame: f, Freed: freed, First: id})
				place[key] = int32(len(sites))
			}
			s, size := &sites[place[key]-1], t.Size[id]
			s.Count++
			s.Bytes += size
			birth, death := t.Birth[id], t.Death[id]
			if birth <= peak && death > peak {
				s.AtPeak += size
			}
			if birth <= own && death > own {
				s.AtOwnPeak += size
			}
		}
	}
	return sites
}
