package state

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"strata/snapshot"
)

// shared holds the expected states; it is not part of the project.
const shared = "../../../shared"

type expectation struct {
	File      string                     `json:"file"`
	Device    int                        `json:"device"`
	RawEvents int                        `json:"raw_events"`
	Events    int                        `json:"events"`
	Odd       map[string]int             `json:"odd"`
	Inference struct{ Right, Wrong int } `json:"size_inference"`
	Digest    json.Number                `json:"state_digest"`
	Peak      []int64                    `json:"reserved_peak"`
	Requested []int64                    `json:"requested_peak"`
	Curve     [][]int64                  `json:"reserved_curve"`
	Differs   map[string]any             `json:"final_differs_from_file"`
	States    []expectedState            `json:"states"`
}

type expectedState struct {
	K      int
	Raw    int
	Totals map[string]int64
	Pools  map[string][]int64
}

func readJSON(t testing.TB, file string, to any) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(to); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func open(t testing.TB, file string) *snapshot.Snapshot {
	t.Helper()
	s, err := snapshot.Open(context.Background(), file, snapshot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func history(t testing.TB, file string, device int) *History {
	t.Helper()
	s := open(t, file)
	for i := range s.Devices {
		if s.Devices[i].Index == device {
			return New(s, &s.Devices[i])
		}
	}
	t.Fatalf("%s has no device %d", file, device)
	return nil
}

// TestExpectedStates: curves, peaks, totals and anomalies of all files are those of the independent implementation.
// What each state consists of is compared by the tests of strata state.
func TestExpectedStates(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(shared, "expected/*.state.json.gz"))
	if len(files) == 0 {
		t.Skip("no ../shared/expected")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".state.json.gz"), func(t *testing.T) {
			var want expectation
			readJSON(t, file, &want)
			h := history(t, filepath.Join(shared, "snapshots", want.File), want.Device)
			if h.Len() != want.Events || h.Device.Events.Len() != want.RawEvents {
				t.Fatalf("%d events of %d, want %d of %d", h.Len(), h.Device.Events.Len(), want.Events, want.RawEvents)
			}
			odd := map[string]int{}
			for what, n := range h.Anomalies.Each {
				odd[what] = n
			}
			if !reflect.DeepEqual(odd, want.Odd) {
				t.Errorf("anomalies %v, want %v", odd, want.Odd)
			}
			if h.SizesRight != want.Inference.Right || h.SizesWrong != want.Inference.Wrong {
				t.Errorf("sizes %d right, %d wrong, want %v", h.SizesRight, h.SizesWrong, want.Inference)
			}
			checkCurves(t, h, &want)
			for i := range want.States {
				checkState(t, h, &want.States[i])
			}
		})
	}
}

func checkCurves(t *testing.T, h *History, want *expectation) {
	t.Helper()
	var curve [][]int64
	for k, bytes := range h.ReservedChanges {
		if n := len(curve); n == 0 || curve[n-1][1] != bytes {
			curve = append(curve, []int64{int64(k), bytes})
		}
	}
	if !reflect.DeepEqual(curve, want.Curve) {
		t.Errorf("reserved curve has %d changes, want %d", len(curve), len(want.Curve))
	}
	for amount, peak := range map[Amount][]int64{Reserved: want.Peak, Requested: want.Requested} {
		bytes, k := h.Peak(amount)
		if got := []int64{bytes, int64(k)}; !slices.Equal(got, peak) {
			t.Errorf("peak of %d: %d, want %d", amount, got, peak)
		}
	}
	digest := uint64(0)
	for k, at := range h.Between(-1, h.Len()-1) {
		for _, x := range []int64{at[Reserved], at[Requested]} {
			const prime = 1<<61 - 1
			hi, lo := bits.Mul64(digest, 1000003)
			_, r := bits.Div64(hi, lo, prime)
			digest = (r + uint64(x)%prime) % prime
		}
		if k%97 == 0 && h.Amounts(k) != at {
			t.Errorf("amounts of %d: %d, want %d", k, h.Amounts(k), at)
		}
	}
	if got := fmt.Sprint(digest); got != want.Digest.String() {
		t.Errorf("digest %s, want %s", got, want.Digest)
	}
}

func checkState(t *testing.T, h *History, want *expectedState) {
	t.Helper()
	s := h.At(want.K)
	if got := h.Event(want.K); got != want.Raw || h.After(got) != want.K {
		t.Errorf("%d is after event %d, want %d; after that is %d", want.K, got, want.Raw, h.After(got))
	}
	if got := numbers(s); !reflect.DeepEqual(got, want.Totals) {
		t.Errorf("%d: totals %v\nwant %v", want.K, got, want.Totals)
	}
	pools := map[string][]int64{}
	for _, p := range s.Pools() {
		name := "?"
		if p.Pool != 0 {
			id := h.Snapshot.Pools[p.Pool]
			name = fmt.Sprintf("%d,%d", id.A, id.B)
		}
		pools[fmt.Sprintf("%s,s%d", name, h.Snapshot.Streams[p.Stream])] =
			[]int64{p.Reserved, p.Requested, p.Free, p.Largest}
	}
	if !reflect.DeepEqual(pools, want.Pools) {
		t.Errorf("%d: pools %v\nwant %v", want.K, pools, want.Pools)
	}
}

func numbers(s *State) map[string]int64 {
	t := &s.Totals
	return map[string]int64{"reserved": t.Reserved, "requested": t.Requested, "allocated": t.Allocated,
		"active": t.Active, "pending": t.Pending, "inactive_split": t.InactiveSplit, "largest_free": t.Largest,
		"viewer_rounded": s.ViewerRounded(), "segments": int64(t.Segments), "blocks": int64(t.Blocks)}
}

// TestModelledTruth: after every event the totals are those that the model of the allocator had.
func TestModelledTruth(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(shared, "expected/*.truth.json.gz"))
	if len(files) == 0 {
		t.Skip("no ../shared/expected")
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".truth.json.gz")
		t.Run(name, func(t *testing.T) {
			var truth struct {
				Before map[string]int64
				After  []map[string]int64
			}
			readJSON(t, file, &truth)
			h := history(t, filepath.Join(shared, "snapshots", name+".pickle"), 0)
			for k := -1; k < h.Len(); k++ {
				want := truth.Before
				if k >= 0 {
					want = truth.After[h.Event(k)]
				}
				got := numbers(h.At(k))
				for key, n := range want {
					if got[key] != n {
						t.Errorf("%d: %s %d, want %d", k, key, got[key], n)
					}
				}
			}
		})
	}
}
