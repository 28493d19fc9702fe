// Package settings is what Strata remembers between runs: a JSON file that people can read and edit, and that several
// windows write at the same time.
package settings

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"strata/app/atomicfile"
	"strata/layout"
)

// Settings are the remembered choices. Sizes are in dp.
type Settings struct {
	Theme         string   `json:"theme"` // "dark", "light" or "system"
	Axis          string   `json:"axis"`  // "events" or "time", see AxisName
	WindowWidth   int      `json:"window_width"`
	WindowHeight  int      `json:"window_height"`
	StackWidth    int      `json:"stack_width"`
	MinimapHeight int      `json:"minimap_height"`
	MatchesHeight int      `json:"matches_height"`
	DrawerHeight  int      `json:"sql_height"`  // as it was called when SQL alone lay there
	SQLHistory    []string `json:"sql_history"` // newest first
	SQLSaved      []string `json:"sql_saved"`
	StackHidden   bool     `json:"stack_hidden"`
	ShowFramework bool     `json:"show_framework_frames"`
	Bands         bool     `json:"bands"`           // of groups, in place of allocations
	Lines         uint8    `json:"allocator_lines"` // session.Lines
	Colour        string   `json:"colour"`
	GroupBy       string   `json:"group_by"`   // breakdown.By as text
	OwnCode       string   `json:"own_code"`   // for snapshot.ParseOwnCode
	Categories    string   `json:"categories"` // a file for options.ReadCategories; "" for none
	GPU           string   `json:"gpu"`        // for capacity.Find; "" for none
	Model         string   `json:"model"`      // for hub.ParseID; "" for none
	VocabSize     int64    `json:"vocab_size"`
	Quantized     bool     `json:"quantized"`
	Recent        []string `json:"recent"` // absolute paths, newest first
	Folder        string   `json:"folder"` // that a file was opened from last, absolute

	// disk is the file's content when this window last read or wrote it. Other windows may have changed it since.
	disk map[string]json.RawMessage
}

// Limits of the sizes, dp.
const (
	MinWindowWidth, MinWindowHeight    = 400, 300
	MinStackWidth                      = 200
	MinMinimapHeight, MaxMinimapHeight = 36, 240
	MinMatchesHeight                   = 150
	MinDrawerHeight, MaxDrawerHeight   = 140, 2000
)

// How many entries the lists keep.
const (
	MaxRecent     = 8
	maxSQLHistory = 30
	maxSQLSaved   = 100
)

// Default returns the settings of a first run.
func Default() Settings {
	s := Settings{Theme: "system", Axis: AxisName(layout.Events), WindowWidth: 1440, WindowHeight: 900,
		StackWidth: 320, MinimapHeight: 64, MatchesHeight: 380, DrawerHeight: 300}
	s.disk = s.fields()
	return s
}

// AxisName is an axis as Settings.Axis holds it.
func AxisName(a layout.Axis) string {
	if a == layout.Time {
		return "time"
	}
	return "events"
}

// AddRecent puts a file first among the recent ones.
func (s *Settings) AddRecent(path string) {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	s.Recent = putFirst(s.Recent, path, MaxRecent)
}

// AddQuery puts an SQL query first in the history.
func (s *Settings) AddQuery(sql string) { s.SQLHistory = putFirst(s.SQLHistory, sql, maxSQLHistory) }

// SaveQuery puts an SQL query first among the saved ones.
func (s *Settings) SaveQuery(sql string) { s.SQLSaved = putFirst(s.SQLSaved, sql, maxSQLSaved) }

// putFirst returns a list with an entry moved or added to its front, at most limit entries long.
func putFirst(list []string, entry string, limit int) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(e string) bool { return e == entry })
	list = slices.Insert(list, 0, entry)
	return list[:min(len(list), limit)]
}

// Path returns where the settings file is, "" if the system has no folder for configuration.
func Path() string {
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "strata", "settings.json")
}

// Load reads a settings file. If that fails it returns the defaults and an error that says why and what became of the
// file. A missing file or an empty path is no error.
func Load(path string) (Settings, error) {
	s := Default()
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
		s = Default()
		// Kept for the person who edited it. If the rename fails, the next Write overwrites the file.
		broken := path + ".broken"
		if os.Rename(path, broken) != nil {
			return s, fmt.Errorf("%s: %w; the defaults are used", path, err)
		}
		return s, fmt.Errorf("%s: %w; the defaults are used, and the file is kept as %s", path, err,
			filepath.Base(broken))
	}
	s.clamp()
	s.disk = s.fields()
	return s, nil
}

// clamp brings values from the file into their ranges.
func (s *Settings) clamp() {
	const maxWindow, maxPanel = 16384, 4000
	s.WindowWidth = min(max(s.WindowWidth, MinWindowWidth), maxWindow)
	s.WindowHeight = min(max(s.WindowHeight, MinWindowHeight), maxWindow)
	s.StackWidth = min(max(s.StackWidth, MinStackWidth), maxPanel)
	s.MinimapHeight = min(max(s.MinimapHeight, MinMinimapHeight), MaxMinimapHeight)
	s.MatchesHeight = min(max(s.MatchesHeight, MinMatchesHeight), maxPanel)
	s.DrawerHeight = min(max(s.DrawerHeight, MinDrawerHeight), MaxDrawerHeight)
	s.SQLHistory = s.SQLHistory[:min(len(s.SQLHistory), maxSQLHistory)]
	s.SQLSaved = s.SQLSaved[:min(len(s.SQLSaved), maxSQLSaved)]
	s.Recent = slices.DeleteFunc(s.Recent, func(path string) bool { return !filepath.IsAbs(path) })
	s.Recent = s.Recent[:min(len(s.Recent), MaxRecent)]
}

// fields returns the settings by their JSON names.
func (s *Settings) fields() map[string]json.RawMessage {
	fields := map[string]json.RawMessage{}
	if data, err := json.Marshal(s); err == nil {
		_ = json.Unmarshal(data, &fields)
	}
	return fields
}

// Write stores what this window changed since it last read or wrote the file. Other fields keep what another window
// wrote meanwhile, and fields of newer versions of Strata stay. An empty path stores nothing.
func (s *Settings) Write(path string) error {
	if path == "" {
		return nil
	}
	var now map[string]json.RawMessage
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &now)
	}
	if !bytes.Equal(now["recent"], s.disk["recent"]) {
		s.mergeRecent(now["recent"])
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
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	err = atomicfile.Write(context.Background(), path, func(out *bufio.Writer) error {
		_, err := out.Write(append(data, '\n'))
		return err
	})
	if err != nil {
		return err
	}
	s.disk = ours
	return nil
}

// mergeRecent adds the files that another window opened since this one read the list.
func (s *Settings) mergeRecent(recent json.RawMessage) {
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
	s.Recent = s.Recent[:min(len(s.Recent), MaxRecent)]
}
