package cli

import (
	"os"
	"slices"
	"strings"

	"strata/snapshot/recording"
)

// A mode is what can be called: the window, or a subcommand.
type mode struct {
	kind     Kind
	name     string // "" for the window
	synopsis string
	about    string // sentences, in lines of at most 80 columns
	options  []option
	words    []string             // that it takes in place of files
	check    func(*Command) error // what no option can judge alone
}

// modes holds everything that can be called. The parser, the usage, the manual and the completions are all made of it.
var modes = []mode{
	reading(windowMode), reading(summaryMode), reading(renderMode), reading(queryMode), reading(exportMode),
	recordMode, associateMode, versionMode,
}

var everywhere = []option{
	{long: "help", short: "h", help: "print this", set: func(c *Command, _ string) error {
		c.Kind, c.Topic = Help, c.Kind
		return nil
	}},
}

// reading adds to a mode the options of all modes that read files.
func reading(m mode) mode {
	m.options = append(slices.Clip(m.options), readOptions...)
	return m
}

var windowMode = mode{
	kind: Window, synopsis: "strata [flags] [FILE ...]",
	about: `Opens PyTorch CUDA memory snapshots in a window, each in a tab; of a folder
all that lie in it. Without a FILE the window helps to find one.`,
	options: slices.Concat([]option{
		deviceOption, windowAxisOption, maxOption, gpuOption, offsetOption, colourOption,
		{long: "theme", arg: "dark|light|system", help: "colours (default: as last chosen in the window)",
			set: setTheme},
		{long: "backend", arg: "x11|wayland",
			help: "on Linux, what to open the window with\n(default: the better one of the session)",
			set:  text(func(c *Command) *string { return &c.Backend })},
		{long: "trace-frames", arg: "FILE", help: "write what each frame takes to a file, as CSV",
			set: text(func(c *Command) *string { return &c.TraceFrames })},
		{long: "version", help: "print the version", set: func(c *Command, _ string) error {
			c.Kind = Version
			return nil
		}},
	}, modelOptions, annotationOptions),
	check: func(*Command) error { return nil },
}

var summaryMode = mode{
	kind: Summary, name: "summary", synopsis: "strata summary [--json] FILE|FOLDER ...",
	about: `Prints what is in a snapshot: the figures of each device, which lines of code
held the memory at the peak, and what there is to know about the file. Of
several, or a folder of them, a table with a line for each device.`,
	options: []option{{long: "json",
		help: "print one JSON object for each FILE, on a line of\nits own; sizes are bytes, times microseconds",
		set:  flag(func(c *Command) *bool { return &c.JSON })}},
	check: func(c *Command) error {
		if len(c.Files) == 0 {
			return usageErrorf(Summary, "strata summary needs a FILE")
		}
		return nil
	},
}

var renderMode = mode{
	kind: Render, name: "render", synopsis: "strata render FILE -o OUT.png [flags]",
	about: `Draws the timeline of a snapshot into a picture, without a window: pixels in
OUT.png, or vectors in OUT.svg.`,
	options: slices.Concat([]option{
		{long: "out", short: "o", arg: "OUT.png", help: "the picture, .png or .svg; - prints a PNG", set: setPicture},
		{long: "size", arg: "WxH", help: "pixels (default: 1600x900)", set: setSize},
		deviceOption, axisOption,
		{long: "from", arg: "X", help: "where to begin, and",
			set: text(func(c *Command) *string { return &c.Image.from })},
		{long: "to", arg: "X",
			help: `where to end: steps, or with --axis time the
time since the first event as 1.5s, 300ms, 20us;
a plain number is seconds (default: the whole run)`,
			set: text(func(c *Command) *string { return &c.Image.to })},
		maxOption, gpuOption, offsetOption, colourOption,
		{long: "theme", arg: "dark|light", help: "colours (default: dark)", set: setTheme},
	}, annotationOptions),
	check: checkRender,
}

var queryMode = mode{
	kind: Query, name: "query", synopsis: `strata query FILE "SQL" [--format table|csv|json]`,
	about: `Asks a snapshot in SQL. strata query FILE .schema prints the tables,
".schema events" one of them. Nothing can be written. A text may hold several
statements; where there is none, or -, it is read from standard input.`,
	options: []option{
		{long: "file", short: "f", arg: "FILE.sql", help: "the file that holds the SQL, - for standard input",
			set: text(func(c *Command) *string { return &c.SQL.File })},
		{long: "format", arg: "table|csv|json", help: "how rows are printed (default: table)",
			set: text(func(c *Command) *string { return &c.SQL.Format })},
	},
	check: checkQuery,
}

func checkQuery(c *Command) error {
	want := 2
	if c.SQL.File != "" {
		want = 1
	}
	switch {
	case len(c.Files) == 0:
		return usageErrorf(Query, "strata query needs a FILE and SQL")
	case c.Files[0] == "-" && (c.SQL.File == "-" || len(c.Files) == 2 && c.Files[1] == "-"):
		return usageErrorf(Query, "standard input is either the snapshot or the SQL")
	case len(c.Files) < want && c.Files[0] != "-" && piped():
		c.SQL.Text = "-"
		return nil
	case len(c.Files) < want:
		return usageErrorf(Query,
			`strata query needs SQL after the FILE, as in: strata query %s "SELECT * FROM devices"`, c.Files[0])
	case len(c.Files) > want && want == 1:
		return usageErrorf(Query, "the SQL is given twice, by --file and by %q", c.Files[1])
	case len(c.Files) > want:
		return usageErrorf(Query,
			"strata query asks one FILE, and the SQL is one argument in quotes; %q is too much", c.Files[2])
	case want == 2:
		c.SQL.Text, c.Files = c.Files[1], c.Files[:1]
	}
	return nil
}

// piped reports whether standard input is a file or the output of another program, which then holds the SQL.
func piped() bool {
	info, err := os.Stdin.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}

var exportMode = mode{
	kind: Export, name: "export", synopsis: "strata export FILE ... -o OUT.sqlite|OUT.parquet/|OUT.csv/ [--tables A,B]",
	about: `Writes the tables that strata query asks into files for other programs: a
database of SQLite, or a folder of Parquet or CSV. Several FILEs go into the
same tables.`,
	options: []option{
		{long: "out", short: "o", arg: "OUT", help: "what to write; its ending says the format", set: setExport},
		{long: "tables", arg: "A,B",
			help: "only these tables (default: all but polygons and\nlive, which are made for what is asked for)",
			set:  setTables},
	},
	check: func(c *Command) error {
		switch {
		case len(c.Files) == 0:
			return usageErrorf(Export, "strata export needs a FILE")
		case c.Tables.Out == "":
			return usageErrorf(Export,
				"strata export needs a place to write to: -o OUT.sqlite, OUT.parquet or OUT.csv")
		}
		return nil
	},
}

var recordMode = mode{
	kind: Record, name: "record", synopsis: "strata record [" + strings.Join(recording.Makers(), "|") + "]",
	words: recording.Makers(),
	about: `Prints the lines of Python that record a snapshot: on NVIDIA's GPUs (cuda, where
nothing is said), AMD's (rocm), Intel's (xpu) or Ascend's NPUs (npu).`,
	check: func(c *Command) error {
		c.Maker = strings.Join(append(c.Files, "cuda")[:max(1, len(c.Files))], " ")
		if recording.Snippet(c.Maker) == "" {
			return usageErrorf(Record, "strata record knows %s, not %q", strings.Join(recording.Makers(), ", "),
				c.Maker)
		}
		c.Files = nil
		return nil
	},
}

var associateMode = mode{
	kind: Associate, name: "associate", synopsis: "strata associate [--undo]",
	about: `Makes Strata known to your desktop: a menu entry, its icon, and that it opens
memory snapshots. Only for you, without administrator rights.`,
	options: []option{{long: "undo", help: "take all of that back",
		set: flag(func(c *Command) *bool { return &c.Undo })}},
	check: noFiles(Associate, "strata associate takes no files"),
}

var versionMode = mode{
	kind: Version, name: "version", synopsis: "strata version", about: "Prints which Strata this is.",
	check: noFiles(Version, "strata version takes no arguments"),
}

func noFiles(kind Kind, what string) func(*Command) error {
	return func(c *Command) error {
		if len(c.Files) > 0 {
			return usageErrorf(kind, "%s", what)
		}
		return nil
	}
}

// call is how the mode is called.
func (m *mode) call() string { return strings.TrimSuffix("strata "+m.name, " ") }

// modeOf returns the mode of a kind.
func modeOf(k Kind) *mode {
	return &modes[max(0, slices.IndexFunc(modes, func(m mode) bool { return m.kind == k }))]
}

// modeNamed returns the subcommand of a name, nil if there is none.
func modeNamed(name string) *mode {
	if i := slices.IndexFunc(modes, func(m mode) bool { return m.name == name }); i >= 0 && name != "" {
		return &modes[i]
	}
	return nil
}

// subcommandNames returns the names of all subcommands.
func subcommandNames() []string {
	var names []string
	for _, m := range modes {
		if m.name != "" {
			names = append(names, m.name)
		}
	}
	return names
}
