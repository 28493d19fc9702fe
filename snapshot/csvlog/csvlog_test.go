package csvlog

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const shared = "../../../shared/profiler/"

// expected is a device of a table in the reference: its figures by column, the most of each.
func expected(t *testing.T, file string) map[string]map[string]int64 {
	t.Helper()
	data, err := os.ReadFile(shared + "expected-samples.json")
	if err != nil {
		t.Skip("no ../shared here: ", err)
	}
	all := map[string]struct{ Devices json.RawMessage }{}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	var devices map[string]map[string]int64
	if err := json.Unmarshal(all[file].Devices, &devices); err != nil {
		t.Fatal(err)
	}
	return devices
}

func sample(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(shared, "samples", file))
	if err != nil {
		t.Skip("no ../shared here: ", err)
	}
	return data
}

// TestReference: the most of each line of the sample tables.
func TestReference(t *testing.T) {
	const ascend = "rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/"
	for _, file := range []string{ascend + "memory_record.csv", ascend + "npu_module_mem.csv", "made/nvidia-smi.csv"} {
		data := sample(t, file)
		log, err := Read(data)
		if err != nil || !Is(data[:200]) {
			t.Fatalf("%s: %v, %t", file, err, Is(data[:200]))
		}
		if log.Skipped > 0 || log.Local != strings.Contains(file, "nvidia") {
			t.Errorf("%s: %d rows skipped, local %t", file, log.Skipped, log.Local)
		}
		got := map[string]map[string]int64{}
		for _, l := range log.Lines {
			key := strings.TrimSpace(l.Component + " " + l.Device)
			if got[key] == nil {
				got[key] = map[string]int64{}
			}
			got[key][l.Name] = slices.Max(l.Bytes)
			if !slices.IsSorted(l.Times) || len(l.Times) != len(l.Bytes) {
				t.Errorf("%s, %s: times out of order", file, key)
			}
		}
		for device, columns := range expected(t, file) {
			for column, most := range columns {
				if name, unit := unitOf(column); unit > 0 && got[device][name] != most {
					t.Errorf("%s, %s, %s: %d, want %d", file, device, column, got[device][name], most)
				}
			}
		}
	}
}

func TestOperatorsReference(t *testing.T) {
	const file = "rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/operator_memory.csv"
	data := sample(t, file)
	list, skipped, err := ReadOperators(data)
	if err != nil || skipped > 0 || !IsOperators(data[:200]) {
		t.Fatalf("%d skipped, %v", skipped, err)
	}
	want := expected(t, file)["NPU:0"]
	got := map[string]int64{"rows": int64(len(list))}
	for _, op := range list {
		got["bytes"] += op.Bytes
		got["Allocation Total Allocated(MB)"] = max(got["Allocation Total Allocated(MB)"], op.Allocated)
		got["Allocation Total Reserved(MB)"] = max(got["Allocation Total Reserved(MB)"], op.Reserved)
		if op.Released != Unknown {
			got["released"]++
		}
		if op.Bytes < 0 {
			got["negative"]++
		}
	}
	for _, key := range []string{"rows", "bytes", "released", "negative", "Allocation Total Allocated(MB)",
		"Allocation Total Reserved(MB)"} {
		if got[key] != want[key] {
			t.Errorf("%s: %d, want %d", key, got[key], want[key])
		}
	}
}

func TestForms(t *testing.T) {
	const mib = 1 << 20
	for name, c := range map[string]struct {
		text  string
		lines []Line
		local bool
	}{
		"no header, no units": {"2025/11/30 10:53:20.031, 0, 1200\n2025/11/30 10:53:21.031, 0, 1300\n",
			[]Line{{"", "", "0", []int64{1764500000031000, 1764500001031000},
				[]int64{1200 * mib, 1300 * mib}, ""}}, true},
		"header without units": {"timestamp, index, memory.used [MiB], utilization.gpu [%]\n" +
			"2025/11/30 10:53:20.031, 1, 7, 50\n",
			[]Line{{"memory.used", "", "1", []int64{1764500000031000}, []int64{7 * mib}, "memory.used [MiB]"}}, true},
		"seconds and bytes": {"1764500000.5,1000\n1764500001.5,2000\n",
			[]Line{{"", "", "", []int64{1764500000500000, 1764500001500000}, []int64{1000, 2000}, ""}}, false},
		"named": {"time,rss\n2025-11-30T10:53:20Z,5 GiB\n",
			[]Line{{"rss", "", "", []int64{1764500000000000}, []int64{5 << 30}, "rss"}}, false},
		"milliseconds, out of order": {"bytes,ts\n2,1764500000002\n1,1764500000001\n",
			[]Line{{"bytes", "", "", []int64{1764500000001000, 1764500000002000}, []int64{1, 2}, "bytes"}}, false},
		"nanoseconds": {"ts,bytes\n1764500000123456789,2\n",
			[]Line{{"bytes", "", "", []int64{1764500000123456}, []int64{2}, "bytes"}}, false},
		"msprof in KB": {"Device_id,Component,Timestamp(us),Total Allocated(KB),Total Reserved(KB)\n" +
			"0,GE,1736408883573957.920\t,,3\n",
			[]Line{{"Total Reserved", "GE", "0", []int64{1736408883573957},
				[]int64{3072}, "Total Reserved(KB)"}}, false},
	} {
		log, err := Read([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if log.Local != c.local || log.Skipped > 0 || len(log.Lines) != len(c.lines) {
			t.Errorf("%s: %+v", name, log)
			continue
		}
		for i, l := range log.Lines {
			w := c.lines[i]
			if l.Name != w.Name || l.Component != w.Component || l.Column != w.Column || l.Device != w.Device ||
				!slices.Equal(l.Times, w.Times) || !slices.Equal(l.Bytes, w.Bytes) {
				t.Errorf("%s: %+v, want %+v", name, l, w)
			}
		}
	}
	for text, says := range map[string]string{
		"":               "empty",
		"\n\n":           "empty",
		"a,b\n1,2\n":     "--query-gpu=timestamp",
		"memory.used\n1": "--query-gpu=timestamp",
		"timestamp,temperature,power\n2025/11/30 10:53:20.031,1,2\n": "no column in bytes",
		"timestamp,memory.used [MiB]\nnever,1\n":                     "no row",
	} {
		if log, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %+v, %v; want %q", text, log, err, says)
		}
	}
}

// TestZone: a local clock an hour and a half to the east of UTC is found, one of another day is not.
func TestZone(t *testing.T) {
	log, err := Read([]byte("2025/11/30 12:23:20.000, 0, 1\n2025/11/30 12:24:20.000, 0, 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	from := time.Date(2025, 11, 30, 10, 53, 0, 0, time.UTC).UnixMicro()
	if zone, ok := log.ZoneOf(from, from+300e6); !ok || zone != 90*time.Minute {
		t.Errorf("%v, %t", zone, ok)
	}
	if zone, ok := log.ZoneOf(from+48*3600e6, from+49*3600e6); ok {
		t.Errorf("another day: %v", zone)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("timestamp, index, memory.used [MiB]\n2025/11/30 10:53:20.031, 0, 1200 MiB\n"))
	f.Add([]byte("1764500000.5,1000\n"))
	f.Add([]byte("Name,Size(KB),Allocation Time(us),Release Time(us)\naten::mm,0.5,1736408883701264.010\t,\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		Is(data)
		if log, err := Read(data); err == nil {
			for _, l := range log.Lines {
				if len(l.Times) == 0 || len(l.Times) != len(l.Bytes) || !slices.IsSorted(l.Times) {
					t.Fatalf("%+v", l)
				}
			}
			log.ZoneOf(0, 1e18)
		}
		_, _, _ = ReadOperators(data)
	})
}
