//go:build !unix

package snapshot

import "time"

var begun = time.Now()

func busy() time.Duration { return time.Since(begun) }
