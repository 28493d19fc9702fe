package snapshot

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"strata/layout/units"
	"strata/snapshot/pickle"
	"strata/snapshot/unpack"
)

// Severity orders findings.
type Severity uint8

// Info is a fact, Notice limits what can be seen, Warning means that data is missing, damaged or was skipped.
const (
	Info Severity = iota
	Notice
	Warning
)

// A Finding is one thing the reader or the layout has to say about a file.
type Finding struct {
	ID       string // stable, machine-readable, such as "history-off"
	Severity Severity
	Title    string // a few words, shown on the chip: "no times recorded"
	Explain  string // one sentence
	Advice   string // what to do next time, where useful; may hold a line of Python
	Count    int64  // how many, where it is something counted
	Offset   int64  // first byte concerned, -1 where not applicable
}

const recordAdvice = "Before the part of the program to be seen, call torch.cuda.memory._record_memory_history()"

// findings are what the reader has to say about a file that it could read, gravest first. A file of a current PyTorch
// with nothing wrong has no Warning.
func (d *decoding) findings(s *Snapshot) []Finding {
	f := &finder{s: s, r: &d.b.root, complete: d.end == nil}
	f.damage(d)
	f.missing(d)
	f.skipped()
	f.unknown(d.b)
	f.recording()
	f.stacks()
	f.times()
	f.facts()
	slices.SortStableFunc(f.out, func(x, y Finding) int { return cmp.Compare(y.Severity, x.Severity) })
	return f.out
}

// A finder collects the findings about a snapshot.
type finder struct {
	s        *Snapshot
	r        *rootParts
	out      []Finding
	complete bool // the file was read to its end
}

// add adds a finding about count things, of which the first is at byte offset.
func (f *finder) add(id string, sev Severity, title, explain, advice string, count, offset int64) {
	f.out = append(f.out, Finding{
		ID: id, Severity: sev, Title: title, Explain: explain, Advice: f.s.Source.Advise(advice), Count: count,
		Offset: offset,
	})
}

// say adds a finding about the file as a whole.
func (f *finder) say(id string, sev Severity, title, explain, advice string) {
	f.add(id, sev, title, explain, advice, 0, -1)
}

// damage is about files that end too early or break off in the middle.
func (f *finder) damage(d *decoding) {
	if at := d.b.evidence.unhashable; at > 0 {
		f.add("odd-keys", Warning, "file damaged inside",
			"A list or a dict is the key of an entry, which Python never writes: some bytes have changed, "+
				"and figures may be wrong.",
			"Dump the snapshot again, or copy it again", 0, at)
	}
	if d.next > 0 {
		f.add("second-pickle", Notice, "another pickle follows",
			fmt.Sprintf("Another pickle of %d bytes follows the one that is shown, as when a file is opened for "+
				"appending.",
				d.next), "Write each snapshot to a file of its own", d.next, d.raw)
	}
	if d.end == nil {
		return
	}
	at := d.end.Offset
	if errors.Is(d.end, pickle.ErrTruncated) || errors.Is(d.end, io.ErrUnexpectedEOF) {
		unpacked := ""
		if d.src.Compression != "none" {
			unpacked = " of its content"
		}
		advice := "Dump the snapshot again, or copy it again in full"
		if strings.Contains(d.src.Compression, "xz") {
			advice += ". " + unpack.AdviceCutXZ
		}
		f.add("truncated", Warning, "file cut off",
			fmt.Sprintf("The file ends at byte %d%s, before the snapshot does, and does not say how much is missing. "+
				"All figures "+
				"are those of the part that is there: %s.", at, unpacked, f.whatThereIs()),
			advice, 0, at)
		return
	}
	lost := ""
	if d.total > 0 && d.done > 0 {
		share := 100 * float64(d.total-d.done) / float64(d.total)
		lost = fmt.Sprintf("; about %.2g %% of the file comes after it", share)
	}
	f.add("damaged", Warning, "file damaged",
		fmt.Sprintf("The file cannot be read beyond byte %d (%s)%s. All figures are those of the part before: %s.",
			at, d.end.What, lost, f.whatThereIs()),
		"Dump the snapshot again, or copy it again", 0, at)
}

// whatThereIs says how much could be read.
func (f *finder) whatThereIs() string {
	events, segments := 0, 0
	for _, d := range f.s.Devices {
		events += d.Events.Len()
		segments += len(d.Segments)
	}
	return fmt.Sprintf("%d events, %d segments", events, segments)
}

// missing is about halves of the snapshot that are not there, or there in another form.
func (f *finder) missing(d *decoding) {
	if f.r.form != "" {
		f.say("other-form", Info, "history in another form",
			"The traces are "+f.r.form+", not a list for each device as PyTorch writes them. They are read as such.",
			"")
	}
	if f.r.isList {
		const dump = " and write the file with torch.cuda.memory._dump_snapshot"
		by, advice := "PyTorch up to 1.13 and memory_snapshot() write", "With a newer PyTorch, b"+recordAdvice[1:]+dump
		if d.b.evidence.blockAddr {
			by, advice = "memory_snapshot() writes", recordAdvice+dump
		}
		f.say("old-form", Info, "segments only",
			"The file is a list of segments, as "+by+" it: it shows what was live, without history.", advice)
		return
	}
	if f.r.noSegments {
		f.say("missing-segments", Warning, "no allocator state",
			"The file has no segments: what was live at the end without an event of its own, "+
				"and the memory reserved, are unknown.", "")
	}
	if f.r.noTraces {
		whose := ""
		if f.s.Host != nil {
			whose = "of the GPU, "
		}
		f.say("missing-traces", Warning, "no history",
			"The file has no device_traces: "+whose+"only what was live at the dump is shown.", recordAdvice)
	}
	if f.r.history {
		f.say("old-form", Info, "written by PyTorch 2.0 or older",
			"Blocks come in the form before PyTorch 2.1, without addresses of their own; they are computed.", "")
	}
}

// skipped is about items that could not be used.
func (f *finder) skipped() {
	r := f.r
	if n := r.skipped[0] + r.skipped[1] + r.strange; n > 0 {
		var why []string
		reasons := [...]string{"with an impossible size", "without an address", "that are no events"}
		for i, n := range [...]int64{r.skipped[0], r.skipped[1], r.strange} {
			if n > 0 {
				why = append(why, fmt.Sprintf("%d %s", n, reasons[i]))
			}
		}
		f.add("events-skipped", Warning, "events skipped",
			"Left out of the traces: "+strings.Join(why, ", ")+".", "", n, r.firstBad)
	}
	for _, x := range []struct {
		n             int64
		what, lacking string
	}{
		{r.segmentsSkipped, "segments", "Segments without a usable address"},
		{r.blocksSkipped, "blocks", "Blocks without a usable size"},
		{r.annotationsSkipped, "annotations", "Annotations without a stage or a time"},
	} {
		if x.n > 0 {
			f.add(x.what+"-skipped", Warning, x.what+" skipped", x.lacking+" were left out.", "", x.n, -1)
		}
	}
	if n := r.skipped[2]; n > 0 {
		names := make([]string, 0, len(r.unknownActions))
		for id := range r.unknownActions {
			names = append(names, fmt.Sprintf("%.40q", f.s.Strings[id]))
		}
		f.add("unknown-actions", Notice, "unknown kinds of events",
			"Events of kinds this version does not know were left out: "+someOf(names)+".",
			"A newer Strata may know them", n, r.firstUnknown)
	}
}

// unknown is about keys that are no part of the format.
func (f *finder) unknown(b *builder) {
	var names []string
	count := int64(0)
	of := map[uint8]string{0: "the file", classEvent: "events", classBlock: "blocks", classSegment: "segments",
		classFrame: "frames"}
	for k, n := range b.evidence.unknown {
		names = append(names, fmt.Sprintf("%.40q of %s", clean(b.h.Text(k.key)), of[k.class]))
		count += n
	}
	if count == 0 {
		return
	}
	f.add("unknown-keys", Info, "unknown keys",
		"What this version does not know was left out: "+someOf(names)+".", "A newer Strata may know it", count, -1)
}

// someOf lists the first five of names.
func someOf(names []string) string {
	slices.Sort(names)
	if len(names) > 5 {
		names = append(names[:5], "…")
	}
	return strings.Join(names, ", ")
}

// recording is about what the settings of the recording left out.
func (f *finder) recording() {
	events, most, wrapped := 0, 0, f.s.Host != nil && f.s.Host.Overflowed
	for i := range f.s.Devices {
		d := &f.s.Devices[i]
		n := d.Events.Len()
		events += n
		most = max(most, n)
		wrapped = wrapped || d.Overflowed || f.r.maxEntries > 1 && int64(n) == f.r.maxEntries
	}
	read := f.complete && f.r.leftOut() == 0 && !f.r.noTraces && !f.r.isList
	switch {
	case f.s.nothing():
		f.say("nothing-recorded", Notice, "the snapshot is empty",
			"The file holds no events and no segments: nothing was allocated when it was written.",
			"Write the snapshot while the program holds memory")
	case read && most <= 1 && f.noHistory() && f.s.Host != nil && f.s.Host.Events.Len() > 0:
		f.add("history-off", Notice, "no GPU history",
			"The history is that of pinned host memory alone. Of the GPU, only what was live at the dump is shown.",
			"For the GPU as well, record with record_cuda=True", int64(events), -1)
	case read && most <= 1 && f.noHistory():
		f.add("history-off", Notice, "no history recorded",
			"No history of events was recorded: only what was live at the dump is shown.", recordAdvice,
			int64(events), -1)
	}
	if wrapped {
		f.add("ring-wrapped", Notice, "oldest events lost",
			"The recorder's buffer was full, so that the oldest events were overwritten: "+
				"what they allocated seems to have been there from the start.",
			"Record with more room: torch.cuda.memory._record_memory_history(max_entries=1_000_000), or later",
			f.r.maxEntries, -1)
	}
}

// leftOut is how many items of the traces are no events of the snapshot.
func (r *rootParts) leftOut() int64 {
	return r.skipped[0] + r.skipped[1] + r.skipped[2] + r.strange
}

// noHistory reports whether no event says anything, as in the ring of one event of enabled="state".
func (f *finder) noHistory() bool {
	for i := range f.s.Devices {
		for _, a := range f.s.Devices[i].Events.Action {
			switch a {
			case ActionAlloc, ActionOOM, ActionSegmentAlloc, ActionSegmentMap:
				return false
			}
		}
	}
	return true
}

// stacks is about what kinds of frames were recorded.
func (f *finder) stacks() {
	events, with := 0, false
	some := func(st StackID) bool { return st != 0 }
	for i := range f.s.Devices {
		d := &f.s.Devices[i]
		events += d.Events.Len() + d.Blocks.Len()
		with = with || slices.ContainsFunc(d.Events.Stack, some) || slices.ContainsFunc(d.Blocks.Stack, some)
	}
	if events == 0 {
		return
	}
	if !with {
		f.say("no-stacks", Notice, "no stacks recorded",
			"No call stacks were recorded: what asked for the memory is unknown.",
			`Record with torch.cuda.memory._record_memory_history(context="all")`)
		return
	}
	python, cpp := false, false
	for i := 1; i < len(f.s.Frames.File); i++ {
		if strings.HasSuffix(f.s.Strings[f.s.Frames.File[i]], ".py") {
			python = true
		} else if strings.Contains(f.s.Strings[f.s.Frames.Name[i]], "::") {
			cpp = true
		}
	}
	switch {
	case python && !cpp:
		f.say("python-stacks", Info, "Python frames only",
			"The stacks hold Python frames only; memory allocated by backward threads then has no stack.",
			`For C++ frames as well, record with stacks="all"`)
	case cpp && !python:
		f.say("cpp-stacks", Info, "C++ frames only", "The stacks hold C++ frames only.", "")
	}
}

// times is about the clock.
func (f *finder) times() {
	events, timed, back := 0, false, int64(0)
	for i := range f.s.Devices {
		e := &f.s.Devices[i].Events
		events += e.Len()
		timed = timed || e.Time != nil
		last := NoTime
		for _, t := range e.Time {
			if t == NoTime {
				continue
			}
			if t < last {
				back++
			}
			last = t
		}
	}
	by, advice := "", "PyTorch 2.2 and newer record times"
	if f.s.Source.Maker == MakerNPU {
		by, advice = "torch_npu: ", ""
	}
	if events > 0 && !timed {
		f.say("no-times", Notice, by+"no times recorded",
			"The events carry no times, so they can only be shown in their order.", advice)
	}
	if back > 0 {
		f.add("time-backwards", Notice, "times out of order",
			"Some events are earlier than the ones before them; the order of the list is taken as the truth.", "",
			back, -1)
	}
}

// facts are worth knowing and nothing is wrong about them.
func (f *finder) facts() {
	oom := 0
	for i := range f.s.Devices {
		for _, a := range f.s.Devices[i].Events.Action {
			if a == ActionOOM {
				oom++
			}
		}
	}
	if d, k := f.s.LastOOM(); d != nil {
		e := &d.Events
		where := ""
		if site := f.s.Stacks.Site[e.Stack[k]]; site != 0 {
			where = ", at " + f.s.FrameText(site)
		}
		last := "It"
		if oom > 1 {
			last = "The last of " + units.Count(int64(oom)) + " requests that failed"
		}
		had := ""
		if e.Addr[k] != UnknownFree {
			had = " when the device had " + units.Bytes(int64(min(e.Addr[k], math.MaxInt64))) + " free"
		}
		f.add("oom", Notice, "out of memory on "+d.Title(), fmt.Sprintf("An allocation failed on %s. %s asked for "+
			"%s%s%s.", d.Title(), last, units.Bytes(e.Size[k]), had, where), "", int64(oom), -1)
	}
	if by := f.s.Source.Writer(); by != "" {
		f.say("version", Info, by, "By its form, the file was written by "+by+".", "")
	}
}
