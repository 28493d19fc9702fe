package platform

import (
	"context"
	"errors"

	gioapp "gioui.org/app"
	"gioui.org/io/event"

	"strata/app/platform/cocoa"
)

// system is what macOS needs for a window.
type system struct{}

func (p *Platform) listen(e event.Event) {
	v, ok := e.(gioapp.AppKitViewEvent)
	if !ok || !v.Valid() {
		return
	}
	go p.w.Run(func() { // on the main thread, which waits for us now
		if err := cocoa.AcceptDrops(v.View, dropTarget(p.on)); err != nil {
			complain("files cannot be dropped on the window: ", err)
		}
	})
}

func (p *Platform) close() {}

// dropTarget makes events of what happens to a view. Where is not told: the
// whole window takes drops.
func dropTarget(on func(Event)) cocoa.Target {
	paths := func(d cocoa.Dragged) []string {
		if len(d.Paths) > 0 {
			return unique(d.Paths)
		}
		return ParseText(d.Text)
	}
	return cocoa.Target{
		Enter: func(d cocoa.Dragged) bool {
			p := paths(d)
			if len(p) > 0 {
				on(Event{Kind: Hover, Paths: p})
			}
			return len(p) > 0
		},
		Leave: func() { on(Event{Kind: Leave}) },
		Drop: func(d cocoa.Dragged) bool {
			p := paths(d)
			if len(p) == 0 {
				on(Event{Kind: Failed, Err: errNoFiles})
				return false
			}
			on(Event{Kind: Drop, Paths: p})
			return true
		},
	}
}

// dialog shows the system's dialog, which filters nothing here: it knows files
// by type, and would make snapshots with other names impossible to choose.
func (p *Platform) dialog(ctx context.Context, d Dialog) ([]string, error) {
	ask := cocoa.Chooser{Title: d.Title, Folder: d.Folder, Multiple: d.Multiple, Save: d.save, Name: d.Name}
	paths, err := ask.Choose(ctx)
	if errors.Is(err, cocoa.ErrNoDialog) {
		err = ErrNoDialog
	}
	return paths, err
}

// runMain listens to the system's wishes too: Gio's application delegate passes
// on, as URLs, the files that were opened in the Finder or dropped on the Dock.
func runMain(open func(Event)) {
	gioapp.Events(func(e event.Event) bool {
		if u, ok := e.(gioapp.URLEvent); ok && u.URL != nil && u.URL.Scheme == "file" && u.URL.Path != "" {
			open(Event{Kind: Open, Paths: []string{u.URL.Path}})
		}
		return true
	})
}

// Choose has nothing to choose from on macOS.
func Choose(backend string) error {
	if backend != "" {
		return errors.New("--backend is for Linux, where there are x11 and wayland")
	}
	return nil
}
