package state

import (
	"context"
	"testing"

	"strata/layout"
	"strata/snapshot"
)

// TestCurveOfTrace: what a trace reserved is the line of its series, with the peak of the figures.
func TestCurveOfTrace(t *testing.T) {
	s, err := snapshot.Open(context.Background(), "../../testdata/profiler/oom.json", snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := &s.Devices[0]
	tl := layout.New(s, d, layout.Options{})
	c := NewCurve(New(s, d), tl, Reserved)
	if c.Peak != 160<<20 || d.Reserved() != 160<<20 {
		t.Errorf("the peak is %d, the end %d", c.Peak, d.Reserved())
	}
	for axis := layout.Events; axis <= layout.Time; axis++ {
		if low, high := c.Column(axis, 0, tl.Extent(axis)); low != 160<<20 || high != 160<<20 {
			t.Errorf("axis %d: from %d to %d", axis, low, high)
		}
	}
}
