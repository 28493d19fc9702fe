package platform

import (
	"errors"
	"syscall/js"

	gioapp "gioui.org/app"
	"gioui.org/io/event"

	"strata/app/platform/drops"
)

// system is what a page needs for its window. In a browser files have no paths: the page keeps what was dropped or
// chosen in a file system of its own (app/web/memfs.js), and hands over paths in it.
type system struct{ told *js.Func }

func (s *system) window() uintptr { return 0 }

// listen has the page tell what is done with files, from when there is a window on.
func (p *Platform) listen(e event.Event) {
	if _, ok := e.(gioapp.JSViewEvent); !ok || p.sys.told != nil {
		return
	}
	told := js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.on(eventOf(args[0].String(), args[1]))
		return nil
	})
	p.sys.told = &told
	js.Global().Get("strata").Call("listen", told)
}

// eventOf is an event of the page: its kind, and the paths, or in a sentence why a drop failed.
func eventOf(kind string, about js.Value) Event {
	switch kind {
	case drops.Hover.String():
		return Event{Kind: drops.Hover}
	case drops.Leave.String():
		return Event{Kind: drops.Leave}
	case drops.Failed.String():
		return Event{Kind: drops.Failed, Err: errors.New(about.String())}
	}
	paths := make([]string, about.Length())
	for i := range paths {
		paths[i] = about.Index(i).String()
	}
	return drops.Dropped(paths, nil)
}

func runMain(func(Event)) { gioapp.Main() }
