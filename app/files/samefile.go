package files

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"strata/app/atomicfile"
	"strata/snapshot/ascend"
)

// Absolute returns the absolute form of a path, or the cleaned path if there is none.
func Absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}

// SameFile reports whether two stamps are of one file that was reached by different paths because of symbolic links or
// letter case. A hard link does not count: it is a second entry of a folder, and opening the folder shows both.
func SameFile(a, b Stamp) bool {
	return a.real != "" && (a.real == b.real || strings.EqualFold(a.real, b.real) && atomicfile.Same(a.real, b.real))
}

// ShortFolder returns the folder of a file, with the home folder written as ~.
func ShortFolder(path string) string {
	if runtime.GOOS == "js" { // a page's folders mean nothing to anybody
		return ""
	}
	dir := filepath.Dir(path)
	if home, err := os.UserHomeDir(); err == nil && home != "" && home != "/" {
		if rest, ok := strings.CutPrefix(dir, home); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
			return "~" + rest
		}
	}
	return dir
}

// Name is what a file is called: the last part of its path; of tables of torch_npu's profiler, which all have one name,
// that of the profile's folder.
func Name(path string) string { return filepath.Base(named(path)) }

// named is the path that has a file's name.
func named(path string) string {
	dir := filepath.Dir(path)
	if profile := filepath.Dir(dir); filepath.Base(dir) == ascend.Output && filepath.Ext(path) == ".csv" &&
		filepath.Base(profile) != "." {
		return profile
	}
	return path
}

// Distinguish returns, for each path, the folder that distinguishes it from others of the same name, "" for those
// whose name is enough.
func Distinguish(paths []string) []string {
	folders := make([]string, len(paths))
	paths = slices.Clone(paths)
	byName := map[string][]int{}
	for i, path := range paths {
		if path != "" {
			paths[i] = named(path)
			name := filepath.Base(paths[i])
			byName[name] = append(byName[name], i)
		}
	}
	for _, group := range byName {
		// The nearest level at which all differ, or the whole folder where the paths are of different depths.
		for up := 1; len(group) > 1; up++ {
			distinct := map[string]bool{}
			for _, i := range group {
				folders[i] = parent(paths[i], up)
				distinct[folders[i]] = true
			}
			if distinct[""] {
				for _, i := range group {
					folders[i] = filepath.Dir(paths[i])
				}
				break
			}
			if len(distinct) == len(group) {
				break
			}
		}
	}
	return folders
}

// parent returns the name of the folder so many levels above a file, "" above the topmost.
func parent(path string, up int) string {
	for range up {
		dir := filepath.Dir(path)
		if dir == path {
			return ""
		}
		path = dir
	}
	name := filepath.Base(path)
	if name == "." || name == string(filepath.Separator) {
		return ""
	}
	return name
}
