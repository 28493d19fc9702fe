// Package install tells the desktop about Strata for one person, on request and without administrator rights: that
// it is there, that it opens memory snapshots, and what its icon is. Undo takes all of it away again. It imports no
// Gio, so that it works where no display is.
package install

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// MediaType is the type of a memory snapshot, as the desktop entry and the description of the type
// (files/strata.xml) name it.
const MediaType = "application/x-pytorch-memory-snapshot"

// Associate registers the running program for the person who runs it, and says on w what it has done.
func Associate(w io.Writer) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	if exe, err = filepath.EvalSymlinks(exe); err != nil {
		return err
	}
	return associate(w, exe)
}

// Undo takes away what Associate has made. It is no error if there is nothing.
func Undo(w io.Writer) error { return undo(w) }

func say(w io.Writer, format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
