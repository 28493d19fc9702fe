// Package memory tells how much memory the machine has.
package memory

import "syscall/js"

// Physical is what a page's memory can be at most, in bytes: WebAssembly's addresses have 32 bits. Browsers tell of the
// machine's memory only roughly, and some not at all.
func Physical() int64 {
	const most = 4 << 30
	if gib := js.Global().Get("navigator").Get("deviceMemory"); gib.Type() == js.TypeNumber {
		return min(most, int64(gib.Float()*(1<<30)))
	}
	return most
}
