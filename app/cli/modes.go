package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"strata/app/platform/install"
	"strata/app/web"
	"strata/snapshot/recording"
)

// A mode is what can be called: the window, or a subcommand.
type mode struct {
	kind     Kind
	Name     string // "" for the window
	Synopsis string
	About    string // sentences, in lines of at most 80 columns
	Options  []option
	Words    []string // that it takes in place of files
	files    fileUse
	check    func(*Command) error // what no option can judge alone, nil for nothing
	run      func(*job, context.Context) error
}

// fileUse says whether a mode takes files.
type fileUse uint8

const (
	anyFiles fileUse = iota
	needsFile
	oneFile
	noFile
)

// modes holds everything that can be called. The parser, the usage, the manual and the completions are all made of it.
var modes = []mode{windowMode, summaryMode, topMode, growthMode, compareMode, ranksMode, stateMode, explainMode,
	renderMode, queryMode, exportMode, reportMode, webMode, recordMode, associateMode, versionMode}

var everywhere = []option{
	{Long: "help", Short: "h", Help: "print this", set: func(c *Command, _ string) error {
		c.Kind, c.Topic = Help, c.Kind
		return nil
	}},
}

var windowMode = mode{
	kind: Window, Synopsis: "strata [flags] [FILE ...]",
	About: `Opens PyTorch CUDA memory snapshots in a window, each in a tab; of a folder
all that lie in it, many as a wall. Without a FILE the window helps to find one.`,
	Options: slices.Concat([]option{
		deviceOption, windowAxisOption, maxOption, gpuOption, offsetOption, colourOption, categoriesOption,
		{Long: "theme", Arg: "dark|light|system", Help: "colours (default: as last chosen in the window)",
			set: text(func(c *Command) *string { return &c.Theme })},
		{Long: "backend", Arg: "x11|wayland",
			Help: "on Linux, what to open the window with\n(default: the better one of the session)",
			set:  text(func(c *Command) *string { return &c.Backend })},
		{Long: "trace-frames", Arg: "FILE", Help: "write what each frame takes to a file, as CSV",
			set: text(func(c *Command) *string { return &c.TraceFrames })},
		{Long: "version", Help: "print the version", set: func(c *Command, _ string) error {
			c.Kind = Version
			return nil
		}},
	}, modelOptions, annotationOptions, overOptions, readOptions),
	run: func(*job, context.Context) error { return errors.New("a window is opened elsewhere") },
}

var summaryMode = mode{
	kind: Summary, Name: "summary", Synopsis: "strata summary [--json] FILE|FOLDER ...",
	About: `Prints what is in a snapshot: the figures of each device, which lines of code
held the memory at the peak, and what there is to know about the file. Of
several, or a folder of them, a table with a line for each device.`,
	Options: slices.Concat([]option{{Long: "json",
		Help: "print one JSON object for each FILE, on a line of\nits own; sizes are bytes, times microseconds",
		set:  flag(func(c *Command) *bool { return &c.JSON })}}, readOptions),
	files: needsFile,
	run:   (*job).summary,
}

var renderMode = mode{
	kind: Render, Name: "render", Synopsis: "strata render FILE -o OUT.png [flags]",
	About: `Draws the timeline of a snapshot into a picture, without a window: pixels in
OUT.png, or vectors in OUT.svg.`,
	Options: slices.Concat([]option{
		{Long: "out", Short: "o", Arg: "OUT.png", Help: "the picture, .png or .svg; - prints a PNG", set: setPicture},
		{Long: "size", Arg: "WxH", Help: "pixels (default: 1600x900)", set: setSize},
		deviceOption, axisOption,
		{Long: "from", Arg: "X", Help: "where to begin, and",
			set: text(func(c *Command) *string { return &c.Image.from })},
		{Long: "to", Arg: "X",
			Help: `where to end: steps, or with --axis time the
time since the first event as 1.5s, 300ms, 20us;
a plain number is seconds (default: the whole run)`,
			set: text(func(c *Command) *string { return &c.Image.to })},
		viewOption, bandsOption, linesOption, maxOption, gpuOption, offsetOption, colourOption, categoriesOption,
		pictureThemeOption,
	}, annotationOptions, overOptions, readOptions),
	files: needsFile,
	check: checkRender,
	run:   (*job).render,
}

var queryMode = mode{
	kind: Query, Name: "query", Synopsis: `strata query FILE "SQL" [--format table|csv|json]`,
	About: `Asks a snapshot in SQL. strata query FILE .schema prints the tables,
".schema events" one of them. Nothing can be written. A text may hold several
statements; where there is none, or -, it is read from standard input.`,
	Options: slices.Concat([]option{
		{Long: "file", Short: "f", Arg: "FILE.sql", Help: "the file that holds the SQL, - for standard input",
			set: text(func(c *Command) *string { return &c.SQL.File })},
		{Long: "format", Arg: "table|csv|json", Help: "how rows are printed (default: table)",
			set: text(func(c *Command) *string { return &c.SQL.Format })},
		categoriesOption,
	}, overOptions, readOptions),
	check: checkQuery,
	run:   (*job).query,
}

func checkQuery(c *Command) error {
	want := 2
	if c.SQL.File != "" {
		want = 1
	}
	switch {
	case len(c.Files) == 0:
		return errors.New("strata query needs a FILE and SQL")
	case c.Files[0] == "-" && (c.SQL.File == "-" || len(c.Files) == 2 && c.Files[1] == "-"):
		return errors.New("standard input is either the snapshot or the SQL")
	case len(c.Files) < want && c.Files[0] != "-" && piped():
		c.SQL.Text = "-"
		return nil
	case len(c.Files) < want:
		return fmt.Errorf(`strata query needs SQL after the FILE, as in: strata query %s "SELECT * FROM devices"`,
			c.Files[0])
	case len(c.Files) > want && want == 1:
		return fmt.Errorf("the SQL is given twice, by --file and by %q", c.Files[1])
	case len(c.Files) > want:
		return fmt.Errorf("strata query asks one FILE, and the SQL is one argument in quotes; %q is too much",
			c.Files[2])
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
	kind: Export, Name: "export",
	Synopsis: "strata export FILE ... -o OUT.sqlite|OUT.parquet/|OUT.csv/ [--tables A,B]",
	About: `Writes the tables that strata query asks into files for other programs: a
database of SQLite, or a folder of Parquet or CSV. Several FILEs go into the
same tables.`,
	Options: slices.Concat([]option{
		{Long: "out", Short: "o", Arg: "OUT", Help: "what to write; its ending says the format", set: setExport},
		{Long: "tables", Arg: "A,B",
			Help: "only these tables (default: all but those that are\nmade for what is asked for, such as live)",
			set:  setTables},
		categoriesOption,
	}, overOptions, readOptions),
	files: needsFile,
	check: func(c *Command) error {
		if c.Tables.Out == "" {
			return errors.New("strata export needs a place to write to: -o OUT.sqlite, OUT.parquet or OUT.csv")
		}
		return nil
	},
	run: (*job).export,
}

var webMode = mode{
	kind: Web, Name: "web", Synopsis: "strata web [FILE ...] [--port N]",
	About: `Serves Strata as a web page on this machine, with the FILEs opened, until it is
stopped. It prints the link, and nobody gets anything without. On a machine that
one is logged in to, ssh -L 8080:127.0.0.1:8080 and --port 8080 bring it here.`,
	Options: []option{{Long: "port", Arg: "N", Help: "the port to listen on, of 127.0.0.1 (default: any)",
		set: parsed(whole(0, "it is a number up to 65535, 0 for any"), func(c *Command) *int { return &c.Port })}},
	check: func(c *Command) error {
		if c.Port > 65535 {
			return errors.New("a port is a number up to 65535")
		}
		return nil
	},
	run: func(j *job, ctx context.Context) error {
		return web.Serve(ctx, j.Port, j.Files, func(link string) {
			fmt.Fprintln(j.out, link)
			_ = j.out.Flush() // who cannot read it has no use for it
		})
	},
}

var recordMode = mode{
	kind: Record, Name: "record", Synopsis: "strata record [" + strings.Join(recording.Makers(), "|") + "]",
	Words: recording.Makers(),
	About: `Prints the lines of Python that record a snapshot: on NVIDIA's GPUs (cuda, where
nothing is said), AMD's (rocm), Intel's (xpu) or Ascend's NPUs (npu).`,
	check: func(c *Command) error {
		c.Maker = strings.Join(append(c.Files, "cuda")[:max(1, len(c.Files))], " ")
		if recording.Snippet(c.Maker) == "" {
			return fmt.Errorf("strata record knows %s, not %q", strings.Join(recording.Makers(), ", "),
				c.Maker)
		}
		c.Files = nil
		return nil
	},
	run: func(j *job, _ context.Context) error {
		_, err := j.out.WriteString(recording.Snippet(j.Maker))
		return err
	},
}

var associateMode = mode{
	kind: Associate, Name: "associate", Synopsis: "strata associate [--undo]",
	About: `Makes Strata known to your desktop: a menu entry, its icon, and that it opens
memory snapshots. Only for you, without administrator rights.`,
	Options: []option{{Long: "undo", Help: "take all of that back",
		set: flag(func(c *Command) *bool { return &c.Undo })}},
	files: noFile,
	run: func(j *job, _ context.Context) error {
		if j.Undo {
			return install.Undo(j.out)
		}
		return install.Associate(j.out)
	},
}

var versionMode = mode{
	kind: Version, Name: "version", Synopsis: "strata version", About: "Prints which Strata this is.",
	files: noFile,
	run: func(j *job, _ context.Context) error {
		version(j.out)
		return nil
	},
}

// Call is how the mode is called.
func (m *mode) Call() string { return strings.TrimSuffix("strata "+m.Name, " ") }

// modeOf returns the mode of a kind.
func modeOf(k Kind) *mode {
	return &modes[max(0, slices.IndexFunc(modes, func(m mode) bool { return m.kind == k }))]
}

// modeNamed returns the subcommand of a name, nil if there is none.
func modeNamed(name string) *mode {
	if i := slices.IndexFunc(modes, func(m mode) bool { return m.Name == name }); i >= 0 && name != "" {
		return &modes[i]
	}
	return nil
}

// subcommandNames returns the names of all subcommands.
func subcommandNames() []string {
	var names []string
	for _, m := range modes {
		if m.Name != "" {
			names = append(names, m.Name)
		}
	}
	return names
}

// Flags returns the flags of a mode with those of every mode.
func (m *mode) Flags() []option { return slices.Concat(m.Options, everywhere) }
