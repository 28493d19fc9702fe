package cli

import (
	"bufio"
	"strings"
	"unicode/utf8"

	"strata/app/cli/terminal"
	"strata/layout/query"
)

// tableRows prints columns that stand under one another: as wide as the first rows need, so that nothing waits for
// the last.
type tableRows struct {
	columns []query.Column
	widths  []int
	right   []bool
	held    [][]string // the first rows, until the widths are known
	kinds   [][]query.Kind
	started bool
}

// heldRows are looked at before the first is printed; maxWidth is what a column gets at most, longer texts push the
// rest to the right.
const (
	heldRows = 500
	maxWidth = 60
)

func (w *tableRows) Row(out *bufio.Writer, values []query.Value) error {
	texts := make([]string, len(values))
	kinds := make([]query.Kind, len(values))
	for i, v := range values {
		texts[i], kinds[i] = terminal.Printable(v.String()), v.Kind
	}
	if w.started {
		return w.line(out, texts)
	}
	w.held, w.kinds = append(w.held, texts), append(w.kinds, kinds)
	if len(w.held) < heldRows {
		return nil
	}
	return w.begin(out)
}

// begin settles the widths and prints what was held.
func (w *tableRows) begin(out *bufio.Writer) error {
	w.started = true
	w.widths, w.right = make([]int, len(w.columns)), make([]bool, len(w.columns))
	head, rule := make([]string, len(w.columns)), make([]string, len(w.columns))
	for i, c := range w.columns {
		head[i] = terminal.Printable(c.Name)
		w.widths[i] = utf8.RuneCountInString(head[i])
		w.right[i] = len(w.held) > 0
		for j, row := range w.held {
			w.widths[i] = max(w.widths[i], min(maxWidth, utf8.RuneCountInString(row[i])))
			w.right[i] = w.right[i] && w.kinds[j][i] <= query.Float
		}
		rule[i] = strings.Repeat("-", w.widths[i])
	}
	w.line(out, head)
	if err := w.line(out, rule); err != nil {
		return err
	}
	for _, row := range w.held {
		if err := w.line(out, row); err != nil {
			return err
		}
	}
	w.held, w.kinds = nil, nil
	return nil
}

func (w *tableRows) line(out *bufio.Writer, texts []string) error {
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

func (w *tableRows) End(out *bufio.Writer) error {
	if w.started {
		return nil
	}
	return w.begin(out)
}
