package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"strata/snapshot"
	"strata/snapshot/cache"
)

// files are what a command reads its snapshots with. What is worth it is
// stored for the next time beside what else there is to do.
type files struct {
	cache   cache.Options
	storing sync.WaitGroup
}

// open reads a snapshot, one at a time.
func (f *files) open(ctx context.Context, name string) (*snapshot.Snapshot, error) {
	f.storing.Wait() // else those of several files were in memory at once
	o, err := cache.Open(ctx, name, snapshot.Options{}, f.cache)
	var known *snapshot.Error
	if err != nil {
		if !errors.As(err, &known) && ctx.Err() == nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return nil, err
	}
	f.storing.Go(func() { _ = o.Store(ctx) }) // what cannot be stored is read again
	return o.Snapshot, nil
}

var noCacheOption = option{long: "no-cache", help: "read the file itself, and do not keep what is in it\nto open it faster the next time",
	set: func(c *Command, _ string) string { c.NoCache = true; return "" }}
