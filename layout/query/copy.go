package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// A Copy writes tables of snapshots into a database file of SQLite.
type Copy struct {
	sql    *sqlite3.Conn
	tables []string
	files  bool              // the tables begin with the name of the file
	keyed  map[string]string // the columns that are primary keys, by table
}

// indexes are what the tables of a file are looked up by.
var indexes = map[string][]string{
	"events": {"event", "addr"}, "allocations": {"id", "addr", "stack"}, "stacks": {"stack"}, "totals": {"timestep"},
	"polygons": {"id"}, "blocks": {"block", "addr"}, "segments": {"segment", "addr"}, "frames": {"frame"},
}

// NewCopy makes a database file, which must not exist or be empty. Where files is set, rows of several snapshots go
// into the same tables, and a column "file" tells them apart. Finish or Abort must be called.
func NewCopy(path string, tables []string, files bool) (*Copy, error) {
	sql, err := sqlite3.OpenFlags(path, sqlite3.OPEN_READWRITE|sqlite3.OPEN_CREATE)
	if err != nil {
		return nil, fileError(err)
	}
	c := &Copy{sql: sql, tables: tables, files: files, keyed: map[string]string{}}
	// The file is written beside its place and nobody else sees it before it is complete: a journal and waiting for
	// the disk would guard nothing. Indexes are sorted in temporary files where they outgrow memory.
	if err := sql.Exec(`PRAGMA page_size=16384; PRAGMA journal_mode=off; PRAGMA synchronous=off;
		PRAGMA locking_mode=exclusive; PRAGMA temp_store=file; PRAGMA cache_size=-65536; BEGIN`); err != nil {
		c.Abort()
		return nil, fileError(err)
	}
	return c, nil
}

// Add copies the tables of one snapshot; file is its name in the column. tell, if not nil, is told of the rows as
// they are read, some at a time.
func (c *Copy) Add(ctx context.Context, db *DB, file string, tell func(table string, rows int)) error {
	c.sql.SetInterrupt(ctx)
	v := &conn{db: db, sql: c.sql, ctx: ctx}
	err := guarded(func() error {
		if err := v.createTables("temp"); err != nil {
			return err
		}
		for _, name := range c.tables {
			if tell != nil {
				tell(name, 0)
				v.tell = func(rows int) { tell(name, rows) }
			}
			if err := c.add(db, name, file); err != nil {
				return err
			}
		}
		for _, t := range db.tables {
			if err := c.sql.Exec("DROP TABLE temp." + quote(t.Name)); err != nil {
				return err
			}
		}
		return nil
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fileError(err)
}

// add copies one table.
func (c *Copy) add(db *DB, name, file string) error {
	t := db.table(name)
	if t == nil {
		return fmt.Errorf("there is no table %q", name)
	}
	var decls, cols []string
	if c.files {
		decls, cols = append(decls, "file TEXT"), append(cols, sqlite3.Quote(file))
	}
	for i, col := range t.Columns {
		decl := quote(col.Name) + " " + col.decl()
		if c.number(t) == i {
			decl += " PRIMARY KEY"
			c.keyed[name] = col.Name
		}
		decls = append(decls, decl)
		cols = append(cols, quote(col.Name))
	}
	return c.sql.Exec("CREATE TABLE IF NOT EXISTS main." + quote(name) + "(" + strings.Join(decls, ", ") + ");" +
		"INSERT INTO main." + quote(name) + " SELECT " + strings.Join(cols, ", ") + " FROM temp." + quote(name))
}

// number is the column that numbers the rows of a table from 0, as one device of one snapshot has it, or -1: SQLite
// finds rows by it without an index.
func (c *Copy) number(t *TableInfo) int {
	if c.files || len(t.parts) != 1 {
		return -1
	}
	return slices.IndexFunc(t.Columns, func(c ColumnInfo) bool { return c.number })
}

// Finish makes the indexes and closes the file.
func (c *Copy) Finish(ctx context.Context) error {
	c.sql.SetInterrupt(ctx)
	err := guarded(c.finish)
	if err != nil {
		c.Abort()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fileError(err)
}

func (c *Copy) finish() error {
	for _, name := range c.tables {
		for _, col := range indexes[name] {
			if c.keyed[name] == col {
				continue
			}
			if err := c.sql.Exec(fmt.Sprintf("CREATE INDEX %s ON %s(%s)", quote(name+"_"+col), quote(name),
				quote(col))); err != nil {
				return err
			}
		}
	}
	if err := c.sql.Exec("COMMIT"); err != nil {
		return err
	}
	return c.sql.Close()
}

// Abort closes the file as it is.
func (c *Copy) Abort() {
	c.sql.SetInterrupt(context.Background())
	shut(c.sql)
}

// fileError is the system's own error where SQLite has one.
func fileError(err error) error {
	var e *sqlite3.Error
	if errors.Is(err, sqlite3.FULL) {
		return errors.New("the disk is full")
	}
	if errors.As(err, &e) && e.Unwrap() != nil {
		return e.Unwrap()
	}
	return err
}
