package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// growthJSON is what strata growth --json prints.
func growthJSON(t *testing.T, args ...string) (r growthReport) {
	t.Helper()
	stdout, stderr, code := run(t, append([]string{"growth", "--json"}, args...)...)
	if code != 0 || stderr != "" {
		t.Fatalf("%v: exit %d, %s", args, code, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	return r
}

func TestGrowthOfSample(t *testing.T) {
	r := growthJSON(t, sample)
	if r.Phase != "## step N ##" || r.Repeats != 8 || len(r.Grows) != 1 || len(r.Stopped) != 0 {
		t.Fatalf("%+v", r)
	}
	g := r.Grows[0]
	if !strings.HasSuffix(g.Name, "/train.py:112 evaluate") || g.PerRepeat != 859008000 || g.Repeats != 8 ||
		g.Bytes != 8*859008000 || g.Sure != "certain" {
		t.Errorf("%+v", g)
	}
	stdout, _, _ := run(t, "growth", sample)
	if want := "819.2 MiB each of 8 repetitions  train.py:112 evaluate"; !strings.Contains(stdout, want) {
		t.Errorf("no %q in\n%s", want, stdout)
	}
}

// TestNoGrowth: lists are empty, not null, where nothing grows, and nothing is said to where nothing repeats.
func TestNoGrowth(t *testing.T) {
	file := root + "/testdata/generated/devices.pickle"
	stdout, _, _ := run(t, "growth", "--json", file)
	if !strings.Contains(stdout, `"grows":[],"stopped":[]`) {
		t.Error(stdout)
	}
	if r := growthJSON(t, "--device", "1", file); r.Device != 1 {
		t.Errorf("device %d in place of 1", r.Device)
	}
}

func TestOrdinal(t *testing.T) {
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th",
		21: "21st", 102: "102nd", 111: "111th", 1003: "1,003rd"} {
		if got := ordinal(n); got != want {
			t.Errorf("the %d. is the %s", n, got)
		}
	}
}
