package appearance

import (
	"context"
	"time"

	"strata/app/platform/cocoa"
)

// appearanceEvery is how often macOS is asked: the word of a change goes only to
// programs that have an object for it.
const appearanceEvery = 2 * time.Second

func watch(ctx context.Context, tell func(Appearance)) {
	for {
		if cocoa.Dark() {
			tell(Dark)
		} else {
			tell(Light)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(appearanceEvery):
		}
	}
}
