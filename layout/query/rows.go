package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ncruces/go-sqlite3"
)

// Kind is the type of a value.
type Kind uint8

// The types that SQLite knows.
const (
	Null Kind = iota
	Int
	Float
	Text
	Blob
)

// A Value is one value of a row.
type Value struct {
	Kind  Kind
	Int   int64
	Float float64
	Text  string // of Text and Blob
}

// A Column is a column of a result. Table and Origin are the table and the column it comes from, "" where it was
// worked out.
type Column struct {
	Name, Table, Origin string
}

// bytesColumns are the names of columns of bytes beside those with size or bytes in them.
var bytesColumns = []string{"device_free", "offset", "largest", "total", "total_at_alloc", "total_at_free", "free"}

// Bytes reports whether the column's numbers are bytes, by the name of what it comes from, else by its own.
func (c *Column) Bytes() bool {
	name := strings.ToLower(cmp.Or(c.Origin, c.Name))
	return slices.Contains(bytesColumns, name) || !strings.HasPrefix(name, "count(") &&
		(strings.Contains(name, "size") || strings.Contains(name, "bytes"))
}

// An Answer is the rows of one statement, in memory. It grows at its end.
type Answer struct {
	Columns []Column
	Rows    [][]Value
	Targets []Target // of each row; Kind is "" where it is about nothing
}

// An Error is what SQLite says of a query.
type Error struct {
	What   string
	Offset int // byte in the SQL text where it went wrong, -1 if unknown
	Line   int // of Offset, from 1
	Col    int // of Offset, in characters from 1
	Err    error
}

// Error is the message, with its place.
func (e *Error) Error() string {
	if e.Offset < 0 {
		return e.What
	}
	return fmt.Sprintf("%s (line %d, column %d)", e.What, e.Line, e.Col)
}

// Unwrap returns SQLite's error.
func (e *Error) Unwrap() error { return e.Err }

// Rows is the answer to a query, a row at a time, worked out while it is read. It must be closed. It is for one
// goroutine, Visited apart.
type Rows struct {
	db     *DB
	c      *conn
	ctx    context.Context
	text   string // all the SQL
	tail   string // what is not compiled yet
	stmt   *sqlite3.Stmt
	cols   []Column
	values []Value
	err    error
	closed bool
}

// Query compiles the first statement of a text. Each of several is reached by NextResult. Cancelling ctx ends the
// query wherever it is.
func (db *DB) Query(ctx context.Context, sql string) (*Rows, error) {
	if len(sql) > maxSQL {
		return nil, &Error{What: fmt.Sprintf("the SQL is %d bytes long; at most %d are taken", len(sql), maxSQL),
			Offset: -1}
	}
	if i := strings.IndexByte(sql, 0); i >= 0 {
		return nil, placed(sql, i, "the SQL holds a zero byte", nil)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if db.closed.Load() {
		return nil, errClosed
	}
	c, err := db.connect(ctx)
	if err != nil {
		return nil, err
	}
	r := &Rows{db: db, c: c, ctx: ctx, text: sql, tail: sql}
	if !r.NextResult() {
		err := r.err
		r.Close()
		if err == nil {
			err = &Error{What: "there is no statement in the SQL", Offset: -1}
		}
		return nil, err
	}
	return r, nil
}

// NextResult goes on to the next statement's rows; false when there is none, or it cannot be compiled, which Err
// then says.
func (r *Rows) NextResult() bool {
	if r.err != nil || r.closed {
		return false
	}
	r.finish()
	r.tail = r.tail[len(blank.FindString(r.tail)):]
	if r.tail == "" {
		return false
	}
	at := len(r.text) - len(r.tail)
	err := r.c.guard(func() (err error) {
		r.stmt, r.tail, err = r.c.sql.Prepare(r.tail)
		return err
	})
	if err != nil {
		r.fail(err, at)
	}
	if r.stmt == nil {
		return false
	}
	n := r.stmt.ColumnCount()
	r.cols, r.values = make([]Column, n), make([]Value, n)
	for i := range r.cols {
		r.cols[i] = Column{r.stmt.ColumnName(i), r.stmt.ColumnTableName(i), r.stmt.ColumnOriginName(i)}
	}
	return true
}

// blank is blanks, comments and lone semicolons, which SQLite's binding takes for the end of the text.
var blank = regexp.MustCompile(`^(?s)(?:[\s;\x{FEFF}]|--[^\n]*|/\*.*?(?:\*/|$))+`)

// Columns is the columns of the statement at hand.
func (r *Rows) Columns() []Column { return r.cols }

// Next works out the next row; false at the end, or when Err says why not.
func (r *Rows) Next() bool {
	if r.err != nil || r.stmt == nil {
		return false
	}
	more := false
	err := r.c.guard(func() error {
		if more = r.stmt.Step(); !more {
			return r.stmt.Err()
		}
		for i := range r.values {
			r.values[i] = r.value(i)
		}
		return nil
	})
	if err != nil {
		r.fail(err, -1)
		return false
	}
	return more
}

func (r *Rows) value(i int) Value {
	switch r.stmt.ColumnType(i) {
	case sqlite3.INTEGER:
		return Value{Kind: Int, Int: r.stmt.ColumnInt64(i)}
	case sqlite3.FLOAT:
		return Value{Kind: Float, Float: r.stmt.ColumnFloat(i)}
	case sqlite3.TEXT:
		return Value{Kind: Text, Text: strings.ToValidUTF8(r.stmt.ColumnText(i), "\uFFFD")}
	case sqlite3.BLOB:
		return Value{Kind: Blob, Text: string(r.stmt.ColumnRawBlob(i))}
	}
	return Value{}
}

// Values is the row at hand. It is written over by Next.
func (r *Rows) Values() []Value { return r.values }

// Visited is how many rows of tables SQLite was given so far: what there is to say of the progress of a query. Any
// goroutine may ask.
func (r *Rows) Visited() int64 { return r.c.rows.Load() }

// Err is why there are no more rows: nil at the end, an *Error, or what ctx.Err() was.
func (r *Rows) Err() error { return r.err }

// fail keeps an error; at is where the statement began, -1 if it ran already.
func (r *Rows) fail(err error, at int) {
	if ctxErr := r.ctx.Err(); ctxErr != nil {
		r.err = ctxErr
		return
	}
	what := clean(err)
	var e *sqlite3.Error
	if at >= 0 && errors.As(err, &e) && e.SQL() != "" {
		r.err = placed(r.text, len(r.text)-len(e.SQL()), what, err)
		return
	}
	r.err = &Error{What: what, Offset: -1, Err: err}
}

// clean is SQLite's message without the name of its binding.
func clean(err error) string {
	s := strings.TrimPrefix(err.Error(), "sqlite3: ")
	if rest, ok := strings.CutPrefix(s, "SQL logic error: "); ok {
		s = rest
	}
	if errors.Is(err, sqlite3.AUTH) {
		s = "a query can only read: " + s
	}
	return s
}

// placed is an error at a byte of a text.
func placed(text string, at int, what string, err error) *Error {
	before := text[:at]
	line := strings.Count(before, "\n") + 1
	col := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return &Error{What: what, Offset: at, Line: line, Col: col, Err: err}
}

// finish ends the statement at hand.
func (r *Rows) finish() {
	if r.stmt != nil {
		r.c.guard(func() error { return r.stmt.Close() })
		r.stmt = nil
	}
}

// Close ends the query. It may be called more than once.
func (r *Rows) Close() {
	if !r.closed {
		r.closed = true
		r.finish()
		shut(r.c.sql)
	}
}

// String is the value as text; NULL is "NULL" and a blob its bytes in hex.
func (v Value) String() string {
	switch v.Kind {
	case Int:
		return strconv.FormatInt(v.Int, 10)
	case Float:
		s := strconv.FormatFloat(v.Float, 'g', -1, 64)
		if !strings.ContainsAny(s, ".eIN") {
			s += ".0" // as SQLite has it
		}
		return s
	case Text:
		return v.Text
	case Blob:
		return fmt.Sprintf("x'%x'", v.Text)
	}
	return "NULL"
}

// RowText returns a row as spreadsheets paste it: cells between tabs, NULL empty.
func RowText(row []Value) string {
	plain := strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")
	cells := make([]string, len(row))
	for i := range row {
		if row[i].Kind != Null {
			cells[i] = plain.Replace(row[i].String())
		}
	}
	return strings.Join(cells, "\t")
}
