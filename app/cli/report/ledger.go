package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"strata/layout/state"
	"strata/layout/units"
)

// A Ledger is what the allocator held in a state, in bytes that add up: requested, lost to rounding, and free to
// reserved. layout/state says what torch.cuda.memory_stats() calls each.
type Ledger struct {
	K             int   `json:"k"` // as in strata state
	Requested     int64 `json:"requested"`
	Rounding      int64 `json:"rounding"`
	Pending       int64 `json:"pending"` // part of what is active
	Active        int64 `json:"active"`
	Allocated     int64 `json:"allocated"`
	InactiveSplit int64 `json:"inactive_split"`
	Free          int64 `json:"free"`
	Largest       int64 `json:"largest_free"`
	Reserved      int64 `json:"reserved"`
	Outside       int64 `json:"outside"` // part of what is requested: of blocks in no segment

	lost int64 // to rounding, in segments
}

// Ledgers are what the allocator held when most was requested, and at the end.
type Ledgers struct {
	Device int    `json:"device"` // -1 is pinned host memory
	Peak   Ledger `json:"peak"`
	End    Ledger `json:"end"`
	// Streams is what each of them reserved, the one that ever had most first.
	Streams []StreamLedger `json:"streams"`
}

// A StreamLedger is what a stream reserved, in bytes.
type StreamLedger struct {
	Stream int64 `json:"stream"`
	Most   int64 `json:"most"` // in any state
	Peak   int64 `json:"peak"`
	End    int64 `json:"end"`
}

// newLedgers makes the ledgers of a device.
func newLedgers(h *state.History) Ledgers {
	_, k := h.Peak(state.Requested)
	peak, last := h.At(k), h.At(h.Len()-1)
	l := Ledgers{h.Device.Index, newLedger(peak), newLedger(last), []StreamLedger{}}
	for id, most := range h.StreamPeaks() {
		of := func(s *state.State) (bytes int64) {
			for _, p := range s.Pools() {
				if p.Stream == id {
					bytes += p.Reserved
				}
			}
			return bytes
		}
		l.Streams = append(l.Streams, StreamLedger{h.Snapshot.Streams[id], most, of(peak), of(last)})
	}
	slices.SortFunc(l.Streams, func(a, b StreamLedger) int {
		return cmp.Or(cmp.Compare(b.Most, a.Most), cmp.Compare(a.Stream, b.Stream))
	})
	return l
}

// newLedger makes the ledger of a state.
func newLedger(s *state.State) Ledger {
	t := &s.Totals
	asked, occupied := s.Inside()
	return Ledger{K: s.K, Requested: t.Requested, Rounding: t.Active - t.Requested, Pending: t.Pending,
		Active:    t.Active,
		Allocated: t.Allocated, InactiveSplit: t.InactiveSplit, Free: t.Free, Largest: t.Largest, Reserved: t.Reserved,
		Outside: t.Requested - asked, lost: occupied - asked}
}

// mostStreams is how many streams a ledger names.
const mostStreams = 8

// A ledgerLine is what an amount is called, and what it is in both.
type ledgerLine struct{ Name, Peak, End string }

// lines are the amounts that add up, nil where nothing was reserved.
func (l *Ledgers) lines() (lines []ledgerLine) {
	peak, end := &l.Peak, &l.End
	if peak.Reserved == 0 && end.Reserved == 0 {
		return nil
	}
	line := func(name string, of func(l *Ledger) int64) {
		lines = append(lines, ledgerLine{name, units.Bytes(of(peak)), units.Bytes(of(end))})
	}
	line("requested", func(l *Ledger) int64 { return l.Requested })
	if peak.Outside > 0 || end.Outside > 0 {
		line("- in no segment of the file", func(l *Ledger) int64 { return l.Outside })
	}
	line("+ lost to rounding", func(l *Ledger) int64 { return l.lost })
	if peak.Pending > 0 || end.Pending > 0 {
		line("  (waits for another stream)", func(l *Ledger) int64 { return l.Pending })
	}
	line("+ free, cut off", func(l *Ledger) int64 { return l.InactiveSplit })
	line("+ free otherwise", func(l *Ledger) int64 { return l.Free - l.InactiveSplit })
	line("= reserved", func(l *Ledger) int64 { return l.Reserved })
	for _, s := range l.Streams[:min(mostStreams, len(l.Streams))] {
		if len(l.Streams) > 1 {
			name := fmt.Sprintf("  by stream %d", s.Stream)
			lines = append(lines, ledgerLine{name, units.Bytes(s.Peak), units.Bytes(s.End)})
		}
	}
	return lines
}

// print writes both beside one another.
func (l *Ledgers) print(w io.Writer) {
	for i, line := range l.lines() {
		if i == 0 {
			fmt.Fprintf(w, "\n  %-28s  %10s  %10s\n", "Of the allocator", "at peak", "at end")
		}
		fmt.Fprintf(w, "  %-28s  %10s  %10s\n", line.Name, line.Peak, line.End)
	}
}
