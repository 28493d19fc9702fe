// Package allocator draws what PyTorch's caching allocator held in one state: a bar of totals, and below it a strip for
// each segment with its blocks and the free ranges between them.
package allocator

import (
	"cmp"
	"slices"

	"strata/layout/state"
)

// An Order is how segments follow one another.
type Order uint8

// The orders.
const (
	ByFree    Order = iota // most free bytes first: what a segment costs
	BySize                 // largest first
	ByAddress              // as they lie
	ByAge                  // oldest first
)

var orderNames = [...]string{"most free first", "largest first", "by address", "oldest first"}

// String is the order in words.
func (o Order) String() string { return orderNames[o] }

// Orders returns all orders.
func Orders() []Order { return []Order{ByFree, BySize, ByAddress, ByAge} }

// Choice says which segments are shown, and how.
type Choice struct {
	Order Order
	Split bool // by pool and stream, each under a heading with its totals
	Fit   bool // each as wide as all; else all have one scale
	// Only is the pool and stream that is shown alone, if Alone.
	Only  state.PoolKey
	Alone bool
}

// A Row is a line of the page: a segment or, where Segment is -1, the heading of what shares a pool and a stream.
type Row struct {
	Segment int
	Pool    state.PoolTotals
}

// Rows lists what a choice shows of a state.
func Rows(s *state.State, c Choice) []Row {
	var rows []Row
	pools := s.Pools()
	of := map[state.PoolKey][]Row{}
	for i := range s.Segments {
		g := &s.Segments[i]
		key := state.PoolKey{Pool: g.Pool, Stream: g.Stream}
		if c.Alone && c.Only != key {
			continue
		}
		if !c.Split {
			key = state.PoolKey{}
		}
		of[key] = append(of[key], Row{Segment: i})
	}
	order := func(a, b Row) int {
		x, y := &s.Segments[a.Segment], &s.Segments[b.Segment]
		by := 0
		switch c.Order {
		case ByFree:
			by = cmp.Compare(y.Free, x.Free)
		case BySize:
			by = cmp.Compare(y.Size, x.Size)
		case ByAge:
			by = cmp.Compare(x.Since, y.Since)
		}
		return cmp.Or(by, cmp.Compare(x.Addr, y.Addr))
	}
	if !c.Split {
		pools = []state.PoolTotals{{}}
	}
	for _, p := range pools {
		own := of[p.PoolKey]
		if len(own) == 0 {
			continue
		}
		if c.Split {
			rows = append(rows, Row{Segment: -1, Pool: p})
		}
		slices.SortStableFunc(own, order)
		rows = append(rows, own...)
	}
	return rows
}

// Keep orders rows as they were before, as far as their segments are still there; new ones come last. Rows that jump
// while one moves through the run cannot be read.
func Keep(s *state.State, rows []Row, before map[int32]int) {
	if len(before) == 0 || slices.ContainsFunc(rows, func(r Row) bool { return r.Segment < 0 }) {
		return
	}
	place := func(r Row) int {
		if at, is := before[s.Segments[r.Segment].Life]; is {
			return at
		}
		return len(before)
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return place(a) - place(b) })
}

// Places tells where the segment of each life stands among rows.
func Places(s *state.State, rows []Row) map[int32]int {
	at := make(map[int32]int, len(rows))
	for i, r := range rows {
		if r.Segment >= 0 {
			at[s.Segments[r.Segment].Life] = i
		}
	}
	return at
}

// Ranges are free ranges.
type Ranges struct{ first map[uint64]bool }

// NewRanges returns the ranges of a list.
func NewRanges(list []state.FreeRange) *Ranges {
	r := &Ranges{map[uint64]bool{}}
	for _, f := range list {
		r.first[f.Addr] = true
	}
	return r
}
