// Package diag tells a person what opening a file is made of and how long each part takes (strata -v), and logs what
// the frames of the window take (--trace-frames).
package diag

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"strata/layout/units"
	"strata/snapshot"
	"strata/snapshot/cache"
)

// A Log writes lines for a person. A nil Log writes nothing, and all of its methods may be called from any goroutine.
type Log struct {
	mu sync.Mutex
	w  io.Writer
}

// New is a log that writes to w, nil unless it is wanted.
func New(wanted bool, w io.Writer) *Log {
	if !wanted {
		return nil
	}
	return &Log{w: w}
}

// Opening says that a file is being opened.
func (l *Log) Opening(path string) {
	if l != nil {
		l.write(fmt.Sprintf("strata: opening %q", path)) // quoted, as names may hold anything
	}
}

// Phase says how long a phase took, and what is worth knowing about it, if anything.
func (l *Log) Phase(name string, took time.Duration, details ...string) {
	if l == nil {
		return
	}
	line := fmt.Sprintf("strata: %10s  %s", units.Duration(float64(took)/1e3), name)
	if len(details) > 0 {
		line += ": " + strings.Join(details, ", ")
	}
	l.write(line)
}

// write writes a line as a whole. That nobody reads it is no reason to stop.
func (l *Log) write(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = io.WriteString(l.w, line+"\n")
}

// Events is a number of events and what each took.
func Events(n int, took time.Duration) string {
	s := units.Count(n) + " events"
	if n > 0 {
		s += fmt.Sprintf(" (%.0f ns each)", float64(took)/float64(n))
	}
	return s
}

// Bytes is a number of bytes and at what speed they went by.
func Bytes(n int64, took time.Duration) string {
	s := units.Count(n) + " bytes"
	if took > time.Millisecond {
		s += fmt.Sprintf(" (%.0f MB/s)", float64(n)/1e6/took.Seconds())
	}
	return s
}

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
	for _, d := range s.All() {
		n += d.Events.Len()
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
