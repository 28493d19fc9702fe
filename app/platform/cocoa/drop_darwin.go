package cocoa

import (
	"errors"
	"sync"

	"github.com/ebitengine/purego/objc"
)

// Dragged is what is on a drag's pasteboard.
type Dragged struct {
	Paths []string // of files
	Text  string   // where there are no files
}

// A Target is told what is dragged over a view, on the main thread.
type Target struct {
	Enter func(Dragged) bool // whether it would take it
	Leave func()             // after an Enter that was true
	Drop  func(Dragged) bool // whether it has taken it
}

const dragCopy = 1 // NSDragOperationCopy

// viewDrop is the drop target of a view.
type viewDrop struct {
	target Target
	taking bool // the answer to Enter
}

var (
	dropsLock sync.Mutex
	drops     = map[objc.ID]*viewDrop{}
	dropClass = map[objc.Class]bool{} // those that have our methods
)

func dropOf(view objc.ID) *viewDrop {
	dropsLock.Lock()
	defer dropsLock.Unlock()
	return drops[view]
}

// AcceptDrops gives the class of an NSView the methods of NSDraggingDestination and registers the view for files
// and text. It must run on the main thread.
func AcceptDrops(nsView uintptr, t Target) error {
	view := objc.ID(nsView)
	class := view.Class()
	dropsLock.Lock()
	drops[view] = &viewDrop{target: t}
	have := dropClass[class]
	dropClass[class] = true
	dropsLock.Unlock()
	if !have && !addDropMethods(class) {
		return errors.New("the view takes drops itself")
	}
	types := objc.ID(objc.GetClass("NSMutableArray")).Send(sel("array"))
	for _, t := range []string{"public.file-url", plainText} {
		types.Send(sel("addObject:"), nsString(t))
	}
	view.Send(sel("registerForDraggedTypes:"), types)
	return nil
}

const plainText = "public.utf8-plain-text"

// addDropMethods reports whether the class had none of them. Types are encoded as the Objective-C runtime has it: Q
// an NSUInteger, B a BOOL, @ an object.
func addDropMethods(class objc.Class) bool {
	ok := true
	add := func(name, types string, f any) {
		ok = class.AddMethod(sel(name), objc.NewIMP(f), types) && ok
	}
	operation := func(d *viewDrop) uint {
		if d == nil || !d.taking {
			return 0 // NSDragOperationNone
		}
		return dragCopy
	}
	add("draggingEntered:", "Q@:@", func(self objc.ID, _ objc.SEL, info objc.ID) uint {
		d := dropOf(self)
		if d != nil {
			d.taking = d.target.Enter(dragged(info))
		}
		return operation(d)
	})
	add("draggingUpdated:", "Q@:@", func(self objc.ID, _ objc.SEL, _ objc.ID) uint { return operation(dropOf(self)) })
	add("draggingExited:", "v@:@", func(self objc.ID, _ objc.SEL, _ objc.ID) {
		if d := dropOf(self); d != nil && d.taking {
			d.taking = false
			d.target.Leave()
		}
	})
	add("prepareForDragOperation:", "B@:@", func(objc.ID, objc.SEL, objc.ID) bool { return true })
	add("performDragOperation:", "B@:@", func(self objc.ID, _ objc.SEL, info objc.ID) bool {
		d := dropOf(self)
		if d == nil {
			return false
		}
		d.taking = false
		return d.target.Drop(dragged(info))
	})
	return ok
}

// dragged reads a drag's pasteboard; info is an NSDraggingInfo.
func dragged(info objc.ID) Dragged {
	var d Dragged
	board := info.Send(sel("draggingPasteboard"))
	classes := objc.ID(objc.GetClass("NSArray")).Send(sel("arrayWithObject:"), objc.ID(objc.GetClass("NSURL")))
	urls := board.Send(sel("readObjectsForClasses:options:"), classes, objc.ID(0))
	if urls != 0 {
		for i := range objc.Send[uint](urls, sel("count")) {
			if u := urls.Send(sel("objectAtIndex:"), i); objc.Send[bool](u, sel("isFileURL")) {
				d.Paths = append(d.Paths, goString(u.Send(sel("path"))))
			}
		}
	}
	if len(d.Paths) == 0 {
		d.Text = goString(board.Send(sel("stringForType:"), nsString(plainText)))
	}
	return d
}

func sel(name string) objc.SEL { return objc.RegisterName(name) }

func nsString(s string) objc.ID {
	return objc.ID(objc.GetClass("NSString")).Send(sel("stringWithUTF8String:"), s)
}

func goString(s objc.ID) string {
	if s == 0 {
		return ""
	}
	return objc.Send[string](s, sel("UTF8String"))
}
