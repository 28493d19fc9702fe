package layout

import (
	"fmt"

	"strata/layout/units"
	"strata/snapshot"
)

// Findings is what pairing has to say about the device's trace, gravest first: what a reader of the picture must
// know and the file alone does not tell. The IDs are stable.
func (t *Timeline) Findings() []snapshot.Finding {
	var out []snapshot.Finding
	add := func(n int, f snapshot.Finding) {
		if n > 0 {
			f.Count, f.Offset, f.Advice = int64(n), -1, t.Snapshot.Source.Advise(f.Advice)
			out = append(out, f)
		}
	}
	one, many := "allocation", "allocations"
	if t.Options.Mode == Segments {
		one, many = "segment", "segments"
	}
	if t.Nothing() != "" {
		add(1, snapshot.Finding{ID: "nothing-allocated", Severity: snapshot.Notice, Title: "nothing allocated",
			Explain: t.Nothing(),
			Advice:  "Record in the process that uses the GPU, around the part that allocates."})
	}
	a := &t.Anomalies
	add(a.DoubleAllocs, snapshot.Finding{ID: "double-allocs", Severity: snapshot.Warning,
		Title: "frees are missing",
		Explain: fmt.Sprintf("%s handed out an address that was still in use, so %s ended there: the trace lost the "+
			"%s.",
			units.Plural(a.DoubleAllocs, "alloc"), pick(a.DoubleAllocs, "the earlier "+one, "the earlier "+many),
			pick(a.DoubleAllocs, "free", "frees"))})
	if reserved := t.reservedAtStart(); a.LostAllocs > 0 || t.StartBytes > reserved && reserved > 0 {
		add(max(1, a.LostAllocs), snapshot.Finding{ID: "allocs-not-recorded", Severity: snapshot.Warning,
			Title: "allocs are missing",
			Explain: fmt.Sprintf("Allocs were not recorded: what has a free alone would make %s live at the start, "+
				"more than an address can hold or than the %s that were reserved, so figures before the frees "+
				"are upper "+
				"bounds.", units.Bytes(t.StartBytes), units.Bytes(reserved)),
			Advice: "If it was recorded with skip_actions, leave alloc out of them."})
	}
	add(a.Oversized, snapshot.Finding{ID: "oversized-skipped", Severity: snapshot.Warning,
		Title: "impossible sizes",
		Explain: fmt.Sprintf("%s so large that no machine has that memory; %s left out.",
			units.Plural(a.Oversized, "size")+pick(a.Oversized, " is", " are"),
			pick(a.Oversized, "it was", "they were"))})
	if a.RequestFrees {
		add(1, snapshot.Finding{ID: "completions-skipped", Severity: snapshot.Notice,
			Title: "free requests only",
			Explain: "The trace holds requests to free but no completions, so an allocation ends where its free was " +
				"requested; memory still used by another stream was held longer than shown.",
			Advice: "If it was recorded with skip_actions, leave free_completed out of them."})
	}
	if n := t.Device.Events.Len(); isRound(n) && t.Unmatched+t.Before > 0 && !t.Device.Overflowed {
		add(n, snapshot.Finding{ID: "ring-full", Severity: snapshot.Notice, Title: "ring probably full",
			Explain: fmt.Sprintf("The trace has exactly %s and begins while memory is in use: the ring was "+
				"probably full, "+
				"older ones are lost.", units.Plural(n, "event")),
			Advice: "Record with a larger max_entries, or dump earlier."})
	}
	if t.Snapshot.IsTrace() { // the reader has told of what was there before
		return out
	}
	add(t.Unmatched, snapshot.Finding{ID: "unmatched-frees", Severity: snapshot.Notice,
		Title: "frees without alloc",
		Explain: fmt.Sprintf("%s (%s) freed something the trace does not allocate: it was live before the first "+
			"event, and where it was allocated is not known.",
			units.Plural(t.Unmatched, "free"), units.Bytes(t.UnmatchedBytes)),
		Advice: "Start recording before the model is built: " +
			"torch.cuda.memory._record_memory_history(max_entries=…), with max_entries large enough " +
			"for the whole run."})
	waiting := ""
	if t.PendingBytes > 0 {
		waiting = fmt.Sprintf(" %s of what is live at the end wait to be freed.", units.Bytes(t.PendingBytes))
	}
	add(t.Before, snapshot.Finding{ID: "blocks-before-recording", Severity: snapshot.Info,
		Title: "live without an event",
		Explain: fmt.Sprintf("%s (%s) live at the end %s no event in the trace: from before the first one, so when "+
			"and, without a stack, where is not known.",
			units.Plural(t.Before, one), units.Bytes(t.BeforeBytes), pick(t.Before, "has", "have")) + waiting,
		Advice: "Start recording before the model is built to see who made them."})
	return out
}

// isRound reports whether somebody would have chosen a number: 10,000, 200,000, 65,536.
func isRound(n int) bool {
	if n < 1000 {
		return false
	}
	power := n&(n-1) == 0
	for n%10 == 0 {
		n /= 10
	}
	return power || n < 10
}

// reservedAtStart is the bytes of all segments before the first event: those of the end, undone event by event.
func (t *Timeline) reservedAtStart() (bytes int64) {
	bytes = t.Device.Reserved()
	ev := &t.Device.Events
	for i, a := range ev.Action {
		switch a {
		case snapshot.ActionSegmentAlloc, snapshot.ActionSegmentMap:
			bytes -= ev.Size[i]
		case snapshot.ActionSegmentFree, snapshot.ActionSegmentUnmap:
			bytes += ev.Size[i]
		}
	}
	return bytes
}

// Nothing says why there is nothing to draw, "" where there is something.
func (t *Timeline) Nothing() string {
	if len(t.Size) > 0 || t.Banded() {
		return ""
	}
	one := "block"
	if t.Options.Mode == Segments {
		one = "segment"
	}
	n := t.Device.Events.Len()
	if n == 0 {
		return fmt.Sprintf("The trace has no events, and no %s is in use at the end.", one)
	}
	return fmt.Sprintf("The trace has %s, but none that allocates or frees a %s, and none is in use at the end.",
		units.Plural(n, "event"), one)
}

func pick(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
