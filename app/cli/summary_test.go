package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

const (
	root   = "../.."
	shared = root + "/../shared"
)

// run runs a command line as main does.
func run(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err bytes.Buffer
	c, wrong := Parse(args)
	if wrong != nil {
		code = Fail(&err, wrong)
	} else {
		code = c.Run(context.Background(), &out, &err)
	}
	return out.String(), err.String(), code
}

// figures is a device as figures.py prints it; nil where it says nothing.
type figures map[string]*int64

// compareFigures checks every figure that want has.
func compareFigures(t *testing.T, stdout string, want []figures) {
	t.Helper()
	var got struct{ Devices []map[string]*int64 }
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v in %s", err, stdout)
	}
	if len(got.Devices) != len(want) {
		t.Fatalf("%d devices, want %d", len(got.Devices), len(want))
	}
	for i, w := range want {
		for key, value := range w {
			g, ok := got.Devices[i][key]
			if !ok || (g == nil) != (value == nil) || g != nil && *g != *value {
				t.Errorf("device %d: %s is %s, want %s", i, key, number(g), number(value))
			}
		}
	}
}

func number(n *int64) string {
	b, _ := json.Marshal(n)
	return string(b)
}

// TestFiguresOfTestdata needs nothing but the repository.
func TestFiguresOfTestdata(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(root, "testdata/figures.json"))
	if err != nil {
		t.Fatal(err)
	}
	var files map[string][]figures
	if err := json.Unmarshal(b, &files); err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no figures")
	}
	for name, want := range files {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, code := run(t, "summary", "--json", filepath.Join(root, "testdata", name))
			if code != 0 || stderr != "" {
				t.Fatalf("exit %d, %s", code, stderr)
			}
			compareFigures(t, stdout, want)
		})
	}
}

// referee prints the figures of all files that Python can load, which the shared figures.py works out in its own
// way.
const referee = `
import sys, json
sys.path.insert(0, sys.argv[1])
import figures
for f in sys.argv[2:]:
    try: print(json.dumps({"file": f, "devices": figures.truth(f)}))
    except Exception: pass
`

// TestFiguresEqualPython compares with the referee on every shared file.
func TestFiguresEqualPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	var files []string
	for _, pattern := range []string{"snapshots/*.pickle", "cases/*.pickle*"} {
		found, _ := filepath.Glob(filepath.Join(shared, pattern))
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Skip("../shared is not beside the project")
	}
	out, err := exec.Command(python, append([]string{"-c", referee, filepath.Join(shared, "tools")},
		files...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(out))
	dec.UseNumber()
	compared := 0
	for {
		var truth struct {
			File    string
			Devices []map[string]json.Number
		}
		if err := dec.Decode(&truth); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		compared++
		t.Run(filepath.Base(truth.File), func(t *testing.T) {
			var want []figures
			for _, d := range truth.Devices {
				f := figures{}
				for k, v := range d {
					n, err := v.Int64()
					if err != nil || n < 0 {
						t.Skip("the referee believes impossible sizes; TestSkippedEvents has this file")
					}
					f[k] = &n
				}
				want = append(want, f)
			}
			if filepath.Base(truth.File) == "negsize.pickle" {
				t.Skip("the referee believes negative sizes; TestSkippedEvents has this file")
			}
			if filepath.Base(truth.File) == "pending_before.pickle" {
				t.Skip("the referee leaves out what waits to be freed; layout's TestCases has this file")
			}
			stdout, stderr, code := run(t, "summary", "--json", truth.File)
			if code != 0 {
				t.Fatalf("exit %d: %s", code, stderr)
			}
			compareFigures(t, stdout, want)
		})
	}
	if compared < 50 {
		t.Errorf("only %d files compared", compared)
	}
}

// TestSkippedEvents: an event of an impossible size is left out.
func TestSkippedEvents(t *testing.T) {
	for _, name := range []string{"bigint_list.pickle", "negsize.pickle"} {
		file := filepath.Join(shared, "cases", name)
		if _, err := os.Stat(file); err != nil {
			t.Skip("../shared is not beside the project")
		}
		stdout, stderr, code := run(t, "summary", "--json", file)
		if code != 0 {
			t.Fatalf("%s: exit %d: %s", name, code, stderr)
		}
		n := func(v int64) *int64 { return &v }
		compareFigures(t, stdout, []figures{{"allocations": n(1), "start_bytes": n(400), "end_bytes": n(400),
			"peak_bytes": n(400), "segments": n(1)}})
	}
}

// TestJSONShape: one object on one line, with the promised keys and types.
func TestJSONShape(t *testing.T) {
	file := filepath.Join(root, "testdata/reference/sim-ring.pickle")
	stdout, _, code := run(t, "summary", file, "--json")
	if code != 0 || strings.Count(stdout, "\n") != 1 || !strings.HasSuffix(stdout, "}\n") {
		t.Fatalf("exit %d, not one line: %s", code, stdout)
	}
	var r map[string]any
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	info, _ := os.Stat(file)
	if r["file"] != file || r["bytes"] != float64(info.Size()) || r["compression"] != "none" {
		t.Errorf("file, bytes or compression are wrong in %s", stdout)
	}
	for key, want := range map[string]string{"protocol": "number", "annotations": "number", "warnings": "list",
		"findings": "list", "devices": "list"} {
		if got := jsonType(r[key]); got != want {
			t.Errorf("%s is a %s, want a %s", key, got, want)
		}
	}
	d := r["devices"].([]any)[0].(map[string]any)
	keys := slices.Sorted(maps.Keys(d))
	want := []string{"allocations", "device", "duration_us", "end_bytes", "events", "oom_events", "peak_bytes",
		"peak_step",
		"peak_time_us", "reserved_bytes", "segments", "start_bytes", "unmatched_frees"}
	if !slices.Equal(keys, want) {
		t.Errorf("keys of a device: %v", keys)
	}
	ids := map[string]bool{}
	last := "warning"
	for _, f := range r["findings"].([]any) {
		f := f.(map[string]any)
		ids[f["id"].(string)] = true
		if sev := f["severity"].(string); sev > last { // warning, notice, info: as it happens the alphabet backwards
			t.Errorf("%s after %s", sev, last)
		} else {
			last = sev
		}
	}
	if !ids["unmatched-frees"] || !ids["blocks-before-recording"] {
		t.Errorf("findings of layout are missing: %v", ids)
	}
	for _, w := range r["warnings"].([]any) {
		if w.(map[string]any)["severity"] == "info" {
			t.Errorf("a mere fact among the warnings: %v", w)
		}
	}
}

func jsonType(v any) string {
	switch v.(type) {
	case float64:
		return "number"
	case []any:
		return "list"
	case nil:
		return "null"
	}
	return "something else"
}

// TestSummaryOfSeveral: a file that cannot be used does not hide the others.
func TestSummaryOfSeveral(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty.pickle")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	good := filepath.Join(root, "testdata/reference/sim-base.pickle")
	absent := filepath.Join(dir, "absent.pickle")
	stdout, stderr, code := run(t, "summary", "--json", absent, good, empty, good)
	if code != ExitUnusable || strings.Count(stdout, "\n") != 2 {
		t.Errorf("exit %d, %q", code, stdout)
	}
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], absent) || !strings.Contains(lines[1], empty) ||
		!strings.HasPrefix(lines[0], "strata: ") {
		t.Errorf("stderr %q", stderr)
	}
}

// TestTable: several files, and those in a folder, are a table with a line for each device.
func TestTable(t *testing.T) {
	dir := t.TempDir()
	base := filepath.Join(root, "testdata/reference/sim-base.pickle")
	data, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join(dir, "inside.pickle")
	if err := os.WriteFile(inside, data, 0o600); err != nil {
		t.Fatal(err)
	}
	devices := filepath.Join(root, "testdata/generated/devices.pickle")
	stdout, stderr, code := run(t, "summary", dir, devices, filepath.Join(dir, "absent"))
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if code != ExitUnusable || !strings.Contains(stderr, "absent") || len(lines) < 4 {
		t.Fatalf("exit %d, %s\n%s", code, stderr, stdout)
	}
	if !strings.Contains(lines[1], " MiB") || !strings.HasSuffix(lines[1], "GPU 0  "+inside) ||
		!strings.HasSuffix(lines[3], "GPU 1  "+devices) {
		t.Errorf("the table is\n%s", stdout)
	}
	if one, _, _ := run(t, "summary", dir); !strings.Contains(one, "Held at the peak") {
		t.Errorf("of a folder with one file there is no report:\n%s", one)
	}
	empty := t.TempDir()
	if _, stderr, code := run(t, "summary", empty); code != ExitUnusable ||
		!strings.Contains(stderr, "no snapshot lies") {
		t.Errorf("an empty folder: exit %d, %s", code, stderr)
	}
}

// TestStandardInput: "-" is a file that is read from standard input, and nothing of it stays.
func TestStandardInput(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	c, err := Parse([]string{"summary", "-"})
	if err != nil {
		t.Fatal(err)
	}
	remove, err := c.Prepare(strings.NewReader("\x80\x04}."), io.Discard)
	if err != nil || len(c.Files) != 1 || !c.NoCache {
		t.Fatalf("%+v, %v", c, err)
	}
	if data, err := os.ReadFile(c.Files[0]); err != nil || string(data) != "\x80\x04}." {
		t.Errorf("%q, %v", data, err)
	}
	if info, err := os.Lstat(c.Files[0]); runtime.GOOS == "linux" && (err != nil || info.Mode().IsRegular()) {
		t.Errorf("a copy that stays when the program is killed: %v, %v", info, err)
	}
	remove()
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestRecord prints code of the maker that is asked for.
func TestRecord(t *testing.T) {
	for arg, want := range map[string]string{"": "torch.cuda.memory._dump", "rocm": "torch.cuda.memory._dump",
		"xpu": "torch.xpu.memory._dump", "npu": "torch_npu.npu.memory._dump"} {
		stdout, stderr, code := run(t, append([]string{"record"}, words(arg)...)...)
		if code != 0 || stderr != "" || !strings.Contains(stdout, want) {
			t.Errorf("%s: exit %d, %s%s", arg, code, stdout, stderr)
		}
	}
}

// failing refuses to be written to.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestOutputGone(t *testing.T) {
	file := filepath.Join(root, "testdata/reference/sim-base.pickle")
	for _, args := range [][]string{{"summary", file}, {"summary", "--json", file, file}, {"-h"}, {"version"},
		{"render", file, "-o", "-"}} {
		c, err := Parse(args)
		if err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		if code := c.Run(context.Background(), failing{syscall.EPIPE}, &stderr); code != ExitGood || stderr.Len() > 0 {
			t.Errorf("%v, closed pipe: exit %d, %q", args, code, &stderr)
		}
		stderr.Reset()
		if code := c.Run(context.Background(), failing{syscall.ENOSPC}, &stderr); code != ExitUnusable ||
			strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%v, full disk: exit %d, %q", args, code, &stderr)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	file := filepath.Join(root, "testdata/reference/sim-base.pickle")
	out := filepath.Join(t.TempDir(), "o.png")
	for _, args := range [][]string{{"summary", file}, {"summary", "--json", file, file}, {"render", file, "-o", out}} {
		c, err := Parse(args)
		if err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		if code := c.Run(ctx, &stdout, &stderr); code != ExitCancelled || stderr.String() != "strata: cancelled\n" ||
			stdout.Len() > 0 {
			t.Errorf("%v: exit %d, stdout %q, stderr %q", args, code, &stdout, &stderr)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(out), "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestReportForPeople(t *testing.T) {
	stdout, _, code := run(t, "summary", filepath.Join(root, "testdata/reference/sim-ring.pickle"))
	if code != 0 {
		t.Fatalf("exit %d", code)
	}
	// The figures are those of figures.json; who held it is checked in full by TestHeld.
	for _, want := range []string{"events         300\n", "(186,667,248 B) at ",
		"at start       148.0 MiB (155,212,876 B)\n",
		"at end         120.0 MiB (125,849,600 B)\n", "in 17 segments",
		"Held at the peak: 77 allocations",
		"27.0%         20  /srv/train/exp_avg.py:356 exp_avg\n", "frees without alloc", "as PyTorch 2."} {
		if strings.Count(stdout, want) != 1 {
			t.Errorf("not once %q in\n%s", want, stdout)
		}
	}
}
