package kit

import (
	"iter"

	"gioui.org/gesture"
	"gioui.org/io/event"
	"gioui.org/io/key"
	"gioui.org/io/pointer"
)

// AnyScroll takes all there is to scroll, in a pointer.Filter.
var AnyScroll = pointer.ScrollRange{Min: -1 << 20, Max: 1 << 20}

// AllPointer is every kind of event of the pointer.
const AllPointer = pointer.Press | pointer.Drag | pointer.Release | pointer.Cancel | pointer.Move | pointer.Enter |
	pointer.Leave | pointer.Scroll

// Events yields what happened since the last frame of what filters let pass, of one type.
func Events[E event.Event](gtx C, filters ...event.Filter) iter.Seq[E] {
	return func(yield func(E) bool) {
		for {
			ev, ok := gtx.Event(filters...)
			if !ok {
				return
			}
			if e, is := ev.(E); is && !yield(e) {
				return
			}
		}
	}
}

// Pressed yields the names of the keys that were pressed.
func Pressed(gtx C, filters ...event.Filter) iter.Seq[key.Name] {
	return func(yield func(key.Name) bool) {
		for e := range Events[key.Event](gtx, filters...) {
			if e.State == key.Press && !yield(e.Name) {
				return
			}
		}
	}
}

// Clicked reports a click since the last frame.
func Clicked(gtx C, click *gesture.Click) bool {
	clicked := false
	for {
		c, ok := click.Update(gtx.Source)
		if !ok {
			return clicked
		}
		clicked = clicked || c.Kind == gesture.KindClick
	}
}
