package install

import (
	"errors"
	"io"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// Everything is below HKEY_CURRENT_USER, which needs no administrator. The names of keys are those of the Windows
// documentation on file types and on the registration of applications.
const (
	progID       = "Strata.MemorySnapshot"
	classes      = `Software\Classes\`
	capabilities = `Software\Strata\Capabilities`
	registered   = `Software\RegisteredApplications`
)

// extensions are what "Open with" offers Strata for. Most files of these kinds are none of its own, so it becomes
// the default of none.
var extensions = []string{".pickle", ".pkl"}

type value struct{ key, name, text string }

func values(exe string) []value {
	command := `"` + exe + `" "%1"`
	v := []value{
		{classes + progID, "", "PyTorch memory snapshot"},
		{classes + progID, "FriendlyTypeName", "PyTorch memory snapshot"},
		{classes + progID + `\DefaultIcon`, "", `"` + exe + `",0`},
		{classes + progID + `\shell\open\command`, "", command},
		{classes + `Applications\strata.exe`, "FriendlyAppName", "Strata"},
		{classes + `Applications\strata.exe\shell\open\command`, "", command},
		{capabilities, "ApplicationName", "Strata"},
		{capabilities, "ApplicationDescription", "See what held the memory of a GPU in PyTorch memory snapshots"},
		{registered, "Strata", capabilities},
	}
	for _, e := range extensions {
		v = append(v,
			value{classes + e + `\OpenWithProgids`, progID, ""},
			value{classes + `Applications\strata.exe\SupportedTypes`, e, ""},
			value{capabilities + `\FileAssociations`, e, progID})
	}
	return v
}

func associate(w io.Writer, exe string) error {
	for _, v := range values(exe) {
		k, _, err := registry.CreateKey(registry.CURRENT_USER, v.key, registry.SET_VALUE)
		if err != nil {
			return err
		}
		err = k.SetStringValue(v.name, v.text)
		k.Close()
		if err != nil {
			return err
		}
	}
	tellShell()
	say(w, "“Open with” now offers Strata (%s) for %s files.", exe, strings.Join(extensions, " and "))
	say(w, "To take that back: strata associate --undo")
	return nil
}

func undo(w io.Writer) error {
	// Keys of our own go as a whole; in those that others share, only our value.
	for _, key := range []string{classes + progID, classes + `Applications\strata.exe`, `Software\Strata`} {
		if err := deleteTree(key); err != nil {
			return err
		}
	}
	for _, v := range append(values(""), value{key: registered, name: "Strata"}) {
		if !strings.HasSuffix(v.key, `\OpenWithProgids`) && v.key != registered {
			continue
		}
		k, err := registry.OpenKey(registry.CURRENT_USER, v.key, registry.SET_VALUE)
		if errors.Is(err, registry.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		err = k.DeleteValue(v.name)
		k.Close()
		if err != nil && !errors.Is(err, registry.ErrNotExist) {
			return err
		}
	}
	tellShell()
	say(w, "Strata is no longer registered with Windows. Your settings and snapshots are as they were.")
	return nil
}

// deleteTree deletes a key and those below it.
func deleteTree(path string) error {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	code, _, _ := windows.NewLazySystemDLL("advapi32.dll").NewProc("RegDeleteTreeW").Call(
		uintptr(windows.HKEY_CURRENT_USER), uintptr(unsafe.Pointer(name)))
	if err := windows.Errno(code); code != 0 && !errors.Is(err, registry.ErrNotExist) {
		return err
	}
	return nil
}

// tellShell has the Explorer look at the associations anew.
func tellShell() {
	const assocChanged, idList = 0x08000000, 0
	windows.NewLazySystemDLL("shell32.dll").NewProc("SHChangeNotify").Call(assocChanged, idList, 0, 0)
}
