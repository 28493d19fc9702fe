// Package cli is Strata's command line: one parser of arguments for the window
// and for the subcommands that need none, and those subcommands themselves.
// It imports nothing of Gio's, so that what it does works where no display is.
package cli

import (
	"fmt"

	"strata/layout"
	"strata/layout/capacity"
	"strata/render"
	"strata/snapshot"
)

// Kind says what a command line asks for.
type Kind uint8

// What a command line can ask for. Window is for package app; the others are
// done by [Command.Run].
const (
	Window Kind = iota
	Summary
	Render
	Query
	Export
	Associate
	Version
	Help
)

// AnyDevice stands for the device that the file makes the obvious choice: the
// first that has events. HostMemory is the pinned host memory (snapshot.Snapshot.Host).
const (
	AnyDevice  = -2
	HostMemory = -1
)

// A Command is a parsed command line; everything in it is valid in itself.
type Command struct {
	Kind   Kind
	Files  []string  // as given; at least one for Summary and Export, exactly one for Render and Query
	Topic  Kind      // of Help: whose usage is asked for
	Show   Show      // of Window and Render: what to show first
	JSON   bool      // of Summary: one JSON object a file in place of text
	Image  Image     // of Render
	Asking Asking    // of Query
	Export Exporting // of Export

	Backend string // of Window: "x11", "wayland", or "" for the better one of the session
	Undo    bool   // of Associate: take it back

	TraceFrames string // of Window: file for what each frame takes, "" for none

	Verbose bool // of all that read files: tell of the phases
	NoCache bool // of all that read files: neither use nor fill package cache's

	Limits snapshot.Limits // of all that read files: what one may cost
}

// Show is what to show of a file and how.
type Show struct {
	Device     int // as PyTorch numbers them, or AnyDevice, or HostMemory
	Axis       layout.Axis
	AxisGiven  bool
	MaxEntries int    // layout.Options.MaxEntries: 0 draws every allocation
	Theme      string // "dark", "light", "system", or "" when not given

	Colour      render.ColourMode // what the colours mean
	ColourGiven bool              // else the window takes what was chosen last

	GPU       capacity.Capacity // the line to draw; zero for none
	Offset    int64             // bytes to add to every total
	Model     string            // for hub.Client.Load; "" for none
	VocabSize int64             // in place of the model's own; 0 leaves it
	Quantized bool              // shape.Options.Quantized

	AllAnnotations   bool   // show those that layout.Internal names too
	AnnotationFilter string // for layout.MatchNames; "" for all
}

// Image is the picture that Render makes.
type Image struct {
	Out           string // file name, "-" for standard output
	Width, Height int    // pixels
	From, To      Bound
	from, to      string // as given, until the axis is known
}

// A Bound is an end of the range that a picture shows, in the unit of its axis:
// timesteps, or microseconds after the first event.
type Bound struct {
	Given bool
	At    float64
}

// A UsageError is what is wrong with a command line, in one sentence.
type UsageError struct {
	Topic Kind // whose usage helps
	What  string
}

// Error is the sentence.
func (e *UsageError) Error() string { return e.What }

func usageErrorf(topic Kind, format string, args ...any) *UsageError {
	return &UsageError{Topic: topic, What: fmt.Sprintf(format, args...)}
}
