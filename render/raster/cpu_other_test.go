//go:build !unix

package raster

func cpuTime() int64 { return 0 }
