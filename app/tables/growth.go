package tables

import (
	"strings"

	"strata/layout/growth"
	"strata/layout/query"
	"strata/layout/units"
)

// A Growth is what growth.Find found, as rows: what grows first, then what stopped, what was never freed, and what one
// repetition alone made.
type Growth struct {
	result *growth.Result
	rows   []growthRow
	cells  []query.Value
}

type growthRow struct {
	what      string
	group     int32
	bytes     int64
	perRepeat query.Value
	blocks    query.Value
	why       string
	curve     []int64
}

var growthHeads = []query.Column{{Name: "group"}, {Name: "course by repetition"}, {Name: "what"},
	{Name: "each time", Origin: asBytes}, {Name: "in all", Origin: asBytes}, {Name: "blocks"}, {Name: "seen"}}

// NewGrowth returns the rows of a result.
func NewGrowth(r *growth.Result) *Growth {
	g := &Growth{result: r}
	add := func(what string, list []growth.Group) {
		for i := range list {
			x := &list[i]
			g.rows = append(g.rows, growthRow{what: what, group: x.Group, bytes: x.Bytes,
				perRepeat: number(x.PerRepeat()), why: r.Rate(x) + ", " + r.Why(x), curve: x.Curve})
		}
	}
	add("grows", r.Grows)
	add("grew, and stopped", r.Stopped)
	for _, k := range r.Kept {
		g.rows = append(g.rows, growthRow{what: "never freed", group: k.Group, bytes: k.Bytes,
			blocks: number(int64(k.Blocks)), why: k.Age()})
	}
	for _, o := range r.Once {
		g.rows = append(g.rows, growthRow{what: "made once", group: o.Group, bytes: o.Bytes,
			blocks: number(int64(o.Blocks)), why: "in repetition " + units.Count(o.Repeat+1)})
	}
	return g
}

// Result is what the rows are of.
func (g *Growth) Result() *growth.Result { return g.result }

// Group is the group of a row.
func (g *Growth) Group(i int) int32 { return g.rows[i].group }

// Curve is what a row's group held in each repetition, bytes; nil where that is not known.
func (g *Growth) Curve(i int) []int64 { return g.rows[i].curve }

// Heads returns the columns.
func (g *Growth) Heads() []query.Column { return growthHeads }

// Len is the number of rows.
func (g *Growth) Len() int { return len(g.rows) }

// Row returns the cells of a row, good until the next call.
func (g *Growth) Row(i int) []query.Value {
	r := &g.rows[i]
	g.cells = append(g.cells[:0], text(g.result.Grouping.Label(r.group)), text(""), text(r.what), r.perRepeat,
		number(r.bytes), r.blocks, text(r.why))
	return g.cells
}

// Leads says what a row is about: nothing that can be gone to.
func (g *Growth) Leads(int) query.Target { return query.Target{} }

// Text is all rows as tab-separated values.
func (g *Growth) Text() string {
	var out strings.Builder
	out.WriteString("what\tgroup\tbytes each time\tbytes in all\tblocks\tseen\n")
	for i := range g.rows {
		r := &g.rows[i]
		out.WriteString(query.RowText([]query.Value{text(r.what), text(g.result.Grouping.Name(r.group)), r.perRepeat,
			number(r.bytes), r.blocks, text(r.why)}) + "\n")
	}
	return out.String()
}
