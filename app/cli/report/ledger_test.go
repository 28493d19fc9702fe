package report

import (
	"context"
	"strings"
	"testing"

	"strata/layout/state"
	"strata/snapshot"
)

// TestStreams: what streams reserved adds up to the ledger, in both states.
func TestStreams(t *testing.T) {
	const file = "../../../testdata/generated/streams-delayed.pickle"
	s, err := snapshot.Open(context.Background(), file, snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := newLedgers(state.New(s, &s.Devices[0]))
	var peak, end int64
	for _, x := range l.Streams {
		peak, end = peak+x.Peak, end+x.End
		if x.Most < max(x.Peak, x.End) {
			t.Errorf("stream %d: at most %d, but %d and %d", x.Stream, x.Most, x.Peak, x.End)
		}
	}
	if len(l.Streams) < 2 || peak != l.Peak.Reserved || end != l.End.Reserved {
		t.Errorf("%d streams with %d and %d, want %d and %d", len(l.Streams), peak, end, l.Peak.Reserved,
			l.End.Reserved)
	}
	if lines := l.lines(); !strings.HasPrefix(lines[len(lines)-1].Name, "  by stream ") {
		t.Errorf("the last line is %q", lines[len(lines)-1].Name)
	}
}
