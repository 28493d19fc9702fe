package files

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// completionLimit is how many entries of a folder are looked at.
const completionLimit = 10000

// Completions returns the paths that a typed beginning of one may become: folders, with a separator at their end, and
// files whose names match a pattern. They begin with the text as it was typed but for the case of letters.
func Completions(text string, patterns []string) []string {
	at := strings.LastIndexFunc(text, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) }) + 1
	folder, begin := text[:at], text[at:]
	if text == "" || begin == "~" {
		return nil
	}
	dir := folder
	if rest, ok := strings.CutPrefix(folder, "~"+string(filepath.Separator)); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil
		}
		dir = filepath.Join(home, rest)
	}
	if dir == "" {
		dir = "."
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(completionLimit)
	var folders, files []string
	for _, e := range entries {
		name := e.Name()
		if len(name) < len(begin) || !strings.EqualFold(name[:len(begin)], begin) ||
			name[0] == '.' && !strings.HasPrefix(begin, ".") {
			continue
		}
		isDir := e.IsDir()
		if e.Type()&os.ModeSymlink != 0 {
			info, err := os.Stat(filepath.Join(dir, name))
			isDir = err == nil && info.IsDir()
		}
		matches := func(pattern string) bool { ok, _ := filepath.Match(pattern, strings.ToLower(name)); return ok }
		switch {
		case isDir:
			folders = append(folders, folder+name+string(filepath.Separator))
		case folder+name != text && slices.ContainsFunc(patterns, matches):
			files = append(files, folder+name)
		}
	}
	slices.Sort(folders)
	slices.Sort(files)
	if begin == "" {
		return append(folders, files...)
	}
	return append(files, folders...)
}
