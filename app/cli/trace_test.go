package cli

import (
	"encoding/json"
	"os"
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
		{[]string{"query", npu, "SELECT count(*) FROM events WHERE stream = 904703504"}, "108", 0},
		{[]string{"state", file}, "does not tell of segments", 1},
		{[]string{"explain", file}, "does not tell of segments", 1},
	} {
		if stdout, stderr, code := run(t, c.args...); code != c.code || !strings.Contains(stdout+stderr, c.says) {
			t.Errorf("%q: exit %d, %s%s", c.args, code, stdout, stderr)
		}
	}
}
