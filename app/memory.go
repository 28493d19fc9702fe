package app

import (
	"runtime/debug"
	"time"

	"strata/app/platform"
	"strata/layout"
	"strata/snapshot"
	"strata/widgets"
)

// Files are loaded before they are looked at while all that are loaded take no
// more than a part of the machine's memory.
const (
	budgetPart    = 4       // one part in so many
	unknownMemory = 8 << 30 // bytes, where the system does not tell
)

// memoryBudget is how many bytes loaded files may take.
func memoryBudget() int64 {
	n := platform.PhysicalMemory()
	if n <= 0 {
		n = unknownMemory
	}
	return n / budgetPart
}

// What loaded files take, in bytes. The columns of an event, of an allocation
// and of a block are what they are made of; the overview is a picture and a
// map, in both axes.
const (
	perEvent      = 1 + 8 + 8 + 4 + 8 + 4
	perAllocation = 64
	perBlock      = 8 + 8 + 8 + 1 + 4
	perOverviews  = 8 << 20
)

// bytesOf is about what a snapshot takes.
func bytesOf(s *snapshot.Snapshot) int64 {
	n := int64(4 * (len(s.Stacks.Start) + len(s.Stacks.Frame) + len(s.Stacks.Site)))
	n += int64(12*len(s.Frames.Name) + 32*len(s.Metas))
	for _, text := range s.Strings {
		n += 16 + int64(len(text))
	}
	for _, d := range devicesOf(s) {
		n += int64(d.Events.Len()*perEvent + d.Blocks.Len()*perBlock + 4*len(d.Events.Meta) + 96*len(d.Segments))
	}
	return n
}

// bytesOfTimeline is about what a timeline takes, with colours and overviews.
func bytesOfTimeline(t *layout.Timeline) int64 {
	return int64(len(t.Size))*perAllocation + int64(len(t.Actions))*16 + perOverviews
}

// How much of a file is left of it in memory, and how much compression makes
// of it, both more rather than less.
const (
	columnsPart  = 2 // a half
	compressedBy = 10
)

// estimate is about what a file will take once it is loaded.
func (t *tab) estimate() int64 {
	n := t.stamp.size
	if t.stamp.packed {
		n *= compressedBy
	}
	return n/columnsPart + perOverviews
}

// takes is what a tab takes of the budget now.
func (t *tab) takes() int64 {
	switch {
	case t.doc != nil:
		return t.doc.bytes
	case t.loading != nil:
		return t.estimate()
	}
	return 0
}

func (w *window) taken() int64 {
	var n int64
	for _, t := range w.tabs {
		n += t.takes()
	}
	return n
}

// loadAhead loads files that nobody has looked at yet, one at a time, while
// they fit the budget. It is cheap where there is nothing to do.
func (w *window) loadAhead() {
	if len(w.tabs) == 1 {
		return
	}
	for _, t := range w.tabs {
		if t.loading != nil {
			return
		}
	}
	room := w.budget - w.taken()
	for _, t := range w.tabs {
		if t.waiting() && t.known && !t.evicted && t.estimate() <= room {
			w.with(t, w.load)
			return
		}
	}
}

// makeRoom unloads what was not looked at for the longest time until the rest
// fits the budget. What is on screen stays whatever it takes.
func (w *window) makeRoom() {
	for w.taken() > w.budget {
		var oldest *tab
		for _, t := range w.tabs {
			if t != w.active && t.doc != nil && !t.busy() && (oldest == nil || t.looked < oldest.looked) {
				oldest = t
			}
		}
		if oldest == nil {
			return
		}
		oldest.evicted = true
		w.unload(oldest)
	}
}

// busy reports that something works for a tab that the user waits for.
func (t *tab) busy() bool { return t.loading != nil || t.staging != nil || t.asker.run != nil }

// unload lets go of all that is big in a tab. What it needs to come back to
// where the user was stays.
func (w *window) unload(t *tab) {
	w.with(t, func() {
		w.stopStaging()
		if t.loading != nil {
			t.loading.cancel()
			t.loading = nil
		}
		t.find.halt()
		w.closeDatabase()
		t.find = finder{query: t.find.query, wrong: t.find.wrong}
		if t.doc == nil {
			return
		}
		t.kept, t.wantDevice = t.doc.keep(), t.doc.devices[t.doc.stage.device].Index
		w.forget(t.doc.stage.timeline)
		t.doc, t.scene, t.opening = nil, nil, time.Time{}
		t.selection.Hovered = layout.None
		t.shown, t.tip, t.status = widgets.Details{}, widgets.Details{}, widgets.Status{}
		t.shownOf, t.tipOf = detailsKey{}, detailsKey{}
		t.own.letGo()
	})
	w.giveBack()
}

// freeAfter is how long giving memory back waits: several tabs may be closed at
// a time, and what worked for them has to notice.
const freeAfter = 300 * time.Millisecond

// giveBack returns memory that nobody holds any more to the system, soon.
func (w *window) giveBack() {
	if w.freeing {
		return
	}
	w.freeing = true
	w.work.Go(func() {
		select {
		case <-time.After(freeAfter):
		case <-w.ctx.Done():
			return
		}
		w.mail.post(func() { w.freeing = false })
		debug.FreeOSMemory()
	})
}
