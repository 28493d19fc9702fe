package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"strata/app/cli/terminal"
	"strata/app/export"
	"strata/layout/units"
	"strata/snapshot"
)

// export writes the tables of all files.
func (j *job) export(ctx context.Context) error {
	var sources []export.Source
	for _, name := range j.Files {
		if err := notOver(Export, name, j.Tables.Out); err != nil {
			return err
		}
		open := func(ctx context.Context) (*snapshot.Snapshot, error) { return j.open(ctx, name) }
		sources = append(sources, export.Source{Name: name, Open: open, Rules: j.Categories})
	}
	m := &meter{names: j.Files, begun: time.Now()}
	if terminal.Is(j.stderr) {
		m.line = j.stderr
	}
	err := export.Write(ctx, sources, j.Tables.Out, j.Tables.Names, m.show)
	m.clear()
	if err == nil {
		j.log.Phase("export", time.Since(m.begun), "of "+units.Count(len(j.Files))+" snapshots")
	}
	return err
}

// A meter shows on a terminal how far an export is, in one line that is written over.
type meter struct {
	line  io.Writer // nil for none
	names []string
	begun time.Time
	last  time.Time
	shown bool
	at    export.Progress
}

// meterEvery is how often the line changes.
const meterEvery = 200 * time.Millisecond

func (m *meter) show(p export.Progress) {
	m.at = p
	now := time.Now()
	if m.line == nil || now.Sub(m.begun) < 2*meterEvery || now.Sub(m.last) < meterEvery {
		return // what is done at once needs no line
	}
	m.last, m.shown = now, true
	fmt.Fprintf(m.line, "\r\x1b[K%s", m.text())
}

// text is at most as wide as a terminal is as a rule.
func (m *meter) text() string {
	if m.at.Source >= len(m.names) {
		return "finishing: indexes and what remains to be written"
	}
	s := terminal.Clip(filepath.Base(m.names[m.at.Source]), 36)
	if n := len(m.names); n > 1 {
		s = fmt.Sprintf("%d of %d: %s", m.at.Source+1, n, s)
	}
	if m.at.Table == "" {
		return "reading " + s
	}
	return s + "  " + m.at.Table + "  " + units.Count(m.at.Rows)
}

// clear takes the line away.
func (m *meter) clear() {
	if m.shown {
		fmt.Fprint(m.line, "\r\x1b[K")
	}
}
