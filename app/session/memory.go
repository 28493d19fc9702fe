package session

import (
	"context"
	"runtime/debug"
	"slices"
	"time"

	"strata/snapshot"
	"strata/widgets/describe"
)

// Files are loaded before they are shown while all documents take no more than a part of the machine's memory.
const (
	budgetPart    = 4       // one part in so many
	unknownMemory = 8 << 30 // bytes, if the system does not tell
)

// memoryBudget returns how many bytes all documents may take on a machine with so much memory, 0 for unknown.
func memoryBudget(physical int64) int64 {
	if physical <= 0 {
		physical = unknownMemory
	}
	return physical / budgetPart
}

// What documents take, in bytes: the columns of an event and of a block, and the overviews, each a picture and a map,
// on both axes.
const (
	perEvent     = 1 + 8 + 8 + 4 + 8 + 4
	perBlock     = 8 + 8 + 8 + 1 + 4
	perOverviews = 8 << 20
)

// snapshotBytes estimates the memory of a snapshot.
func snapshotBytes(s *snapshot.Snapshot) int64 {
	n := int64(4 * (len(s.Stacks.Start) + len(s.Stacks.Frame) + len(s.Stacks.Site)))
	n += int64(12*len(s.Frames.Name) + 32*len(s.Metas))
	for _, text := range s.Strings {
		n += 16 + int64(len(text))
	}
	for _, d := range s.All() {
		n += int64(d.Events.Len()*perEvent + d.Blocks.Len()*perBlock + 4*len(d.Events.Meta) + 96*len(d.Segments))
	}
	return n
}

// How much memory a file takes for its size, and how much compression shrinks it; both err on the side of more.
const (
	columnsPart  = 2 // a half
	compressedBy = 10
)

// estimate returns how much memory the file will take once it is loaded, in bytes.
func (s *Session) estimate() int64 {
	n := s.stamp.Size
	if s.stamp.Compressed {
		n *= compressedBy
	}
	return n/columnsPart + perOverviews
}

// memory returns how much of the budget the session takes now, in bytes.
func (s *Session) memory() int64 {
	switch {
	case s.Doc != nil:
		n := s.Doc.bytes
		if a := &s.allocator; a.of == s.Timeline() && a.held != nil {
			n += a.held.History.Bytes() + 4*int64(len(a.held.IDs))
		}
		return n
	case s.Loading != nil:
		return s.estimate()
	}
	return 0
}

func (all *Sessions) memory() int64 {
	var n int64
	for _, s := range all.All {
		n += s.memory()
	}
	return n
}

// LoadAhead loads files that have not been shown yet, one at a time, while they fit the budget. It is cheap when there
// is nothing to do.
func (all *Sessions) LoadAhead() {
	if len(all.All) == 1 {
		return
	}
	if slices.ContainsFunc(all.All, func(s *Session) bool { return s.Loading != nil }) {
		return
	}
	room := all.Budget - all.memory()
	for _, s := range all.All {
		if s.State() == describe.Waiting && s.known && !s.evicted && s.estimate() <= room {
			s.Load()
			return
		}
	}
}

// makeRoom unloads the documents that were not shown for the longest time until the rest fits the budget. The active
// one stays, whatever it takes.
func (all *Sessions) makeRoom() {
	for all.memory() > all.Budget {
		var oldest *Session
		for _, s := range all.All {
			if s != all.Active && s.Doc != nil && !s.busy() && (oldest == nil || s.looked < oldest.looked) {
				oldest = s
			}
		}
		if oldest == nil {
			return
		}
		oldest.evicted = true
		oldest.unload()
	}
}

// busy reports whether there is work for the session that the user waits for.
func (s *Session) busy() bool { return s.Loading != nil || s.staging != nil || s.SQL.run != nil }

// freeAfter is how long freeMemory waits: several sessions may be closed together, and their goroutines must end.
const freeAfter = 300 * time.Millisecond

// freeMemory soon returns unused memory to the system.
func (all *Sessions) freeMemory() {
	if all.freeing {
		return
	}
	all.freeing = true
	all.Background.Go(func(ctx context.Context) func() {
		select {
		case <-time.After(freeAfter):
		case <-ctx.Done():
			return nil
		}
		all.Background.Post(func() { all.freeing = false })
		debug.FreeOSMemory()
		return nil
	})
}
