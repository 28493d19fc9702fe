package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"strata/app/cli/terminal"
	"strata/app/options"
	"strata/layout"
	"strata/layout/units"
	"strata/snapshot"
)

// mostHeld is how many lines of code the report names, mostOOMs how many failed requests.
const (
	mostHeld = 10
	mostOOMs = 5
)

// deviceText is what only the report for people says of a device.
type deviceText struct {
	title  string
	peakAt string   // where the peak is, in words
	held   []holder // who held the memory there, most first
	oom    []string
	before int // allocations known from the final state alone

	ledgers Ledgers
}

func newDeviceText(t *layout.Timeline) deviceText {
	return deviceText{title: t.Device.Title(), peakAt: peakPlace(t), held: heldAt(t, t.PeakState),
		oom: outOfMemory(t), before: t.Before}
}

// peakPlace says when the peak is.
func peakPlace(t *layout.Timeline) string {
	switch {
	case t.PeakBytes == 0:
		return ""
	case t.PeakState == 0 || !t.Banded() && t.Origin[t.Actions[t.PeakStep()]] < 0: // the latter: no history at all
		return "before the first event"
	case t.HasTime():
		return fmt.Sprintf("at %s, step %s", units.Duration(float64(t.TimeOf(t.PeakStep()))), units.Count(t.PeakStep()))
	}
	return "at step " + units.Count(t.PeakStep())
}

// outOfMemory describes the requests that failed, the last ones.
func outOfMemory(t *layout.Timeline) []string {
	var lines []string
	ooms, ev := t.OOMs(), &t.Device.Events
	if more := len(ooms) - mostOOMs; more > 0 {
		lines = append(lines, units.Plural(more, "earlier one"))
		ooms = ooms[more:]
	}
	for _, o := range ooms {
		i := o.Event
		line := "asked for " + units.Bytes(o.Asked)
		if o.Free >= 0 {
			line += fmt.Sprintf(" with %s free on the device", units.Bytes(o.Free))
		}
		if ev.Time != nil && ev.Time[i] != snapshot.NoTime {
			line += ", at " + units.Duration(float64(ev.Time[i]-t.Start))
		}
		if frame := t.Snapshot.Stacks.Site[ev.Stack[i]]; frame != 0 {
			line += ", " + terminal.Clip(t.Snapshot.FrameText(frame), maxName)
		}
		lines = append(lines, line)
	}
	return lines
}

// Print writes the report for people.
func (r *Report) Print(w io.Writer) {
	fmt.Fprintln(w, terminal.Printable(r.File))
	if line := r.largest(); line != "" {
		fmt.Fprintln(w, line)
	}
	for _, f := range r.source() {
		row(w, f.Name, f.Value)
	}
	if len(r.Devices) == 0 && r.Host == nil {
		fmt.Fprintln(w, "\nNo device has events or segments.")
	}
	for i := range r.Devices {
		r.Devices[i].print(w)
	}
	if r.Host != nil {
		r.Host.print(w)
	}
	r.printFindings(w)
}

// source is what file it is, in words.
func (r *Report) source() []figureRow {
	size := units.BytesInFull(r.Bytes)
	if r.Compression != "none" && r.Compression != "" {
		size += fmt.Sprintf(", %s of %s", r.Compression, units.Bytes(r.rawBytes))
	}
	format := r.format
	if r.writer != "" {
		format += ", as " + r.writer + " writes it"
	}
	rows := []figureRow{{"size", size}, {"format", format}}
	if r.Annotations > 0 {
		rows = append(rows, figureRow{"annotations", units.Count(r.Annotations)})
	}
	return rows
}

// PrintTable writes a line for each device of several files.
func PrintTable(w io.Writer, reports []*Report) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "peak\tat end\treserved\tevents\tduration\tout of memory\twarnings\tdevice\t  file")
	for _, r := range reports {
		line := func(device string, d *Device) {
			duration, oom, warnings, reserved := "", "never", 0, units.Bytes(d.ReservedBytes)
			if d.ReservedBytes == 0 && (d.Timeline != nil || d.Figures != nil) {
				reserved = "" // profilers need not tell
			}
			if d.OOMEvents > 0 {
				oom = units.Plural(d.OOMEvents, "time")
			}
			if d.Duration != nil {
				duration = units.Duration(float64(*d.Duration))
			}
			for _, f := range r.Warnings {
				if f.Device == nil || *f.Device == d.Device {
					warnings++
				}
			}
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\t  %s\n", units.Bytes(d.PeakBytes), units.Bytes(d.EndBytes),
				reserved, units.Count(d.Events), duration, oom, warnings, device,
				terminal.Printable(r.File))
		}
		for i := range r.Devices {
			line(r.Devices[i].text.title, &r.Devices[i])
		}
		if r.Host != nil {
			line(r.Host.text.title, r.Host)
		}
		if len(r.Devices) == 0 && r.Host == nil {
			fmt.Fprintf(t, "\t\t\t\t\t\t%d\tnone\t  %s\n", len(r.Warnings), terminal.Printable(r.File))
		}
	}
	t.Flush()
}

// print writes the figures of a device and who held the memory at its peak.
func (d *Device) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n", d.text.title)
	for _, f := range d.figures() {
		row(w, f.Name, f.Value)
	}
	d.text.ledgers.print(w)
	d.printHeld(w)
}

// A figureRow is a figure in words.
type figureRow struct{ Name, Value string }

// figures are the figures of a device in words.
func (d *Device) figures() (rows []figureRow) {
	t := &d.text
	row := func(name, value string) { rows = append(rows, figureRow{name, value}) }
	if d.Timeline != nil {
		row("states", units.Count(d.Timeline.Points))
	} else {
		row("events", units.Count(d.Events))
		allocations := units.Count(d.Allocations)
		if early := d.UnmatchedFrees + t.before; early > 0 {
			allocations += fmt.Sprintf(", %s of them from before the first event", units.Count(early))
		}
		row("allocations", allocations)
	}
	row("peak", strings.TrimSpace(units.BytesInFull(d.PeakBytes)+" "+t.peakAt))
	row("at start", units.BytesInFull(d.StartBytes))
	row("at end", units.BytesInFull(d.EndBytes))
	switch {
	case d.Timeline != nil: // it tells nothing of the allocator
	case d.Segments == 0 && d.ReservedBytes > 0 && (d.Figures == nil || d.Counts == nil): // of torch_npu's profiler
		row("reserved", units.BytesInFull(d.ReservedBytes)+" at the end")
	case d.Figures == nil:
		row("reserved", fmt.Sprintf("%s in %s at the end",
			units.BytesInFull(d.ReservedBytes), units.Plural(d.Segments, "segment")))
	case d.Counts != nil && d.Totals != nil:
		row("reserved", units.BytesInFull(d.Reserved)+" at most")
	}
	if d.Duration != nil {
		row("duration", units.Duration(float64(*d.Duration)))
	}
	if d.OOMEvents > 0 {
		row("out of memory", units.Plural(d.OOMEvents, "time"))
		for _, line := range t.oom {
			row("", line)
		}
	}
	return rows
}

// A heldRow is a holder in words.
type heldRow struct{ Size, Share, Count, Name string }

// heldRows are those that held most at the peak, the others summed up, and a sentence about all.
func (d *Device) heldRows() (rows []heldRow, title string) {
	held := d.text.held
	n := 0
	for _, h := range held {
		n += h.blocks
	}
	if more := len(held) - mostHeld; more > 1 {
		rest := holder{name: units.Plural(more, "other")}
		for _, h := range held[mostHeld:] {
			rest.bytes += h.bytes
			rest.blocks += h.blocks
		}
		held = append(held[:mostHeld:mostHeld], rest)
	}
	for _, h := range held {
		share := fmt.Sprintf("%.1f%%", 100*float64(h.bytes)/float64(max(1, d.PeakBytes)))
		count := units.Count(h.blocks)
		if d.Timeline != nil { // it does not tell of blocks
			count = ""
		}
		rows = append(rows, heldRow{units.Bytes(h.bytes), share, count, h.name})
	}
	if d.Timeline != nil {
		return rows, "Held at the peak, by category"
	}
	return rows, "Held at the peak: " + units.Plural(n, "allocation")
}

// printHeld writes who held the memory at the peak.
func (d *Device) printHeld(w io.Writer) {
	rows, title := d.heldRows()
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "\n  %s\n\n  %10s  %6s  %9s  %s\n", title, "size", "share", "count", "allocated by")
	for _, h := range rows {
		fmt.Fprintf(w, "  %10s  %6s  %9s  %s\n", h.Size, h.Share, h.Count, h.Name)
	}
}

// printFindings writes what there is to know about the file, gravest first.
func (r *Report) printFindings(w io.Writer) {
	for i, f := range r.told() {
		if i == 0 {
			fmt.Fprintln(w, "\nTo know about this file")
		}
		mark := map[snapshot.Severity]string{snapshot.Warning: "!", snapshot.Notice: "-"}[f.severity]
		fmt.Fprintf(w, "  %1s %s\n", mark, terminal.Wrap("    ", f.Title+r.whose(f)+": "+f.Explain))
		if f.Advice != "" {
			for _, line := range strings.Split(f.Advice, "\n") {
				fmt.Fprintf(w, "    %s\n", terminal.Wrap("    ", line))
			}
		}
	}
}

// told are the findings for people: an advice stands only once, and the version in the head of the report.
func (r *Report) told() (told []Finding) {
	said := map[string]bool{}
	for _, f := range r.Findings {
		if f.ID == "version" {
			continue
		}
		if said[f.Advice] {
			f.Advice = ""
		}
		said[f.Advice] = true
		told = append(told, f)
	}
	return told
}

// whose is the device of a finding where there are several.
func (r *Report) whose(f Finding) string {
	switch {
	case f.Device == nil, len(r.Devices) == 1 && r.Host == nil:
		return ""
	case *f.Device == options.HostMemory:
		return " (pinned host memory)"
	}
	return fmt.Sprintf(" (GPU %d)", *f.Device)
}

// row writes a name and, from a column on, a value.
func row(w io.Writer, name, value string) { fmt.Fprintf(w, "  %-15s%s\n", name, value) }
