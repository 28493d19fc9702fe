package report

import (
	_ "embed"
	"html/template"
	"io"

	"strata/app/cli/terminal"
	"strata/layout/explain"
)

// A Page is what a report has as a web page beside its figures.
type Page struct {
	Picture      func(io.Writer) error  // writes an <svg> of one device; nil for none
	Explanations []*explain.Explanation // of failed requests
}

//go:embed report.html
var pageText string

// WriteHTML writes the report as one web page without scripts. Nothing in it is fetched from elsewhere.
func (r *Report) WriteHTML(w io.Writer, p Page) error { return r.execute(w, "page", p) }

// WriteBody writes what WriteHTML has in its page, for another page.
func (r *Report) WriteBody(w io.Writer, p Page) error { return r.execute(w, "report", p) }

func (r *Report) execute(w io.Writer, name string, p Page) error {
	devices := r.Devices
	if r.Host != nil {
		devices = append(devices[:len(devices):len(devices)], *r.Host)
	}
	parts := map[string]any{"Report": r, "Devices": devices, "Page": p}
	functions := template.FuncMap{
		"printable": terminal.Printable,
		"explained": func(x *explain.Explanation) map[string]any {
			title, paragraphs, kept := Explained(x)
			return map[string]any{"Title": title, "Paragraphs": paragraphs, "Kept": kept}
		},
		"source":  r.source,
		"largest": r.largest,
		"title":   func(d Device) string { return d.text.title },
		"figures": func(d Device) []figureRow { return d.figures() },
		"ledger":  func(d Device) []ledgerLine { return d.text.ledgers.lines() },
		"held":    func(d Device) []heldRow { rows, _ := d.heldRows(); return rows },
		"holding": func(d Device) string { _, title := d.heldRows(); return title },
		"told":    r.told,
		"whose":   r.whose,
		"write":   func(f func(io.Writer) error) (string, error) { return "", f(w) }, // straight into the page
	}
	t, err := template.New("page").Funcs(functions).Parse(pageText)
	if err != nil {
		return err
	}
	return t.ExecuteTemplate(w, name, parts)
}
