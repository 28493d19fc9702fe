package ascend

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"strata/snapshot/kineto"
)

const shared = "../../../shared/profiler/"

var roomy = kineto.Options{Memory: 1 << 30, Tick: func(int64) error { return nil }}

// TestReference compares with the figures of an independent reader.
func TestReference(t *testing.T) {
	text, err := os.ReadFile(shared + "expected-samples.json")
	if err != nil {
		t.Skip("no ../shared here: ", err)
	}
	var expected map[string]struct{ Devices json.RawMessage }
	if err := json.Unmarshal(text, &expected); err != nil {
		t.Fatal(err)
	}
	p := Find(shared + "samples/rank0_ascend_pt")
	if p == nil || p.Rank != 0 || filepath.Base(p.Main) != operators {
		t.Fatalf("%+v", p)
	}
	data, err := os.ReadFile(p.Main)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(data, p, roomy)
	if err != nil || r.Skipped > 0 || r.Later != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, table := range []string{operators, records, modules} {
		var devices map[string]map[string]int64
		if err := json.Unmarshal(expected["rank0_ascend_pt/"+Output+"/"+table].Devices, &devices); err != nil {
			t.Fatal(err)
		}
		for device, want := range devices {
			if got := r.Figures[table+" "+device]; !maps.Equal(got, want) {
				t.Errorf("%s %s: %v, want %v", table, device, got, want)
			}
		}
	}
	found := 0
	s := kineto.NewStacks(r.Trace)
	for i := range r.Memory {
		if r.Memory[i].Bytes > 0 && len(s.Of(int32(i))) > 2 {
			found++
		}
	}
	if found < 120 {
		t.Errorf("%d of 184 allocations have a stack", found)
	}
}

// folder makes a folder of files.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestFind: any part of a profile leads to its table of allocations, else to that of totals.
func TestFind(t *testing.T) {
	dir := folder(t, map[string]string{"run/profiler_info_7.json": "{}", "run/" + Output + "/" + operators: "",
		"run/" + Output + "/" + records: "", "run/" + Output + "/trace_view.json": "",
		"run/" + Output + "/other.csv": "", "msprof/memory_record_20250109.csv": "",
		"none/trace_view.json": "", "none/a.pickle": ""})
	for path, main := range map[string]string{
		"run":                                "run/" + Output + "/" + operators,
		"run/" + Output:                      "run/" + Output + "/" + operators,
		"run/" + Output + "/trace_view.json": "run/" + Output + "/" + operators,
		"run/" + Output + "/" + records:      "run/" + Output + "/" + operators,
		"msprof":                             "msprof/memory_record_20250109.csv",
		"run/" + Output + "/other.csv":       "",
		"none":                               "",
		"none/trace_view.json":               "",
		"none/a.pickle":                      "",
		"not there":                          "",
	} {
		p := Find(filepath.Join(dir, path))
		if p == nil != (main == "") || p != nil && p.Main != filepath.Join(dir, filepath.FromSlash(main)) {
			t.Errorf("%s: %+v, want %q", path, p, main)
		}
		if p != nil && p.Rank != map[bool]int{true: 7, false: -1}[strings.HasPrefix(main, "run")] {
			t.Errorf("%s: rank %d", path, p.Rank)
		}
	}
}

// rows is a made table: a block that another stream used, one from before, one that stays, one of the graph engine.
const rows = "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us)," +
	"Active Duration(us),Allocation Total Allocated(MB),Allocation Total Reserved(MB),Allocation Total Active(MB)," +
	"Release Total Allocated(MB),Release Total Reserved(MB),Release Total Active(MB),Stream Ptr,Device Type\r\n" +
	"aten::mm,1024,1700000000000010.500\t,1700000000000030.250\t,1700000000000040.250\t,,," +
	"5.0,8.0,5.0,4.0,8.0,4.0,77,NPU:1\r\n" +
	"aten::add,-1024,,1700000000000035.000\t,1700000000000035.000\t,,,,,,3.0,8.0,3.0,77,NPU:1\r\n" +
	"aten::add,512,1700000000000050.000\t,,,,,3.5,8.0,3.5,,,,78,NPU:1\r\n" +
	"cann::Sum,2048,1700000000000020.000\t,1700000000000021.000\t,1700000000000021.000\t,,," +
	"2.0,4.0,2.0,0.0,4.0,0.0,9,NPU:1\r\n" +
	"aten::bad,,,,,,,,,,,,,,NPU:1\r\n"

const view = `[{"ph": "X", "name": "aten::mm", "pid": 5, "tid": 6, "ts": "1700000000000010.000", "dur": 1.5,
	"cat": "cpu_op", "args": {"Call stack": "/a/model.py(12): forward;\r\n/a/train.py(3): main"}}]`

// TestRead follows the rows of a made profile.
func TestRead(t *testing.T) {
	dir := folder(t, map[string]string{operators: rows, "trace_view.json": view,
		modules: "Component,Timestamp(us),Total Reserved(MB),Device\nHCCL,1700000000000010.000\t,400.0,NPU:1\n" +
			"SLOG,1700000000000010.000\t,0.0,NPU:1\n",
		records: "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Stream Ptr,Device Type\n" +
			"PTA,1700000000000010.500\t,5.0,8.0,77,NPU:1\nPTA,1700000000000060.000\t,6.0,8.0,77,NPU:1\n" +
			"PTA+GE,1700000000000060.000\t,6.0,12.0,,NPU:1\n"})
	r, err := Read([]byte(rows), Find(dir), roomy)
	if err != nil {
		t.Fatal(err)
	}
	if r.Skipped != 1 || r.Later != 1 || r.Latest != 10_000 || len(r.Lines) != 1 || r.Lines[0].Component != "HCCL" {
		t.Errorf("%+v", r)
	}
	devices := r.Devices()
	if len(devices) != 2 || devices[0].ID != (kineto.DeviceID{Type: PTA, Index: 1}) || devices[1].ID.Type != GE {
		t.Fatalf("%+v", devices)
	}
	const mib = 1 << 20
	s := kineto.NewStacks(r.Trace)
	d := s.Draw(&devices[0])
	if d.Before != 3*mib || d.Unseen != 2*mib+mib/2 || d.Odd != 0 || d.Excess != 0 {
		t.Errorf("%+v", d)
	}
	sum, most := int64(4*mib), int64(0)
	for _, e := range d.Events {
		if e.Free {
			e.Bytes = -e.Bytes
		}
		sum += e.Bytes
		most = max(most, sum)
	}
	if sum != 6*mib || most != 6*mib {
		t.Errorf("%d at the end, %d at most", sum, most)
	}
	first := s.Of(devices[0].Events[0])
	if len(first) != 3 || first[0].Text != "aten::mm" || !first[1].Python ||
		first[1].Text != "/a/model.py(12): forward" {
		t.Errorf("%+v", first)
	}
	if sum := s.Of(devices[1].Events[0]); len(sum) != 1 || sum[0].Text != "cann::Sum" {
		t.Errorf("%+v", sum)
	}
	if s.Op(devices[0].Events[0]) != "aten::mm" || r.Streams[devices[0].Events[0]] != 77 {
		t.Errorf("%q, %d", s.Op(devices[0].Events[0]), r.Streams[devices[0].Events[0]])
	}
}

// TestAlone: a table of totals alone is one band.
func TestAlone(t *testing.T) {
	text := "Device_id,Component,Timestamp(us),Total Allocated(KB),Total Reserved(KB)\n" +
		"0,PTA,1700000000000010.0\t,1024,2048\n0,PTA,1700000000000020.0\t,3072,4096\n" +
		"0,PTA,1700000000000030.0\t,0,4096\n"
	r, err := Read([]byte(text), nil, roomy)
	if err != nil {
		t.Fatal(err)
	}
	devices := r.Devices()
	if len(devices) != 1 {
		t.Fatalf("%+v", devices)
	}
	d := kineto.NewStacks(r.Trace).Draw(&devices[0])
	if d.Unseen != 2<<20 || len(d.Events) != 3 {
		t.Errorf("%+v", d)
	}
	for _, bad := range []string{"Name,Size(KB)\n", "Component,Timestamp(us),Total Allocated(MB)\n"} {
		if r, err := Read([]byte(bad), nil, roomy); err == nil {
			t.Errorf("%q: %+v", bad, r)
		}
	}
}

// FuzzRead: any table is read or refused, and what is read can be drawn.
func FuzzRead(f *testing.F) {
	f.Add([]byte(rows))
	f.Add([]byte("Component,Timestamp(us),Total Allocated(MB),Device\nPTA,1700000000000010.000\t,5.0,NPU:1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Read(data, nil, roomy)
		if err != nil {
			return
		}
		s := kineto.NewStacks(r.Trace)
		for _, d := range r.Devices() {
			s.Draw(&d)
			s.Figures(&d)
		}
		if len(r.Streams) != len(r.Memory) {
			t.Fatalf("%d streams, %d events", len(r.Streams), len(r.Memory))
		}
	})
}
