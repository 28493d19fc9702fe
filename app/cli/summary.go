package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"strata/app/cli/report"
	"strata/app/export"
	"strata/app/files"
	"strata/layout"
	"strata/snapshot"
)

// summary prints a report of one file, a table of several. A file that cannot be used does not keep the others from
// being reported.
func (j *job) summary(ctx context.Context) error {
	names, failures := j.inFolders(ctx)
	var reports []*report.Report
	for _, name := range names {
		r, err := j.report(ctx, name)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failures = errors.Join(failures, err)
			continue
		}
		reports = append(reports, r)
		if j.JSON {
			if err := export.WriteJSON(j.out, r); err != nil { // nobody reads on
				return err
			}
		}
	}
	switch {
	case j.JSON:
	case len(names) > 1 && len(reports) > 0:
		report.PrintTable(j.out, reports)
	case len(reports) > 0:
		reports[0].Print(j.out)
	}
	return failures
}

// inFolders returns the files, and those that lie in folders. The errors are of folders that have none.
func (j *job) inFolders(ctx context.Context) (names []string, failures error) {
	for _, name := range j.Files {
		info, err := os.Stat(name)
		if err != nil || !info.IsDir() {
			names = append(names, name)
			continue
		}
		f, err := files.ListFolder(ctx, name)
		switch {
		case err != nil:
			failures = errors.Join(failures, fmt.Errorf("%s: the folder cannot be read: %w", name, err))
		case len(f.Files) == 0:
			failures = errors.Join(failures, fmt.Errorf("%s: no snapshot lies in this folder", name))
		case f.More:
			fmt.Fprintf(j.stderr, "strata: %s: there are more than the first %d snapshots\n", name, len(f.Files))
		}
		if err == nil {
			names = append(names, f.Files...)
		}
	}
	return names, failures
}

// report opens a file and makes a report of it.
func (j *job) report(ctx context.Context, name string) (*report.Report, error) {
	s, err := j.open(ctx, name)
	if err != nil {
		return nil, err
	}
	return report.New(ctx, shownName(name), s, func(d *snapshot.Device) *layout.Timeline {
		return j.lay(s, d, layout.Options{})
	})
}

// shownName is what a report calls a file.
func shownName(name string) string {
	if filepath.Base(name) == inputName {
		return inputName
	}
	return name
}
