// Package options is what the command line and the window can both set: the command line fills an Options, and the
// window changes it while it runs.
package options

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/capacity"
	"strata/layout/category"
	"strata/render/colour"
	"strata/snapshot"
)

// Devices that are no index of a GPU.
const (
	AnyDevice  = -2 // snapshot.Snapshot.FirstDevice
	HostMemory = -1 // pinned host memory, snapshot.Snapshot.Host
)

// Options says what to open, what to show of it and how, and what reading may cost.
type Options struct {
	Files []string // files and, for the window, folders of files
	With  []string // files that are laid over the first of Files, by the time of day
	// Zone is what the clocks of With are ahead of UTC where they do not tell, nil for what fits best.
	Zone   *time.Duration
	Device int // index as PyTorch numbers them, AnyDevice or HostMemory

	Axis       layout.Axis
	AxisGiven  bool   // by --axis; the window else takes the remembered axis
	MaxEntries int    // layout.Options.MaxEntries: 0 draws every allocation
	Theme      string // "dark", "light", "system", or "" for the remembered one

	Colour      colour.Mode
	ColourGiven bool // by --colour; the window else takes the remembered mode

	GroupBy    breakdown.By    // what the window groups memory by
	Categories *category.Rules // a person's own for what memory is for, nil for none

	GPU       capacity.Capacity // drawn as a line; zero for none, or in the window the remembered one
	Offset    int64             // bytes added to every total
	Model     string            // for hub.Client.Load; "" for none, or in the window the remembered one
	VocabSize int64             // replaces the model's own vocabulary size; 0 keeps it
	Quantized bool              // for shape.NewNamer

	AllAnnotations   bool   // show those that layout.Internal names too
	AnnotationFilter string // for layout.MatchNames; "" for all

	OwnCode snapshot.OwnCode // what is the person's own code, or is not

	NoCache bool            // neither read nor fill the cache of opened snapshots
	Limits  snapshot.Limits // what reading a file may cost
	Verbose bool            // print the phases of opening a file to standard error

	Backend     string // of the window: "x11", "wayland", or "" for the better one of the session
	TraceFrames string // file for the duration of each frame, "" for none
}

// ParseOffset returns the bytes of a number of MiB such as "1024", for Options.Offset.
func ParseOffset(text string) (int64, error) {
	const most = 1 << 24 // MiB, more than any GPU has
	mib, err := strconv.ParseFloat(text, 64)
	if err != nil || !(mib >= 0 && mib <= most) {
		return 0, errors.New("it is a number of MiB, 0 or more, such as 1024")
	}
	return int64(math.Round(mib * (1 << 20))), nil
}

// ParseZone reads a zone such as "+09:00", "-5" or "UTC", for Options.Zone.
func ParseZone(text string) (*time.Duration, error) {
	hours, err := strconv.Atoi(text)
	if strings.EqualFold(text, "UTC") {
		err = nil
	}
	zone := time.Duration(hours) * time.Hour
	if at, parsed := time.Parse("-07:00", text); parsed == nil {
		_, seconds := at.Zone()
		zone, err = time.Duration(seconds)*time.Second, nil
	}
	if err == nil && zone.Abs() <= 15*time.Hour {
		return &zone, nil
	}
	return nil, errors.New("it is UTC, or what a clock is ahead of that, such as +09:00 or -5")
}

// ReadCategories reads a file of rules for Options.Categories.
func ReadCategories(name string) (*category.Rules, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", errors.Unwrap(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, category.MaxText+1))
	if err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	return category.ParseRules(name, string(text))
}

// ParseMemory returns the limits for reading a file with at most an amount of memory such as "16GiB".
func ParseMemory(text string) (snapshot.Limits, error) {
	n, err := capacity.Amount(text)
	if err != nil || n <= 0 {
		return snapshot.Limits{}, errors.New("an amount such as 16GiB")
	}
	return snapshot.MemoryLimit(n), nil
}

// Capacity is the limit to draw over a timeline: the GPU that was chosen, else the whole memory of the device where the
// file tells it and the stack fills at least half of that; drawn over less it would press the stack flat.
func (o *Options) Capacity(t *layout.Timeline) capacity.Capacity {
	if t == nil || o.GPU.Bytes > 0 {
		return o.GPU
	}
	d := t.Device
	if d.Memory == 0 || t.PeakBytes < d.Memory/2 {
		return o.GPU
	}
	return capacity.Capacity{Name: cmp.Or(d.Model, d.Title()), Bytes: d.Memory}
}
