package query

import (
	"sync"

	"strata/layout"
	"strata/snapshot"
)

// span is an annotation from its START to its END, as a query sees it.
type span struct {
	name       string
	start, end int64 // µs since the epoch, or null
	depth      int64
}

func (db *DB) annotations() *table {
	t := &table{name: "annotations", doc: "stretches of the run that the program or PyTorch named", guess: len(db.s.Annotations)/2 + 1, cols: []column{
		deviceColumn,
		{name: "annotation", doc: "its place among the device's", number: true},
		{name: "name", doc: "as given", text: func(int64) string { return "" }},
		{name: "start_us", doc: "microseconds since 1970; NULL: only its end is known"},
		{name: "end_us", doc: "NULL: it never ended"},
		{name: "depth", doc: "0 is the outermost", lowCardinality: true},
	}}
	// Annotations of devices that have nothing else are kept, too.
	devices := map[int32]bool{}
	var numbers []int64
	for _, l := range db.lanes {
		devices[int32(l.d.Index)] = true
		numbers = append(numbers, int64(l.d.Index))
	}
	for _, a := range db.s.Annotations {
		if !devices[a.Device] {
			devices[a.Device] = true
			numbers = append(numbers, int64(a.Device))
		}
	}
	var all []span
	base := map[int64]int{}
	count := map[int64]int{}
	load := sync.OnceFunc(func() {
		for _, n := range numbers {
			base[n] = len(all)
			all = append(all, db.spans(n)...)
			count[n] = len(all) - base[n]
		}
	})
	t.cols[2].text = func(i int64) string { return all[i].name }
	for _, n := range numbers {
		p := &part{device: n}
		p.make = func() (int, []loader) {
			load()
			of := func(f func(s *span) int64) loader {
				return each(func(i int) int64 { return f(&all[base[n]+i]) })
			}
			return count[n], []loader{
				constant(n), number,
				each(func(i int) int64 { return int64(base[n] + i) }),
				of(func(s *span) int64 { return s.start }),
				of(func(s *span) int64 { return s.end }),
				of(func(s *span) int64 { return s.depth }),
			}
		}
		t.parts = append(t.parts, p)
	}
	return t
}

// spans is the annotations of a device, paired.
func (db *DB) spans(device int64) (out []span) {
	var t *layout.Timeline
	var phases *layout.Phases
	for _, l := range db.lanes {
		if int64(l.d.Index) == device && l.timeline(db.s).HasTime() {
			t, phases = l.timeline(db.s), l.phases()
		}
	}
	if t == nil {
		// The device has no trace, or one without times: its annotations alone make the axis.
		d := snapshot.Device{Index: int(device)}
		for _, a := range db.s.Annotations {
			if int64(a.Device) == device {
				d.Events.Time = append(d.Events.Time, a.Time)
				d.Events.Action = append(d.Events.Action, snapshot.ActionOther)
			}
		}
		t = layout.New(db.s, &d, layout.Options{})
		phases = layout.NewPhases(t, nil)
	}
	for _, p := range phases.All {
		s := span{p.Name, t.Start + p.Start, t.Start + p.End, int64(p.Depth)}
		if p.Instant {
			s.start = null
		}
		if p.Open {
			s.end = null
		}
		out = append(out, s)
	}
	return out
}
