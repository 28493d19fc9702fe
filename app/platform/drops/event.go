// Package drops is what all systems share of files that are dropped on a window: the events, and how paths are read
// from what a drag carries.
package drops

import (
	"errors"
	"fmt"
	"time"
)

// Kind says what happened.
type Kind uint8

// What can happen. Any number of Hover follow one another, then comes either Leave, Drop or Failed; a Drop can also
// come without a Hover.
const (
	Hover  Kind = iota // files are held over the window
	Leave              // they are gone, nothing was dropped
	Drop               // they were dropped: open Paths
	Failed             // they were dropped but could not be taken over, see Err
	Open               // the system asks to open Paths, without a drop
)

// String is the kind's name, for tests and logs.
func (k Kind) String() string {
	return [...]string{"hover", "leave", "drop", "failed", "open"}[k]
}

// An Event is something that the system did with files and a window.
type Event struct {
	Kind Kind
	// Paths are absolute; they may name folders, and things that do not exist. In a Hover they are nil if the
	// source tells them only after the drop.
	Paths []string
	// Err says, in a sentence, why a drop failed.
	Err error
}

// Dropped is the event of a drop of paths: Drop, or Failed if err is not nil or there are no paths.
func Dropped(paths []string, err error) Event {
	switch {
	case err != nil:
		return Event{Kind: Failed, Err: err}
	case len(paths) == 0:
		return Event{Kind: Failed, Err: errNoFiles}
	}
	return Event{Kind: Drop, Paths: paths}
}

// Limits of a drop.
const (
	// MaxBytes is the most data that is taken: enough for 100,000 long paths.
	MaxBytes = 16 << 20
	// Wait is how long the source of a drop may take to hand over its data, or the next part of them.
	Wait = 10 * time.Second
)

// Why a drop fails.
var (
	ErrTooMuch = fmt.Errorf("more was dropped than the names of files: over %d MiB; drop their folder instead",
		MaxBytes>>20)
	ErrSilent  = errors.New("the program that the files came from did not hand over their names")
	errNoFiles = errors.New("what was dropped is no file of this machine")
)
