// Package dialog shows the system's own file dialog.
package dialog

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNoDialog says that this system has no file dialog that could be shown. The window then asks for a path itself.
var ErrNoDialog = errors.New("no file dialog is installed (Strata uses the desktop portal, zenity or kdialog)")

// A Request describes a file dialog, for opening files or for writing one.
type Request struct {
	Title    string
	Folder   string   // shown first; "" leaves it to the system
	Filters  []Filter // the first is chosen at first; none shows all files
	Multiple bool     // several files may be opened
	Name     string   // of the file to write, without its folder
	save     bool     // it is for writing
}

// A Filter limits what a dialog shows.
type Filter struct {
	Name     string
	Patterns []string // such as "*.pickle"; "*" stands for all files
}

// Snapshots are the filters for opening snapshots, all files last.
func Snapshots() []Filter {
	return []Filter{
		{"Memory snapshots and profiler traces", []string{"*.pickle", "*.pkl", "*.gz", "*.zst", "*.xz", "*.bz2",
			"*.tar", "*.tgz", "*.zip", "*.json", "*.json.tmp", "*.html", "*.csv"}},
		{"All files", []string{"*"}},
	}
}

// Open shows the dialog for opening files and waits for the person. parent is the window that the dialog belongs
// to: the X11 window or HWND, 0 for none. It returns absolute paths, or none and no error if the person cancelled.
// The error is ErrNoDialog where no dialog can be shown. Cancelling ctx closes the dialog where that is possible.
func Open(ctx context.Context, r Request, parent uintptr) ([]string, error) {
	r.save = false
	return show(ctx, r, parent)
}

// Save shows the dialog for a file to write and waits, as Open does. The dialog itself asks before a file that is
// there is replaced. It returns an absolute path, which has r.Name's extension if the person gave none, or "" if
// they cancelled.
func Save(ctx context.Context, r Request, parent uintptr) (string, error) {
	r.save, r.Multiple = true, false
	paths, err := show(ctx, r, parent)
	if err != nil || len(paths) == 0 {
		return "", err
	}
	return withExtension(paths[0], filepath.Ext(r.Name)), nil
}

// pathLines takes the lines that a dialog program printed for paths.
func pathLines(out string) []string {
	return slices.DeleteFunc(strings.Split(out, "\n"), func(line string) bool { return !filepath.IsAbs(line) })
}

// withExtension adds an extension to a path that has none, unless that would be the name of another file, which
// nobody said may be replaced.
func withExtension(path, extension string) string {
	if filepath.Ext(path) != "" || extension == "" {
		return path
	}
	if _, err := os.Lstat(path + extension); err == nil {
		return path
	}
	return path + extension
}
