package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"strata/app/cli/terminal"
	"strata/app/export"
	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/growth"
	"strata/layout/units"
	"strata/snapshot"
)

var growthMode = mode{
	kind: Growth, Name: "growth", Synopsis: "strata growth FILE [--json] [--device N] [--by GROUP]",
	About: `Finds what a run does again and again, by annotations or else by what it
allocates in turn, and prints what takes more memory each time: by line of code,
or grouped by something else, most first.`,
	Options: append([]option{
		{Long: "json", Help: "print a JSON object; sizes are bytes",
			set: flag(func(c *Command) *bool { return &c.JSON })},
		{Long: "device", Arg: "N", set: setDevice,
			Help: "only this GPU, or host for pinned host memory\n(default: the first that grows)"},
		{Long: "by", Arg: "GROUP", Help: "what to group by: " + groupNames(), set: setBy},
		categoriesOption,
	}, readOptions...),
	files: oneFile,
	run:   (*job).growth,
}

// A growthReport is what strata growth says of a device, as scripts read it: keys may be added, none is renamed. Sizes
// are in bytes.
type growthReport struct {
	Device  int           `json:"device"` // -1 is pinned host memory
	Phase   string        `json:"phase"`
	Repeats int           `json:"repeats"`
	By      string        `json:"by"`
	Grows   []growthGroup `json:"grows"`
	Stopped []growthGroup `json:"stopped"`
	Kept    []keptGroup   `json:"never_freed"`
	Once    []onceGroup   `json:"once"`

	found *growth.Result
}

type growthGroup struct {
	Name      string  `json:"name"`
	PerRepeat int64   `json:"bytes_per_repeat"`
	Repeats   int     `json:"repeats"`
	First     int     `json:"first_repeat"`
	Bytes     int64   `json:"bytes"`
	Rises     int     `json:"rises"`
	Looks     int     `json:"looks"`
	Sure      string  `json:"sure"`
	Curve     []int64 `json:"curve"`
}

type keptGroup struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	Blocks int    `json:"blocks"`
	Oldest int    `json:"oldest"`
	Newest int    `json:"newest"`
}

type onceGroup struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	Blocks int    `json:"blocks"`
	Repeat int    `json:"repeat"`
}

// growth prints what grows on a device of a file.
func (j *job) growth(ctx context.Context) error {
	name := j.Files[0]
	s, first, err := j.openDevice(ctx) // it comes before the others
	if err != nil {
		return err
	}
	devices, err := devicesOf(s, name, j.Device)
	if err != nil {
		return err
	}
	devices = slices.DeleteFunc(devices, func(d *snapshot.Device) bool { return d == first })
	var shown *growthReport
	for _, d := range slices.Insert(devices, 0, first) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		r := j.growthOf(j.lay(s, d, layout.Options{}))
		if shown == nil || len(r.Grows) > 0 {
			shown = r
		}
		if len(r.Grows) > 0 {
			break
		}
	}
	if j.JSON {
		return export.WriteJSON(j.out, shown)
	}
	shown.print(j.out)
	return nil
}

// growthOf looks for growth on a device.
func (j *job) growthOf(t *layout.Timeline) *growthReport {
	phases := layout.AllPhases(t)
	g := breakdown.New(t, j.Top.By, j.groupOptions(t))
	found := growth.Find(g, phases)
	r := &growthReport{Device: t.Device.Index, Phase: found.Phase, Repeats: found.Count(),
		By:   export.GroupName(j.Top.By),
		Kept: []keptGroup{}, Once: []onceGroup{}, found: found}
	groups := func(list []growth.Group) []growthGroup {
		out := []growthGroup{}
		for i := range list {
			x := &list[i]
			out = append(out, growthGroup{g.Name(x.Group), x.PerRepeat(), x.Repeats(), x.First, x.Bytes, x.Rises,
				x.Looks, found.Sure(x), x.Curve})
		}
		return out
	}
	r.Grows, r.Stopped = groups(found.Grows), groups(found.Stopped)
	for _, k := range found.Kept {
		r.Kept = append(r.Kept, keptGroup{g.Name(k.Group), k.Bytes, k.Blocks, k.Oldest, k.Newest})
	}
	for _, o := range found.Once {
		r.Once = append(r.Once, onceGroup{g.Name(o.Group), o.Bytes, o.Blocks, o.Repeat})
	}
	return r
}

// growthLines is how many groups of each kind are printed for people.
const growthLines = 10

// print writes it for people.
func (r *growthReport) print(out io.Writer) {
	f := r.found
	g := f.Grouping
	fmt.Fprintf(out, "%s: %s\n", f.Grouping.Timeline.Device.Title(), terminal.Clip(f.Found(), 300))
	if r.Repeats == 0 {
		return
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	label := func(group int32) string { return terminal.Clip(g.Label(group), 200) }
	section := func(title string, n int, line func(i int)) {
		if n == 0 {
			return
		}
		fmt.Fprintf(w, "\n%s\n", title)
		for i := range min(n, growthLines) {
			line(i)
		}
		if n > growthLines {
			fmt.Fprintf(w, "  and %s\n", units.Plural(n-growthLines, "other"))
		}
		w.Flush()
	}
	if len(f.Grows) == 0 {
		fmt.Fprintln(out, "nothing grows")
	}
	groups := func(list []growth.Group) func(i int) {
		return func(i int) {
			fmt.Fprintf(w, "  %s\t%s\t%s\n", f.Rate(&list[i]), label(list[i].Group), f.Why(&list[i]))
		}
	}
	left := func(bytes int64, blocks int, group int32, when string) {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", units.Bytes(bytes), units.Plural(blocks, "block"), label(group), when)
	}
	section("grows", len(f.Grows), groups(f.Grows))
	section("grew, and stopped", len(f.Stopped), groups(f.Stopped))
	section("made in a repetition and never freed", len(f.Kept), func(i int) {
		k := f.Kept[i]
		left(k.Bytes, k.Blocks, k.Group, k.Age())
	})
	section("made by one repetition alone", len(f.Once), func(i int) {
		o := f.Once[i]
		which := "the " + ordinal(o.Repeat+1)
		if o.Repeat == r.Repeats {
			which = growth.AfterLast
		}
		left(o.Bytes, o.Blocks, o.Group, which)
	})
}

// ordinal is the n-th: 1st, 2nd, 3rd, 4th, 11th.
func ordinal(n int) string {
	ending := "th"
	if n/10%10 != 1 && n%10 < 4 {
		ending = [...]string{"th", "st", "nd", "rd"}[n%10]
	}
	return units.Count(n) + ending
}
