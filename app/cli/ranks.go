package cli

import (
	"context"
	"fmt"

	"strata/app/cli/report"
	"strata/app/cli/terminal"
	"strata/app/export"
	"strata/app/wall"
	"strata/layout/ranks"
)

var ranksMode = mode{
	kind: Ranks, Name: "ranks", Synopsis: "strata ranks DIR|FILE ... [--json|--csv] [flags]",
	About: `Puts the snapshots of many ranks beside one another: which are alike, which is
the odd one, and which lines of code make them differ, each at its own peak. Of
a folder all snapshots in it and in the folders below.`,
	Options: append([]option{
		{Long: "json", Help: "print a JSON object; sizes are bytes",
			set: flag(func(c *Command) *bool { return &c.JSON })},
		{Long: "csv", Help: "print what each group holds in each rank",
			set: flag(func(c *Command) *bool { return &c.Wall.CSV })},
		{Long: "by", Arg: "GROUP", Help: "what to group by: " + groupNames(), set: setBy},
		{Long: "limit", Arg: "N", Help: "how many groups a table has, 0 for all (default: 20)", set: setLimit},
		{Long: "sql", Arg: "duckdb|spark|trino", Help: "print the queries that make the same tables from\n" +
			"what strata export -o OUT.parquet wrote of any\nnumber of ranks; the FILE is that folder, or none",
			set: text(func(c *Command) *string { return &c.Wall.SQL })},
		categoriesOption,
	}, readOptions...),
	files: anyFiles,
	check: func(c *Command) error {
		switch {
		case len(c.Files) == 0 && c.Wall.SQL == "":
			return fmt.Errorf("strata ranks needs a folder or FILEs")
		case c.JSON && c.Wall.CSV:
			return fmt.Errorf("it is either --json or --csv")
		}
		return nil
	},
	run: (*job).ranks,
}

// RanksOf is what strata ranks is asked for beside By and Limit of Top.
type RanksOf struct {
	CSV bool
	SQL string // a dialect, "" for none
}

// ranks compares the ranks of a run.
func (j *job) ranks(ctx context.Context) error {
	if j.Wall.SQL != "" {
		folder := "run.parquet"
		if len(j.Files) > 0 {
			folder = j.Files[0]
		}
		_, err := j.out.WriteString(export.RanksSQL(j.Wall.SQL, folder))
		return err
	}
	names, more, err := wall.List(ctx, j.Files)
	if err != nil {
		return err
	}
	if more {
		fmt.Fprintf(j.stderr, "strata: there are more than the first %d snapshots\n", len(names))
	}
	r := wall.NewReader(&j.Options, j.log, j.cache)
	r.By = j.Top.By
	read := make([]*ranks.File, len(names))
	n := 0
	progress := terminal.Is(j.stderr)
	err = r.Read(ctx, names, func(i int, f *ranks.File) {
		read[i] = f
		if n++; progress {
			fmt.Fprintf(j.stderr, "\r\x1b[K%d of %d", n, len(names))
		}
	})
	if progress {
		fmt.Fprint(j.stderr, "\r\x1b[K")
	}
	if err != nil {
		return err
	}
	ranks.Sort(read)
	for i, f := range read {
		names[i] = f.Name
	}
	beside := ranks.NewWall(read)
	out := report.NewRanks(beside, j.Top.By.String(), wall.Names(names))
	switch {
	case j.JSON:
		err = export.WriteJSON(j.out, out)
	case j.Wall.CSV:
		err = out.WriteCSV(j.out)
	default:
		out.Print(j.out, j.topLimit())
	}
	if len(beside.Clusters) == 0 && err == nil {
		err = fmt.Errorf("none of the files could be read")
	}
	return err
}
