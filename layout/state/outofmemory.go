package state

import (
	"cmp"
	"slices"

	"strata/snapshot"
)

// Group says why a free range was of no use to a request.
type Group uint8

// The groups, by the first thing that a range differs in from what the request could use.
const (
	Usable      Group = iota
	OtherStream       // ranges are never handed from one stream to another
	OtherKind         // small segments serve requests up to 1 MiB only, large ones all others
	OtherPool         // pools of CUDA graphs and of the user keep their room while they live
	Groups
)

// Room is free memory of a group.
type Room struct {
	Bytes   int64
	Largest int64 // the largest range
	Ranges  []FreeRange
}

// An OOM is what the allocator had when a request failed.
type OOM struct {
	State  *State
	Event  int   // index in Device.Events
	Asked  int64 // bytes, rounded
	Needed int64 // bytes that the driver was asked for at most
	Free   int64 // bytes that the driver had
	Stream snapshot.StreamID
	Pool   snapshot.PoolID // 0: not recorded, taken for the default pool
	Room   [Groups]Room
	Pinned []Segment // kept by their blocks though at least half is free; most free bytes first
	// the largest usable range that is large enough but that max_split_size forbids, 0 if there is none
	Forbidden int64
	Fitting   int64 // the largest that nothing forbids, 0 if there is none
}

// OOM returns what the allocator had in the state, nil if no request failed in its event.
func (s *State) OOM() *OOM {
	h := s.History
	if h.Action(s.K) != snapshot.ActionOOM {
		return nil
	}
	i, ev := h.Event(s.K), &h.Device.Events
	o := &OOM{State: s, Event: i, Asked: ev.Size[i], Free: int64(min(ev.Addr[i], 1<<62)), Stream: ev.Stream[i]}
	if ev.Meta != nil {
		o.Pool = h.Snapshot.Metas[ev.Meta[i]].Pool
	}
	o.Needed = h.settings.Segment(o.Asked)
	for j := range s.Segments {
		g := &s.Segments[j]
		room := &o.Room[o.Group(g)]
		for id, free := range s.Within(g) {
			if id < 0 {
				room.Bytes += free.Size
				room.Largest = max(room.Largest, free.Size)
				room.Ranges = append(room.Ranges, free)
			}
		}
		if g.End > g.First && 2*g.Free >= g.Size {
			o.Pinned = append(o.Pinned, *g)
		}
	}
	slices.SortStableFunc(o.Pinned, func(a, b Segment) int {
		return cmp.Or(cmp.Compare(b.Free, a.Free), cmp.Compare(a.Addr, b.Addr))
	})
	for _, free := range o.Room[Usable].Ranges {
		switch {
		case free.Size < o.Asked:
		case h.settings.serves(o.Asked, free.Size):
			o.Fitting = max(o.Fitting, free.Size)
		default:
			o.Forbidden = max(o.Forbidden, free.Size)
		}
	}
	return o
}

// Large reports whether the request is for large segments.
func (o *OOM) Large() bool { return o.Asked > mib }

// Group is what keeps a segment's room from the request.
func (o *OOM) Group(g *Segment) Group {
	pool := func(p snapshot.PoolID) snapshot.Pool {
		if int(p) >= len(o.State.History.Snapshot.Pools) {
			return snapshot.Pool{}
		}
		return o.State.History.Snapshot.Pools[p] // of 0, not recorded, the default one
	}
	switch {
	case pool(g.Pool) != pool(o.Pool):
		return OtherPool
	case g.Large != o.Large():
		return OtherKind
	case g.Stream != o.Stream:
		return OtherStream
	}
	return Usable
}

// serves reports whether max_split_size lets a request take a free range that is large enough.
func (s *Settings) serves(asked, free int64) bool {
	if asked < s.MaxSplit {
		return free < s.MaxSplit
	}
	return free < asked+s.NonSplit
}
