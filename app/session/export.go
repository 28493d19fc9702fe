package session

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"time"

	"strata/app/atomicfile"
	"strata/app/export"
	"strata/layout/breakdown"
	"strata/layout/query"
	"strata/layout/units"
	"strata/widgets/describe"
)

// An Export is an answer to be written to a file.
type Export struct {
	session *Session
	db      *query.DB
	text    string
	which   int // of the answers
}

// Export returns the answer that is shown, for Write.
func (s *Session) Export() *Export { return &Export{s, s.Database(), s.SQL.text, s.SQL.Shown} }

// Write runs the query again and writes all rows of the answer: as JSON where the path says so, else as CSV. The
// session tells how it went.
func (e *Export) Write(path string) {
	s, q := e.session, &e.session.SQL
	switch {
	case q.db != e.db: // the session was closed or its file read anew meanwhile
		s.all.Active.Say("Nothing was written: the snapshot is not the one that was asked")
		return
	case s.overwrites(path, "answer"):
		return
	case q.run != nil || e.text == "":
		s.Say("Nothing was written: a query runs")
		return
	}
	run := &sqlRun{begun: time.Now(), answers: q.Answers}
	q.run = run
	run.stop = s.all.Background.Go(func(ctx context.Context) func() {
		n, err := e.write(ctx, path, run)
		return func() {
			if q.run != run {
				return
			}
			q.run = nil
			switch {
			case errors.Is(err, context.Canceled):
				q.note = "cancelled, nothing was written"
			case err != nil:
				q.note = "not written"
				s.notWritten(path, err)
			default:
				q.note = "written to " + filepath.Base(path)
				s.Say(units.Plural(n, "row") + " written")
			}
		}
	})
}

// overwrites reports whether a path is that of the snapshot itself, and says that what is not written there.
func (s *Session) overwrites(path, what string) bool {
	same := atomicfile.Same(path, s.Doc.Path)
	if same {
		s.Problem = &describe.Problem{Title: "The " + what + " was not written",
			What: filepath.Base(path) + " is the snapshot itself; give the " + what + " another name."}
	}
	return same
}

// notWritten says why a file was not written.
func (s *Session) notWritten(path string, err error) {
	s.Problem = &describe.Problem{Title: filepath.Base(path) + " was not written", What: Sentence(err.Error())}
}

// write writes the rows and returns their number. If that fails there is no file.
func (e *Export) write(ctx context.Context, path string, run *sqlRun) (n int, err error) {
	rows, err := e.db.Query(ctx, e.text)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	run.rows.Store(rows)
	defer run.rows.Store(nil)
	for i := -1; ; {
		if len(rows.Columns()) > 0 {
			i++
		}
		if i == e.which {
			break
		}
		if !rows.NextResult() {
			return 0, cmp.Or(rows.Err(), errors.New("the query has no such answer"))
		}
	}
	err = atomicfile.Write(ctx, path, func(out *bufio.Writer) (err error) {
		n, err = writeRows(out, path, rows, run)
		return err
	})
	return n, err
}

func writeRows(out *bufio.Writer, path string, rows *query.Rows, run *sqlRun) (n int, err error) {
	var w export.RowWriter
	if strings.EqualFold(filepath.Ext(path), ".json") {
		w = export.JSONRows(rows.Columns())
	} else {
		w = export.CSVRows(out, rows.Columns())
	}
	for ; rows.Next(); n++ {
		run.got.Add(1)
		if err := w.Row(out, rows.Values()); err != nil {
			return n, err
		}
	}
	if rows.Err() != nil {
		return n, rows.Err()
	}
	return n, w.End(out)
}

// ExportGroups returns what writes the breakdown at the moment to a file in a form.
func (s *Session) ExportGroups(form export.Form) func(path string) {
	t, at, grouping := s.Timeline(), s.Moment(), s.Grouping()
	against, two := s.Against()
	result := s.Matches()
	return func(path string) {
		switch {
		case grouping == nil || s.Doc == nil || s.Timeline() != t:
			s.all.Active.Say("Nothing was written: the snapshot is not the one that was shown")
			return
		case s.overwrites(path, "breakdown"):
			return
		}
		s.all.Background.Go(func(ctx context.Context) func() {
			g := grouping
			if form.Stacks {
				opt := breakdown.Options{}
				if result != nil {
					opt.Only = result.Matches.Has
				}
				g = breakdown.New(t, breakdown.ByStack, opt)
			}
			held := export.NewHeld(g, at, nil)
			if two {
				held = export.NewHeld(g, at, &against)
			}
			err := atomicfile.Write(ctx, path, func(w *bufio.Writer) error { return form.Write(w, held) })
			return func() {
				if err != nil {
					s.notWritten(path, err)
					return
				}
				s.Say("Written to " + filepath.Base(path))
			}
		})
	}
}
