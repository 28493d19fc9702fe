package terminal

import (
	"bufio"
	"slices"
	"strings"
	"unicode/utf8"

	"strata/layout/query"
)

// A Table prints columns that stand under one another: as wide as the first rows need, so that nothing waits for
// the last.
type Table struct {
	Columns []query.Column
	widths  []int
	right   []bool     // numbers
	held    [][]string // the first rows, until the widths are known
	started bool
}

// heldRows are looked at before the first is printed; maxWidth is what a column gets at most, longer texts push the
// rest to the right.
const (
	heldRows = 500
	maxWidth = 60
)

// Row takes a row; it may be printed later.
func (w *Table) Row(out *bufio.Writer, values []query.Value) error {
	if w.right == nil {
		w.widths, w.right = make([]int, len(values)), slices.Repeat([]bool{true}, len(values))
	}
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = Printable(v.String())
		if !w.started {
			w.widths[i] = max(w.widths[i], min(maxWidth, utf8.RuneCountInString(texts[i])))
			w.right[i] = w.right[i] && v.Kind <= query.Float
		}
	}
	if w.started {
		return w.line(out, texts)
	}
	w.held = append(w.held, texts)
	if len(w.held) < heldRows {
		return nil
	}
	return w.End(out)
}

func (w *Table) line(out *bufio.Writer, texts []string) error {
	for i, s := range texts {
		pad := strings.Repeat(" ", max(0, w.widths[i]-utf8.RuneCountInString(s)))
		if i > 0 {
			out.WriteString("  ")
		}
		switch {
		case w.right[i]:
			out.WriteString(pad + s)
		case i == len(texts)-1:
			out.WriteString(s)
		default:
			out.WriteString(s + pad)
		}
	}
	return out.WriteByte('\n')
}

// End prints what was held, below the heads of the columns.
func (w *Table) End(out *bufio.Writer) error {
	if w.started {
		return nil
	}
	w.started = true
	if w.right == nil { // there are no rows
		w.widths, w.right = make([]int, len(w.Columns)), make([]bool, len(w.Columns))
	}
	head, rule := make([]string, len(w.Columns)), make([]string, len(w.Columns))
	for i, c := range w.Columns {
		head[i] = Printable(c.Name)
		w.widths[i] = max(w.widths[i], utf8.RuneCountInString(head[i]))
		rule[i] = strings.Repeat("-", w.widths[i])
	}
	for _, texts := range slices.Concat([][]string{head, rule}, w.held) {
		if err := w.line(out, texts); err != nil {
			return err
		}
	}
	w.held = nil
	return nil
}
