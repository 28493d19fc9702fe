// Package tables is what the tables of the window's drawer show, beside answers in SQL: it knows nothing of Gio.
package tables

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/query"
)

// A Breakdown is the groups of memory at a moment, or how they differ between two, as rows. Opened groups have their
// largest allocations below them.
type Breakdown struct {
	// Sorted is the column that the rows are sorted by, -1 for as they came, the largest first.
	Sorted int
	Down   bool

	grouping *breakdown.Grouping
	rows     []breakdown.Row
	changes  []breakdown.Change // in place of rows
	two      bool
	state    int32
	total    int64

	open  map[int32]bool // by group
	lines []line
	last  [][]query.Value // what a search leaves out, and all: below the groups however these are sorted
	cells []query.Value
}

// A line is a row of the table: a group, an allocation of the group above it, or one of the last.
type line struct {
	row int32 // of rows or changes; ^i is last[i]
	id  layout.ID
}

// mostOpened is how many allocations an opened group shows.
const mostOpened = 1000

// The columns. Those of one moment are Name to Blocks and Course; of two all but Bytes, Share and Blocks.
const (
	nameColumn = iota
	courseColumn
	bytesColumn
	shareColumn
	blocksColumn

	aColumn = iota - 3
	bColumn
	differenceColumn
	newColumn
	goneColumn
	commonColumn
	allocatedColumn
	freedColumn
)

// asBytes is what query.Column.Bytes takes for bytes.
const asBytes = "bytes"

var oneHeads = []query.Column{{Name: "group"}, {Name: "course in view"}, {Name: "bytes", Origin: asBytes},
	{Name: "share"}, {Name: "blocks"}}

var twoHeads = []query.Column{{Name: "group"}, {Name: "course in view"}, {Name: "A", Origin: asBytes},
	{Name: "B", Origin: asBytes}, {Name: "difference", Origin: asBytes}, {Name: "new"}, {Name: "gone"},
	{Name: "common"}, {Name: "allocated", Origin: asBytes}, {Name: "freed", Origin: asBytes}}

// NewBreakdown returns rows without groups; two says that they are differences.
func NewBreakdown(two bool) *Breakdown {
	return &Breakdown{Sorted: -1, two: two, open: map[int32]bool{}}
}

// Two reports whether the rows are differences.
func (b *Breakdown) Two() bool { return b.two }

// ShowMoment shows what groups hold in a state; rows are as breakdown.Sums has them. They must not change before the
// next call.
func (b *Breakdown) ShowMoment(g *breakdown.Grouping, state int32, rows []breakdown.Row) {
	b.renew(g, state)
	b.rows, b.changes, b.total = rows, nil, g.Timeline.Total[state]
	bytes, blocks := int64(0), int64(0)
	for i := range rows {
		bytes += rows[i].Bytes
		blocks += int64(rows[i].Blocks)
	}
	held := func(name string, bytes int64, blocks query.Value) {
		b.last = append(b.last, []query.Value{text(name), text(""), number(bytes), b.share(bytes), blocks})
	}
	if left := b.total - bytes; left != 0 {
		held(leftOut, left, query.Value{})
		held(inAll, b.total, query.Value{})
	} else {
		held(inAll, bytes, number(blocks))
	}
	b.arrange()
}

// The names of the last lines.
const (
	leftOut = "not found by the search"
	inAll   = "in all"
)

// ShowChanges shows how groups differ between two states, from and state.
func (b *Breakdown) ShowChanges(g *breakdown.Grouping, from, state int32, changes []breakdown.Change) {
	b.renew(g, state)
	b.rows, b.changes = nil, changes
	sum := breakdown.Change{}
	for i := range changes {
		c := &changes[i]
		sum.A += c.A
		sum.B += c.B
		sum.New += c.New
		sum.Gone += c.Gone
		sum.Common += c.Common
		sum.Allocated += c.Allocated
		sum.Freed += c.Freed
	}
	all := breakdown.Change{A: g.Timeline.Total[from], B: g.Timeline.Total[state]}
	changed := func(name string, c *breakdown.Change, whole bool) {
		cells := []query.Value{text(name), text("")}
		for column := aColumn; column < len(twoHeads); column++ {
			v := query.Value{}
			if whole || column <= differenceColumn {
				v = number(ofChange(c, column))
			}
			cells = append(cells, v)
		}
		b.last = append(b.last, cells)
	}
	if left := (breakdown.Change{A: all.A - sum.A, B: all.B - sum.B}); left.A != 0 || left.B != 0 {
		changed(leftOut, &left, false)
		changed(inAll, &all, false)
	} else {
		changed(inAll, &sum, true)
	}
	b.arrange()
}

func (b *Breakdown) renew(g *breakdown.Grouping, state int32) {
	if g != b.grouping {
		clear(b.open)
	}
	b.grouping, b.state, b.last = g, state, nil
}

// Groups is how many groups there are.
func (b *Breakdown) Groups() int { return len(b.rows) + len(b.changes) }

// of is the group of a row of rows or changes, breakdown.Excluded of the last lines.
func (b *Breakdown) of(row int32) int32 {
	switch {
	case row < 0:
		return breakdown.Excluded
	case b.changes != nil:
		return b.changes[row].Group
	}
	return b.rows[row].Group
}

// arrange sorts the groups and puts the allocations of opened ones below them.
func (b *Breakdown) arrange() {
	b.lines = b.lines[:0]
	for i := range b.Groups() {
		b.lines = append(b.lines, line{int32(i), layout.None})
	}
	if by := b.Sorted; by >= 0 {
		if !b.two && by == shareColumn {
			by = bytesColumn
		}
		values := make([]query.Value, b.Groups())
		for i := range values {
			values[i] = b.value(int32(i), by)
		}
		slices.SortStableFunc(b.lines, func(x, y line) int {
			v, w := values[x.row], values[y.row]
			c := cmp.Or(cmp.Compare(v.Int, w.Int), cmp.Compare(v.Float, w.Float), cmp.Compare(v.Text, w.Text))
			if b.Down {
				c = -c
			}
			return c
		})
	}
	if len(b.open) > 0 {
		b.unfold()
	}
	for i := range b.last {
		b.lines = append(b.lines, line{^int32(i), layout.None})
	}
}

// unfold puts the allocations of opened groups below them.
func (b *Breakdown) unfold() {
	var lines []line
	for _, l := range b.lines {
		lines = append(lines, l)
		if group := b.of(l.row); b.open[group] {
			ids := b.grouping.Blocks(nil, group, b.state)
			for _, id := range ids[:min(len(ids), mostOpened)] {
				lines = append(lines, line{l.row, id})
			}
		}
	}
	b.lines = lines
}

// Sort sorts by a column: numbers from the largest first, and the other way round the second time.
func (b *Breakdown) Sort(column int) {
	switch {
	case column != b.Sorted:
		b.Sorted, b.Down = column, column > courseColumn
	default:
		b.Down = !b.Down
	}
	b.arrange()
}

// Toggle opens or closes the group of a line.
func (b *Breakdown) Toggle(i int) {
	group := b.Group(i)
	if b.open[group] {
		delete(b.open, group)
	} else {
		b.open[group] = true
	}
	b.arrange()
}

// Opened reports whether a line's group is open.
func (b *Breakdown) Opened(i int) bool { return b.open[b.Group(i)] }

// Group is the group of a line, breakdown.Excluded of the last ones, which say what there is in all.
func (b *Breakdown) Group(i int) int32 { return b.of(b.lines[i].row) }

// Allocation is the allocation that a line is about, layout.None where it is about a group.
func (b *Breakdown) Allocation(i int) layout.ID { return b.lines[i].id }

// Part is how much of the largest a line's bytes are, or its difference: -1 to 1.
func (b *Breakdown) Part(i int) float64 {
	l := b.lines[i]
	switch {
	case l.id != layout.None || l.row < 0:
		return 0
	case b.two:
		most := b.changes[0].Difference() // the largest comes first
		return float64(b.changes[l.row].Difference()) / float64(max(1, most, -most))
	}
	return float64(b.rows[l.row].Bytes) / float64(max(1, b.rows[0].Bytes))
}

// Heads returns the columns.
func (b *Breakdown) Heads() []query.Column {
	if b.two {
		return twoHeads
	}
	return oneHeads
}

// Len is the number of lines.
func (b *Breakdown) Len() int { return len(b.lines) }

// Row returns the cells of a line, good until the next call.
func (b *Breakdown) Row(i int) []query.Value {
	l := b.lines[i]
	if l.row < 0 {
		return b.last[^l.row]
	}
	b.cells = b.cells[:0]
	for c := range b.Heads() {
		if l.id == layout.None {
			b.cells = append(b.cells, b.value(l.row, c))
		} else {
			b.cells = append(b.cells, b.ofAllocation(l.id, c))
		}
	}
	return b.cells
}

// Leads says what a line is about.
func (b *Breakdown) Leads(i int) query.Target {
	if id := b.lines[i].id; id != layout.None {
		return query.Target{Kind: "allocation", Device: b.grouping.Timeline.Device.Index, Number: int64(id)}
	}
	return query.Target{}
}

func number(n int64) query.Value { return query.Value{Kind: query.Int, Int: n} }

func text(s string) query.Value { return query.Value{Kind: query.Text, Text: s} }

// value is a cell of a group.
func (b *Breakdown) value(row int32, column int) query.Value {
	switch column {
	case nameColumn:
		return text(b.grouping.Label(b.of(row)))
	case courseColumn:
		return text("")
	}
	if b.two {
		return number(ofChange(&b.changes[row], column))
	}
	r := &b.rows[row]
	switch column {
	case bytesColumn:
		return number(r.Bytes)
	case shareColumn:
		return b.share(r.Bytes)
	}
	if b.grouping.Timeline.Banded() {
		return text("")
	}
	return number(int64(r.Blocks))
}

// share is the part of all memory that bytes are.
func (b *Breakdown) share(bytes int64) query.Value {
	return text(strconv.FormatFloat(100*float64(bytes)/float64(max(1, b.total)), 'f', 1, 64) + " %")
}

// ofChange is a column's number of a difference.
func ofChange(c *breakdown.Change, column int) int64 {
	return [...]int64{aColumn: c.A, bColumn: c.B, differenceColumn: c.Difference(), newColumn: int64(c.New),
		goneColumn: int64(c.Gone), commonColumn: int64(c.Common), allocatedColumn: c.Allocated,
		freedColumn: c.Freed}[column]
}

// ofAllocation is a cell of an allocation.
func (b *Breakdown) ofAllocation(id layout.ID, column int) query.Value {
	t := b.grouping.Timeline
	size := number(t.Size[id])
	switch {
	case column == nameColumn:
		return text("    allocation " + strconv.Itoa(int(id)))
	case !b.two && column == bytesColumn, b.two && column == bColumn:
		return size
	}
	return query.Value{}
}

// Text is all groups as tab-separated values, for spreadsheets, in the order they are shown. Names are in full.
func (b *Breakdown) Text() string {
	heads := b.Heads()
	row := []query.Value{text(heads[nameColumn].Name)}
	for _, h := range heads[bytesColumn:] {
		row = append(row, text(h.Name))
	}
	var out strings.Builder
	out.WriteString(query.RowText(row) + "\n")
	for _, l := range b.lines {
		if l.id != layout.None || l.row < 0 {
			continue
		}
		row = append(row[:0], text(b.grouping.Name(b.of(l.row))))
		for c := bytesColumn; c < len(heads); c++ {
			row = append(row, b.value(l.row, c))
		}
		out.WriteString(query.RowText(row) + "\n")
	}
	return out.String()
}
