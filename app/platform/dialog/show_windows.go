package dialog

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	comdlg32        = windows.NewLazySystemDLL("comdlg32.dll")
	getOpenFileName = comdlg32.NewProc("GetOpenFileNameW")
	getSaveFileName = comdlg32.NewProc("GetSaveFileNameW")
	dialogError     = comdlg32.NewProc("CommDlgExtendedError")
)

// openFileName is OPENFILENAMEW of commdlg.h, for 64-bit systems.
type openFileName struct {
	size             uint32
	owner, instance  uintptr
	filter           *uint16
	customFilter     *uint16
	customFilterSize uint32
	filterIndex      uint32
	file             *uint16
	fileSize         uint32
	title            *uint16
	titleSize        uint32
	folder           *uint16
	caption          *uint16
	flags            uint32
	fileOffset       uint16
	fileExtension    uint16
	defaultExtension *uint16
	data, hook       uintptr
	template         *uint16
	reserved         uintptr
	reserved2        uint32
	flagsEx          uint32
}

// show shows the common dialog. It has a thread of its own, which ends with it, because the dialog and the
// Explorer's parts in it leave things behind. It cannot be closed from outside: when ctx ends, nobody waits for it
// any more.
func show(ctx context.Context, d Request, parent uintptr) ([]string, error) {
	type answer struct {
		paths []string
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		runtime.LockOSThread()
		if windows.CoInitializeEx(0, windows.COINIT_APARTMENTTHREADED) == nil {
			defer windows.CoUninitialize()
		}
		paths, err := commonDialog(parent, d)
		done <- answer{paths, err}
	}()
	select {
	case a := <-done:
		return a.paths, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func commonDialog(owner uintptr, d Request) ([]string, error) {
	const explorer, multiple, mustExist, pathMustExist, noChangeDir, noReadOnly, askOver = 0x80000, 0x200,
		0x1000, 0x800, 8, 4, 2
	chosen := make([]uint16, 1<<16)
	o := openFileName{
		owner: owner, filter: filterList(d.Filters), filterIndex: 1,
		file: &chosen[0], fileSize: uint32(len(chosen)),
		flags: explorer | pathMustExist | noChangeDir | noReadOnly,
	}
	o.size = uint32(unsafe.Sizeof(o))
	var err error
	show := getOpenFileName
	switch {
	case d.save:
		show = getSaveFileName
		o.flags |= askOver
		name, err := windows.UTF16FromString(d.Name)
		if err != nil {
			return nil, err
		}
		copy(chosen, name)
		// The dialog adds it itself, and so asks about the right file.
		if o.defaultExtension, err = windows.UTF16PtrFromString(strings.TrimPrefix(filepath.Ext(d.Name),
			".")); err != nil {
			return nil, err
		}
	case d.Multiple:
		o.flags |= mustExist | multiple
	default:
		o.flags |= mustExist
	}
	if o.caption, err = windows.UTF16PtrFromString(d.Title); err != nil {
		return nil, err
	}
	if d.Folder != "" {
		if o.folder, err = windows.UTF16PtrFromString(d.Folder); err != nil {
			return nil, err
		}
	}
	if ok, _, _ := show.Call(uintptr(unsafe.Pointer(&o))); ok != 0 {
		return chosenFiles(chosen, d.Multiple), nil
	}
	const cancelled, tooMany = 0, 0x3003
	switch code, _, _ := dialogError.Call(); code {
	case cancelled:
		return nil, nil
	case tooMany:
		return nil, fmt.Errorf("too many files were chosen at once; open their folder instead")
	default:
		return nil, fmt.Errorf("the file dialog could not be shown (error %#x)", code)
	}
}

// chosenFiles reads what the dialog wrote: a path; or, where there may be several, a folder and then names, each
// ended by a NUL, the last by two.
func chosenFiles(u []uint16, multiple bool) []string {
	var parts []string
	for len(u) > 0 && u[0] != 0 {
		part := windows.UTF16ToString(u)
		parts = append(parts, part)
		for len(u) > 0 && u[0] != 0 {
			u = u[1:]
		}
		u = u[min(1, len(u)):]
		if !multiple {
			break
		}
	}
	if len(parts) < 2 {
		return parts
	}
	paths := parts[1:]
	for i, name := range paths {
		if !filepath.IsAbs(name) { // a shortcut's target is
			paths[i] = filepath.Join(parts[0], name)
		}
	}
	return paths
}

// filterList is the dialog's form of filters: name, patterns, name, patterns, each ended by a NUL, and one more at
// the end.
func filterList(filters []Filter) *uint16 {
	if len(filters) == 0 {
		return nil
	}
	var list []uint16
	for _, f := range filters {
		patterns := strings.Join(f.Patterns, ";")
		if patterns == "*" {
			patterns = "*.*" // what stands for all files here
		}
		for _, s := range []string{f.Name, patterns} {
			u, err := windows.UTF16FromString(s)
			if err != nil {
				return nil
			}
			list = append(list, u...)
		}
	}
	return &append(list, 0)[0]
}
