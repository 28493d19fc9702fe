package allocator

import (
	"strconv"

	"strata/layout/state"
	"strata/layout/units"
	"strata/snapshot"
)

// A Part is a part of what the allocator holds from the driver.
type Part uint8

// The parts; together they are reserved.
const (
	Asked  Part = iota // what tensors asked for
	Lost               // what blocks take beyond that: rounding
	CutOff             // free, in segments that blocks keep
	Whole              // free segments, and free pages of expandable ones
	parts  = iota
	NoPart = Part(parts)
)

var partNames = [parts]string{"requested", "lost to rounding", "free, kept by blocks", "free, can be returned"}

// partTips say what the parts are, and what torch.cuda.memory_stats() has of them.
var partTips = [parts]string{
	"What the program asked for, blocks that wait for another stream included: requested_bytes.all.current.",
	"Blocks are rounded up: active_bytes.all.current less requested_bytes.all.current.",
	"Free, but in segments with blocks, so that torch.cuda.empty_cache() cannot give it back: " +
		"inactive_split_bytes.all.current, and its like in expandable segments.",
	"What torch.cuda.empty_cache() would give back to the driver.",
}

// Ledger is the bytes of each part of a state.
func Ledger(s *state.State) (bytes [parts]int64) {
	t := &s.Totals
	asked, occupied := s.Inside()
	bytes[Asked], bytes[Lost] = asked, max(0, occupied-asked)
	bytes[Whole] = min(t.Free, t.Releasable)
	bytes[CutOff] = t.Free - bytes[Whole]
	return bytes
}

// ledgerText is what stands beside a part.
func ledgerText(p Part, bytes, reserved int64) string {
	return partNames[p] + " " + units.Bytes(bytes) + " · " + share(bytes, reserved)
}

// share is bytes as a part of all.
func share(bytes, all int64) string {
	return strconv.FormatFloat(100*float64(bytes)/float64(max(1, all)), 'f', 1, 64) + " %"
}

// title is what stands over the bar.
func title(s *state.State) string {
	t := &s.Totals
	text := units.Bytes(t.Reserved) + " reserved in " + units.Plural(t.Segments, "segment") + ", " +
		units.Plural(t.Blocks, "block")
	if t.Pending > 0 {
		text += ", " + units.Bytes(t.Pending) + " waiting for another stream"
	}
	if len(s.Outside) > 0 {
		text += ", " + units.Plural(len(s.Outside), "block") + " in no segment of the file"
	}
	return text + "; largest free range " + units.Bytes(t.Largest)
}

func hex(addr uint64) string { return strconv.FormatUint(addr, 16) }

// EventText tells which event led to a state, what matters most first: there may be little room.
func EventText(s *state.State) string {
	h := s.History
	switch {
	case h.Len() == 0:
		return "no events"
	case s.K < 0:
		return "before the first event"
	}
	text := "event " + units.Count(s.K)
	if action := h.Action(s.K); action != snapshot.ActionOther {
		text += ": " + action.String()
	}
	return text + ", of " + units.Count(h.Len()-1)
}
