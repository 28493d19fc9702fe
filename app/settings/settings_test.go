package settings

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLoadOddFiles: whatever the file says, sizes and lists are within their limits.
func TestLoadOddFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	for _, odd := range []string{
		`{"stack_width": -5, "minimap_height": 99999999, "window_width": 1}`,
		`{"recent": ["/a","/b","/c","/d","/e","/f","/g","/h","/i","/j", "k"]}`, `null`, `[]`, ``,
	} {
		if err := os.WriteFile(path, []byte(odd), 0o644); err != nil {
			t.Fatal(err)
		}
		got, _ := Load(path)
		if got.StackWidth < MinStackWidth || got.MinimapHeight > MaxMinimapHeight || got.WindowWidth < MinWindowWidth ||
			len(got.Recent) > MaxRecent {
			t.Fatalf("%s: %+v", odd, got)
		}
	}
}

// TestTwoWindowsShareTheSettings: each writes only what was changed in it.
func TestTwoWindowsShareTheSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "strata", "settings.json")
	first, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	first.Recent = []string{"/old"}
	if err := first.Write(path); err != nil {
		t.Fatal(err)
	}
	second, _ := Load(path)
	second.Theme = "light"
	second.AddRecent("/second")
	if err := second.Write(path); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	newer := strings.Replace(string(data), "{", `{ "from_the_future": 7,`, 1)
	if err := os.WriteFile(path, []byte(newer), 0o644); err != nil {
		t.Fatal(err)
	}
	first.StackWidth = 500
	first.AddRecent("/first")
	for range 2 {
		if err := first.Write(path); err != nil {
			t.Fatal(err)
		}
	}
	got, _ := Load(path)
	if got.Theme != "light" || got.StackWidth != 500 ||
		!slices.Equal(got.Recent, []string{"/first", "/old", "/second"}) {
		t.Errorf("%+v", got)
	}
	var all map[string]any
	if data, err = os.ReadFile(path); err != nil || json.Unmarshal(data, &all) != nil || all["from_the_future"] != 7. {
		t.Errorf("what a newer Strata wrote is gone: %s", data)
	}
}
