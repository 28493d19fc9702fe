package diag

import (
	"context"
	"time"

	"strata/snapshot"
	"strata/snapshot/cache"
)

// Open is cache.Open, and tells of its phases.
func (l *Log) Open(ctx context.Context, path string, opt snapshot.Options, kept cache.Options) (*cache.Opened, error) {
	if l == nil {
		return cache.Open(ctx, path, opt, kept)
	}
	l.Opening(path)
	var read time.Duration
	opt.Phase = func(p snapshot.Phase, took time.Duration, bytes int64) {
		read += took
		l.Phase(p.String(), took, Bytes(bytes, took))
	}
	begun := time.Now()
	o, err := cache.Open(ctx, path, opt, kept)
	took := time.Since(begun)
	switch {
	case err != nil:
		l.Phase("failed", took)
	case o.Cached:
		l.Phase("restore from the cache", took, Bytes(o.Snapshot.Source.Bytes, took)+" of snapshot",
			Events(events(o.Snapshot), took))
	default:
		if !kept.Disabled {
			l.Phase("look in the cache", took-read, "nothing there")
		}
		l.Phase("opened", took, Events(events(o.Snapshot), took))
	}
	return o, err
}

// events is how many events a snapshot has, of all devices.
func events(s *snapshot.Snapshot) int {
	n := 0
	for i := range s.Devices {
		n += s.Devices[i].Events.Len()
	}
	if s.Host != nil {
		n += s.Host.Events.Len()
	}
	return n
}

// Stored tells how long Opened.Store took, which does nothing for small files.
func (l *Log) Stored(took time.Duration, err error) {
	switch {
	case l == nil:
	case err != nil:
		l.Phase("could not be kept in the cache", took, err.Error())
	default:
		l.Phase("keep in the cache", took)
	}
}
