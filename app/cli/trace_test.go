package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestTraceSummary: the report of a trace has the reference's figures under their names, beside its own.
func TestTraceSummary(t *testing.T) {
	text, err := os.ReadFile("../../testdata/profiler/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]struct {
		Devices map[string]map[string]any
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	for file, w := range want {
		stdout, stderr, code := run(t, "summary", "--json", "../../testdata/profiler/"+file)
		if code != 0 {
			t.Fatalf("%s: exit %d, %s", file, code, stderr)
		}
		var got struct {
			Devices []map[string]any
			Host    map[string]any
		}
		if err := json.Unmarshal([]byte(stdout), &got); err != nil {
			t.Fatal(err)
		}
		if got.Host != nil {
			got.Devices = append(got.Devices, got.Host)
		}
		if len(got.Devices) != len(w.Devices) {
			t.Errorf("%s: %d devices, want %d", file, len(got.Devices), len(w.Devices))
		}
		for _, d := range got.Devices {
			for key, value := range w.Devices[d["name"].(string)] {
				if key == "with_python_frame" && file == "bad-names.json" {
					value = 2. // the script leaves out names that it cannot read
				}
				if !reflect.DeepEqual(d[key], value) {
					t.Errorf("%s, %s: %s is %v, want %v", file, d["name"], key, d[key], value)
				}
			}
		}
	}
}

// TestTraceCommands: what a trace cannot have is said, and the rest works as for a snapshot.
func TestTraceCommands(t *testing.T) {
	const file, npu = "../../testdata/profiler/oom.json", "../../testdata/profiler/rank3_ascend_pt"
	for _, c := range []struct {
		args []string
		says string
		code int
	}{
		{[]string{"summary", file}, "trace of torch.profiler", 0},
		{[]string{"summary", file}, "asked for 30.0 GiB, at 110 µs", 0},
		{[]string{"summary", "../../testdata/profiler/devices.json"}, "rank 3 of 8", 0},
		{[]string{"summary", "../../testdata/profiler/killed.json.tmp"}, "file cut off", 0},
		{[]string{"top", file, "--by", "operator"}, "aten::empty", 0},
		{[]string{"query", file, "SELECT name FROM ops"}, "aten::empty", 0},
		{[]string{"query", file, "SELECT device_free IS NULL AS unknown FROM events WHERE action = 'oom'"}, "1", 0},
		{[]string{"summary", npu}, "tables of torch_npu's profiler", 0},
		{[]string{"summary", npu + "/ASCEND_PROFILER_OUTPUT/trace_view.json"}, "398,167,040 B", 0},
		{[]string{"summary", npu}, "55,138,816 B", 0}, // of the graph engine, which is never added to the other
		{[]string{"summary", npu}, "369,841,152 B", 0},
		{[]string{"summary", npu}, "404.0 MiB of HCCL", 0},
		{[]string{"summary", npu}, "/w/train.py:9 step", 0},
		{[]string{"ranks", npu}, "rank 3", 0},
		{[]string{"ranks", npu}, "NPU 3, graph engine", 0},
		{[]string{"ranks", npu, file}, "rank 3, NPU 3", 0},
		{[]string{"ranks", "../../testdata/profiler/cpu-mapped.json"}, "8.00 KiB                    never", 0},
		{[]string{"summary", "../../testdata/profiler/cpu-mapped.json", file}, "CPU  ../../testdata", 0},
		{[]string{"compare", npu, npu}, "rank3_ascend_pt, NPU 3: peak 379.7 MiB", 0},
		{[]string{"compare", npu, npu}, "NPU 3, graph engine: 0 B", 0},
		{[]string{"compare", npu, "../../testdata/generated/oom.pickle"}, "A is of a profiler", 0},
		{[]string{"query", npu, "SELECT count(*) FROM events WHERE stream = 904703504"}, "108", 0},
		{[]string{"state", file}, "does not tell of segments", 1},
		{[]string{"explain", file}, "A trace of torch.profiler does not tell of segments", 1},
		{[]string{"render", file, "--view", "segments", "-o", "-"}, "does not tell of segments", 1},
		{[]string{"query", file, "SELECT count(*) FROM reserved", "--format", "csv"}, "count(*)\r\n0\r\n", 0},
		{[]string{"query", file, "SELECT count(*) FROM state_blocks WHERE k = 5", "--format", "csv"},
			"count(*)\r\n0\r\n", 0},
		{[]string{"query", file, "SELECT * FROM pools WHERE k BETWEEN -1 AND 9", "--format", "csv"}, "largest_free", 0},
		{[]string{"state", npu}, "tables of torch_npu's profiler do not tell of segments", 1},
		{[]string{"explain", npu}, "torch_npu.npu.memory._dump_snapshot", 1},
	} {
		if stdout, stderr, code := run(t, c.args...); code != c.code || !strings.Contains(stdout+stderr, c.says) {
			t.Errorf("%q: exit %d, %s%s", c.args, code, stdout, stderr)
		}
	}
}

// TestWith: a trace laid over a snapshot is there to be asked, and one of another time is refused.
func TestWith(t *testing.T) {
	const snapshot = "../../testdata/sample.pickle.gz"
	write := func(name, text string) string {
		name = filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	run1 := write("run.json", `{"baseTimeNanoseconds": 1780000000000000000, "traceEvents": [{"ph": "X",
		"cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 2, "ts": 100000, "dur": 50}]}`)
	log := write("gpu.csv", "2026/05/28 22:26:41.000, 0, 30000 MiB\n2026/05/28 22:26:42.000, 0, 40000 MiB\n")
	picture := filepath.Join(t.TempDir(), "out.svg")
	for _, c := range []struct {
		args []string
		says string
		code int
	}{
		{[]string{"query", snapshot, "SELECT name FROM ops", "--with", run1}, "aten::mm", 0},
		{[]string{"render", snapshot, "--with", run1, "--with", log, "--zone", "+02:00", "-o", picture}, "", 0},
		{[]string{"render", snapshot, "--with", log, "--zone", "-6", "-o", picture}, "another time", 1},
		{[]string{"render", snapshot, "--with", log, "--zone", "noon", "-o", picture}, "it is UTC, or", 2},
		{[]string{"render", snapshot, "--with", "none.csv", "-o", picture}, "no such file", 1},
		{[]string{"summary", log}, "--with", 1},
	} {
		if stdout, stderr, code := run(t, c.args...); code != c.code || !strings.Contains(stdout+stderr, c.says) {
			t.Errorf("%q: exit %d, %s%s", c.args, code, stdout, stderr)
		}
	}
	svg, err := os.ReadFile(picture)
	if err != nil || !strings.Contains(string(svg), "gpu.csv, at most 39.1 GiB") {
		t.Errorf("the picture has no line of the log: %v", err)
	}
}

// TestTraceReport: the page does not explain a failed request of a trace, which does not tell what the device had.
func TestTraceReport(t *testing.T) {
	page, stderr, code := run(t, "report", "../../testdata/profiler/oom.json", "-o", "-")
	if code != 0 || !strings.Contains(page, "30.0 GiB") || strings.Contains(page, "EiB") ||
		strings.Contains(page, "set_per_process_memory_fraction") {
		t.Errorf("exit %d, %s%.4000s", code, stderr, page)
	}
}
