package appearance

import (
	"context"
	"syscall/js"
)

// watch listens to the browser's choice, which is that of the desktop.
func watch(ctx context.Context, tell func(Appearance)) {
	query := js.Global().Call("matchMedia", "(prefers-color-scheme: light)")
	say := func() {
		if query.Get("matches").Bool() {
			tell(Light)
		} else {
			tell(Dark)
		}
	}
	changed := js.FuncOf(func(js.Value, []js.Value) any {
		say()
		return nil
	})
	defer changed.Release()
	say()
	query.Call("addEventListener", "change", changed)
	<-ctx.Done()
	query.Call("removeEventListener", "change", changed)
}
