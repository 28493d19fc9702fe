package cocoa

import (
	"runtime"

	"github.com/ebitengine/purego/objc"
)

// Dark reports whether the person has chosen dark windows for the whole system. The setting is missing where they
// are light. It may be called on any goroutine.
func Dark() bool {
	runtime.LockOSThread() // a pool belongs to its thread
	defer runtime.UnlockOSThread()
	pool := objc.ID(objc.GetClass("NSAutoreleasePool")).Send(sel("new"))
	defer pool.Send(sel("drain"))
	defaults := objc.ID(objc.GetClass("NSUserDefaults")).Send(sel("standardUserDefaults"))
	return goString(defaults.Send(sel("stringForKey:"), nsString("AppleInterfaceStyle"))) == "Dark"
}
