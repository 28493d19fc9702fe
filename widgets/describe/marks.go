package describe

import (
	"strings"

	"strata/layout"
	"strata/layout/state"
	"strata/layout/units"
)

// Request puts a request that ran out of memory into words. Size is what was asked for, Exact the same in bytes, Alive
// when, Totals what was live then and would have been, Note what the device had.
func Request(t *layout.Timeline, about About, o *layout.OOM, axis layout.Axis) Details {
	d := Details{ID: layout.None, Axis: axis, Failed: true}
	x := t.XOfOOM(axis, *o)
	d.Size, d.Exact = units.Bytes(o.Asked), units.ExactBytes(o.Asked)
	d.Alive = "step " + units.Count(t.StepAt(x))
	if axis == layout.Time {
		d.Alive = units.Duration(x)
	}
	total := t.Total[o.State] + about.Offset
	d.Totals = units.BytesChange(total, total+o.Asked)
	ev := &t.Device.Events
	d.Site = SiteText(t.Snapshot, ev.Stack[o.Event])
	d.Note = o.FreeText()
	if about.Phases != nil && t.HasTime() {
		if p := about.Phases.At(int64(t.XOfOOM(layout.Time, *o))); p != nil {
			d.Phase = p.Name
		}
	}
	return d
}

// RequestText is everything known about a request that ran out of memory as plain text.
func RequestText(t *layout.Timeline, about About, o *layout.OOM, axis layout.Axis) string {
	d := Request(t, about, o, axis)
	lines := []string{"out of memory: asked for " + d.Size + " (" + d.Exact + ")", "at: " + d.Alive,
		"total: " + d.Totals + ", " + d.Note}
	if d.Phase != "" {
		lines = append(lines, "phase: "+d.Phase)
	}
	return strings.Join(lines, "\n") + "\n\n" + StackText(t.Snapshot, t.Device.Events.Stack[o.Event], false)
}

// PeakTip is what the mark at the peak says: its bytes, then when and by which allocation it was reached.
func PeakTip(t *layout.Timeline, about About, axis layout.Axis) []string {
	bytes := t.PeakBytes + about.Offset
	at := "at step " + units.Count(t.PeakStep())
	if axis == layout.Time {
		at = when(t, axis, t.X(axis, t.PeakState))
	}
	lines := []string{"Peak: " + units.Bytes(bytes), units.ExactBytes(bytes) + ", " + at}
	if id := PeakAllocation(t); id >= 0 {
		lines = append(lines, "reached by "+units.Bytes(t.Size[id])+", "+SiteText(t.Snapshot, t.At(id).Stack))
	}
	return append(lines, "Click: go there and pin it")
}

// PeakAllocation returns the allocation that reached the peak, layout.None if the run begins with it.
func PeakAllocation(t *layout.Timeline) layout.ID {
	if !t.Banded() && t.PeakState > 0 && t.Actions[t.PeakState-1] >= 0 {
		return t.Actions[t.PeakState-1]
	}
	return layout.None
}

// RequestTip is what the mark of a request that ran out of memory says.
func RequestTip(t *layout.Timeline, about About, o *layout.OOM, axis layout.Axis) []string {
	d := Request(t, about, o, axis)
	lines := []string{"Out of memory: asked for " + d.Size, d.Alive + ", total " + d.Totals, d.Note, d.Site}
	if d.Phase != "" {
		lines = append(lines, "in "+d.Phase)
	}
	return append(lines, "Click: go there and show its stack")
}

// CurveTip is what the mark at the highest point of one of the allocator's lines says.
func CurveTip(t *layout.Timeline, c *state.Curve, axis layout.Axis) []string {
	name := c.Title()
	lines := []string{"Most " + name + ": " + units.Bytes(c.Peak), units.ExactBytes(c.Peak) + ", " +
		when(t, axis, c.PeakX[axis])}
	if c.Series != "" {
		return lines
	}
	return append(lines, name+"_bytes.all in torch.cuda.memory_stats(), as far as it was recorded")
}

// TradesTip says what the allocator took from the driver, or gave back, in trades that are marked together.
func TradesTip(t *layout.Timeline, trades []state.Trade, axis layout.Axis) []string {
	var taken, given int64
	var takes, gifts, flushes, failed int
	for _, x := range trades {
		if x.Bytes >= 0 {
			takes, taken = takes+x.Events, taken+x.Bytes
		} else {
			gifts, given = gifts+x.Events, given-x.Bytes
		}
		if x.Flush {
			flushes++
		}
		if x.Failed {
			failed++
		}
	}
	title := "Segments come and go"
	if flushes > 0 {
		title = "Cache flushed, as a request found no room"
	}
	lines := []string{title, when(t, axis, trades[0].X[axis])}
	if takes > 0 {
		lines = append(lines, "taken from the driver: "+units.Bytes(taken)+" in "+units.Plural(int64(takes), "piece"))
	}
	if gifts > 0 {
		lines = append(lines, "given back: "+units.Bytes(given)+" in "+units.Plural(int64(gifts), "piece"))
	}
	if flushes > 0 {
		lines = append(lines, "a flush waits for all streams; here "+units.Count(int64(flushes)))
	}
	if failed > 0 {
		lines = append(lines, "it was not enough: out of memory")
	}
	return lines
}

// when is a place of an axis in words.
func when(t *layout.Timeline, axis layout.Axis, x float64) string {
	if axis == layout.Time {
		return "at " + units.Duration(x)
	}
	return "at step " + units.Count(t.StepAt(x))
}
