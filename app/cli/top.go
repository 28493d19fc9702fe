package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"strata/app/atomicfile"
	"strata/app/cli/terminal"
	"strata/app/export"
	"strata/app/options"
	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/category"
	"strata/layout/units"
	"strata/snapshot"
)

// Top is what strata top shows.
type Top struct {
	At, Against string // as breakdown.Find takes them; "" is the peak, and nothing to compare with
	By          breakdown.By
	Limit       int    // groups, 0 for all
	Format      string // "csv", "collapsed", "json", "pprof", "table" or "" for a table
	Out         string // a file, "" or "-" for standard output
}

var topMode = mode{
	kind: TopGroups, Name: "top", Synopsis: "strata top FILE [--at MOMENT] [--against MOMENT] [--by GROUP] [flags]",
	About: `Prints what held the memory of each device at a moment, most first: by line of
code, or grouped by something else; or what changed between two moments. A
MOMENT is peak, start, end, oom (the last request that failed), a step's number,
or phase:NAME, the peak within the annotations of that name.`,
	Options: append([]option{
		{Long: "at", Arg: "MOMENT", Help: "when (default: peak)",
			set: text(func(c *Command) *string { return &c.Top.At })},
		{Long: "against", Arg: "MOMENT", Help: "show the difference to this moment",
			set: text(func(c *Command) *string { return &c.Top.Against })},
		{Long: "by", Arg: "GROUP", Help: "what to group by: " + groupNames(), set: setBy},
		{Long: "device", Arg: "N", Help: "only this GPU, or host for pinned host memory\n(default: all)",
			set: setDevice},
		{Long: "limit", Arg: "N", Help: "how many groups, 0 for all; what is left out is\nsummed up (default: 20 in " +
			"a table, else all)", set: setLimit},
		{Long: "format", Arg: "table|json|csv|collapsed|pprof",
			Help: "how it is printed; collapsed has whole stacks,\npprof those from the call site on, or with\n" +
				"--by stack whole ones (default: table)",
			set: text(func(c *Command) *string { return &c.Top.Format })},
		{Long: "json", Help: "the same as --format json", set: func(c *Command, _ string) error {
			c.Top.Format = "json"
			return nil
		}},
		{Long: "out", Short: "o", Arg: "FILE", Help: "write it into a file",
			set: text(func(c *Command) *string { return &c.Top.Out })},
		categoriesOption,
	}, readOptions...),
	files: oneFile,
	run:   (*job).top,
}

// groupNames lists the groupings in lines.
func groupNames() string {
	var b strings.Builder
	for i, by := range breakdown.All() {
		if i > 0 {
			b.WriteByte(',')
			b.WriteByte(" \n"[min(1, i%4/3)])
		}
		b.WriteString(export.GroupName(by))
	}
	return b.String()
}

func setBy(c *Command, v string) error {
	for _, by := range breakdown.All() {
		if v == export.GroupName(by) || v == by.String() {
			c.Top.By = by
			return nil
		}
	}
	return errors.New("it is one of " + strings.ReplaceAll(groupNames(), "\n", " "))
}

func setLimit(c *Command, v string) (err error) {
	c.Top.Limit, err = whole(0, "it is a number of groups, 0 for all")(v)
	c.topLimitGiven = true
	return err
}

// top prints the largest groups of a file's devices.
func (j *job) top(ctx context.Context) error {
	name := j.Files[0]
	if err := notOver(TopGroups, name, j.Top.Out); j.Top.Out != "" && err != nil {
		return err
	}
	s, err := j.open(ctx, name)
	if err != nil {
		return err
	}
	devices, err := devicesOf(s, name, j.Device)
	if err != nil {
		return err
	}
	var tops []*export.Held
	var failures error
	for _, d := range devices {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		t, err := j.topOf(j.lay(s, d, layout.Options{}))
		if err != nil {
			failures = errors.Join(failures, fmt.Errorf("%s, %s: %w", name, d.Title(), err))
			continue
		}
		tops = append(tops, t)
	}
	if len(tops) == 0 && failures == nil {
		failures = fmt.Errorf("%s: no device in it has events or segments", name)
	}
	if len(tops) == 0 {
		return failures
	}
	write := func(w *bufio.Writer) error { return j.writeTop(w, tops) }
	if j.Top.Out != "" && j.Top.Out != "-" {
		return errors.Join(failures, atomicfile.Write(ctx, j.Top.Out, write))
	}
	return errors.Join(failures, write(j.out))
}

// devicesOf is the device of a number, or all of a file.
func devicesOf(s *snapshot.Snapshot, name string, index int) ([]*snapshot.Device, error) {
	if index == options.AnyDevice {
		return s.All(), nil
	}
	d, err := deviceOf(s, name, index)
	return []*snapshot.Device{d}, err
}

// groupOptions is what groupings have to know.
func (j *job) groupOptions(t *layout.Timeline) breakdown.Options {
	return category.GroupOptions(t, j.Top.By, j.Categories, nil)
}

// topOf groups a device's memory.
func (j *job) topOf(t *layout.Timeline) (*export.Held, error) {
	phases := layout.AllPhases(t)
	at, err := breakdown.Find(t, phases, j.Top.At)
	if err != nil {
		return nil, err
	}
	by := j.Top.By
	if j.Top.Format == "pprof" || j.Top.Format == "collapsed" {
		by = breakdown.ByStack
	}
	g := breakdown.New(t, by, j.groupOptions(t))
	var against *breakdown.Moment
	if j.Top.Against != "" {
		m, err := breakdown.Find(t, phases, j.Top.Against)
		if err != nil {
			return nil, err
		}
		against = &m
	}
	h := export.NewHeld(g, at, against)
	h.Limit(j.topLimit())
	return h, nil
}

// defaultTop is how many groups a table has where no limit is given.
const defaultTop = 20

func (j *job) topLimit() int {
	if table := j.Top.Format == "table" || j.Top.Format == ""; table && !j.JSON && !j.topLimitGiven {
		return defaultTop
	}
	return j.Top.Limit
}

// writeTop writes what was found in the format asked for.
func (j *job) writeTop(w *bufio.Writer, tops []*export.Held) error {
	switch j.Top.Format {
	case "json":
		return export.WriteJSON(w, tops...)
	case "csv":
		return export.WriteCSV(w, tops)
	case "pprof", "collapsed":
		if len(tops) > 1 {
			return fmt.Errorf("%s: a profile is of one device, and there are %s; choose with --device",
				j.Files[0], units.Plural(len(tops), "device"))
		}
		if j.Top.Format == "collapsed" {
			return tops[0].Profile(false).WriteCollapsed(w)
		}
		if j.Top.Out == "" && j.toTerminal {
			return errors.New("a pprof profile is no text; give it a file with -o, or pipe it")
		}
		return tops[0].Profile(j.Top.By != breakdown.ByStack).WritePprof(w)
	}
	for i, d := range tops {
		if i > 0 {
			w.WriteByte('\n')
		}
		printHeld(w, d)
	}
	return nil
}

// print writes a table for people.
func printHeld(out io.Writer, d *export.Held) {
	place := d.At
	if d.At != "end" && d.Step >= 0 {
		place = strings.TrimPrefix(d.At+", step "+units.Count(d.Step), "step, ")
	}
	fmt.Fprintf(out, "%s, %s: %s", d.Title(), place, units.BytesInFull(d.Total))
	if d.Against != nil {
		fmt.Fprintf(out, ", %s against %s (%s)", units.SignedBytes(d.Total-d.Against.Total), d.Against.At,
			units.Bytes(d.Against.Total))
	}
	fmt.Fprintln(out)
	if len(d.Groups) == 0 {
		fmt.Fprintln(out, "nothing was held")
		return
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	if d.Against == nil {
		fmt.Fprintf(w, "bytes\tshare\tblocks\t  %s\n", strings.ReplaceAll(d.By, "-", " "))
	} else {
		fmt.Fprintf(w, "difference\tbefore\tbytes\tnew\tgone\tcommon\t  %s\n", strings.ReplaceAll(d.By, "-", " "))
	}
	for i, g := range d.Rows() {
		name := terminal.Clip(g.Name, 200)
		if i < len(d.Groups) {
			name = terminal.Clip(d.Label(i), 200)
		}
		if c := g.Change; c != nil {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t  %s\n", units.SignedBytes(c.Difference), units.Bytes(c.Before),
				units.Bytes(g.Bytes), units.Count(c.New), units.Count(c.Gone), units.Count(c.Common), name)
			continue
		}
		fmt.Fprintf(w, "%s\t%.1f %%\t%s\t  %s\n", units.Bytes(g.Bytes), 100*float64(g.Bytes)/float64(max(1, d.Total)),
			units.Count(g.Blocks), name)
	}
	w.Flush()
}
