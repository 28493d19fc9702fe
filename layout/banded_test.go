package layout

import (
	"context"
	"os"
	"slices"
	"testing"

	"strata/snapshot"
)

// banded is the timeline of a file of export_memory_timeline.
func banded(t *testing.T, data []byte) *Timeline {
	t.Helper()
	s, err := snapshot.Read(context.Background(), "x", data, snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return New(s, &s.Devices[0], Options{})
}

func TestBanded(t *testing.T) {
	tl := banded(t, []byte("[[1696966047096061, 1696966047096071, 1696966047096071, 1696966047096099],"+
		"[[0,1,0,0,0,0,0,0,0],[0,1,0,0,0,7,0,0,0],[0,1,0,0,0,9,0,0,5],[0,1,0,0,0,0,0,0,2]]]"))
	if !tl.Banded() || tl.Nothing() != "" || len(tl.Size) > 0 || len(tl.Findings()) > 0 {
		t.Errorf("banded %t, nothing %q, %d allocations, %v", tl.Banded(), tl.Nothing(), len(tl.Size), tl.Findings())
	}
	if !slices.Equal(tl.Total, []int64{1, 8, 15, 3}) || tl.PeakBytes != 15 || tl.PeakState != 2 ||
		tl.StartBytes != 1 || tl.EndBytes != 3 {
		t.Errorf("totals %v, peak %d in %d", tl.Total, tl.PeakBytes, tl.PeakState)
	}
	if tl.X(Time, 2) != 10 || tl.X(Events, 2) != 1 || tl.Extent(Time) != 39 || tl.Extent(Events) != 3 {
		t.Errorf("places %g, %g; extents %g, %g", tl.X(Time, 2), tl.X(Events, 2), tl.Extent(Time), tl.Extent(Events))
	}
	if m := tl.Column(Time, 0, 39); m.Step != 2 || tl.Height(m) != 15 {
		t.Errorf("the column shows state %d", m.Step)
	}
	if b := tl.Range(Time, 0, 39); b.High != 15 || b.Low != 1 {
		t.Errorf("range %+v", b)
	}
}

// TestBandedReference: peaks of the samples.
func TestBandedReference(t *testing.T) {
	for _, name := range []string{"memory_timeline.raw.json.gz", "made/memory_timeline.json.gz"} {
		data, err := os.ReadFile("../../shared/profiler/samples/" + name)
		if err != nil {
			t.Skip("no ../shared here: ", err)
		}
		tl := banded(t, data)
		at, _ := tl.PeakTime()
		if tl.PeakBytes != 3082832104 || at != 1696966047194486 || tl.EndBytes != 332060904 {
			t.Errorf("%s: peak %d at %d, %d at the end", name, tl.PeakBytes, at, tl.EndBytes)
		}
	}
}
