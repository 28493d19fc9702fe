package cli

import (
	"math"
	"strconv"
	"strings"
	"time"

	"strata/app/options"
	"strata/layout"
)

// An option is a flag: what reads it and what the usage says of it.
type option struct {
	long, short string
	arg         string // what its value is called; "" for a switch
	help        string // lines
	// set stores the value; it returns what would be right if that is not.
	set func(c *Command, value string) string
}

// A mode is what can be called: the window, or a subcommand.
type mode struct {
	kind     Kind
	name     string // "" for the window
	synopsis string
	about    string // sentences, in lines
	options  []option
	check    func(*Command) error // what no option can judge alone
}

// call is how the mode is called.
func (m *mode) call() string { return strings.TrimSuffix("strata "+m.name, " ") }

// Sizes of a picture, in pixels. The largest takes about a gibibyte.
const (
	defaultWidth, defaultHeight = 1600, 900
	minSide, maxSide            = 64, 16384
	maxPixels                   = 100e6
)

var (
	deviceOption = option{long: "device", arg: "N", help: "the GPU to show, or host for pinned host memory\n(default: the first one with events)", set: setDevice}
	axisOption   = option{long: "axis", arg: "events|time", help: "what runs to the right: timesteps in event order,\nor time (default: events)", set: setAxis}
	// The window remembers its axis.
	windowAxisOption = option{long: "axis", arg: "events|time", help: "what runs to the right: timesteps in event order,\nor time (default: as last chosen in the window)", set: setAxis}
	maxOption        = option{long: "max-entries", arg: "N", help: "draw the N largest allocations and sum up the\nothers in one band (default: 0, draw all)", set: setMaxEntries}
	everywhere       = []option{
		{long: "help", short: "h", help: "print this", set: func(c *Command, _ string) string {
			c.Kind, c.Topic = Help, c.Kind
			return ""
		}},
	}
)

// modes holds everything that can be called. The parser and the usage are
// both made of it, so that neither knows a flag the other does not.
var modes = []mode{reading(windowMode()), reading(summaryMode()), reading(renderMode()), reading(queryMode()), reading(exportMode()), associateMode(), versionMode()}

func windowMode() mode {
	return mode{
		kind: Window, synopsis: "strata [flags] [FILE ...]",
		about: "Opens PyTorch CUDA memory snapshots in a window, each in a tab; of a folder\nall that lie in it. Without a FILE the window helps to find one.",
		options: append([]option{deviceOption, windowAxisOption, maxOption, gpuOption, offsetOption, colourOption,
			{long: "theme", arg: "dark|light|system", help: "colours (default: as last chosen in the window)", set: setTheme("dark", "light", "system")},
			{long: "backend", arg: "x11|wayland", help: "on Linux, what to open the window with\n(default: the better one of the session)", set: setBackend},
			{long: "trace-frames", arg: "FILE", help: "write what each frame takes to a file, as CSV",
				set: func(c *Command, v string) string { c.TraceFrames = v; return notEmpty(v) }},
			{long: "version", help: "print the version", set: func(c *Command, _ string) string { c.Kind = Version; return "" }},
		}, append(modelOptions, annotationOptions...)...),
		check: func(*Command) error { return nil },
	}
}

func summaryMode() mode {
	return mode{
		kind: Summary, name: "summary", synopsis: "strata summary [--json] FILE ...",
		about: "Prints what is in a snapshot: the figures of each device, which lines of code\nheld the memory at the peak, and what there is to know about the file.",
		options: []option{{long: "json", help: "print one JSON object for each FILE, on a line of\nits own; sizes are bytes, times microseconds",
			set: func(c *Command, _ string) string { c.JSON = true; return "" }}},
		check: func(c *Command) error {
			if len(c.Files) == 0 {
				return usageErrorf(Summary, "strata summary needs a FILE")
			}
			return nil
		},
	}
}

func renderMode() mode {
	return mode{
		kind: Render, name: "render", synopsis: "strata render FILE -o OUT.png [flags]",
		about: "Draws the timeline of a snapshot into a picture, without a window: pixels in\nOUT.png, or vectors in OUT.svg.",
		options: append([]option{
			{long: "out", short: "o", arg: "OUT.png", help: "the picture, .png or .svg; - prints a PNG", set: setOut},
			{long: "size", arg: "WxH", help: "pixels (default: 1600x900)", set: setSize},
			deviceOption, axisOption,
			{long: "from", arg: "X", help: "where to begin, and", set: func(c *Command, v string) string { c.Image.from = v; return notEmpty(v) }},
			{long: "to", arg: "X", help: "where to end: timesteps, or with --axis time the\ntime since the first event as 1.5s, 300ms, 20us;\na plain number is seconds (default: the whole run)",
				set: func(c *Command, v string) string { c.Image.to = v; return notEmpty(v) }},
			maxOption, gpuOption, offsetOption, colourOption,
			{long: "theme", arg: "dark|light", help: "colours (default: dark)", set: setTheme("dark", "light")},
		}, annotationOptions...),
		check: checkRender,
	}
}

func associateMode() mode {
	return mode{
		kind: Associate, name: "associate", synopsis: "strata associate [--undo]",
		about:   "Makes Strata known to your desktop: a menu entry, its icon, and that it opens\nmemory snapshots. Only for you, without administrator rights.",
		options: []option{{long: "undo", help: "take all of that back", set: func(c *Command, _ string) string { c.Undo = true; return "" }}},
		check: func(c *Command) error {
			if len(c.Files) > 0 {
				return usageErrorf(Associate, "strata associate takes no files")
			}
			return nil
		}}
}

func versionMode() mode {
	return mode{kind: Version, name: "version", synopsis: "strata version", about: "Prints which Strata this is.",
		check: func(c *Command) error {
			if len(c.Files) > 0 {
				return usageErrorf(Version, "strata version takes no arguments")
			}
			return nil
		}}
}

// modeOf returns the mode of a kind.
func modeOf(k Kind) *mode {
	for i := range modes {
		if modes[i].kind == k {
			return &modes[i]
		}
	}
	return &modes[0]
}

// modeNamed returns the subcommand of a name, nil if there is none.
func modeNamed(name string) *mode {
	for i := range modes {
		if name != "" && modes[i].name == name {
			return &modes[i]
		}
	}
	return nil
}

func subcommandNames() string {
	var names []string
	for _, m := range modes {
		if m.name != "" {
			names = append(names, m.name)
		}
	}
	return strings.Join(names, ", ")
}

func notEmpty(v string) string {
	if v == "" {
		return "it is empty"
	}
	return ""
}

func setDevice(c *Command, v string) string {
	n, err := strconv.ParseInt(v, 10, 32)
	switch {
	case v == "host":
		n = options.HostMemory
	case err != nil || n < 0:
		return "a device is a number from 0 up, or host"
	}
	c.Device = int(n)
	return ""
}

func setBackend(c *Command, v string) string {
	if v != "x11" && v != "wayland" {
		return "a backend is x11 or wayland"
	}
	c.Backend = v
	return ""
}

func setAxis(c *Command, v string) string {
	c.AxisGiven = true
	switch v {
	case "events":
		c.Axis = layout.Events
	case "time":
		c.Axis = layout.Time
	default:
		return "the axis is events or time"
	}
	return ""
}

func setMaxEntries(c *Command, v string) string {
	n, err := strconv.ParseInt(v, 10, 32)
	if err != nil || n < 0 {
		return "it is a number of allocations, 0 for all"
	}
	c.MaxEntries = int(n)
	return ""
}

func setTheme(names ...string) func(*Command, string) string {
	return func(c *Command, v string) string {
		for _, n := range names {
			if v == n {
				c.Theme = v
				return ""
			}
		}
		return "a theme is " + strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
	}
}

func setOut(c *Command, v string) string {
	c.Image.Out = v
	i := strings.LastIndexByte(v, '.')
	switch strings.ToLower(v[max(i, 0):]) {
	case ".jpg", ".jpeg", ".gif", ".webp", ".pdf", ".html", ".bmp", ".tif", ".tiff":
		return "pictures are written as PNG or SVG, name it " + v[:i] + ".png"
	}
	return notEmpty(v)
}

func setSize(c *Command, v string) string {
	w, h, ok := strings.Cut(strings.NewReplacer("X", "x", "×", "x").Replace(v), "x")
	width, err1 := strconv.Atoi(w)
	height, err2 := strconv.Atoi(h)
	switch {
	case !ok || err1 != nil || err2 != nil:
		return "a size is WIDTHxHEIGHT in pixels, such as 1600x900"
	case min(width, height) < minSide || max(width, height) > maxSide || width*height > maxPixels:
		return "a side has 64 to 16384 pixels, a picture at most 100 million"
	}
	c.Image.Width, c.Image.Height = width, height
	return ""
}

// checkRender looks at the whole of a render command and turns its range into
// the unit of its axis.
func checkRender(c *Command) error {
	im := &c.Image
	switch {
	case len(c.Files) == 0:
		return usageErrorf(Render, "strata render needs a FILE")
	case len(c.Files) > 1:
		return usageErrorf(Render, "strata render draws one FILE at a time, not %d", len(c.Files))
	case im.Out == "":
		return usageErrorf(Render, "strata render needs a place for the picture: -o OUT.png")
	}
	var err error
	if im.From, err = bound("--from", im.from, c.Axis); err != nil {
		return err
	}
	if im.To, err = bound("--to", im.to, c.Axis); err != nil {
		return err
	}
	if im.From.Given && im.To.Given && im.From.At >= im.To.At {
		return usageErrorf(Render, "--from %s is not before --to %s", im.from, im.to)
	}
	if im.To.Given && im.To.At <= 0 {
		return usageErrorf(Render, "--to %s leaves nothing to draw", im.to)
	}
	return nil
}

// bound reads one end of a range.
func bound(flag, v string, axis layout.Axis) (Bound, error) {
	if v == "" {
		return Bound{}, nil
	}
	v = strings.ReplaceAll(v, " ", "")
	plain, err := strconv.ParseFloat(v, 64)
	duration, derr := time.ParseDuration(v)
	at := plain
	switch {
	case err == nil && axis == layout.Time:
		at = plain * 1e6
	case err == nil:
	case derr == nil && axis == layout.Time:
		at = float64(duration) / 1e3
	case derr == nil:
		return Bound{}, usageErrorf(Render, "%s %s is a time, but this axis counts timesteps; add --axis time", flag, v)
	case axis == layout.Time:
		return Bound{}, usageErrorf(Render, "%s %q is no time; write it as 1.5s, 300ms or 20us, or as plain seconds", flag, v)
	default:
		return Bound{}, usageErrorf(Render, "%s %q is no number of timesteps", flag, v)
	}
	if at < 0 || math.IsInf(at, 0) || math.IsNaN(at) {
		return Bound{}, usageErrorf(Render, "%s %s is out of range; an axis begins at 0", flag, v)
	}
	return Bound{Given: true, At: at}, nil
}
