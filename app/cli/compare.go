package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"strata/app/cli/report"
	"strata/app/export"
	"strata/app/options"
	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/capacity"
	"strata/layout/compare"
	"strata/layout/units"
	"strata/snapshot"
)

// Compared is what strata compare is asked for beside By and Limit of Top.
type Compared struct {
	At, AtB   string // moments, of both or of B alone
	Markdown  bool
	Fail      bool  // where B peaks higher by more than
	FailAbove int64 // bytes
}

var compareMode = mode{
	kind: Compare, Name: "compare", Synopsis: "strata compare A B [--at MOMENT] [--fail-above AMOUNT] [flags]",
	About: `Says how the memory of run B differs from that of run A, at the peak of each or
at another MOMENT (see strata top), and from which lines. Lines are found again
by function and module path, below other folders and under other numbers too.`,
	Options: append([]option{
		{Long: "at", Arg: "MOMENT", Help: "when (default: peak)",
			set: text(func(c *Command) *string { return &c.Compared.At })},
		{Long: "at-b", Arg: "MOMENT", Help: "when in B, where it is another one",
			set: text(func(c *Command) *string { return &c.Compared.AtB })},
		{Long: "by", Arg: "GROUP", Help: "what to group by: " + groupNames(), set: setBy},
		{Long: "device", Arg: "N", set: setDevice, Help: "only this GPU, or host for pinned host memory\n" +
			"(default: of those in both, the one whose peaks\ndiffer most)"},
		{Long: "limit", Arg: "N", Help: "how many groups, 0 for all; what is left out is\nsummed up (default: 20 in " +
			"a table, else all)", set: setLimit},
		{Long: "json", Help: "print a JSON object; sizes are bytes",
			set: flag(func(c *Command) *bool { return &c.JSON })},
		{Long: "markdown", Help: "print a table for a pull request",
			set: flag(func(c *Command) *bool { return &c.Compared.Markdown })},
		{Long: "fail-above", Arg: "AMOUNT", Help: "exit with 3 if B peaks higher by more than this, as\n500MiB, on " +
			"any of the devices", set: setFailAbove},
		categoriesOption,
	}, readOptions...),
	files: needsFile,
	check: func(c *Command) error {
		switch {
		case len(c.Files) != 2:
			return fmt.Errorf("strata compare takes two FILEs, not %d", len(c.Files))
		case c.JSON && c.Compared.Markdown:
			return errors.New("it is either --json or --markdown")
		}
		return nil
	},
	run: (*job).compare,
}

func setFailAbove(c *Command, v string) (err error) {
	c.Compared.Fail = true
	c.Compared.FailAbove, err = capacity.Amount(v)
	if v == "0" {
		c.Compared.FailAbove, err = 0, nil
	}
	if err != nil || c.Compared.FailAbove < 0 {
		return errors.New("it is an amount such as 500MiB")
	}
	return nil
}

// A higherError says that B peaks higher than it may.
type higherError struct{ what string }

func (e *higherError) Error() string { return e.what }

// compare prints how B differs from A.
func (j *job) compare(ctx context.Context) error {
	var s [2]*snapshot.Snapshot
	for i, name := range j.Files {
		var err error
		if s[i], err = j.open(ctx, name); err != nil {
			return err
		}
	}
	pairs, err := j.pairs(s)
	if err != nil {
		return err
	}
	var shown [2]*layout.Timeline
	var devices []report.ComparedPeaks
	var failure error
	for _, pair := range pairs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		a, b := j.lay(s[0], pair[0], layout.Options{}), j.lay(s[1], pair[1], layout.Options{})
		devices = append(devices, report.ComparedPeaks{A: a.Device.Index, B: b.Device.Index, PeakA: a.PeakBytes,
			PeakB: b.PeakBytes, Title: a.Device.Title()})
		if shown[0] == nil || differ(a, b) > differ(shown[0], shown[1]) {
			shown = [2]*layout.Timeline{a, b}
		}
		if most, by := j.Compared.FailAbove, b.PeakBytes-a.PeakBytes; j.Compared.Fail && by > most {
			failure = errors.Join(failure, &higherError{fmt.Sprintf("%s: B peaks %s higher, more than %s",
				b.Device.Title(), units.Bytes(by), units.Bytes(most))})
		}
	}
	c, err := j.comparison(shown)
	if err != nil {
		return err
	}
	c.Devices = devices
	c.Limit(j.topLimit())
	switch {
	case j.JSON:
		err = export.WriteJSON(j.out, c)
	case j.Compared.Markdown:
		c.Markdown(j.out)
	default:
		c.Print(j.out)
	}
	return errors.Join(err, failure)
}

// differ is by how much two peaks differ.
func differ(a, b *layout.Timeline) int64 {
	return max(a.PeakBytes-b.PeakBytes, b.PeakBytes-a.PeakBytes)
}

// pairs is the devices to compare.
func (j *job) pairs(s [2]*snapshot.Snapshot) ([][2]*snapshot.Device, error) {
	if j.Device != options.AnyDevice {
		var pair [2]*snapshot.Device
		for i, name := range j.Files {
			var err error
			if pair[i], err = deviceOf(s[i], name, j.Device); err != nil {
				return nil, err
			}
		}
		return [][2]*snapshot.Device{pair}, nil
	}
	pairs := compare.GPUs(compare.Devices(s[0], s[1]))
	for i, name := range j.Files {
		if pairs == nil && len(s[i].All()) == 0 {
			return nil, fmt.Errorf("%s: no device in it has events or segments, so there is nothing to compare", name)
		}
	}
	return pairs, nil
}

// comparison compares two devices.
func (j *job) comparison(t [2]*layout.Timeline) (*report.Comparison, error) {
	phases := [2]*layout.Phases{layout.AllPhases(t[0]), layout.AllPhases(t[1])}
	at, side, err := compare.Moments(t, phases, j.Compared.At, j.Compared.AtB)
	if err != nil {
		return nil, fmt.Errorf("%s, %s: %w", j.Files[side], t[side].Device.Title(), err)
	}
	var g [2]*breakdown.Grouping
	var names [2]string
	for i := range t {
		g[i] = breakdown.New(t[i], j.Top.By, j.groupOptions(t[i]))
		if names[i] = j.Files[i]; filepath.Base(names[i]) == inputName {
			names[i] = inputName
		}
	}
	return report.NewComparison(names, compare.NewGroups(compare.NewCode(t[0], t[1]), g[0], g[1]), at), nil
}
