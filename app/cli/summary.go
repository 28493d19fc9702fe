package cli

import (
	"context"
	"encoding/json"
	"errors"

	"strata/app/cli/report"
	"strata/layout"
	"strata/snapshot"
)

// summary prints a report of each file. A file that cannot be used does not keep the others from being reported.
func (j *job) summary(ctx context.Context) error {
	var failures error
	for i, name := range j.Files {
		r, err := j.report(ctx, name)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failures = errors.Join(failures, err)
			continue
		}
		if j.JSON {
			enc := json.NewEncoder(j.out)
			enc.SetEscapeHTML(false)
			err = enc.Encode(r)
		} else {
			if i > 0 {
				j.out.WriteByte('\n')
			}
			r.Print(j.out)
			err = j.out.Flush()
		}
		if err != nil { // nobody reads on
			return err
		}
	}
	return failures
}

// report opens a file and makes a report of it.
func (j *job) report(ctx context.Context, name string) (*report.Report, error) {
	s, err := j.open(ctx, name)
	if err != nil {
		return nil, err
	}
	return report.New(ctx, name, s, func(d *snapshot.Device) *layout.Timeline { return j.lay(s, d, layout.Options{}) })
}
