package snapshot

import (
	"cmp"
	"fmt"
	"slices"

	"strata/layout/units"
)

// traceFound is what the findings tell about a trace.
type traceFound struct {
	unseen, odd, before, excess int64
	unpaired, python            bool
	mapped, onLive, size        int
}

// traceFindings are what is to be said about a trace, gravest first.
func (d *decoding) traceFindings(s *Snapshot) []Finding {
	if d.npu != nil {
		return d.npuFindings(s)
	}
	f, t, x := &finder{s: s}, d.profile, d.found
	add := func(is bool, id string, sev Severity, title string, count, at int64, advice, explain string, args ...any) {
		if is {
			f.add(id, sev, title, fmt.Sprintf(explain, args...), advice, count, at)
		}
	}
	add(t.Cut, "truncated", Warning, "file cut off", 0, d.raw, "",
		"The trace ends too early, as when the program is killed while it writes. All figures are those of the events "+
			"before: %s.", f.whatThereIs())
	add(t.Skipped > 0, "events-skipped", Warning, "events skipped", int64(t.Skipped), t.FirstBad, "",
		"%d of %d events could not be read and were left out.", t.Skipped, t.Events)
	add(x.unseen > 0, "not-in-events", Warning, "memory without events", 0, -1,
		"Record all threads: torch.profiler.profile(…, "+
			"experimental_config=torch.profiler._ExperimentalConfig(profile_all_threads=True))",
		"Up to %s are in the device's totals but in no event: they came from threads that were not profiled. They are "+
			"shown as a band of their own.", units.Bytes(x.unseen))
	add(x.odd > 0, "frees-unexplained", Warning, "frees of unknown memory", 0, -1, "",
		"%s were freed that neither an event allocated nor a total tells of; they are not drawn.", units.Bytes(x.odd))
	add(x.excess > 0, "frees-unseen", Warning, "frees without events", 0, -1, "",
		"At times the device held up to %s less than what is drawn: something was freed by threads that were not "+
			"profiled, and what is not known.", units.Bytes(x.excess))
	add(x.onLive+x.size > 0, "lost-frees", Warning, "frees were lost", int64(x.onLive+x.size), -1, "",
		"%s at an address that was still in use, and %s of another size than its allocation.",
		units.Plural(x.onLive, "allocation"), units.Plural(x.size, "free"))
	add(x.unpaired, "no-addresses", Notice, "one curve, no blocks", 0, -1, "Record with a newer PyTorch",
		"The events have no addresses that tell which free is of which allocation, as before PyTorch 1.10: only the "+
			"sum is shown.")
	add(t.Relative, "relative-times", Notice, "relative times", 0, -1, "",
		"The file does not say when its times begin, so that they cannot be compared with those of other files.")
	add(x.before > 0, "before-recording", Info, "memory from before", 0, -1, "",
		"%s were allocated before the recording and not freed in it. What asked for them is not in the file.",
		units.Bytes(x.before))
	add(t.Mended > 0, "names-mended", Info, "names mended", int64(t.Mended), -1, "",
		"%d names hold quotes or line breaks as they must not stand in JSON, as PyTorch wrote them until 2026; they "+
			"were mended.", t.Mended)
	add(x.mapped > 0, "mapped-files", Info, "mapped files left out", int64(x.mapped), -1, "",
		"%d events are about files mapped into memory and shared memory, which no total counts; they are not drawn.",
		x.mapped)
	add(!x.python, "no-python", Notice, "no Python frames", 0, -1,
		"Record with torch.profiler.profile(with_stack=True)",
		"The trace has no Python frames: what asked for the memory is told by operators only.")
	add(s.Source.World > 0, "rank", Info, fmt.Sprintf("rank %d of %d", s.Source.Rank, s.Source.World), 0, -1, "",
		"The trace is that of rank %d of %d.", s.Source.Rank, s.Source.World)
	add(true, "profiler-trace", Info, "a trace of torch.profiler", 0, -1,
		"For these, write a snapshot: torch.cuda.memory._dump_snapshot",
		"Sizes are whole blocks, rounded up to 512 bytes. The file does not tell of segments, fragmentation, pools, "+
			"streams, requested sizes and memory outside PyTorch.")
	f.facts()
	slices.SortStableFunc(f.out, func(x, y Finding) int { return cmp.Compare(y.Severity, x.Severity) })
	return f.out
}

// npuFindings are what is to be said about tables of torch_npu's profiler, gravest first.
func (d *decoding) npuFindings(s *Snapshot) []Finding {
	f, t, x := &finder{s: s}, d.npu, d.found
	add := func(is bool, id string, sev Severity, title string, count int64, explain string, args ...any) {
		if is {
			f.add(id, sev, title, fmt.Sprintf(explain, args...), "", count, -1)
		}
	}
	add(t.Skipped > 0, "events-skipped", Warning, "rows skipped", int64(t.Skipped),
		"%s could not be read and were left out.", units.Plural(t.Skipped, "row"))
	add(x.unseen > 0, "not-in-events", Notice, "memory without operators", 0,
		"Up to %s are in the totals of memory_record.csv, but in no row of operator_memory.csv: workspace, and blocks "+
			"that no operator asked for. They are shown as a band of their own.", units.Bytes(x.unseen))
	add(x.odd > 0, "frees-unexplained", Warning, "frees of unknown memory", 0,
		"%s were freed that neither a row allocated nor a total tells of; they are not drawn.", units.Bytes(x.odd))
	add(x.excess > 0, "frees-unseen", Warning, "frees without rows", 0,
		"At times the pool held up to %s less than what is drawn: something was freed that no row tells of.",
		units.Bytes(x.excess))
	add(x.before > 0, "before-recording", Info, "memory from before", 0,
		"%s were allocated before the recording and not freed in it. What asked for them is not in the file.",
		units.Bytes(x.before))
	add(t.Later > 0, "used-by-streams", Info, "used beyond their free", int64(t.Later),
		"%s were still used by other streams when they were freed, for up to %s; they are drawn until their free.",
		units.Plural(t.Later, "block"), units.Duration(float64(t.Latest)/1000))
	for i, l := range t.Lines {
		explain := "NPU %d: up to %s of %s are in neither pool."
		if l.Component == "APP" {
			explain = "NPU %d: the process (%[3]s) held up to %[2]s from the device, pools included."
		}
		add(true, fmt.Sprintf("other-memory-%d", i), Info, "memory beside the pools", 0, explain, l.Device,
			units.Bytes(slices.Max(l.Bytes)), l.Component)
	}
	add(s.Source.World > 0, "rank", Info, fmt.Sprintf("rank %d", s.Source.Rank), 0, "The profile is that of rank %d.",
		s.Source.Rank)
	add(!x.python, "no-python", Notice, "no Python frames", 0,
		"No trace_view.json with Python frames lies beside the tables: what asked for the memory is told by operators "+
			"only.")
	add(true, "profiler-trace", Info, "tables of torch_npu's profiler", 0,
		"The pool of PyTorch and that of the graph engine (GE) are two devices here, as their totals are never one. "+
			"The tables have no addresses, and do not tell of segments, fragmentation and requested sizes.")
	f.facts()
	slices.SortStableFunc(f.out, func(x, y Finding) int { return cmp.Compare(y.Severity, x.Severity) })
	return f.out
}
