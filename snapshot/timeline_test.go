package snapshot

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestMemoryTimelines: both forms of JSON become bands, and no events.
func TestMemoryTimelines(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		times []int64
		names []string
		bytes [][]int64
		found string
	}{
		"json": {"[[1696966047096061, 1696966047096061, 1696966047096070]," +
			"[[0,1,0,0,0,0,0,0,0],[0,1,0,0,0,7,0,0,0],[0,1,0,0,0,3,0,0,2]]]",
			[]int64{1696966047096061, 1696966047096070}, []string{"parameter", "activation", "unknown"},
			[][]int64{{1, 1}, {7, 3}, {0, 2}}, "memory-timeline"},
		"raw": {"[[-1,1,5,0],[-1,1,6,0],[1696966047096061874,2,100,4],[1696966047096062000,3,-100,4]," +
			"[1696966047096062000,3,100,5],[1696966047096063000,4,-100,5]]",
			[]int64{1696966047096061, 1696966047096062, 1696966047096063},
			[]string{"parameter", "activation", "gradient"},
			[][]int64{{11, 11, 11}, {100, 0, 0}, {0, 100, 0}}, "memory-timeline"},
		"one state, from 0": {"[[0],[[0,1,0,0,0,0,0,0,0]]]", []int64{0, 1}, []string{"parameter"},
			[][]int64{{1, 1}}, "relative-times"},
		"negative": {"[[1696966047096061,1696966047096062],[[0,1,0,0,0,0,0,0,0],[0,-1,0,0,0,0,0,0,0]]]",
			[]int64{1696966047096061, 1696966047096062}, []string{"parameter"}, [][]int64{{1, 0}}, "rows-odd"},
	} {
		s, err := Read(context.Background(), name, []byte(c.text), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		d := &s.Devices[0]
		if len(s.Devices) != 1 || d.Events.Len() > 0 || !slices.Equal(d.Bands.Time, c.times) {
			t.Errorf("%s: %d devices, %d events, times %v", name, len(s.Devices), d.Events.Len(), d.Bands.Time)
		}
		for i, b := range d.Bands.All {
			if b.Name != c.names[i] || !slices.Equal(b.Bytes, c.bytes[i]) {
				t.Errorf("%s: %+v, want %s %v", name, b, c.names[i], c.bytes[i])
			}
		}
		if !slices.ContainsFunc(s.Findings, func(f Finding) bool { return f.ID == c.found }) {
			t.Errorf("%s: no finding %s", name, c.found)
		}
	}
}

// TestMemoryTimelineErrors: what is no timeline after all, and the form that has but a picture.
func TestMemoryTimelineErrors(t *testing.T) {
	png := "\x89PNG…"
	page := "<html><head><title>GPU Memory Timeline HTML</title></head><body><img src='data:image/png;base64," +
		base64.StdEncoding.EncodeToString([]byte(png)) + "'></body></html>"
	for text, says := range map[string]string{
		"[[1,2],[[0]]]":     "2 times and 1 rows",
		"[[1,2,3]]":         "list of four whole numbers",
		"[[1,2,3,4],[1,2":   "damaged",
		page:                "a picture and no numbers",
		page[:len(page)-40]: "cut off before the end of its picture",
	} {
		_, err := Read(context.Background(), "x", []byte(text), Options{})
		e, ok := errors.AsType[*Error](err)
		if !ok || !strings.Contains(e.Error(), says) || e.Advice == "" {
			t.Errorf("%.40q: %v", text, err)
			continue
		}
		if text == page && string(e.Image) != png {
			t.Errorf("the picture is %q", e.Image)
		}
	}
	many := "[[" + strings.Repeat("1,", 1<<20) + "1],[]]"
	_, err := Read(context.Background(), "x", []byte(many), Options{Limits: Limits{Memory: 1 << 20}})
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != KindLimit {
		t.Errorf("a large one: %v", err)
	}
}

// TestSniffTimelines: they are told by their content.
func TestSniffTimelines(t *testing.T) {
	for _, text := range []string{"[[1,2],[[0,0,0,0,0,0,0,0,0]]]", "[\n [-1, 1, 5, 0]]",
		"<html><head><title>GPU Memory Timeline HTML</title>"} {
		path := t.TempDir() + "/x"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := Sniff(path); err != nil || !s.Snapshot {
			t.Errorf("%q: %+v, %v", text, s, err)
		}
	}
}
