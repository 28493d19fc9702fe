package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"strata/app/diag"
	"strata/layout"
	"strata/layout/units"
	"strata/snapshot"
	"strata/snapshot/beside"
	"strata/snapshot/cache"
)

// A reader opens snapshots for a command, one at a time, and stores in the cache what is worth it.
type reader struct {
	cache   cache.Options
	limits  snapshot.Limits
	own     snapshot.OwnCode
	with    []string // laid over each
	zone    *time.Duration
	log     *diag.Log
	storing sync.WaitGroup
}

// open reads a snapshot. Storing it goes on beside what else the command does.
func (r *reader) open(ctx context.Context, name string) (*snapshot.Snapshot, error) {
	r.storing.Wait() // not several snapshots in memory at once
	o, err := r.log.Open(ctx, name, snapshot.Options{Limits: r.limits}, r.cache)
	var known *snapshot.Error
	if err != nil {
		if !errors.As(err, &known) && ctx.Err() == nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return nil, err
	}
	r.storing.Go(func() {
		begun := time.Now()
		err := o.Store(ctx)
		if !o.Cached && !r.cache.Disabled {
			r.log.Stored(time.Since(begun), err)
		}
	})
	s, err := beside.Lay(ctx, o.Snapshot.WithOwnCode(r.own), r.with, r.zone, r.limits)
	if err != nil {
		return nil, err
	}
	for _, f := range s.Findings {
		if f.Title == beside.NotLaid {
			return nil, errors.New(f.Explain)
		}
	}
	return s, nil
}

// lay lays a device out.
func (r *reader) lay(s *snapshot.Snapshot, d *snapshot.Device, opt layout.Options) *layout.Timeline {
	begun := time.Now()
	t := layout.New(s, d, opt)
	took := time.Since(begun)
	r.log.Phase("layout", took, d.Title(), diag.Events(d.Events.Len(), took),
		units.Count(len(t.Size))+" allocations")
	return t
}
