//go:build !linux

package diag

import "time"

// threadTime is not known here.
func threadTime() time.Duration { return 0 }
