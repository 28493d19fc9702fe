package query

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/ext/regexp"

	"strata/layout/units"
)

// Limits of a query: what SQL from outside may cost.
const (
	maxMemory  = 1 << 30  // bytes of SQLite's heap, for what it sorts and groups itself
	maxValue   = 16 << 20 // bytes of one text
	maxSQL     = 1 << 20  // bytes of SQL
	maxPattern = 1000     // bytes of a LIKE or GLOB pattern
)

// A conn is a connection of SQLite, used by one query at a time.
type conn struct {
	db   *DB
	sql  *sqlite3.Conn
	ctx  context.Context
	rows atomic.Int64   // rows of tables visited by the query
	tell func(rows int) // is told of them too; nil for none
}

// connect opens a connection for one query, in about a millisecond: with all tables on it, and nothing allowed but
// reading.
func (db *DB) connect(ctx context.Context) (*conn, error) {
	c := &conn{db: db, ctx: ctx}
	var err error
	if c.sql, err = sqlite3.OpenContext(sqlite3.WithMaxMemory(context.Background(), db.memory),
		":memory:"); err != nil {
		return nil, fmt.Errorf("SQLite cannot be started: %w", err)
	}
	if err := c.setUp(); err != nil {
		shut(c.sql)
		return nil, fmt.Errorf("SQLite cannot be set up: %w", err)
	}
	c.sql.SetInterrupt(ctx)
	return c, nil
}

func (c *conn) setUp() error {
	// No file is ever written, temporary ones neither.
	if err := c.sql.Exec("PRAGMA temp_store=memory"); err != nil {
		return err
	}
	if err := regexp.Register(c.sql); err != nil {
		return err
	}
	pure := sqlite3.DETERMINISTIC | sqlite3.INNOCUOUS
	if err := c.sql.CreateFunction("bytes", 1, pure, bytesText); err != nil {
		return err
	}
	if err := c.createTables("main"); err != nil {
		return err
	}
	for limit, value := range map[sqlite3.LimitCategory]int{
		sqlite3.LIMIT_LENGTH: maxValue, sqlite3.LIMIT_SQL_LENGTH: maxSQL, sqlite3.LIMIT_LIKE_PATTERN_LENGTH: maxPattern,
		sqlite3.LIMIT_ATTACHED: 0, sqlite3.LIMIT_TRIGGER_DEPTH: 1, sqlite3.LIMIT_WORKER_THREADS: 0,
	} {
		c.sql.Limit(limit, value)
	}
	for option, on := range map[sqlite3.DBConfig]bool{
		sqlite3.DBCONFIG_DEFENSIVE:      true,
		sqlite3.DBCONFIG_ENABLE_TRIGGER: false, sqlite3.DBCONFIG_ENABLE_VIEW: false,
		// A name in double quotes that is no column is a mistake, not a text.
		sqlite3.DBCONFIG_DQS_DML: false, sqlite3.DBCONFIG_DQS_DDL: false,
	} {
		if _, err := c.sql.Config(option, on); err != nil {
			return fmt.Errorf("option %d: %w", option, err)
		}
	}
	// What remains of SQLite's memory is for SQLite to refuse, not to fail.
	c.sql.HardHeapLimit(c.db.memory * 7 / 8)
	return c.sql.SetAuthorizer(authorize)
}

// bytesText is the function bytes(n): a number of bytes as people read it, such as 64.0 MiB.
func bytesText(ctx sqlite3.Context, arg ...sqlite3.Value) {
	switch arg[0].Type() {
	case sqlite3.INTEGER:
		ctx.ResultText(units.Bytes(arg[0].Int64()))
	case sqlite3.FLOAT:
		ctx.ResultText(units.Bytes(int64(math.Round(min(max(arg[0].Float(), -1<<62), 1<<62)))))
	}
}

// createTables puts the tables into the schema, so that sqlite_schema and PRAGMA table_info tell of them.
func (c *conn) createTables(schema string) error {
	connect := func(sql *sqlite3.Conn, _, _, name string, decls ...string) (*vtab, error) {
		t := c.db.table(name)
		if t == nil {
			return nil, fmt.Errorf("there is no such table: %s", name)
		}
		if err := sql.DeclareVTab("CREATE TABLE x(" + strings.Join(decls, ", ") + ")"); err != nil {
			return nil, err
		}
		return &vtab{t: t, c: c}, sql.VTabConfig(sqlite3.VTAB_INNOCUOUS)
	}
	//lint:ignore SA1019 the method that replaces it needs Go 1.27
	if err := sqlite3.CreateModule(c.sql, "strata", connect, connect); err != nil {
		return err
	}
	for _, t := range c.db.tables {
		if err := c.sql.Exec("CREATE VIRTUAL TABLE " + schema + "." + quote(t.Name) + " USING strata(" + t.decls() +
			")"); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
	}
	return nil
}

// pragmas that only tell something.
var pragmas = map[string]bool{"table_info": true, "table_xinfo": true, "table_list": true, "function_list": true,
	"pragma_list": true, "module_list": true, "collation_list": true, "database_list": true, "compile_options": true}

// authorize allows reading and nothing else.
func authorize(action sqlite3.AuthorizerActionCode, name3rd, name4th, _, _ string) sqlite3.AuthorizerReturnCode {
	switch action {
	case sqlite3.AUTH_SELECT, sqlite3.AUTH_READ, sqlite3.AUTH_RECURSIVE:
		return sqlite3.AUTH_OK
	case sqlite3.AUTH_FUNCTION:
		if !strings.EqualFold(name4th, "load_extension") {
			return sqlite3.AUTH_OK
		}
	case sqlite3.AUTH_PRAGMA:
		if pragmas[strings.ToLower(name3rd)] {
			return sqlite3.AUTH_OK
		}
	}
	return sqlite3.AUTH_DENY
}

// cancelled is an error once the query's context is done.
func (c *conn) cancelled() error {
	if c.ctx.Err() != nil {
		return sqlite3.INTERRUPT
	}
	return nil
}

// shut closes a connection with all that is open on it.
func shut(sql *sqlite3.Conn) {
	defer func() { recover() }() // memory may have run out
	for stmt := range sql.Stmts() {
		stmt.Close()
	}
	sql.Close()
}

// guard runs f and turns the lack of memory into an error.
func (c *conn) guard(f func() error) error {
	err := guarded(f)
	if errors.Is(err, errMemory) {
		err = fmt.Errorf("%w of %d MiB; ask for less at a time, or group by fewer columns", err, c.db.memory>>20)
	}
	return err
}

// guarded runs f. SQLite's binding panics where memory runs out.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if e, ok := p.(error); !ok || !strings.Contains(e.Error(), "out of memory") {
				panic(p)
			}
			err = errMemory
		}
	}()
	return f()
}

var errMemory = errors.New("the query needs more memory than its limit")
