package wall

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"strata/app/files"
	"strata/snapshot"
)

// How far folders are searched, and how many files a wall has at most.
const (
	deepest  = 4
	mostSeen = 50_000
	mostKept = 4096
)

// List finds the snapshots among files and in folders, and in folders below these, in natural order: files that look
// like one, and those whose name says so though they are broken. more tells that there are more than are listed. The
// error is of a path that is not there, or that no snapshot lies in.
func List(ctx context.Context, paths []string) (found []string, more bool, err error) {
	seen := 0
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, false, fmt.Errorf("%s: cannot be read: %w", path, err)
		}
		if !info.IsDir() {
			found = append(found, path)
			continue
		}
		n := len(found)
		err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
			seen++
			hidden := name != path && strings.HasPrefix(entry.Name(), ".")
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case seen > mostSeen || len(found) > mostKept:
				more = true
				return fs.SkipAll
			case err != nil || hidden || entry.IsDir():
				if entry != nil && entry.IsDir() && (hidden || depth(path, name) >= deepest) {
					return fs.SkipDir
				}
				return nil // a folder that cannot be read is passed over
			case isSnapshot(name):
				found = append(found, name)
			}
			return nil
		})
		if err != nil {
			return nil, false, err
		}
		if len(found) == n {
			return nil, false, fmt.Errorf("%s: no snapshot lies in this folder", path)
		}
	}
	slices.SortStableFunc(found, files.ComparePaths)
	return found[:min(len(found), mostKept)], more || len(found) > mostKept, nil
}

// Names are the shortest paths that tell files apart.
func Names(paths []string) []string {
	names := make([]string, len(paths))
	for i, folder := range files.Distinguish(paths) {
		names[i] = filepath.Join(folder, files.Name(paths[i]))
	}
	return names
}

// depth is how many folders a path lies below another one.
func depth(root, path string) int {
	rest, err := filepath.Rel(root, path)
	if err != nil || rest == "." {
		return 0
	}
	return 1 + strings.Count(filepath.ToSlash(rest), "/")
}

// isSnapshot goes by the content, else by the name: a file that was cut off may have no content that tells.
func isSnapshot(name string) bool {
	if s, err := snapshot.Sniff(name); err == nil && s.Snapshot {
		return true
	}
	base := strings.ToLower(filepath.Base(name))
	for _, packed := range []string{".gz", ".zst", ".xz", ".bz2", ".lz4", ".zip"} {
		base = strings.TrimSuffix(base, packed)
	}
	return strings.HasSuffix(base, ".pickle") || strings.HasSuffix(base, ".pkl")
}
