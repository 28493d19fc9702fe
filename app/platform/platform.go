// Package platform joins Strata's window to the desktop it runs on: files
// dropped on the window, the system's own file dialog, files that the system
// asks the program to open, and the choice between X11 and Wayland.
//
// The rest of app sees one small interface, the same everywhere: a [Platform]
// for each window, which is shown every event of it, and one function that is
// told what happened, as [Event] values. Behind it is a file or two per system.
package platform

import (
	"context"
	"errors"
	"image"
	"os"
	"path/filepath"

	gioapp "gioui.org/app"
	"gioui.org/io/event"
)

// Kind says what happened.
type Kind uint8

// What can happen. Any number of Hover follow one another, then comes either
// Leave, Drop or Failed; a Drop can also come without a Hover.
const (
	Hover  Kind = iota // files are held over the window
	Leave              // they are gone, nothing was dropped
	Drop               // they were dropped: open Paths
	Failed             // they were dropped but could not be taken over, see Err
	Open               // the system asks to open Paths, without a drop
)

// String is the kind's name, for tests and logs.
func (k Kind) String() string {
	return [...]string{"hover", "leave", "drop", "failed", "open"}[k]
}

// An Event is something that the system did with files and this window.
type Event struct {
	Kind Kind
	// Paths are absolute; they may name folders, and things that do not exist.
	// In a Hover they are nil where the source tells them only after the drop.
	Paths []string
	// Pos is where the pointer is, in pixels of the window's content.
	Pos image.Point
	// Err says, in a sentence, why a drop came to nothing.
	Err error
}

// ErrNoDialog says that this system has no file dialog that could be shown. The
// window then asks for a path itself.
var ErrNoDialog = errors.New("no file dialog is installed (Strata uses the desktop portal, zenity or kdialog)")

var errNoFiles = errors.New("what was dropped is no file of this machine")

// A Dialog describes a file dialog, for opening files or for writing one.
type Dialog struct {
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
		{"Memory snapshots", []string{"*.pickle", "*.pkl", "*.gz", "*.zst", "*.json", "*.html", "*.zip"}},
		{"All files", []string{"*"}},
	}
}

// A Platform joins one window to the system.
type Platform struct {
	w   *gioapp.Window
	on  func(Event)
	sys system
}

// New makes the Platform of a window. The function on is called from any
// goroutine, also from the window's own while ListenEvents or the window's
// Event runs: it must not wait for the window, only put the event aside and
// invalidate the window.
func New(w *gioapp.Window, on func(Event)) *Platform {
	return &Platform{w: w, on: on}
}

// ListenEvents must be called with every event of the window, before the
// program acts on it, on the goroutine that calls the window's Event.
func (p *Platform) ListenEvents(e event.Event) {
	p.listen(e)
}

// OpenDialog shows the system's dialog for opening files and waits for the
// person, so call it in a goroutine of its own. It returns absolute paths, or
// none and no error if the person cancelled. Where no dialog can be shown the
// error is ErrNoDialog. Cancelling ctx closes the dialog where that is possible.
func (p *Platform) OpenDialog(ctx context.Context, d Dialog) ([]string, error) {
	d.save = false
	return p.dialog(ctx, d)
}

// SaveDialog shows the system's dialog for a file to write and waits, as
// OpenDialog does. The dialog itself asks before a file that is there is
// replaced. It returns an absolute path, which has d.Name's extension if the
// person gave none, or "" if they cancelled.
func (p *Platform) SaveDialog(ctx context.Context, d Dialog) (string, error) {
	d.save, d.Multiple = true, false
	paths, err := p.dialog(ctx, d)
	if err != nil || len(paths) == 0 {
		return "", err
	}
	return withExtension(paths[0], filepath.Ext(d.Name)), nil
}

// withExtension adds an extension to a path that has none, unless that would be
// the name of another file, which nobody said may be replaced.
func withExtension(path, extension string) string {
	if filepath.Ext(path) != "" || extension == "" {
		return path
	}
	if _, err := os.Lstat(path + extension); err == nil {
		return path
	}
	return path + extension
}

// Close lets go of the window. It need not be called after a DestroyEvent.
func (p *Platform) Close() {
	p.close()
}

// Main runs the system's part of the program and must be the last call of
// main.main; like Gio's app.Main it does not return. The function open is called
// for files that the system asks to open: on macOS double-clicks in the Finder
// come this way, before the first window or at any time later; on other systems
// such files are arguments of a new process. It must not wait.
func Main(open func(Event)) {
	runMain(open)
}
