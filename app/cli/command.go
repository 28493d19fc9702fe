// Package cli is Strata's command line: one parser for the window and for the subcommands, and those subcommands.
// It imports nothing of Gio, so that it works without a display.
package cli

import (
	"strata/app/options"
	"strata/layout/state"
)

// Kind says what a command line asks for.
type Kind uint8

// The kinds of commands. Window is for package app; the others are done by [Command.Run].
const (
	Window Kind = iota
	Summary
	Render
	Query
	TopGroups
	Growth
	Compare
	Ranks
	State
	Explain
	Export
	Report
	Web
	Record
	Associate
	Version
	Help
)

// A Command is a parsed command line; everything in it is valid in itself. Files has at least one entry for Summary
// and Export, two for Compare, exactly one for Render, Query, TopGroups, Growth, State, Explain and Report. One may
// be "-", see [Command.Prepare].
type Command struct {
	Kind Kind
	options.Options

	Topic    Kind     // of Help: whose usage is asked for
	JSON     bool     // of Summary, Growth, State and Explain: JSON in place of text
	Image    Image    // of Render and Report
	SQL      SQL      // of Query
	Tables   Tables   // of Export
	Top      Top      // of TopGroups; By also of Growth and Compare, and of Render with Bands; Limit of Compare
	Event    int      // of State: a kept event, -1 the start
	Compared Compared // of Compare
	Wall     RanksOf  // of Ranks
	Maker    string   // of Record: one of recording.Makers
	Undo     bool     // of Associate: undo it
	Live     bool     // of Report: with the program and the snapshot
	Port     int      // of Web: 0 for any

	topLimitGiven, eventGiven bool
}

// Image is the picture that Render makes; of Report, the page with the picture.
type Image struct {
	Out           string // file name, "-" for standard output
	Width, Height int    // pixels
	From, To      Bound
	Bands         bool   // one for each group, in place of allocations
	Segments      bool   // of the allocator, in place of allocations
	Lines         Lines  // of the allocator, over the timeline
	from, to      string // as given, until the axis is known
}

// Lines are what is drawn of the allocator over the timeline.
type Lines struct {
	Amounts []state.Amount // the highest first
	Gap     bool           // what is between the first two is shaded
	Trades  bool           // segments and flushes are marked
}

// A Bound is an end of the range that a picture shows, in the unit of its axis: steps, or microseconds after
// the first event.
type Bound struct {
	Given bool
	At    float64
}

// SQL is what Query asks.
type SQL struct {
	Text   string // "-" for standard input
	File   string // the file that holds it, "" if Text does
	Format string // "csv", "json", "table" or "" for a table
}

// Tables is what Export writes.
type Tables struct {
	Out   string
	Names []string // none: all
}

// A UsageError is what is wrong with a command line, in one sentence.
type UsageError struct {
	Topic Kind // whose usage helps
	What  string
}

// Error is the sentence.
func (e *UsageError) Error() string { return e.What }
