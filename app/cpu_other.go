//go:build !linux

package app

import "time"

// threadTime is not known here.
func threadTime() time.Duration { return 0 }
