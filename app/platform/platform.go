// Package platform joins Strata's window to the desktop it runs on: files dropped on the window, the system's own
// file dialog, and files that the system asks the program to open.
//
// The rest of app sees one interface, the same everywhere: a [Platform] for each window, which is shown every event
// of it, and one function that is told what happened, as [Event] values. Each concern has a package below this one,
// with a file for each system.
package platform

import (
	"context"

	gioapp "gioui.org/app"
	"gioui.org/io/event"

	"strata/app/platform/dialog"
	"strata/app/platform/drops"
)

// Event is what the system did with files and a window.
type Event = drops.Event

// A Platform joins one window to the system.
type Platform struct {
	w   *gioapp.Window
	on  func(Event)
	sys system
}

// New makes the Platform of a window. The function on is called from any goroutine, also from the window's own
// while ListenEvents or the window's Event runs: it must not wait for the window, only put the event aside and
// invalidate the window.
func New(w *gioapp.Window, on func(Event)) *Platform {
	return &Platform{w: w, on: on}
}

// ListenEvents must be called with every event of the window, before the program acts on it, on the goroutine that
// calls the window's Event.
func (p *Platform) ListenEvents(e event.Event) {
	p.listen(e)
}

// OpenDialog is dialog.Open for the window.
func (p *Platform) OpenDialog(ctx context.Context, r dialog.Request) ([]string, error) {
	return dialog.Open(ctx, r, p.sys.window())
}

// SaveDialog is dialog.Save for the window.
func (p *Platform) SaveDialog(ctx context.Context, r dialog.Request) (string, error) {
	return dialog.Save(ctx, r, p.sys.window())
}

// Main runs the system's part of the program and must be the last call of main.main; like Gio's app.Main it does
// not return. The function open is called for files that the system asks to open: on macOS double-clicks in the
// Finder come this way, before the first window or at any time later; on other systems such files are arguments of
// a new process. It must not wait.
func Main(open func(Event)) {
	runMain(open)
}
