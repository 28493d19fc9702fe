package explain

import (
	"cmp"
	"fmt"
	"slices"

	"strata/layout/state"
	"strata/layout/units"
)

// worth is the part of the request from which on other memory is worth a sentence.
const worth = 10

// rest says what else there was.
func (x *explainer) rest() {
	o, t := x.o, &x.o.State.Totals
	enough := func(bytes int64) bool { return bytes > 0 && bytes >= o.Asked/worth }
	for _, group := range []state.Group{state.OtherStream, state.OtherPool, state.OtherKind} {
		if enough(o.Room[group].Bytes) && x.Cause != groupFacts[group] {
			x.room(group)
		}
	}
	if t.Pending > 0 {
		x.say(Pending, t.Pending, nil, "", "%s is freed, but still in use by another stream.", units.Bytes(t.Pending))
	}
	asked, occupied := o.State.Inside()
	if loss := occupied - asked; enough(loss) {
		x.say(Rounding, loss, nil, "", "%s is lost inside blocks that are larger than what was asked for.",
			units.Bytes(loss))
	}
	x.pinned()
	x.outside()
	x.unknown()
}

// pinned says how many blocks keep segments that are mostly free.
func (x *explainer) pinned() {
	var free, held int64
	blocks := 0
	var ranges []state.FreeRange
	for i := range x.o.Pinned {
		g := &x.o.Pinned[i]
		for id, r := range x.o.State.Within(g) {
			if id < 0 {
				ranges = append(ranges, r)
			}
		}
		free += g.Free
		held += g.Occupied
		blocks += g.End - g.First
	}
	if blocks == 0 || free < x.o.Asked/worth {
		return
	}
	keep := "keep"
	if blocks == 1 {
		keep = "keeps"
	}
	x.say(Pinned, free, ranges, "", "%s (%s) %s %s from being returned, of which %s is free.",
		units.Plural(blocks, "block"), units.Bytes(held), keep, units.Plural(len(x.o.Pinned), "segment"),
		units.Bytes(free))
}

func (x *explainer) outside() {
	if x.capacity <= 0 {
		return
	}
	bytes := x.capacity - x.o.Free - x.o.State.Totals.Reserved
	if bytes < 0 {
		x.say(Outside, bytes, nil, "", "PyTorch holds more than the device is said to have: its memory is not %s.",
			units.Bytes(x.capacity))
		return
	}
	x.say(Outside, bytes, nil, "", "%s is outside PyTorch (context, NCCL, other processes).", units.Bytes(bytes))
}

// unknown says what the file does not tell.
func (x *explainer) unknown() {
	if x.o.Pool == 0 {
		x.say(Unknown, 0, nil, "",
			"The request's pool is not recorded (before PyTorch 2.12); the default one is assumed.")
	}
	if !x.settings.Recorded {
		x.say(Unknown, 0, nil, "", "The allocator's settings are not recorded; PyTorch's own are assumed.")
	}
	if text := x.o.State.History.Anomalies.Text(); text != "" {
		x.say(Unknown, 0, nil, "", "The trace contradicts itself, so that some of this is a guess: %s.", text)
	}
	if x.capacity <= 0 {
		x.say(Unknown, 0, nil, "", "What is outside PyTorch is unknown: the file does not tell the device's memory.")
	}
}

// most are the names with the most bytes, with them.
func most(names []string, bytes map[string]int64) []string {
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(bytes[b], bytes[a]) })
	var texts []string
	for _, name := range names[:min(mostOwners, len(names))] {
		texts = append(texts, fmt.Sprintf("%s: %s", name, units.Bytes(bytes[name])))
	}
	if more := len(names) - mostOwners; more > 0 {
		texts = append(texts, units.Plural(more, "other"))
	}
	return texts
}

// A Pin is a block that keeps a segment, with the line that made it.
type Pin struct {
	Block state.Block
	Line  string // where it was allocated, "" if that is not known
	Old   bool   // it is from before the trace
}

// Pins returns the blocks that keep a segment of a state.
func Pins(s *state.State, g *state.Segment) []Pin {
	var pins []Pin
	h := s.History
	for _, id := range s.Blocks[g.First:g.End] {
		b := h.Block(id)
		pin := Pin{Block: b, Old: b.Born < 0}
		if stack, born := h.StackOf(id); born {
			if frame := h.Snapshot.Stacks.Site[stack]; frame != 0 {
				pin.Line = h.Snapshot.FrameText(frame)
			}
		}
		pins = append(pins, pin)
	}
	return pins
}
