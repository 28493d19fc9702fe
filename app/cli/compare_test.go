package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"strata/app/cli/report"
)

// block is what a made file holds: bytes from a line of code, "file.py:12 function", "" for no stack.
type block struct {
	bytes int64
	line  string
}

// made writes a snapshot of a run that makes these blocks on each of some devices and frees none.
func made(t testing.TB, name string, devices ...[]block) string {
	t.Helper()
	traces := []any{}
	for _, blocks := range devices {
		trace := []any{}
		addr := int64(1 << 40)
		for i, b := range blocks {
			frames := []any{}
			if file, rest, is := strings.Cut(b.line, ":"); is {
				var n int
				var function string
				fmt.Sscanf(rest, "%d %s", &n, &function)
				frames = append(frames, map[string]any{"filename": file, "line": n, "name": function})
			}
			trace = append(trace, map[string]any{"action": "alloc", "addr": addr, "size": b.bytes, "stream": 0,
				"time_us": 1000 + i, "frames": frames})
			addr += (b.bytes + 511) &^ 511
		}
		traces = append(traces, trace)
	}
	data, err := json.Marshal(map[string]any{"segments": []any{}, "device_traces": traces})
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(name) == "." {
		name = filepath.Join(t.TempDir(), name)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

const mib = int64(1 << 20)

// comparePair are two runs of one program: B's folder is another, its lines moved, and it leaks.
func comparePair(t *testing.T) (a, b string) {
	return made(t, "a.json", []block{{300 * mib, "/home/ann/proj/model.py:57 forward"},
			{100 * mib, "/home/ann/proj/train.py:112 evaluate"}}, []block{{512, ""}}),
		made(t, "b.json", []block{{200 * mib, "/app/proj/model.py:60 forward"},
			{900 * mib, "/app/proj/train.py:115 evaluate"}, {50 * mib, "/app/proj/cache.py:5 put"}}, []block{{512,
			""}})
}

func TestCompare(t *testing.T) {
	a, b := comparePair(t)
	stdout, stderr, code := run(t, "compare", a, b)
	want := "B peaks 750.0 MiB higher (400.0 MiB → 1.12 GiB): train.py:115 evaluate +800.0 MiB, model.py:60 forward " +
		"−100.0 MiB, cache.py:5 put +50.0 MiB (new)\n"
	if code != 0 || stderr != "" || !strings.HasPrefix(stdout, want) ||
		!strings.Contains(stdout, "train.py:115 evaluate  (moved line)") {
		t.Errorf("exit %d: %s\n%s", code, stderr, stdout)
	}
	stdout, _, _ = run(t, "compare", "--json", a, b)
	var c report.Comparison
	if err := json.Unmarshal([]byte(stdout), &c); err != nil {
		t.Fatal(err)
	}
	group := report.ComparedGroup{Name: "/app/proj/train.py:115 evaluate",
		NameA: "/home/ann/proj/train.py:112 evaluate",
		A:     100 * mib, B: 900 * mib, Difference: 800 * mib, MatchedBy: "moved line"}
	if len(c.Groups) != 3 || c.Groups[0] != group || c.A.Peak != 400*mib || c.B.Peak != 1150*mib || c.B.Device != 0 ||
		!slices.Equal(c.Devices, []report.ComparedPeaks{{PeakA: 400 * mib, PeakB: 1150 * mib}, {A: 1, B: 1, PeakA: 512,
			PeakB: 512}}) {
		t.Errorf("%+v", c)
	}
	stdout, _, _ = run(t, "compare", "--markdown", "--limit", "1", a, b)
	for _, want := range []string{"**B peaks 750.0 MiB higher", "| +800.0 MiB | 100.0 MiB | 900.0 MiB | " +
		"train.py:115 evaluate | moved line |\n", "| −50.0 MiB | 300.0 MiB | 250.0 MiB | 2 others |  |"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

// TestFailAbove: a higher peak fails with a code of its own, on a device that is not the one shown too.
func TestFailAbove(t *testing.T) {
	a, b := comparePair(t)
	other := made(t, "c.json", []block{{1, ""}}, []block{{10 * mib, "/p/x.py:1 f"}})
	for _, c := range []struct {
		args string
		code int
	}{
		{a + " " + b + " --fail-above 749MiB", ExitHigher},
		{a + " " + b + " --fail-above 750MiB", ExitGood},
		{a + " " + b + " --fail-above 0 --json", ExitHigher},
		{b + " " + a + " --fail-above 0", ExitGood},
		{a + " " + other + " --fail-above 5MiB", ExitHigher},
		{a + " " + other + " --fail-above 5MiB --device 0", ExitGood},
		{a + " " + b + " --fail-above much", ExitUsage},
		{a + " --fail-above 1MiB", ExitUsage},
		{a + " " + b + " --device 7", ExitUnusable},
		{a + " " + b + " --at oom", ExitUnusable},
		{a + " " + b + " --json --markdown", ExitUsage},
	} {
		stdout, stderr, code := run(t, append([]string{"compare"}, strings.Fields(c.args)...)...)
		if code != c.code || code != 0 && stderr == "" || code == ExitHigher && stdout == "" {
			t.Errorf("%s: exit %d, %s", c.args, code, stderr)
		}
	}
}

// TestCompareOtherDevices: files of two ranks have no device number in common, and one without stacks is told of.
func TestCompareOtherDevices(t *testing.T) {
	a := made(t, "a.json", []block{{2 * mib, "/p/x.py:1 f"}})
	b := made(t, "b.json", nil, []block{{mib, ""}})
	stdout, stderr, code := run(t, "compare", a, b)
	if code != 0 || !strings.Contains(stdout, "B  "+b+", GPU 1: peak 1.00 MiB") ||
		!strings.Contains(stdout, "B has no stacks") {
		t.Errorf("exit %d: %s\n%s", code, stderr, stdout)
	}
}
