package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"strata/app/diag"
	"strata/app/options"
	"strata/layout"
	"strata/layout/units"
	"strata/snapshot"
	"strata/snapshot/cache"
)

// files are what a command reads its snapshots with. They travel in its
// context, because opening is also done on behalf of other packages. What is
// worth it is stored for the next time beside what else there is to do.
type files struct {
	cache   cache.Options
	limits  snapshot.Limits
	log     *diag.Log
	storing sync.WaitGroup
}

type filesKey struct{}

// open reads a snapshot for the command that ctx belongs to, one at a time.
func open(ctx context.Context, name string) (*snapshot.Snapshot, error) {
	f := ctx.Value(filesKey{}).(*files)
	f.storing.Wait() // else those of several files were in memory at once
	o, err := f.log.Open(ctx, name, snapshot.Options{Limits: f.limits}, f.cache)
	var known *snapshot.Error
	if err != nil {
		if !errors.As(err, &known) && ctx.Err() == nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return nil, err
	}
	f.storing.Go(func() { // what cannot be stored is read again
		begun := time.Now()
		err := o.Store(ctx)
		if !o.Cached && !f.cache.Disabled {
			f.log.Stored(time.Since(begun), err)
		}
	})
	return o.Snapshot, nil
}

// lay lays a device out for the command that ctx belongs to.
func lay(ctx context.Context, s *snapshot.Snapshot, d *snapshot.Device, opt layout.Options) *layout.Timeline {
	begun := time.Now()
	t := layout.New(s, d, opt)
	took := time.Since(begun)
	ctx.Value(filesKey{}).(*files).log.Phase("layout", took, deviceName(d.Index), diag.Events(d.Events.Len(), took),
		units.Count(int64(len(t.Size)))+" allocations")
	return t
}

// reading adds to a mode what all that read files have.
func reading(m mode) mode {
	m.options = append(slices.Clip(m.options), noCacheOption, memoryOption, verboseOption)
	return m
}

var noCacheOption = option{long: "no-cache", help: "read the file itself, and do not keep what is in it\nto open it faster the next time",
	set: func(c *Command, _ string) string { c.NoCache = true; return "" }}

var memoryOption = option{long: "memory-limit", arg: "AMOUNT", help: "the memory that reading may take, such as 16GiB\n(default: by the size of the file, at most 8GiB)", set: setMemory}

func setMemory(c *Command, value string) string {
	var err error
	if c.Limits, err = options.ParseMemory(value); err != nil {
		return err.Error()
	}
	return ""
}

var verboseOption = option{long: "verbose", short: "v", help: "tell on standard error what opening is made of, and\nhow long each part takes",
	set: func(c *Command, _ string) string { c.Verbose = true; return "" }}
