package cli

import (
	"context"
	"fmt"
	"text/tabwriter"

	"strata/app/cli/report"
	"strata/app/cli/terminal"
	"strata/app/export"
	"strata/layout/explain"
	"strata/layout/state"
	"strata/layout/units"
	"strata/snapshot"
)

var stateMode = mode{
	kind: State, Name: "state", Synopsis: "strata state FILE [--event K] [--device N] [--json]",
	About: `Prints what the allocator held just after an event: totals, pools, segments and
their blocks. Events count from 0, a free's completion right behind its request
together with it; -1 is what was there before the first.`,
	Options: append([]option{
		{Long: "event", Arg: "K", Help: "which event (default: the last)", set: func(c *Command, v string) (err error) {
			c.Event, err = whole(-1, "it is the number of an event, -1 for the start")(v)
			c.eventGiven = true
			return err
		}},
		deviceOption,
		{Long: "json", Help: "print a JSON object; sizes are bytes",
			set: flag(func(c *Command) *bool { return &c.JSON })},
	}, readOptions...),
	files: oneFile,
	run:   (*job).state,
}

// state prints a state of a device.
func (j *job) state(ctx context.Context) error {
	name := j.Files[0]
	s, d, err := j.openDevice(ctx)
	if err != nil {
		return err
	}
	if why := s.LacksAllocator(); why != "" {
		return fmt.Errorf("%s: %s", name, why)
	}
	h := state.New(s, d)
	k := h.Len() - 1
	if j.eventGiven {
		k = j.Event
	}
	if k >= h.Len() {
		return fmt.Errorf("%s: there is no event %s of %s, the last one is %s", name, units.Count(k),
			d.Title(), units.Count(h.Len()-1))
	}
	at := h.At(k)
	if j.JSON {
		return export.WriteJSON(j.out, report.NewState(at))
	}
	j.printState(at)
	return nil
}

// printState writes a state for people.
func (j *job) printState(s *state.State) {
	h, t := s.History, &s.Totals
	switch {
	case h.Len() == 0:
		fmt.Fprintf(j.out, "%s at the end, all that the file tells: no events were recorded\n", h.Device.Title())
	case s.K < 0:
		fmt.Fprintf(j.out, "%s before the first of %s\n", h.Device.Title(), units.Plural(h.Len(), "event"))
	default:
		fmt.Fprintf(j.out, "%s after event %s of %s, %s\n", h.Device.Title(), units.Count(s.K), units.Count(h.Len()),
			h.Action(s.K))
	}
	w := tabwriter.NewWriter(j.out, 0, 0, 2, ' ', 0)
	row := func(name string, bytes int64, says string) {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", name, units.Bytes(bytes), says)
	}
	row("requested", t.Requested, "requested_bytes.all.current")
	asked, occupied := s.Inside()
	if asked < t.Requested {
		row("  in no segment", t.Requested-asked, "part of it; what these blocks occupy is not known")
	}
	row("lost to rounding", occupied-asked, "")
	row("waits for a stream", t.Pending, "part of both; freed, but another stream may use it")
	if asked == t.Requested {
		row("active", t.Active, "active_bytes.all.current")
	}
	row("free, cut off", t.InactiveSplit, "inactive_split_bytes.all.current")
	row("free, can be given back", t.Releasable, "by torch.cuda.empty_cache()")
	row("free, largest range", t.Largest, "")
	row("reserved", t.Reserved, "reserved_bytes.all.current")
	if len(s.Segments) > 0 {
		fmt.Fprintf(w, "\n  pool, stream\treserved\trequested\tfree\tlargest\n")
	}
	for _, p := range s.Pools() {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\n", report.PoolName(h, p.PoolKey), units.Bytes(p.Reserved),
			units.Bytes(p.Requested),
			units.Bytes(p.Free), units.Bytes(p.Largest))
	}
	if len(s.Segments) > 0 {
		fmt.Fprintf(w, "\n  segment\tsize\tfree\tlargest\tblocks\tpool, stream\n")
	}
	for i := range s.Segments {
		g := &s.Segments[i]
		fmt.Fprintf(w, "  %x\t%s\t%s\t%s\t%s\t%s\n", g.Addr, units.Bytes(g.Size), units.Bytes(g.Free),
			units.Bytes(g.Largest), units.Count(g.End-g.First), report.PoolName(h, state.PoolKey{Pool: g.Pool,
				Stream: g.Stream}))
	}
	w.Flush()
	if n := len(s.Outside); n > 0 {
		fmt.Fprintf(j.out, "\n%s in no segment\n", units.Plural(n, "block"))
	}
	if text := h.Anomalies.Text(); text != "" {
		fmt.Fprintf(j.out, "\nThe trace contradicts itself, so that some of this is a guess: %s.\n", text)
	}
}

var explainMode = mode{
	kind: Explain, Name: "explain", Synopsis: "strata explain FILE [--json] [--device N] [--gpu NAME]",
	About: `Says why requests failed for want of memory: what was asked, what was free and
why it could not be used, and which blocks keep which segments.`,
	Options: append([]option{
		{Long: "json", Help: "print a JSON object a line for each failed request;\nsizes are bytes",
			set: flag(func(c *Command) *bool { return &c.JSON })},
		{Long: "device", Arg: "N", Help: "only this GPU, or host for pinned host memory\n(default: all)",
			set: setDevice},
		{Long: "gpu", Arg: "NAME", Help: "how much memory the GPU has, by a name such as H100\nor an amount: 79.1GiB",
			set: gpuOption.set},
	}, readOptions...),
	files: oneFile,
	run:   (*job).explain,
}

// mostExplained is how many failed requests are explained to people.
const mostExplained = 5

// explain says why requests failed.
func (j *job) explain(ctx context.Context) error {
	name := j.Files[0]
	s, err := j.open(ctx, name)
	if err != nil {
		return err
	}
	if why := s.LacksAllocator(); why != "" {
		return fmt.Errorf("%s: %s", name, why)
	}
	devices, err := devicesOf(s, name, j.Device)
	if err != nil {
		return err
	}
	said, recorded := false, false
	for _, d := range devices {
		h := state.New(s, d)
		events := explain.Events(h)
		said, recorded = said || len(events) > 0, recorded || h.Len() > 0
		first := 0
		if !j.JSON && len(events) > mostExplained {
			first = len(events) - mostExplained
			fmt.Fprintf(j.out, "%s: %s\n\n", d.Title(), units.Plural(first, "earlier failed request"))
		}
		for i := first; i < len(events); i++ {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := j.explained(explain.Explain(h, events, i, j.GPU.Bytes), d); err != nil {
				return err
			}
		}
	}
	switch {
	case said || j.JSON:
	case !recorded:
		fmt.Fprintln(j.out, "No events were recorded: whether a request failed for want of memory is unknown.")
	default:
		fmt.Fprintln(j.out, "No request in the trace failed for want of memory.")
	}
	return nil
}

// explained prints one explanation.
func (j *job) explained(x *explain.Explanation, d *snapshot.Device) error {
	if j.JSON {
		return export.WriteJSON(j.out, report.NewExplanation(x, d))
	}
	title, paragraphs, kept := report.Explained(x)
	fmt.Fprintln(j.out, title)
	for _, text := range paragraphs {
		fmt.Fprintf(j.out, "  %s\n", terminal.Wrap("  ", text))
	}
	for _, g := range kept {
		fmt.Fprintf(j.out, "    %s\n", g.Title)
		for _, p := range g.Pins {
			fmt.Fprintf(j.out, "      %10s  %s\n", p.Size, p.Name)
		}
		if g.More != "" {
			fmt.Fprintf(j.out, "      and %s\n", g.More)
		}
	}
	fmt.Fprintln(j.out)
	return nil
}
