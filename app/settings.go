package app

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// settings is what is remembered between runs, a readable JSON file. A file
// that cannot be read is set aside and never in the way.
type settings struct {
	Theme         string   `json:"theme"`          // "dark", "light" or "system"
	StackWidth    int      `json:"stack_width"`    // dp
	MinimapHeight int      `json:"minimap_height"` // dp
	MatchesHeight int      `json:"matches_height"` // dp
	SQLHeight     int      `json:"sql_height"`     // dp
	SQLHistory    []string `json:"sql_history"`    // the newest first
	SQLSaved      []string `json:"sql_saved"`
	StackHidden   bool     `json:"stack_hidden"`
	ShowFramework bool     `json:"show_framework_frames"`
	Colour        string   `json:"colour"`
	GPU           string   `json:"gpu"` // for capacity.Find; "" for none
	Recent        []string `json:"recent"`
}

func defaultSettings() settings {
	return settings{Theme: "dark", StackWidth: 320, MinimapHeight: 64, MatchesHeight: 380, SQLHeight: 300}
}

// recentLimit is how many files are remembered.
const recentLimit = 8

// addRecent puts a file first.
func (s *settings) addRecent(path string) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	s.Recent = slices.DeleteFunc(s.Recent, func(p string) bool { return p == path })
	s.Recent = slices.Insert(s.Recent, 0, path)
	s.Recent = s.Recent[:min(len(s.Recent), recentLimit)]
}

// settingsPath is where the settings are, "" where the system has no place.
func settingsPath() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "strata", "settings.json")
}

// loadSettings reads the settings; anything wrong means the defaults.
func loadSettings(path string) settings {
	s := defaultSettings()
	if path == "" {
		return s
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		// Kept for whoever edited it; if even that fails, it is overwritten.
		_ = os.Rename(path, path+".broken")
		return defaultSettings()
	}
	s.StackWidth = min(max(s.StackWidth, minStack), 4000)
	s.MinimapHeight = min(max(s.MinimapHeight, minMinimap), maxMinimap)
	s.MatchesHeight = min(max(s.MatchesHeight, minMatches), 4000)
	s.SQLHeight = min(max(s.SQLHeight, minSQL), maxSQL)
	s.SQLHistory, s.SQLSaved = s.SQLHistory[:min(len(s.SQLHistory), sqlHistoryLimit)], s.SQLSaved[:min(len(s.SQLSaved), sqlSavedLimit)]
	s.Recent = s.Recent[:min(len(s.Recent), recentLimit)]
	return s
}

// write stores the settings, a new file renamed over the old one.
func (s settings) write(path string) error {
	if path == "" {
		return nil
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "settings-*.json")
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
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
