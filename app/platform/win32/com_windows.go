package win32

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"

	"strata/app/platform/drops"
)

// OLE's drag and drop, as far as a drop target needs it. Structures and numbers are those of the Windows SDK
// (oleidl.h, objidl.h), for 64-bit systems.

var (
	ole32   = windows.NewLazySystemDLL("ole32.dll")
	user32  = windows.NewLazySystemDLL("user32.dll")
	shell32 = windows.NewLazySystemDLL("shell32.dll")
	kernel  = windows.NewLazySystemDLL("kernel32.dll")

	oleInitialize    = ole32.NewProc("OleInitialize")
	registerDragDrop = ole32.NewProc("RegisterDragDrop")
	releaseStgMedium = ole32.NewProc("ReleaseStgMedium")
	dragQueryFile    = shell32.NewProc("DragQueryFileW")
	globalLock       = kernel.NewProc("GlobalLock")
	globalUnlock     = kernel.NewProc("GlobalUnlock")
	globalSize       = kernel.NewProc("GlobalSize")
)

const (
	sOK            = 0
	eNoInterface   = 0x80004002
	dropEffectNone = 0
	dropEffectCopy = 1
	dropEffectLink = 4
)

// comTarget is an IDropTarget; OLE knows it by its address.
type comTarget struct {
	methods *[7]uintptr
	drop    *dropTarget
}

// comData is somebody's IDataObject.
type comData struct{ methods *[12]uintptr }

type formatEtc struct {
	format uint16
	device uintptr
	aspect uint32
	index  int32
	medium uint32
}

type storageMedium struct {
	medium  uint32
	handle  uintptr
	release uintptr
}

var (
	iidUnknown    = windows.GUID{Data4: [8]byte{0xc0, 0, 0, 0, 0, 0, 0, 0x46}}
	iidDropTarget = windows.GUID{Data1: 0x122, Data4: [8]byte{0xc0, 0, 0, 0, 0, 0, 0, 0x46}}
)

// targetMethods is the table of IDropTarget's methods, in its order. A POINTL is eight bytes and comes in one
// register on amd64 and arm64.
var targetMethods = [7]uintptr{
	windows.NewCallback(func(this *comTarget, id *windows.GUID, out **comTarget) uintptr { // QueryInterface
		if *id != iidUnknown && *id != iidDropTarget {
			*out = nil
			return eNoInterface
		}
		*out = this
		return sOK
	}),
	windows.NewCallback(func(*comTarget) uintptr { return 1 }), // AddRef: it lives as long as the program
	windows.NewCallback(func(*comTarget) uintptr { return 1 }), // Release
	windows.NewCallback(func(this *comTarget, data *comData, _, _ uintptr, effect *uint32) uintptr { // DragEnter
		*effect = this.drop.enter(data, *effect)
		return sOK
	}),
	windows.NewCallback(func(this *comTarget, _, _ uintptr, effect *uint32) uintptr { // DragOver
		*effect = this.drop.over(*effect)
		return sOK
	}),
	windows.NewCallback(func(this *comTarget) uintptr { // DragLeave
		this.drop.leave()
		return sOK
	}),
	windows.NewCallback(func(this *comTarget, data *comData, _, _ uintptr, effect *uint32) uintptr { // Drop
		*effect = this.drop.drop(data, *effect)
		return sOK
	}),
}

// with calls f with the memory that data has in a format, if it has that format.
func (data *comData) with(format uint16, f func(handle uintptr)) bool {
	const content, anyIndex, global = 1, -1, 1 // DVASPECT_CONTENT, all of it, TYMED_HGLOBAL
	want := formatEtc{format: format, aspect: content, index: anyIndex, medium: global}
	var got storageMedium
	const getData = 3 // after IUnknown's three
	code, _, _ := syscall.SyscallN(data.methods[getData], uintptr(unsafe.Pointer(data)), uintptr(unsafe.Pointer(&want)),
		uintptr(unsafe.Pointer(&got)))
	if int32(code) < 0 || got.medium != global || got.handle == 0 {
		return false
	}
	f(got.handle)
	releaseStgMedium.Call(uintptr(unsafe.Pointer(&got)))
	return true
}

// paths returns the files in data, or the paths in its text.
func (data *comData) paths() []string {
	const unicodeText, files = 13, 15 // CF_UNICODETEXT, CF_HDROP
	var paths []string
	if data.with(files, func(h uintptr) { paths = droppedFiles(h) }) && len(paths) > 0 {
		return paths
	}
	data.with(unicodeText, func(h uintptr) { paths = drops.ParseText(globalText(h)) })
	return paths
}

// droppedFiles returns the names in a CF_HDROP.
func droppedFiles(h uintptr) []string {
	n, _, _ := dragQueryFile.Call(h, 0xffffffff, 0, 0)
	paths := make([]string, 0, min(n, 1<<20))
	for i := range min(n, 1<<20) {
		size, _, _ := dragQueryFile.Call(h, i, 0, 0)
		name := make([]uint16, size+1)
		dragQueryFile.Call(h, i, uintptr(unsafe.Pointer(&name[0])), size+1)
		if p := windows.UTF16ToString(name); p != "" {
			paths = append(paths, p)
		}
	}
	return drops.Unique(paths)
}

// globalText returns the text of a CF_UNICODETEXT, which ends with a NUL.
func globalText(h uintptr) string {
	size, _, _ := globalSize.Call(h)
	if size < 2 || size > drops.MaxBytes {
		return ""
	}
	address, _, _ := globalLock.Call(h)
	if address == 0 {
		return ""
	}
	defer globalUnlock.Call(h)
	var text string
	// The memory is the system's: its address becomes a pointer by way of a variable that holds it, as no Go object
	// is meant.
	p := *(**uint16)(unsafe.Pointer(&address))
	text = windows.UTF16ToString(unsafe.Slice(p, size/2))
	runtime.KeepAlive(&address)
	return text
}
