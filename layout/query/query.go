// Package query answers SQL about a snapshot. SQLite does the asking, and the tables are virtual ones over the
// columns of packages snapshot and layout: nothing is copied or loaded before a query runs.
//
// What makes it fast is that the columns do the work where they can: bounds on whole numbers, and comparisons with
// short lists of names, are tested here, by an index where a column is looked up again and again, as in a join; and
// rows are sorted here for ORDER BY, GROUP BY and DISTINCT. SQLite sees only the rows that remain.
//
// Whole numbers are 64 bits with sign in SQL. An address beyond 2^63 is the negative number of the same bits, which
// is what 0xFFFF… means to SQLite, too; printf('%x', addr) and printf('%llu', addr) write it as it is.
package query

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"strata/layout"
	"strata/layout/category"
	"strata/layout/state"
	"strata/snapshot"
)

// A DB is a snapshot that can be asked. It is safe for use by several goroutines; each query runs on a connection
// of its own.
type DB struct {
	// Rules are a person's own for categories, nil for none. They are set before the first query.
	Rules *category.Rules

	s      *snapshot.Snapshot
	lanes  []*lane
	tables []*TableInfo
	pools  []string // as text
	words  words    // of categories
	memory int64    // limit of SQLite's memory for a query

	closed atomic.Bool
}

// lane is one device and its timeline, which is laid out when first needed.
type lane struct {
	d        *snapshot.Device
	timeline func() *layout.Timeline
	phases   func() *layout.Phases
	history  func() *state.History
	// categories are told with the rules that the DB has when they are first asked for.
	categories func() laneCategories
}

// newLane makes the lane of a device whose timeline is t, if that is not nil.
func (db *DB) newLane(d *snapshot.Device, t *layout.Timeline) *lane {
	l := &lane{d: d, timeline: func() *layout.Timeline { return t }}
	if t == nil {
		l.timeline = sync.OnceValue(func() *layout.Timeline { return layout.New(db.s, d, layout.Options{}) })
	}
	l.history = sync.OnceValue(func() *state.History { return state.New(db.s, d) })
	l.phases = sync.OnceValue(func() *layout.Phases { return layout.AllPhases(l.timeline()) })
	l.categories = sync.OnceValue(func() laneCategories {
		c := category.New(l.timeline(), l.phases(), db.Rules)
		return laneCategories{c, db.words.codes(c.Names)}
	})
	return l
}

// Open makes a snapshot ready to be asked; it takes no time. The timelines are those that exist already, in mode
// Allocations; devices without one are laid out when a query needs it. Offsets and polygons are those of the
// timelines: the reference viewer's, where all allocations are drawn.
func Open(s *snapshot.Snapshot, timelines []*layout.Timeline) *DB {
	db := &DB{s: s, memory: maxMemory}
	for _, d := range s.All() {
		var made *layout.Timeline
		for _, t := range timelines {
			if t != nil && t.Device == d && t.Options.Mode == layout.Allocations {
				made = t
			}
		}
		db.lanes = append(db.lanes, db.newLane(d, made))
	}
	for _, p := range s.Pools {
		db.pools = append(db.pools, fmt.Sprintf("%d,%d", p.A, p.B))
	}
	db.tables = db.makeTables()
	return db
}

// table is the table of a name, nil if there is none.
func (db *DB) table(name string) *TableInfo {
	if i := slices.IndexFunc(db.tables, func(t *TableInfo) bool { return t.Name == name }); i >= 0 {
		return db.tables[i]
	}
	return nil
}

// errClosed is what a closed DB answers.
var errClosed = errors.New("the snapshot was closed")

// Close has new queries refused. Those still running end as they would have.
func (db *DB) Close() { db.closed.Store(true) }
