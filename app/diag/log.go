// Package verbose tells a person on the terminal what opening a file is made
// of and how long each part takes: strata -v.
package diag

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"strata/layout/units"
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
