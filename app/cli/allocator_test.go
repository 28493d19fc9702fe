package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"strata/app/cli/report"
	"strata/layout/state"
	"strata/snapshot"
)

// decoded is what a value looks like after it was written as JSON.
func decoded(t *testing.T, v any) map[string]any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestStatesAreAsExpected: what strata state --json prints of every expected state is that of the independent
// implementation, each block and segment of it.
func TestStatesAreAsExpected(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join("../../../shared/expected", "*.state.json.gz"))
	if len(files) == 0 {
		t.Skip("no ../shared/expected")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".state.json.gz"), func(t *testing.T) {
			data, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer data.Close()
			z, err := gzip.NewReader(data)
			if err != nil {
				t.Fatal(err)
			}
			var want struct {
				File   string
				Device int
				States []map[string]any
			}
			d := json.NewDecoder(z)
			d.UseNumber()
			if err := d.Decode(&want); err != nil {
				t.Fatal(err)
			}
			name := filepath.Join("../../../shared/snapshots", want.File)
			s, err := snapshot.Open(context.Background(), name, snapshot.Options{})
			if err != nil {
				t.Fatal(err)
			}
			dev, err := deviceOf(s, want.File, want.Device)
			if err != nil {
				t.Fatal(err)
			}
			h := state.New(s, dev)
			for _, w := range want.States {
				k, _ := w["k"].(json.Number).Int64()
				got := decoded(t, report.NewState(h.At(int(k))))
				for _, key := range []string{"k", "raw", "action", "totals", "pools", "segments", "outside", "oom"} {
					if !reflect.DeepEqual(got[key], w[key]) {
						t.Fatalf("state %d: %s is\n%v, want\n%v", k, key, got[key], w[key])
					}
				}
			}
		})
	}
}

// TestStateOfLittle: a file without events is told to be one, and before the first event is said so.
func TestStateOfLittle(t *testing.T) {
	file := filepath.Join(t.TempDir(), "final.json")
	text := `{"segments": [{"device": 0, "address": 1048576, "total_size": 2097152, "stream": 0, "blocks":
		[{"size": 2097152, "state": "inactive"}]}], "device_traces": [[]]}`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const sample = "../../testdata/generated/oom.pickle"
	for _, c := range []struct{ args, want string }{
		{"state " + file, "GPU 0 at the end, all that the file tells: no events were recorded\n"},
		{"explain " + file, "No events were recorded: whether a request failed for want of memory is unknown.\n"},
		{"state --event -1 " + sample, "GPU 0 before the first of 1,031 events\n"},
		{"state --event 7 " + sample, "GPU 0 after event 7 of 1,031, "},
		{"explain ../../testdata/reference/sim-base.pickle", "No request in the trace failed for want of memory.\n"},
	} {
		if out, errs, code := run(t, strings.Fields(c.args)...); code != 0 || !strings.HasPrefix(out, c.want) {
			t.Errorf("%s: exit %d, %s%s", c.args, code, out, errs)
		}
	}
}
