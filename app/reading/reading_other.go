//go:build !js

// Package reading opens snapshots for the window: here, or in a page by a worker that has a memory and a thread of its
// own.
package reading

import (
	"context"

	"strata/app/diag"
	"strata/snapshot"
	"strata/snapshot/cache"
)

// Open is [diag.Log.Open].
func Open(ctx context.Context, log *diag.Log, path string, opt snapshot.Options, kept cache.Options) (
	*cache.Opened, error,
) {
	return log.Open(ctx, path, opt, kept)
}

// Yield does nothing where goroutines run beside one another; in a page it lets that draw.
func Yield() {}
