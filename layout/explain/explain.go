// Package explain says in sentences why a request failed for want of memory. Every sentence stands on a fact that
// layout/state found; what the file does not tell is said to be unknown, and no advice is given without its reason.
package explain

import (
	"fmt"
	"strings"

	"strata/layout/state"
	"strata/layout/units"
	"strata/snapshot"
)

// Fact is what a sentence is about.
type Fact string

// The facts. The first of Limit, Fits, SplitLimit, Switched, Full, Fragmented, Streams, Pools and Kinds that holds is
// the cause.
const (
	Asked      Fact = "asked"       // what was asked for, and what the driver had
	Limit      Fact = "limit"       // the driver had enough: a limit below the device's memory
	Fits       Fact = "fits"        // a free range would have done
	SplitLimit Fact = "split_limit" // max_split_size forbids the free ranges that are large enough
	Switched   Fact = "switched"    // what fits is expandable, and expandable segments were switched off
	Full       Fact = "full"        // all free ranges together are smaller
	Fragmented Fact = "fragmented"  // the usable ones together are not
	Streams    Fact = "streams"     // with those of other streams they are not
	Pools      Fact = "pools"       // with those of other pools they are not
	Kinds      Fact = "kinds"       // with those for small or for large requests only they are not
	Pending    Fact = "pending"     // freed memory that waits for another stream
	Rounding   Fact = "rounding"    // bytes lost inside blocks
	Outside    Fact = "outside"     // memory that PyTorch does not hold
	Pinned     Fact = "pinned"      // segments that few blocks keep
	Unknown    Fact = "unknown"     // what the file does not tell
)

// A Sentence is one fact in words.
type Sentence struct {
	Fact   Fact
	Text   string
	Advice string // what to do about it, "" for nothing
	Bytes  int64  // what it is about
	Ranges []state.FreeRange
}

// An Explanation says why one request failed.
type Explanation struct {
	OOM           *state.OOM
	Number, Count int // it is the Number-th of Count such events, from 1
	Cause         Fact
	Sentences     []Sentence
}

// Events are the states in which requests failed, as numbered by a History.
func Events(h *state.History) []int {
	var found []int
	for i, action := range h.Device.Events.Action {
		if action == snapshot.ActionOOM {
			found = append(found, h.After(i))
		}
	}
	return found
}

// explainer makes the sentences of one failed request.
type explainer struct {
	*Explanation
	o        *state.OOM
	settings state.Settings
	needed   int64 // bytes that the driver was asked for at most
	capacity int64
}

// Explain explains the number-th, from 0, of the failed requests that Events found. capacity is the device's memory in
// bytes, 0 if it is not known.
func Explain(h *state.History, events []int, number int, capacity int64) *Explanation {
	o := h.At(events[number]).OOM()
	x := explainer{o: o, settings: h.Settings(), capacity: capacity,
		Explanation: &Explanation{OOM: o, Number: number + 1, Count: len(events)}}
	if x.needed = o.Needed; x.settings.Expandable {
		x.needed = x.settings.Pages(o.Asked)
	}
	x.asked()
	x.cause()
	x.rest()
	return x.Explanation
}

// say adds a sentence.
func (x *explainer) say(fact Fact, bytes int64, ranges []state.FreeRange, advice, form string, args ...any) {
	x.Sentences = append(x.Sentences, Sentence{Fact: fact, Text: fmt.Sprintf(form, args...), Advice: advice,
		Bytes:  bytes,
		Ranges: ranges})
}

func (x *explainer) asked() {
	o := x.o
	needs := "needs a new segment of " + units.Bytes(x.needed)
	if x.settings.Expandable {
		needs = "needs at most " + units.Bytes(x.needed) + " more, as expandable segments are on"
	}
	had := "The device had " + units.Bytes(o.Free) + " free."
	x.say(Asked, o.Asked, nil, "", "Asked for %s (%s). %s", units.Bytes(o.Asked), needs, had)
}

// cause finds the first reason that holds.
func (x *explainer) cause() {
	o := x.o
	usable := &o.Room[state.Usable]
	switch {
	case x.needed <= o.Free:
		x.Cause = Limit
		if f := x.settings.Fraction; f > 0 {
			x.say(Limit, o.Free, nil, "", "The device had enough, but per_process_memory_fraction "+
				"is set to %g: a limit below the device's memory.", f)
			return
		}
		x.say(Limit, o.Free, nil, "Look for set_per_process_memory_fraction in the program.",
			"The device had enough: a limit below the device's memory seems to be set. The file does not tell it.")
	case o.Fitting > 0 && !x.settings.Expandable && x.settings.Recorded && x.onlyExpandable():
		x.Cause = Switched
		x.say(Switched, o.Fitting, x.large(), "", "A free range of %s in an expandable segment is large enough, but "+
			"expandable segments were switched off.", units.Bytes(o.Fitting))
	case o.Fitting > 0:
		x.Cause = Fits
		x.say(Fits, o.Fitting, x.large(), "Trying the request again may succeed.",
			"A free range of %s did fit. PyTorch "+
				"does not search again after it has waited for pending frees (pytorch#189504).", units.Bytes(o.Fitting))
	case o.Forbidden > 0:
		x.Cause = SplitLimit
		x.say(SplitLimit, o.Forbidden, x.large(), "Raise max_split_size_mb, or leave it out.",
			"Blocks over max_split_size "+
				"(%s) may not be split: a free range of %s was passed over.", units.Bytes(x.settings.MaxSplit),
			units.Bytes(o.Forbidden))
	case usable.Bytes >= o.Asked:
		x.fragmented()
	default:
		x.elsewhere()
	}
}

// large are the usable ranges that are large enough.
func (x *explainer) large() []state.FreeRange {
	var found []state.FreeRange
	for _, r := range x.o.Room[state.Usable].Ranges {
		if r.Size >= x.o.Asked {
			found = append(found, r)
		}
	}
	return found
}

// onlyExpandable reports whether all usable ranges that are large enough lie in expandable segments.
func (x *explainer) onlyExpandable() bool {
	for _, r := range x.large() {
		for i := range x.o.State.Segments {
			g := &x.o.State.Segments[i]
			if !g.Expandable && g.Addr <= r.Addr && r.Addr-g.Addr < uint64(g.Size) {
				return false
			}
		}
	}
	return true
}

func (x *explainer) fragmented() {
	o := x.o
	usable := &o.Room[state.Usable]
	x.Cause = Fragmented
	advice := ""
	if x.settings.Recorded && !x.settings.Expandable && x.o.State.Totals.InactiveSplit >= o.Asked {
		advice = "expandable_segments:True in PYTORCH_CUDA_ALLOC_CONF lets such pieces be put to use."
	}
	x.say(Fragmented, usable.Bytes, usable.Ranges, advice,
		"Fragmented: %s of cache was free for this pool and stream, "+
			"but in %s, and the largest is %s.", units.Bytes(usable.Bytes), units.Plural(len(usable.Ranges), "piece"),
		units.Bytes(usable.Largest))
	if x.settings.Expandable {
		x.say(Fragmented, 0, nil, "", "Expandable segments were on already.")
	}
}

// elsewhere says where the rest of the free memory was, if it was large enough together.
func (x *explainer) elsewhere() {
	o := x.o
	total := o.Room[state.Usable].Bytes
	for _, group := range []state.Group{state.OtherStream, state.OtherPool, state.OtherKind} {
		if total += o.Room[group].Bytes; total >= o.Asked {
			x.Cause = groupFacts[group]
			x.room(group)
			return
		}
	}
	x.Cause = Full
	t := &o.State.Totals
	free := "nothing is free inside its cache."
	if t.Free > 0 {
		free = fmt.Sprintf("free inside its cache is only %s, in %s", units.Bytes(t.Free),
			units.Plural(x.pieces(), "piece"))
		if x.needed <= t.Free+o.Free {
			free += ", which with what the device had would do in one piece"
		}
		free += "."
	}
	if all := t.Reserved + o.Free; x.needed > all {
		free += fmt.Sprintf(" Even if all that it holds were given back, there would be only %s.", units.Bytes(all))
	}
	x.say(Full, t.Allocated, nil, "", "Truly full: PyTorch holds %s in live tensors; %s", units.Bytes(t.Allocated),
		free)
}

func (x *explainer) pieces() int {
	n := 0
	for _, room := range x.o.Room {
		n += len(room.Ranges)
	}
	return n
}

var groupFacts = [state.Groups]Fact{state.OtherStream: Streams, state.OtherPool: Pools, state.OtherKind: Kinds}

// room says how much is free in a group that the request could not use.
func (x *explainer) room(group state.Group) {
	room := &x.o.Room[group]
	bytes := units.Bytes(room.Bytes)
	switch group {
	case state.OtherStream:
		x.say(Streams, room.Bytes, room.Ranges, "",
			"%s of free cache belongs to other streams (%s); PyTorch never hands "+
				"cache from one stream to another.", bytes, x.owners(group))
	case state.OtherPool:
		x.say(Pools, room.Bytes, room.Ranges, "",
			"%s of free cache belongs to other pools (%s); a pool keeps its room while "+
				"it lives.", bytes, x.owners(group))
	case state.OtherKind:
		which := "segments for requests up to 1 MiB, which serve no larger ones"
		if !x.o.Large() {
			which = "segments for requests over 1 MiB, which serve no smaller ones"
		}
		x.say(Kinds, room.Bytes, room.Ranges, "", "%s of free cache is in %s.", bytes, which)
	}
}

// mostOwners is how many streams or pools are named.
const mostOwners = 3

// owners names the streams or pools that have the most free memory of a group.
func (x *explainer) owners(group state.Group) string {
	free := map[string]int64{}
	var names []string
	s := x.o.State.History.Snapshot
	for i := range x.o.State.Segments {
		g := &x.o.State.Segments[i]
		if g.Free == 0 || x.o.Group(g) != group {
			continue
		}
		name := fmt.Sprintf("stream %d", s.Streams[g.Stream])
		if group == state.OtherPool {
			name = poolText(s, g.Pool)
		}
		if free[name] == 0 {
			names = append(names, name)
		}
		free[name] += g.Free
	}
	return strings.Join(most(names, free), ", ")
}

// poolText names a pool in words.
func poolText(s *snapshot.Snapshot, id snapshot.PoolID) string {
	p := s.Pools[id]
	switch {
	case id == 0:
		return "unknown"
	case p == snapshot.Pool{}:
		return "the default pool"
	case p.A == 0:
		return fmt.Sprintf("(0,%d) a MemPool", p.B)
	}
	return fmt.Sprintf("(%d,%d) of a CUDA graph", p.A, p.B)
}
