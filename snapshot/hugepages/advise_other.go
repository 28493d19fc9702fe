//go:build !linux

package hugepages

func advise([]byte) {}

func populate([]byte) bool { return false }
