package state

import (
	"path/filepath"
	"slices"
	"testing"

	"strata/layout"
)

// TestOccupancy: right after an alloc, what lies in each segment along the axis is what the state has, its holes are
// the state's free ranges, and they last from the state that first has them to the one that no longer does.
func TestOccupancy(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/*/*.pickle")
	more, _ := filepath.Glob(filepath.Join(shared, "snapshots/alloc-*.pickle"))
	holes := 0
	for _, file := range append(files, more...) {
		s := open(t, file)
		for i := range s.Devices {
			h, tl := New(s, &s.Devices[i]), layout.New(s, &s.Devices[i], layout.Options{})
			if h.Anomalies == (Anomalies{}) && tl.Anomalies == (layout.Anomalies{}) {
				holes += checkOccupancy(t, file, h, tl)
			}
		}
	}
	if holes == 0 {
		t.Error("no hole was found")
	}
}

func checkOccupancy(t *testing.T, file string, h *History, tl *layout.Timeline) (holes int) {
	t.Helper()
	ids := h.IDs(tl)
	made := map[int32]*Occupancy{}
	for step := 1; step <= len(tl.Actions); step += 1 + len(tl.Actions)/40 {
		if tl.Actions[step-1] < 0 {
			continue
		}
		x, k := tl.X(layout.Events, int32(step))+.5, h.After(int(tl.EventOf(int32(step))))
		at := h.At(k)
		for i := range at.Segments {
			g := &at.Segments[i]
			o := made[g.Life]
			if o == nil {
				o = NewOccupancy(h, tl, ids, layout.Events, g.Life)
				made[g.Life] = o
			}
			var got []int32
			for i := range o.Within(x, x+.1) {
				if b := h.Block(o.Blocks[i]); b.Addr-g.Addr < uint64(g.Size) {
					got = append(got, o.Blocks[i])
				}
			}
			for _, id := range got {
				life, in := h.LifeOf(id)
				if made[life] == nil {
					made[life] = NewOccupancy(h, tl, ids, layout.Events, life)
				}
				if !in || !slices.Contains(made[life].Blocks, id) {
					t.Fatalf("%s: block %d did not lie where it was made", file, id)
				}
			}
			slices.SortFunc(got, func(a, b int32) int { return int(int64(h.Block(a).Addr - h.Block(b).Addr)) })
			if want := at.Blocks[g.First:g.End]; !slices.Equal(got, want) {
				t.Fatalf("%s, state %d, segment %d: blocks %v, want %v", file, k, i, got, want)
			}
			for id, free := range at.Within(g) {
				hole, is := o.Hole(x, free.Addr+uint64(free.Size/2))
				if id >= 0 {
					continue
				}
				if holes++; !is || hole.FreeRange != free {
					t.Fatalf("%s, state %d: hole %+v, want %+v", file, k, hole, free)
				}
				checkHole(t, file, h, g.Life, &hole)
			}
		}
	}
	return holes
}

// checkHole holds a hole against the states at its ends.
func checkHole(t *testing.T, file string, h *History, life int32, hole *Hole) {
	t.Helper()
	has := func(k int32) bool {
		at := h.At(int(k))
		for i := range at.Segments {
			for id, free := range at.Within(&at.Segments[i]) {
				if id < 0 && free == hole.FreeRange && at.Segments[i].Life == life {
					return true
				}
			}
		}
		return false
	}
	last := min(int(hole.To), h.Len()) - 1
	if !has(hole.From) || hole.From >= 0 && has(hole.From-1) || !has(int32(last)) ||
		hole.To != Never && has(hole.To) {
		t.Fatalf("%s: %+v does not last as it says", file, hole)
	}
	maker := hole.Maker >= 0 && (hole.Freed && h.Block(hole.Maker).Died == hole.From ||
		!hole.Freed && h.Block(hole.Maker).Born == hole.From)
	ender := hole.Ender >= 0 && (hole.Taken && h.Block(hole.Ender).Born == hole.To ||
		!hole.Taken && h.Block(hole.Ender).Died == hole.To)
	if hole.Maker >= 0 && !maker || hole.Ender >= 0 && !ender {
		t.Fatalf("%s: %+v: others made and ended it", file, hole)
	}
}
