package session

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"strata/layout"
	"strata/layout/query"
	"strata/layout/units"
	"strata/snapshot"
)

// SQL is the queries of a session: the one at work, and the answers to the last one.
type SQL struct {
	Answers []*Answer // one for each statement
	Shown   int       // index of the answer that is shown
	Wrong   *query.Error
	Picked  bool // a row was clicked, and nothing was pinned since but by that

	db   *query.DB
	of   *snapshot.Snapshot // that db queries
	run  *sqlRun            // nil if none
	note string             // about the last run
	text string             // that was run
	then func()             // to be done once another device is shown
}

// sqlRun is a query at work. Its counters are written by its goroutine and read by frames.
type sqlRun struct {
	stop    context.CancelFunc
	begun   time.Time
	rows    atomic.Pointer[query.Rows]
	got     atomic.Int64
	answers []*Answer
}

// Limits of the rows that are kept of an answer. An export writes all of them.
const (
	maxRows  = 200_000
	maxBytes = 96 << 20
)

// Rows are handed over batchRows at once, or when the first of fewer has waited for batchEvery.
const (
	batchRows  = 4096
	batchEvery = 80 * time.Millisecond
)

// Running reports whether a query or an export is at work.
func (q *SQL) Running() bool { return q.run != nil }

// Current returns the answer that is shown, nil if there is none.
func (q *SQL) Current() *Answer {
	if q.Shown < len(q.Answers) {
		return q.Answers[q.Shown]
	}
	return nil
}

// Note returns what to say about the query at work or the answer that is shown.
func (q *SQL) Note(now time.Time) string {
	if q.run != nil {
		note := units.Plural(int(q.run.got.Load()), "row")
		if rows := q.run.rows.Load(); rows != nil {
			note += " · looked at " + units.Count(rows.Visited())
		}
		return note + " · " + units.Elapsed(now.Sub(q.run.begun))
	}
	switch an := q.Current(); {
	case an == nil:
		return q.note
	case an.Cut:
		return "the first " + units.Plural(len(an.Rows), "row") + "; an export writes all · " + q.note
	default:
		return units.Plural(len(an.Rows), "row") + " · " + q.note
	}
}

// Database returns the open snapshot as a database.
func (s *Session) Database() *query.DB {
	q := &s.SQL
	if q.db == nil || q.of != s.Doc.Snapshot {
		s.closeDatabase()
		var laid []*layout.Timeline
		if t := s.Timeline(); t.Options == (layout.Options{}) { // its offsets are those of all allocations
			laid = append(laid, t)
		}
		q.db, q.of = query.Open(s.Doc.Snapshot, laid), s.Doc.Snapshot
		q.db.Rules = s.all.Options.Categories
	}
	return q.db
}

// closeDatabase releases the database and its answers.
func (s *Session) closeDatabase() {
	s.CancelSQL()
	if s.SQL.db != nil {
		s.SQL.db.Close()
	}
	s.SQL = SQL{}
}

// CancelSQL ends the query at work. What it gave so far stays.
func (s *Session) CancelSQL() {
	if q := &s.SQL; q.run != nil {
		q.run.stop()
		q.run = nil
		q.note = "cancelled"
	}
}

// RunSQL runs the statements of a text, which may not be empty.
func (s *Session) RunSQL(text string) {
	db := s.Database()
	s.CancelSQL()
	q := &s.SQL
	run := &sqlRun{begun: time.Now()}
	*q = SQL{db: q.db, of: q.of, run: run, text: text}
	give := func(f func()) {
		s.all.Background.Post(func() {
			if q.run == run {
				f()
				if len(q.Answers) != len(run.answers) {
					q.Answers = run.answers
					q.Shown = len(q.Answers) - 1
				}
			}
		})
	}
	run.stop = s.all.Background.Go(func(ctx context.Context) func() {
		err := answer(ctx, db, text, run, give)
		took := time.Since(run.begun)
		return func() {
			if q.run != run {
				return
			}
			q.run = nil
			q.note = units.Elapsed(took)
			if !errors.As(err, &q.Wrong) && err != nil {
				q.Wrong = &query.Error{What: err.Error(), Offset: -1}
			}
			if len(run.answers) == 0 && err == nil {
				q.note = "no rows to show · " + q.note
			}
		}
	})
}

// answer runs the statements of a text. give has something done on the owner's goroutine.
func answer(ctx context.Context, db *query.DB, text string, run *sqlRun, give func(func())) error {
	rows, err := db.Query(ctx, text)
	if err != nil {
		return err
	}
	defer rows.Close()
	run.rows.Store(rows)
	defer run.rows.Store(nil)
	for {
		if columns := rows.Columns(); len(columns) > 0 {
			an := &Answer{Sorted: -1}
			an.Columns = slices.Clone(columns)
			give(func() { run.answers = append(run.answers, an) })
			if err := collect(rows, an, run, give); err != nil {
				return err
			}
		}
		if !rows.NextResult() {
			return rows.Err()
		}
	}
}

// collect hands over the rows of a statement as they come.
func collect(rows *query.Rows, an *Answer, run *sqlRun, give func(func())) error {
	var values [][]query.Value
	var targets []query.Target
	hand := func() {
		v, t := values, targets
		values, targets = nil, nil
		give(func() { an.Rows, an.Targets = append(an.Rows, v...), append(an.Targets, t...) })
	}
	last, count, size := time.Now(), 0, 0
	for rows.Next() {
		if count == maxRows || size > maxBytes {
			give(func() { an.Cut = true })
			break
		}
		row := slices.Clone(rows.Values())
		for _, v := range row {
			size += 56 + len(v.Text)
		}
		target, _ := rows.Target()
		values, targets = append(values, row), append(targets, target)
		count++
		run.got.Add(1)
		if len(values) == batchRows || count%64 == 0 && time.Since(last) > batchEvery {
			hand()
			last = time.Now()
		}
	}
	hand()
	return rows.Err()
}

// SortAnswer sorts the answer that is shown by a column: ascending, then descending, then as the rows came. Many rows
// take some time, so it is done on a goroutine. It does nothing while rows still come.
func (s *Session) SortAnswer(column int) {
	an := s.SQL.Current()
	if an == nil || s.SQL.run != nil {
		return
	}
	sorted, down := column, false
	switch {
	case an.Sorted == column && !an.Down:
		down = true
	case an.Sorted == column:
		sorted = -1
	}
	rows := an.Rows
	s.all.Background.Go(func(context.Context) func() {
		var order []int32
		if sorted >= 0 {
			order = sortRows(rows, sorted, down)
		}
		return func() { an.Order, an.Sorted, an.Down = order, sorted, down }
	})
}

// An Answer is the rows of one statement, as far as they have come and are kept.
type Answer struct {
	query.Answer
	Order  []int32 // the rows as they are sorted, nil for as they came
	Sorted int     // by this column, -1 for none
	Down   bool    // descending
	Cut    bool    // there are more rows than are kept
}

// sortRows returns the order of rows by a column, as SQLite orders values: NULL, numbers, text, blobs.
func sortRows(rows [][]query.Value, column int, down bool) []int32 {
	order := make([]int32, len(rows))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int {
		c := compareValues(&rows[i][column], &rows[j][column])
		if down {
			return -c
		}
		return c
	})
	return order
}

func compareValues(a, b *query.Value) int {
	switch number := a.Kind == query.Int || a.Kind == query.Float; {
	case a.Kind == query.Int && b.Kind == query.Float:
		return cmp.Compare(float64(a.Int), b.Float)
	case a.Kind == query.Float && b.Kind == query.Int:
		return cmp.Compare(a.Float, float64(b.Int))
	case a.Kind != b.Kind:
		return cmp.Compare(a.Kind, b.Kind)
	case number: // one of the two is zero
		return cmp.Or(cmp.Compare(a.Int, b.Int), cmp.Compare(a.Float, b.Float))
	}
	return cmp.Compare(a.Text, b.Text)
}

// Text returns the names of the columns and the rows, as they are sorted, one a line, as spreadsheets paste them.
func (an *Answer) Text() string {
	names := make([]query.Value, len(an.Columns))
	for i, c := range an.Columns {
		names[i] = query.Value{Kind: query.Text, Text: c.Name}
	}
	var b strings.Builder
	b.WriteString(query.RowText(names) + "\n")
	for i, row := range an.Rows {
		if i < len(an.Order) {
			row = an.Rows[an.Order[i]]
		}
		b.WriteString(query.RowText(row) + "\n")
	}
	return b.String()
}

// An Example is a query with a name.
type Example struct{ Name, SQL string }

//go:embed examples.sql
var examples string

// Examples are queries to begin with, those of examples.sql.
func Examples() (all []Example) {
	for text := range strings.SplitSeq(strings.TrimPrefix(examples, "-- "), "\n\n-- ") {
		name, sql, _ := strings.Cut(text, "\n")
		all = append(all, Example{name, strings.TrimSpace(sql)})
	}
	return all
}

// TableSQL returns a query for the head of a table or, of one that needs a key, for what is there for the first one.
func TableSQL(t *query.TableInfo) string {
	for _, c := range t.Columns {
		switch needsKey := t.Asked(); {
		case needsKey && c.Name == "step":
			return "SELECT t.* FROM devices d JOIN " + t.Name +
				" t ON t.device = d.device AND t.step = d.peak_step LIMIT 1000"
		case needsKey && c.Name == "k":
			return "SELECT t.* FROM (SELECT device, max(k) AS k FROM reserved GROUP BY device) e JOIN " + t.Name +
				" t ON t.device = e.device AND t.k = e.k LIMIT 1000"
		case needsKey && c.Name == "id":
			return "SELECT * FROM " + t.Name + " WHERE id = 0 LIMIT 1000"
		case needsKey && c.Name == "k":
			return "SELECT * FROM " + t.Name + " WHERE k = (SELECT max(k) FROM reserved) LIMIT 1000"
		}
	}
	return "SELECT * FROM " + t.Name + " LIMIT 1000"
}
