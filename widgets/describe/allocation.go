// Package describe puts what is on screen into words: allocations, stack frames, annotations. It knows nothing of Gio.
package describe

import (
	"slices"
	"strconv"
	"strings"

	"strata/layout"
	"strata/layout/units"
	"strata/snapshot"
)

// Details is what the tooltip and the bottom bar say about an allocation, as
// text. It is made when the selection changes, not in each frame.
type Details struct {
	ID   layout.ID
	Axis layout.Axis

	Size, Exact string // "64.0 MiB", "67,108,864 B"
	Alive       string // "step 2,611 – 12,950"; times on the time axis
	Lasted      string // "10,339 steps", "6.59 s"
	Totals      string // "8.90 → 8.74 GiB": at its allocation and at its free
	Site        string // "nn_utils.py:6 softmax"
	Stream      string
	Pool        string
	Asked       string // of a trace, in place of stream and pool: operator, module and thread
	Address     string
	Shape       string // tensors of that size: "bf16: 2 x h x i"
	Phase       string // the annotation in force when it was allocated, and if another one when it was freed
	Here        string // the annotation in force under the pointer
	Note        string // "live before recording began", "never freed", …
	Notes       []Note // from the file: metadata, texts of annotate events
	Rest        bool   // the band of undrawn allocations
	Failed      bool   // a request that ran out of memory
	Segment     bool   // of the allocator, or a part of one
}

// About is what is known beside the timeline. The zero value is nothing.
type About struct {
	Phases *layout.Phases
	Offset int64                   // added to totals, bytes
	Shape  func(size int64) string // names the tensors of a size
}

// Allocation puts an allocation, or the rest band, into words.
func Allocation(t *layout.Timeline, about About, id layout.ID, axis layout.Axis) Details {
	d := Details{ID: id, Axis: axis, Segment: t.Options.Mode == layout.Segments}
	if id == layout.Rest {
		d.Rest = true
		d.Size = units.Plural(int64(len(t.Size)-len(t.Order)), "smaller allocation")
		d.Note = "summed up in this band; raise the number of entries to see them apart"
		return d
	}
	if id < 0 {
		return d
	}
	a := t.At(id)
	s := t.Snapshot
	d.Size, d.Exact = units.Bytes(a.Size), units.ExactBytes(a.Size)
	d.describeLife(t, &a, about.Offset)
	sum := t.IsSum(id)
	if about.Shape != nil && !d.Segment && !sum {
		d.Shape = about.Shape(a.Size)
	}
	d.Site = SiteText(s, a.Stack)
	d.Stream = strconv.FormatInt(s.Streams[a.Stream], 10)
	d.Pool = layout.PoolName(s, a.Pool)
	if m := t.MetaOf(id); s.IsTrace() {
		d.Stream, d.Pool = "", ""
		asked := []string{s.Strings[m.Op], s.Strings[m.Module], s.Strings[m.Step], s.Strings[m.Thread]}
		d.Asked = strings.Join(slices.DeleteFunc(asked, func(s string) bool { return s == "" }), "  ·  ")
	}
	notes := []string{noteText(&a), pendingText(t, &a)}
	if sum {
		notes = append(notes, "not one allocation: more than the sum is not in the file")
	} else {
		d.Address = "0x" + strconv.FormatUint(a.Addr, 16)
	}
	d.Note = strings.Join(slices.DeleteFunc(notes, func(s string) bool { return s == "" }), ", ")
	d.Notes = ExtrasOf(t, &a).Notes
	d.Phase = phaseOf(t, about.Phases, &a)
	return d
}

// phaseOf names the annotations in force when an allocation was made and when it was freed: one if it is the same.
func phaseOf(t *layout.Timeline, phases *layout.Phases, a *layout.Allocation) string {
	if phases == nil || len(phases.All) == 0 || !t.HasTime() {
		return ""
	}
	name := func(us float64) string {
		if p := phases.At(int64(us)); p != nil {
			return p.Name
		}
		return ""
	}
	born, died := t.Span(a.ID, layout.Time)
	var first, last string
	if !a.BeforeRecording {
		first = name(born)
	}
	if !a.NeverFreed {
		last = name(died)
	}
	switch {
	case a.BeforeRecording && last != "":
		return "freed in " + last
	case a.BeforeRecording || a.NeverFreed || first == last:
		return first
	case first == "":
		return "outside → " + last
	case last == "":
		return first + " → outside"
	}
	return first + " → " + last
}

// pendingText says how long an allocation was still held after its free was asked for, "" where that was at once.
func pendingText(t *layout.Timeline, a *layout.Allocation) string {
	asked, ok := t.FreeRequest(a)
	if a.Pending || ok && a.FreeEvent < 0 {
		return "pending: it waits to be freed, as another stream may still use it"
	}
	if !ok {
		return ""
	}
	if times := t.Device.Events.Time; times != nil {
		from, to := times[asked], times[a.FreeEvent]
		if us := to - from; us > 0 && from != snapshot.NoTime && to != snapshot.NoTime {
			return "free pending for " + units.Duration(float64(us))
		}
	}
	if between := a.FreeEvent - asked - 1; between > 0 {
		return "free pending for " + units.Count(between) + " events"
	}
	return ""
}

// describeLife fills in when the allocation was live, and the totals then.
func (d *Details) describeLife(t *layout.Timeline, a *layout.Allocation, offset int64) {
	x0, x1 := t.Span(a.ID, d.Axis)
	if d.Axis == layout.Time {
		d.Alive = units.Duration(x0) + " – " + units.Duration(x1)
		d.Lasted = units.Duration(x1 - x0)
	} else {
		first, last := t.Steps(a.ID)
		d.Alive = "step " + units.Count(first) + " – " + units.Count(last)
		d.Lasted = units.Plural(last-first, "step")
		if t.HasTime() {
			b0, b1 := t.Span(a.ID, layout.Time)
			d.Lasted = units.Duration(b1 - b0)
		}
	}
	first := t.Total[t.Birth[a.ID]]
	last := t.EndBytes
	if death := t.Death[a.ID]; death != layout.Never {
		last = t.Total[death]
	}
	d.Totals = units.BytesChange(first+offset, last+offset)
}

func noteText(a *layout.Allocation) string {
	switch {
	case a.BeforeRecording && (a.Pending || !a.NeverFreed):
		return "live before recording"
	case a.BeforeRecording:
		return "live before recording, never freed"
	case a.FreeLost:
		return "its free is not in the trace"
	case a.NeverFreed && !a.Pending:
		return "never freed"
	}
	return ""
}

// AllocationText is everything known about an allocation as plain text.
func AllocationText(t *layout.Timeline, about About, id layout.ID, axis layout.Axis) string {
	if id < 0 {
		return ""
	}
	d := Allocation(t, about, id, axis)
	a := t.At(id)
	var lines []string
	for _, n := range append([]Note{{Title: "size", Text: d.Size + " (" + d.Exact + ")"},
		{Title: "alive", Text: d.Alive + " (" + d.Lasted + ")"},
		{Title: "total", Text: d.Totals}, {Title: "stream", Text: d.Stream}, {Title: "pool", Text: d.Pool},
		{Title: "asked by", Text: d.Asked},
		{Title: "address", Text: d.Address}, {Title: "shape", Text: d.Shape},
		{Title: "phase", Text: d.Phase}, {Title: "note", Text: d.Note}}, d.Notes...) {
		if n.Text != "" {
			lines = append(lines, n.Line())
		}
	}
	text := strings.Join(lines, "\n") + "\n\n" + StackText(t.Snapshot, a.Stack, false)
	if forward := ForwardLines(t.Snapshot, ExtrasOf(t, &a).Forward); len(forward) > 0 {
		text += "\nforward pass that led here:\n" + strings.Join(forward, "\n") + "\n"
	}
	if free := FreeStack(t, &a); free != 0 && free != a.Stack {
		title := "freed by"
		if a.FreeEvent < 0 {
			title = "asked to be freed by"
		}
		text += "\n" + title + ":\n" + StackText(t.Snapshot, free, false)
	}
	return text
}

// FreeStack is the stack of the free of an allocation, or where that is pending of the request; 0 where there is none
// or it is the only stack that is known.
func FreeStack(t *layout.Timeline, a *layout.Allocation) snapshot.StackID {
	if a.AllocEvent < 0 && a.Block < 0 {
		return 0
	}
	if asked, ok := t.FreeRequest(a); ok && a.FreeEvent < 0 {
		return t.Device.Events.Stack[asked]
	}
	return a.FreeStack
}
