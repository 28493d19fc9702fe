//go:build !linux

package pickle

import "unsafe"

func adviseHuge(unsafe.Pointer, uintptr) {}

func touchPage(unsafe.Pointer) bool { return false }
