package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"strata/app/atomicfile"
)

// A look is which file lay at a tab's path when the tab was last looked at.
// A path may lead to the file of another tab, by way of a link.
type look struct {
	tab  *tab
	path string
	file os.FileInfo
}

// lookedAt are the files of all tabs, as far as they are known.
func (w *window) lookedAt() []look {
	var all []look
	for _, t := range w.tabs {
		if t.file != nil && !t.sample {
			all = append(all, look{t, t.path, t.file})
		}
	}
	return all
}

// alias is the tab of a file that is open by another path, nil if none is. The
// files are asked again: the system gives the number of one that was removed
// to a new one. A second name of the file itself, a hard link, is no alias: who
// opens a folder wants to see what lies in it.
func alias(path string, file os.FileInfo, among []look) *tab {
	for _, l := range among {
		if l.path != path && os.SameFile(l.file, file) && atomicfile.Same(path, l.path) && sameTarget(path, l.path) {
			return l.tab
		}
	}
	return nil
}

// sameTarget reports whether two paths of one file end, links followed, at one
// name. Some file systems do not tell capitals from small letters.
func sameTarget(a, b string) bool {
	x, errX := filepath.EvalSymlinks(absolute(a))
	y, errY := filepath.EvalSymlinks(absolute(b))
	return errX == nil && errY == nil && strings.EqualFold(x, y)
}

// An openAlready is why a file is not loaded: it is open in another tab.
type openAlready struct{ in *tab }

func (o *openAlready) Error() string { return "the file is open already" }

// merge shows the other tab in the place of the one at hand.
func (w *window) merge(o *openAlready) {
	t := w.tab
	i := slices.Index(w.tabs, t)
	switch {
	case i < 0:
		return // closed meanwhile
	case !slices.Contains(w.tabs, o.in):
		t.known, t.file = true, nil
		if t == w.active {
			w.load()
		}
		return
	}
	w.tabs = slices.Delete(w.tabs, i, i+1)
	w.with(o.in, func() { w.refresh(o.in) })
	if t == w.active {
		w.activate(o.in)
	}
}
