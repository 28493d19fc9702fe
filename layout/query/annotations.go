package query

import (
	"slices"

	"strata/layout"
	"strata/snapshot"
)

func (db *DB) annotations() *TableInfo {
	guess := func(*snapshot.Device) int { return len(db.s.Annotations)/2 + 1 }
	columns := func(l *lane) (int, []ColumnInfo) {
		t, phases := l.timeline(), l.phases()
		if !t.HasTime() {
			// There is no trace, or one without times: the annotations alone make the axis.
			d := snapshot.Device{Index: l.d.Index}
			for _, a := range db.s.Annotations {
				if int(a.Device) == d.Index {
					d.Events.Time = append(d.Events.Time, a.Time)
					d.Events.Action = append(d.Events.Action, snapshot.ActionOther)
				}
			}
			t = layout.New(db.s, &d, layout.Options{})
			phases = layout.AllPhases(t)
		}
		n := len(phases.All)
		if n > 0 && phases.All[0].Device != l.d.Index {
			n = 0 // they are another's, and are told with it
		}
		of := func(f func(p *layout.Phase) int64) loader {
			return func(i int) int64 { return f(&phases.All[i]) }
		}
		unless := func(unknown bool, us int64) int64 {
			if unknown {
				return null
			}
			return t.Start + us
		}
		return n, []ColumnInfo{
			{Name: "annotation", Doc: "its place among the device's", number: true},
			{Name: "name", Doc: "as given", text: db.str,
				load: of(func(p *layout.Phase) int64 { return int64(p.Label) })},
			{Name: "start_us", Doc: "microseconds since 1970; NULL: only its end is known",
				load: of(func(p *layout.Phase) int64 { return unless(p.Instant, p.Start) })},
			{Name: "end_us", Doc: "NULL: it never ended",
				load: of(func(p *layout.Phase) int64 { return unless(p.Open, p.End) })},
			{Name: "depth", Doc: "0 is the outermost", lowCardinality: true,
				load: of(func(p *layout.Phase) int64 { return int64(p.Depth) })},
		}
	}
	t := db.perDevice("annotations", "stretches of the run that the program or PyTorch named", guess, columns)
	// Annotations of devices that have nothing else are kept, too.
	for _, a := range db.s.Annotations {
		if !slices.ContainsFunc(t.parts, func(p *part) bool { return p.lane.d.Index == int(a.Device) }) {
			t.addDevice(db.newLane(&snapshot.Device{Index: int(a.Device)}, nil), columns)
		}
	}
	return t
}
