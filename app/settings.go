package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"strata/layout"
)

// settings is what is remembered between runs, a readable JSON file. A file
// that cannot be read is set aside and never in the way.
type settings struct {
	Theme         string   `json:"theme"`          // "dark", "light" or "system"
	Axis          string   `json:"axis"`           // "events" or "time"
	WindowWidth   int      `json:"window_width"`   // dp
	WindowHeight  int      `json:"window_height"`  // dp
	StackWidth    int      `json:"stack_width"`    // dp
	MinimapHeight int      `json:"minimap_height"` // dp
	MatchesHeight int      `json:"matches_height"` // dp
	SQLHeight     int      `json:"sql_height"`     // dp
	SQLHistory    []string `json:"sql_history"`    // the newest first
	SQLSaved      []string `json:"sql_saved"`
	StackHidden   bool     `json:"stack_hidden"`
	ShowFramework bool     `json:"show_framework_frames"`
	Colour        string   `json:"colour"`
	GPU           string   `json:"gpu"`   // for capacity.Find; "" for none
	Model         string   `json:"model"` // for hub.ParseID; "" for none
	VocabSize     int64    `json:"vocab_size"`
	Quantized     bool     `json:"quantized"`
	Recent        []string `json:"recent"`

	// disk is the file as this window read or wrote it last, by names: other
	// windows write it too.
	disk map[string]json.RawMessage
}

// What a window is at first, and at least, dp.
const (
	windowWidth, windowHeight           = 1440, 900
	leastWindowWidth, leastWindowHeight = 400, 300
)

func defaultSettings() settings {
	return settings{Theme: "system", Axis: axisName(layout.Events), WindowWidth: windowWidth, WindowHeight: windowHeight,
		StackWidth: 320, MinimapHeight: 64, MatchesHeight: 380, SQLHeight: 300}
}

// axisName is an axis as the settings write it.
func axisName(a layout.Axis) string {
	if a == layout.Time {
		return "time"
	}
	return "events"
}

// recentLimit is how many files are remembered.
const recentLimit = 8

// addRecent puts a file first.
func (s *settings) addRecent(path string) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	recent := slices.DeleteFunc(slices.Clone(s.Recent), func(p string) bool { return p == path })
	recent = slices.Insert(recent, 0, path)
	s.Recent = recent[:min(len(recent), recentLimit)]
}

// settingsPath is where the settings are, "" where the system has no place.
func settingsPath() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "strata", "settings.json")
}

// loadSettings reads the settings. Where that fails they are the defaults, and
// the error says why and what became of the file.
func loadSettings(path string) (settings, error) {
	s := defaultSettings()
	s.disk = s.fields()
	if path == "" {
		return s, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		s = defaultSettings()
		s.disk = s.fields()
		// Kept for whoever edited it; if even that fails, it is overwritten.
		aside := path + ".broken"
		if moved := os.Rename(path, aside); moved != nil {
			return s, fmt.Errorf("%s: %w; the defaults are used", path, err)
		}
		return s, fmt.Errorf("%s: %w; the defaults are used, and the file is kept as %s", path, err, filepath.Base(aside))
	}
	s.clamp()
	s.disk = s.fields()
	return s, nil
}

// clamp brings what the file says into what is possible.
func (s *settings) clamp() {
	const most = 16384
	s.WindowWidth = min(max(s.WindowWidth, leastWindowWidth), most)
	s.WindowHeight = min(max(s.WindowHeight, leastWindowHeight), most)
	s.StackWidth = min(max(s.StackWidth, minStack), 4000)
	s.MinimapHeight = min(max(s.MinimapHeight, minMinimap), maxMinimap)
	s.MatchesHeight = min(max(s.MatchesHeight, minMatches), 4000)
	s.SQLHeight = min(max(s.SQLHeight, minSQL), maxSQL)
	s.SQLHistory, s.SQLSaved = s.SQLHistory[:min(len(s.SQLHistory), sqlHistoryLimit)], s.SQLSaved[:min(len(s.SQLSaved), sqlSavedLimit)]
	s.Recent = slices.DeleteFunc(s.Recent, func(path string) bool { return !filepath.IsAbs(path) })
	s.Recent = s.Recent[:min(len(s.Recent), recentLimit)]
}

// fields are the settings by their names.
func (s *settings) fields() map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	if data, err := json.Marshal(s); err == nil {
		_ = json.Unmarshal(data, &fields)
	}
	return fields
}

// write stores what this window has changed, a new file renamed over the old
// one. What it has not changed stays as another window may have written it
// meanwhile, and what a newer Strata wrote stays too.
func (s *settings) write(path string) error {
	if path == "" {
		return nil
	}
	var now map[string]json.RawMessage
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &now)
	}
	if !bytes.Equal(now["recent"], s.disk["recent"]) {
		s.addOthers(now["recent"])
	}
	ours := s.fields()
	merged := maps.Clone(ours)
	for name, value := range now {
		if own, known := ours[name]; !known || bytes.Equal(own, s.disk[name]) {
			merged[name] = value
		}
	}
	data, err := json.MarshalIndent(merged, "", "  ")
	if err != nil {
		return err
	}
	if err := replaceFile(path, append(data, '\n')); err != nil {
		return err
	}
	s.disk = ours
	return nil
}

// addOthers takes in the files that another window has opened since.
func (s *settings) addOthers(recent json.RawMessage) {
	var theirs, before []string
	if json.Unmarshal(recent, &theirs) != nil {
		return
	}
	_ = json.Unmarshal(s.disk["recent"], &before)
	for _, path := range theirs {
		if !slices.Contains(s.Recent, path) && !slices.Contains(before, path) {
			s.Recent = append(slices.Clip(s.Recent), path)
		}
	}
	s.Recent = s.Recent[:min(len(s.Recent), recentLimit)]
}

// replaceFile writes a file beside the old one and renames it.
func replaceFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "settings-*.json")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
