package memtimeline

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const shared = "../../../shared/profiler/"

func sample(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(shared, "samples", file))
	if err != nil {
		t.Skip("no ../shared here: ", err)
	}
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if data, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	return data
}

// TestReference: the two forms of one run, each with its figures.
func TestReference(t *testing.T) {
	type figures struct {
		Points, Rows    int
		FirstUS, LastUS int64 `json:"-"`
		Peak, End       int64
		AtPeak          map[string]int64 `json:"at_peak"`
		PeakUS          int64            `json:"peak_us"`
		PeakNS          int64            `json:"peak_ns"`
		FirstNS         int64            `json:"first_ns"`
		LastNS          int64            `json:"last_ns"`
	}
	text, err := os.ReadFile(shared + "expected-samples.json")
	if err != nil {
		t.Skip("no ../shared here: ", err)
	}
	var want map[string]figures
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"made/memory_timeline.json.gz", "memory_timeline.raw.json.gz"} {
		data := sample(t, file)
		tl, err := Read(data)
		if err != nil || !Is(data[:100]) || tl.Odd > 0 {
			t.Fatalf("%s: %v, %+v", file, err, tl)
		}
		w, last := want[file], len(tl.Times)-1
		peak := tl.Peak()
		if tl.Total(peak) != w.Peak || tl.Total(last) != w.End {
			t.Errorf("%s: peak %d, end %d; want %d, %d", file, tl.Total(peak), tl.Total(last), w.Peak, w.End)
		}
		if tl.Raw != (w.Rows > 0) || !tl.Raw && (len(tl.Times) != w.Points || tl.Times[peak] != w.PeakUS*1000) ||
			tl.Raw && (tl.Times[peak] != w.PeakNS || tl.Times[0] != w.FirstNS || tl.Times[last] != w.LastNS) {
			t.Errorf("%s: %d states, the peak at %d; want %+v", file, len(tl.Times), tl.Times[peak], w)
		}
		for c, name := range Categories {
			if tl.Bytes[c][peak] != w.AtPeak[name] {
				t.Errorf("%s: %s has %d at the peak, want %d", file, name, tl.Bytes[c][peak], w.AtPeak[name])
			}
		}
	}
}

func TestPicture(t *testing.T) {
	html := sample(t, "made/memory_timeline.html")
	data, err := Picture(html)
	if err != nil || !IsHTML(html) {
		t.Fatalf("%v, %t", err, IsHTML(html))
	}
	if m, err := png.DecodeConfig(bytes.NewReader(data)); err != nil || m.Width != 320 || m.Height != 120 {
		t.Errorf("%+v, %v", m, err)
	}
	for cut := range len(html) {
		if _, err := Picture(html[:cut]); err == nil && cut < bytes.LastIndexByte(html, '\'') {
			t.Errorf("a picture of %d bytes", cut)
		}
	}
}

func TestOddFiles(t *testing.T) {
	for text, says := range map[string]string{
		"":                        "damaged",
		"[]":                      "empty",
		"[[],[]]":                 "0 times",
		"[[1],[[1,2,3]]]":         "3 sizes",
		"[[1,2],[[0,0,0,0,0]]]":   "2 times",
		"[[1,2,3,4],[1,2,3]]":     "row 1",
		`[[1,2,3,4],[1,2,"a",4]]`: "row 1",
		"[[1,2,3,4],[1,2":         "damaged",
		`{"a":1}`:                 "damaged",
	} {
		if tl, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %+v, %v; want %q", text, tl, err, says)
		}
	}
	tl, err := Read([]byte("[[-1,1,100,0],[5000,2,50,3],[6000,3,-50,3],[6000,3,50,5],[4000,4,-50,5],[7000,9,1,1]," +
		"[7000,2,1,8]]"))
	if err != nil || tl.Odd != 3 || len(tl.Times) != 4 || tl.Times[0] != 4000 || tl.Times[3] != 6000 ||
		tl.Total(2) != 150 || tl.Bytes[5][2] != 50 || tl.Total(3) != 100 || tl.Peak() != 1 {
		t.Errorf("%+v, %v", tl, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("[[1,2],[[0,1,2,3,4,5,6,7,8],[0,1,2,3,4,5,6,7,8]]]"))
	f.Add([]byte("[[-1,1,100,0],[5000,2,50,3]]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		Is(data)
		tl, err := Read(data)
		if err != nil || len(tl.Times) == 0 {
			return
		}
		tl.Peak()
		for c := range tl.Bytes {
			if len(tl.Bytes[c]) != len(tl.Times) {
				t.Fatal("states of different lengths")
			}
		}
	})
}
