//go:build windows || darwin

package appearance

import (
	"context"
	"time"
)

// watch asks every two seconds: macOS tells only programs that have an object for it, and Windows only a thread
// that waits.
func watch(ctx context.Context, tell func(Appearance)) {
	for ticks := time.Tick(2 * time.Second); ctx.Err() == nil; {
		tell(current())
		select {
		case <-ctx.Done():
		case <-ticks:
		}
	}
}
