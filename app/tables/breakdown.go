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
	cells []query.Value
}

// A line is a row of the table: a group, or an allocation of the group above it.
type line struct {
	row int32 // of rows or changes
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
	b.rows, b.changes, b.total = rows, nil, 0
	for i := range rows {
		b.total += rows[i].Bytes
	}
	b.arrange()
}

// ShowChanges shows how groups differ between two states, of which state is the second.
func (b *Breakdown) ShowChanges(g *breakdown.Grouping, state int32, changes []breakdown.Change) {
	b.renew(g, state)
	b.rows, b.changes = nil, changes
	b.arrange()
}

func (b *Breakdown) renew(g *breakdown.Grouping, state int32) {
	if g != b.grouping {
		clear(b.open)
	}
	b.grouping, b.state = g, state
}

// groups is how many groups there are.
func (b *Breakdown) groups() int { return len(b.rows) + len(b.changes) }

// of is the group of a row of rows or changes.
func (b *Breakdown) of(row int32) int32 {
	if b.changes != nil {
		return b.changes[row].Group
	}
	return b.rows[row].Group
}

// arrange sorts the groups and puts the allocations of opened ones below them.
func (b *Breakdown) arrange() {
	b.lines = b.lines[:0]
	for i := range b.groups() {
		b.lines = append(b.lines, line{int32(i), layout.None})
	}
	if by := b.Sorted; by >= 0 {
		if !b.two && by == shareColumn {
			by = bytesColumn
		}
		values := make([]query.Value, b.groups())
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
	if len(b.open) == 0 {
		return
	}
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

// Group is the group of a line.
func (b *Breakdown) Group(i int) int32 { return b.of(b.lines[i].row) }

// Allocation is the allocation that a line is about, layout.None where it is about a group.
func (b *Breakdown) Allocation(i int) layout.ID { return b.lines[i].id }

// RowOf is the line of a group, -1 if it has none.
func (b *Breakdown) RowOf(group int32) int {
	return slices.IndexFunc(b.lines, func(l line) bool { return b.of(l.row) == group })
}

// Part is how much of the largest a line's bytes are, or its difference: -1 to 1.
func (b *Breakdown) Part(i int) float64 {
	l := b.lines[i]
	switch {
	case l.id != layout.None:
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
		c := &b.changes[row]
		return number([...]int64{aColumn: c.A, bColumn: c.B, differenceColumn: c.Difference(), newColumn: int64(c.New),
			goneColumn: int64(c.Gone), commonColumn: int64(c.Common), allocatedColumn: c.Allocated,
			freedColumn: c.Freed}[column])
	}
	r := &b.rows[row]
	switch column {
	case bytesColumn:
		return number(r.Bytes)
	case shareColumn:
		return text(strconv.FormatFloat(100*float64(r.Bytes)/float64(max(1, b.total)), 'f', 1, 64) + " %")
	}
	return number(int64(r.Blocks))
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
		if l.id != layout.None {
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
