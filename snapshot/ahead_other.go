//go:build unix && !linux

package snapshot

func readAhead([]byte) (stop func()) { return func() {} }
