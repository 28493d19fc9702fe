package reading

import (
	"syscall/js"
	"time"
)

// Yield lets the page draw and hear of events: goroutines share one thread with it, and it gets its turn only when all
// of them wait for something that comes from outside. A timer would do, but browsers make it wait four milliseconds.
func Yield() {
	back := make(chan struct{})
	channel := js.Global().Get("MessageChannel").New()
	turn := js.FuncOf(func(js.Value, []js.Value) any {
		close(back)
		return nil
	})
	defer turn.Release()
	channel.Get("port1").Set("onmessage", turn)
	channel.Get("port2").Call("postMessage", 0)
	<-back
	channel.Get("port1").Call("close")
}

// yieldEvery is how long reading keeps the page from its turn.
const yieldEvery = 20 * time.Millisecond

// yielding is progress that gives the page its turn now and then.
func yielding(progress func(done, total int64)) func(done, total int64) {
	last := time.Now()
	return func(done, total int64) {
		progress(done, total)
		if time.Since(last) > yieldEvery {
			Yield()
			last = time.Now()
		}
	}
}
