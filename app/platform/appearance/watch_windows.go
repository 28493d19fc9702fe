package appearance

import (
	"context"
	"runtime"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"

	"strata/app/platform/debuglog"
)

const personalize = `Software\Microsoft\Windows\CurrentVersion\Themes\Personalize`

// watch reads the choice for applications from the registry and waits
// for changes of its key.
func watch(ctx context.Context, tell func(Appearance)) {
	runtime.LockOSThread() // the notification ends with the thread that asked for it
	defer runtime.UnlockOSThread()
	k, err := registry.OpenKey(registry.CURRENT_USER, personalize, registry.QUERY_VALUE|registry.NOTIFY)
	if err != nil { // Windows before 10
		debuglog.Print("appearance: ", err)
		return
	}
	defer k.Close()
	changed, err := windows.CreateEvent(nil, 0, 0, nil)
	if err != nil {
		return
	}
	defer windows.CloseHandle(changed)
	ended, err := windows.CreateEvent(nil, 1, 0, nil)
	if err != nil {
		return
	}
	defer windows.CloseHandle(ended)
	left := make(chan struct{})
	defer func() { <-left }() // before the handle is closed
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer close(left)
		<-ctx.Done()
		windows.SetEvent(ended)
	}()
	for {
		// Asked for before it is read, or a change in between is missed.
		err := windows.RegNotifyChangeKeyValue(windows.Handle(k), false, windows.REG_NOTIFY_CHANGE_LAST_SET, changed, true)
		light, _, missing := k.GetIntegerValue("AppsUseLightTheme")
		switch {
		case missing != nil:
			tell(Unsaid)
		case light == 0:
			tell(Dark)
		default:
			tell(Light)
		}
		if err != nil {
			return
		}
		const any = false
		if which, err := windows.WaitForMultipleObjects([]windows.Handle{changed, ended}, any, windows.INFINITE); err != nil || which != windows.WAIT_OBJECT_0 {
			return
		}
	}
}
