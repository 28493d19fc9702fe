//go:build unix && !linux

package snapshot

const mapPopulate = 0
