package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"strata/app/export"
	"strata/app/hub"
	"strata/app/options"
	"strata/layout"
	"strata/layout/capacity"
	"strata/layout/category"
	"strata/layout/state"
	"strata/render/colour"
	"strata/snapshot"
)

// An option is a flag: what reads it and what the usage says of it.
type option struct {
	Long, Short string
	Arg         string // what its value is called; "a|b" names all values there are; "" for a switch
	Help        string // lines
	// set stores the value. Its error says what would be right; the caller says which flag it is about.
	set func(c *Command, value string) error
}

// Choices returns the words that an option takes, nil if it takes anything.
func (o option) Choices() []string {
	if !strings.Contains(o.Arg, "|") {
		return nil
	}
	return strings.Split(o.Arg, "|")
}

// read checks a value and stores it.
func (o option) read(c *Command, value string) error {
	if words := o.Choices(); words != nil && !slices.Contains(words, value) {
		last := len(words) - 1
		return fmt.Errorf("it is %s or %s", strings.Join(words[:last], ", "), words[last])
	}
	return o.set(c, value)
}

// Options that more than one mode has.
var (
	deviceOption = option{Long: "device", Arg: "N",
		Help: "the GPU to show, or host for pinned host memory\n(default: the one that ran out of memory last,\n" +
			"else the first with events)", set: setDevice}
	axisOption = option{Long: "axis", Arg: "events|time",
		Help: "what runs to the right: steps in event order,\nor time (default: events)", set: setAxis}
	// The window remembers its axis.
	windowAxisOption = option{Long: "axis", Arg: "events|time",
		Help: "what runs to the right: steps in event order,\nor time (default: as last chosen in the window)",
		set:  setAxis}
	maxOption = option{Long: "max-entries", Arg: "N",
		Help: "draw the N largest allocations and sum up the\nothers in one band (default: 0, draw all)",
		set: parsed(whole(0, "it is a number of allocations, 0 for all"),
			func(c *Command) *int { return &c.MaxEntries })}
	gpuOption = option{Long: "gpu", Arg: "NAME",
		Help: "draw a line at the memory of this GPU: a name\nsuch as H100 or A100-80, or an amount: 79.1GiB",
		set:  parsed(capacity.Find, func(c *Command) *capacity.Capacity { return &c.GPU })}
	bandsOption = option{Long: "bands", Arg: "GROUP",
		Help: "draw a band for each group in place of allocations:\n" + groupNames(),
		set: func(c *Command, v string) error {
			c.Image.Bands = true
			return setBy(c, v)
		}}
	viewOption = option{Long: "view", Arg: "allocations|segments",
		Help: "what is stacked: allocations, or the segments that\nthe allocator held from the driver\n" +
			"(default: allocations)",
		set: func(c *Command, v string) error { c.Image.Segments = v == "segments"; return nil }}
	linesOption = option{Long: "lines", Arg: "A,B",
		Help: "draw what the allocator held as lines: reserved,\nallocated (rounding included), active (the same " +
			"with\nwhat waits to be freed); gap shades what is between\nthe first two, segments marks where " +
			"segments came\nand went and where the cache was flushed",
		set: setLines}
	pictureThemeOption = option{Long: "theme", Arg: "dark|light",
		Help: "colours of the picture (default: dark, in a report\nlight)",
		set:  text(func(c *Command) *string { return &c.Theme })}
	offsetOption = option{Long: "offset", Arg: "MIB",
		Help: "add this much to every total, for memory that the\nsnapshot does not know of (default: 0)",
		set:  parsed(options.ParseOffset, func(c *Command) *int64 { return &c.Offset })}
	categoriesOption = option{Long: "categories", Arg: "FILE",
		Help: "rules of your own for what memory is for, on lines\nof CATEGORY = SEARCH; they come before Strata's",
		set:  parsed(options.ReadCategories, func(c *Command) **category.Rules { return &c.Categories })}
	colourOption = option{Long: "colour", Arg: "MEANING", Help: "what the colours mean:\n" + colourNames(),
		set: setColour}
)

var modelOptions = []option{
	{Long: "model", Arg: "ID",
		Help: "name tensor shapes by the dimensions of this model:\na hub ID such as org/name, a folder, a config.json",
		set:  setModel},
	{Long: "vocab-size", Arg: "N", Help: "its vocabulary size, over what its config says",
		set: parsed(whole(int64(1), "it is a number of tokens, such as 128256"),
			func(c *Command) *int64 { return &c.VocabSize })},
	{Long: "quantized", Help: "consider int8, fp8 and 4-bit tensors too",
		set: flag(func(c *Command) *bool { return &c.Quantized })},
}

var annotationOptions = []option{
	{Long: "all-annotations", Help: "show the framework's own annotations too: those of\ndynamo, inductor, " +
		"autotuning and the profiler",
		set: flag(func(c *Command) *bool { return &c.AllAnnotations })},
	{Long: "annotation-filter", Arg: "TEXT",
		Help: "show only annotations with this in their name, or\nthat match /regex/",
		set:  setAnnotationFilter},
}

// overOptions are those of modes that show what was laid over a file.
var overOptions = []option{
	{Long: "with", Arg: "FILE",
		Help: "lay this over FILE by the time of day: a trace of\ntorch.profiler of the same run, or a table " +
			"such as a\nlog of nvidia-smi; more than once for several",
		set: func(c *Command, v string) error {
			c.With = append(c.With, v)
			return nil
		}},
	{Long: "zone", Arg: "+HH:MM",
		Help: "what the clock of such a log is ahead of UTC\n(default: what makes them overlap)",
		set:  parsed(options.ParseZone, func(c *Command) **time.Duration { return &c.Zone })},
}

// readOptions are those of all modes that read files.
var readOptions = []option{
	{Long: "own-code", Arg: "A,-B",
		Help: "what is your own code, by parts of file names;\nwith a minus what is not (default: what Python did\n" +
			"not install)",
		set: func(c *Command, v string) error {
			c.OwnCode = snapshot.ParseOwnCode(v)
			return nil
		}},
	{Long: "no-cache", Help: "read the file itself, and do not keep what is in it\nto open it faster the next time",
		set: flag(func(c *Command) *bool { return &c.NoCache })},
	{Long: "memory-limit", Arg: "AMOUNT",
		Help: "the memory that reading may take, such as 16GiB\n(default: by the size of the file, at most 8GiB)",
		set:  parsed(options.ParseMemory, func(c *Command) *snapshot.Limits { return &c.Limits })},
	{Long: "verbose", Short: "v", Help: "tell on standard error what opening is made of, and\nhow long each part takes",
		set: flag(func(c *Command) *bool { return &c.Verbose })},
}

// flag sets a switch.
func flag(field func(*Command) *bool) func(*Command, string) error {
	return func(c *Command, _ string) error { *field(c) = true; return nil }
}

// text sets a value that may be anything but empty.
func text(field func(*Command) *string) func(*Command, string) error {
	return func(c *Command, v string) error {
		*field(c) = v
		if v == "" {
			return errors.New("it is empty")
		}
		return nil
	}
}

// parsed sets a value that is written as text.
func parsed[T any](parse func(string) (T, error), field func(*Command) *T) func(*Command, string) error {
	return func(c *Command, v string) (err error) {
		*field(c), err = parse(v)
		return err
	}
}

// colourName is a colour mode as --colour takes it.
func colourName(m colour.Mode) string { return strings.ReplaceAll(m.String(), " ", "-") }

// colourNames lists the colour modes, four a line.
func colourNames() string {
	var all []string
	for _, m := range colour.Modes() {
		all = append(all, colourName(m))
	}
	last := len(all) - 1
	all[last-1] += " or " + all[last]
	var lines []string
	for line := range slices.Chunk(all[:last], 4) {
		lines = append(lines, strings.Join(line, ", "))
	}
	return strings.Join(lines, ",\n")
}

func setColour(c *Command, v string) error {
	for _, m := range colour.Modes() {
		if v == colourName(m) || v == m.String() {
			c.Colour, c.ColourGiven = m, true
			return nil
		}
	}
	return errors.New("the colours mean " + strings.ReplaceAll(colourNames(), "\n", " "))
}

func setAnnotationFilter(c *Command, v string) error {
	c.AnnotationFilter = v
	_, err := layout.MatchNames(v)
	return err
}

func setModel(c *Command, v string) error {
	c.Model = v
	if _, err := hub.ParseID(v); err != nil {
		return errors.New("it is neither a folder or file here nor a hub ID such as org/name")
	}
	return nil
}

// whole parses a number from least up; the error is what it should be.
func whole[N int | int64](least N, should string) func(string) (N, error) {
	return func(v string) (N, error) {
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil || N(n) < least {
			return 0, errors.New(should)
		}
		return N(n), nil
	}
}

func setDevice(c *Command, v string) (err error) {
	if v == "host" {
		c.Device = options.HostMemory
		return nil
	}
	c.Device, err = whole(0, "a device is a number from 0 up, or host")(v)
	return err
}

func setAxis(c *Command, v string) error {
	c.Axis, c.AxisGiven = layout.Events, true
	if v == "time" {
		c.Axis = layout.Time
	}
	return nil
}

func setLines(c *Command, v string) error {
	l := &c.Image.Lines
	*l = Lines{}
	has := map[string]bool{}
	for _, word := range strings.Split(v, ",") {
		switch has[word] = true; word {
		case "reserved", "allocated", "active":
		case "gap":
			l.Gap = true
		case "segments":
			l.Trades = true
		default:
			return errors.New("the lines are reserved, allocated, active, gap and segments, with commas between them")
		}
	}
	if l.Gap && !has["reserved"] && !has["allocated"] && !has["active"] {
		has["reserved"], has["allocated"] = true, true
	}
	for _, a := range []state.Amount{state.Reserved, state.Active, state.Allocated} {
		if has[a.String()] {
			l.Amounts = append(l.Amounts, a)
		}
	}
	return nil
}

func setExport(c *Command, v string) error {
	c.Tables.Out = v
	if _, ok := export.FormatOf(v); !ok {
		return errors.New("it ends in .sqlite, .parquet or .csv")
	}
	return nil
}

func setTables(c *Command, v string) error {
	c.Tables.Names = strings.Split(v, ",")
	return export.CheckTables(c.Tables.Names)
}

func setPicture(c *Command, v string) error {
	c.Image.Out = v
	i := max(0, strings.LastIndexByte(v, '.'))
	switch strings.ToLower(v[i:]) {
	case "":
		return errors.New("it is empty")
	case ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".html", ".bmp", ".tif", ".tiff":
		return errors.New("pictures are written as PNG or SVG, name it " + v[:i] + ".png")
	}
	return nil
}

// Sizes of a picture, in pixels. The largest takes about a gibibyte.
const (
	defaultWidth, defaultHeight = 1600, 900
	minSide, maxSide            = 64, 16384
	maxPixels                   = 100e6
)

func setSize(c *Command, v string) error {
	w, h, ok := strings.Cut(strings.NewReplacer("X", "x", "×", "x").Replace(v), "x")
	width, err1 := strconv.Atoi(w)
	height, err2 := strconv.Atoi(h)
	switch {
	case !ok || err1 != nil || err2 != nil:
		return errors.New("a size is WIDTHxHEIGHT in pixels, such as 1600x900")
	case min(width, height) < minSide || max(width, height) > maxSide || width*height > maxPixels:
		return errors.New("a side has 64 to 16384 pixels, a picture at most 100 million")
	}
	c.Image.Width, c.Image.Height = width, height
	return nil
}

// checkRender looks at the whole of a render command and turns its range into the unit of its axis.
func checkRender(c *Command) error {
	im := &c.Image
	switch {
	case len(c.Files) > 1:
		return fmt.Errorf("strata render draws one FILE at a time, not %d", len(c.Files))
	case im.Out == "":
		return errors.New("strata render needs a place for the picture: -o OUT.png")
	}
	var err error
	if im.From, err = bound("--from", im.from, c.Axis); err != nil {
		return err
	}
	if im.To, err = bound("--to", im.to, c.Axis); err != nil {
		return err
	}
	if im.From.Given && im.To.Given && im.From.At >= im.To.At {
		return fmt.Errorf("--from %s is not before --to %s", im.from, im.to)
	}
	if im.To.Given && im.To.At <= 0 {
		return fmt.Errorf("--to %s leaves nothing to draw", im.to)
	}
	return nil
}

// bound reads one end of a range.
func bound(flag, v string, axis layout.Axis) (Bound, error) {
	if v == "" {
		return Bound{}, nil
	}
	v = strings.ReplaceAll(v, " ", "")
	at, notNumber := strconv.ParseFloat(v, 64)
	duration, notDuration := time.ParseDuration(v)
	switch {
	case notNumber == nil && axis == layout.Time:
		at *= 1e6
	case notNumber == nil:
	case notDuration == nil && axis == layout.Time:
		at = float64(duration) / 1e3
	case notDuration == nil:
		return Bound{}, fmt.Errorf("%s %s is a time, but this axis counts steps; add --axis time", flag, v)
	case axis == layout.Time:
		return Bound{}, fmt.Errorf("%s %q is no time; write it as 1.5s, 300ms or 20us, or as plain seconds",
			flag, v)
	default:
		return Bound{}, fmt.Errorf("%s %q is no number of steps", flag, v)
	}
	if at < 0 || math.IsInf(at, 0) || math.IsNaN(at) {
		return Bound{}, fmt.Errorf("%s %s is out of range; an axis begins at 0", flag, v)
	}
	return Bound{Given: true, At: at}, nil
}
