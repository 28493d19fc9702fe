package state

import "math"

// Fits is what the free ranges of a state could do for a request.
type Fits struct {
	Asked  int64       // bytes, rounded
	Needed int64       // bytes of the segment that the driver is asked for where no range serves
	Serve  []FreeRange // each could serve the request
	// Bytes of free ranges that could not: they are too small, lie in segments for requests of other sizes, or are held
	// back by max_split_size.
	Small, Kind, Split int64
}

// Fits tells which free ranges could serve a request of some bytes. It asks only segments that within accepts: those of
// the pool and stream of the request, as no others do.
func (s *State) Fits(bytes int64, within func(PoolKey) bool) Fits {
	set := &s.History.settings
	// No request is larger; rounding up may not overflow.
	bytes = min(max(bytes, 1), math.MaxInt64/4)
	f := Fits{Asked: set.Rounded(bytes)}
	if f.Needed = set.Segment(f.Asked); set.Expandable {
		f.Needed = set.Pages(f.Asked)
	}
	for i := range s.Segments {
		g := &s.Segments[i]
		if !within(PoolKey{g.Pool, g.Stream}) {
			continue
		}
		if g.Large != (f.Asked > mib) {
			f.Kind += g.Free
			continue
		}
		for id, free := range s.Within(g) {
			switch {
			case id >= 0:
			case free.Size < f.Asked:
				f.Small += free.Size
			case !set.serves(f.Asked, free.Size):
				f.Split += free.Size
			default:
				f.Serve = append(f.Serve, free)
			}
		}
	}
	return f
}
