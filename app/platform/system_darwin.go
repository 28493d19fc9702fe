package platform

import (
	gioapp "gioui.org/app"
	"gioui.org/io/event"

	"strata/app/platform/cocoa"
	"strata/app/platform/debuglog"
	"strata/app/platform/drops"
)

// system is what macOS needs for a window.
type system struct{}

func (*system) window() uintptr { return 0 }

func (p *Platform) listen(e event.Event) {
	v, ok := e.(gioapp.AppKitViewEvent)
	if !ok || !v.Valid() {
		return
	}
	go p.w.Run(func() { // on the main thread, which waits for us now
		if err := cocoa.AcceptDrops(v.View, dropTarget(p.on)); err != nil {
			debuglog.Print("files cannot be dropped on the window: ", err)
		}
	})
}

// dropTarget makes events of what happens to a view. Where is not told: the whole window takes drops.
func dropTarget(on func(Event)) cocoa.Target {
	paths := func(d cocoa.Dragged) []string {
		if len(d.Paths) > 0 {
			return drops.Unique(d.Paths)
		}
		return drops.ParseText(d.Text)
	}
	return cocoa.Target{
		Enter: func(d cocoa.Dragged) bool {
			p := paths(d)
			if len(p) > 0 {
				on(Event{Kind: drops.Hover, Paths: p})
			}
			return len(p) > 0
		},
		Leave: func() { on(Event{Kind: drops.Leave}) },
		Drop: func(d cocoa.Dragged) bool {
			e := drops.Dropped(paths(d), nil)
			on(e)
			return e.Kind == drops.Drop
		},
	}
}

// runMain listens to the system's wishes too: Gio's application delegate passes on, as URLs, the files that were
// opened in the Finder or dropped on the Dock.
func runMain(open func(Event)) {
	gioapp.Events(func(e event.Event) bool {
		if u, ok := e.(gioapp.URLEvent); ok && u.URL != nil && u.URL.Scheme == "file" && u.URL.Path != "" {
			open(Event{Kind: drops.Open, Paths: []string{u.URL.Path}})
		}
		return true
	})
}
