package state

import (
	"path/filepath"
	"testing"
)

// TestFitsAsAtFailures: for a request that failed, the ranges of its pool and stream are judged as OOM judges them, and
// over all pools each free byte is counted once.
func TestFitsAsAtFailures(t *testing.T) {
	files, _ := filepath.Glob("../../testdata/reference/*.pickle")
	more, _ := filepath.Glob(filepath.Join(shared, "snapshots/alloc-*.pickle"))
	failures := 0
	for _, file := range append(files, more...) {
		s := open(t, file)
		for i := range s.Devices {
			h := New(s, &s.Devices[i])
			for k := range h.Len() {
				if o := h.At(k).OOM(); o != nil {
					failures++
					checkFits(t, file, o)
				}
			}
		}
	}
	if failures == 0 {
		t.Error("no request failed")
	}
}

func checkFits(t *testing.T, file string, o *OOM) {
	t.Helper()
	own := o.State.Fits(o.Asked, func(p PoolKey) bool {
		return o.Group(&Segment{Range: Range{Pool: p.Pool, Stream: p.Stream, Large: o.Large()}}) == Usable
	})
	var bytes, largest int64
	for _, r := range own.Serve {
		bytes += r.Size
		largest = max(largest, r.Size)
	}
	needed := o.Needed
	if set := o.State.History.Settings(); set.Expandable {
		needed = set.Pages(o.Asked)
	}
	if usable := o.Room[Usable].Bytes; largest != o.Fitting || own.Needed != needed || own.Asked != o.Asked ||
		bytes+own.Small+own.Split != usable {
		t.Errorf("%s, event %d: %d bytes of %d serve, %+v", file, o.Event, bytes, usable, own)
	}
	all := o.State.Fits(o.Asked, func(PoolKey) bool { return true })
	sum := all.Small + all.Split + all.Kind
	for _, r := range all.Serve {
		sum += r.Size
	}
	if sum != o.State.Totals.Free {
		t.Errorf("%s, event %d: %d bytes are free, want %d", file, o.Event, sum, o.State.Totals.Free)
	}
}
