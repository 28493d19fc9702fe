package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"strata/app/cli/terminal"
	"strata/layout/breakdown"
	"strata/layout/compare"
	"strata/layout/units"
)

// A Comparison is how B differs from A, as scripts read it: keys may be added, none is renamed. Sizes are in bytes.
type Comparison struct {
	Sentence string          `json:"sentence"`
	A        Compared        `json:"a"`
	B        Compared        `json:"b"`
	By       string          `json:"by"`
	Groups   []ComparedGroup `json:"groups"`         // the largest difference first
	Rest     *ComparedGroup  `json:"rest,omitempty"` // what a limit leaves out
	Devices  []ComparedPeaks `json:"devices"`
	Notes    []string        `json:"notes"`

	labels []string
}

// Compared is one of the two.
type Compared struct {
	File   string `json:"file"`
	Device int    `json:"device"` // -1 is pinned host memory
	Peak   int64  `json:"peak"`
	End    int64  `json:"end"`
	OOMs   int    `json:"oom_events"`
	At     string `json:"at"`
	Step   int64  `json:"step"`
	Total  int64  `json:"total"` // at the moment

	title string // of the device
}

// A ComparedGroup is a group in both, or the one that has it.
type ComparedGroup struct {
	Name       string `json:"name"`
	NameA      string `json:"name_a,omitempty"` // where A calls it otherwise
	A          int64  `json:"a"`
	B          int64  `json:"b"`
	Difference int64  `json:"difference"`
	MatchedBy  string `json:"matched_by"`
}

// ComparedPeaks is the peaks of a device that both have.
type ComparedPeaks struct {
	A     int   `json:"device_a"`
	B     int   `json:"device_b"`
	PeakA int64 `json:"peak_a"`
	PeakB int64 `json:"peak_b"`

	Title string `json:"-"` // of A's device
}

// NewComparison compares two moments of two groupings.
func NewComparison(files [2]string, g *compare.Groups, at [2]breakdown.Moment) *Comparison {
	rows := g.At(at[0].State, at[1].State)
	c := &Comparison{Sentence: g.Sentence(at[0], at[1], rows), Groups: []ComparedGroup{}, Notes: append([]string{},
		g.Notes()...),
		By: strings.ReplaceAll(g.A.By.String(), " ", "-")}
	for i, of := range [...]*Compared{&c.A, &c.B} {
		t := [...]*breakdown.Grouping{g.A, g.B}[i].Timeline
		*of = Compared{File: files[i], Device: t.Device.Index, Peak: t.PeakBytes, End: t.EndBytes, OOMs: len(t.OOMs()),
			At: at[i].Name, Step: at[i].Step, Total: t.Total[at[i].State], title: t.Device.Title()}
	}
	for _, r := range rows {
		group := ComparedGroup{Name: g.Name(r.Match), A: r.Bytes[0], B: r.Bytes[1], Difference: r.Difference(),
			MatchedBy: r.Rule.String()}
		if r.A != breakdown.Excluded {
			if name := g.A.Name(r.A); name != group.Name {
				group.NameA = name
			}
		}
		c.Groups, c.labels = append(c.Groups, group), append(c.labels, g.Label(r.Match))
	}
	return c
}

// Limit sums up the groups from the n-th on, 0 for none.
func (c *Comparison) Limit(n int) {
	if n <= 0 || len(c.Groups) <= n {
		return
	}
	more := c.Groups[n:]
	c.Groups, c.Rest = c.Groups[:n:n], &ComparedGroup{Name: units.Plural(len(more), "other")}
	for _, g := range more {
		c.Rest.A += g.A
		c.Rest.B += g.B
		c.Rest.Difference += g.Difference
	}
}

// rows is the groups as tables have them, with the rest.
func (c *Comparison) rows() (rows []ComparedGroup) {
	for i, g := range c.Groups {
		g.Name = c.labels[i]
		rows = append(rows, g)
	}
	if c.Rest != nil {
		rows = append(rows, *c.Rest)
	}
	return rows
}

// Print writes it for people.
func (c *Comparison) Print(out io.Writer) {
	fmt.Fprintln(out, terminal.Printable(c.Sentence))
	c.printSides(out, "  ")
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\ndifference\tA\tB\t  %s\n", strings.ReplaceAll(c.By, "-", " "))
	for _, g := range c.rows() {
		rule := ""
		if g.MatchedBy != "" {
			rule = "  (" + g.MatchedBy + ")"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t  %s%s\n", units.SignedBytes(g.Difference), units.Bytes(g.A), units.Bytes(g.B),
			terminal.Clip(g.Name, 200), rule)
	}
	w.Flush()
}

// printSides says what A and B are, and what else there is to say.
func (c *Comparison) printSides(out io.Writer, indent string) {
	for i, of := range [...]Compared{c.A, c.B} {
		place := ""
		if of.At != "peak" {
			place = fmt.Sprintf(", %s at %s", units.Bytes(of.Total), of.At)
		}
		if of.OOMs > 0 {
			place += ", out of memory " + units.Plural(of.OOMs, "time")
		}
		fmt.Fprintf(out, "%s%c  %s, %s: peak %s%s\n", indent, "AB"[i], terminal.Clip(of.File, 200),
			of.title, units.Bytes(of.Peak), terminal.Printable(place))
	}
	for _, note := range c.Notes {
		fmt.Fprintln(out, indent+note)
	}
	if len(c.Devices) < 2 {
		return
	}
	for _, d := range c.Devices {
		if d.A != c.A.Device {
			fmt.Fprintf(out, "%s%s: %s (%s)\n", indent, d.Title, units.SignedBytes(d.PeakB-d.PeakA),
				units.BytesChange(d.PeakA, d.PeakB))
		}
	}
}

// markdown keeps text from being read as anything else in a cell of a table.
var markdown = strings.NewReplacer("|", `\|`, "`", "'", "<", "&lt;", "*", `\*`, "_", `\_`)

// Markdown writes it as a comment for a pull request.
func (c *Comparison) Markdown(out io.Writer) {
	fmt.Fprintf(out, "**%s**\n\n", markdown.Replace(terminal.Printable(c.Sentence)))
	fmt.Fprintf(out, "| difference | A | B | %s | matched by |\n| ---: | ---: | ---: | --- | --- |\n",
		strings.ReplaceAll(c.By, "-", " "))
	for _, g := range c.rows() {
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s |\n", units.SignedBytes(g.Difference), units.Bytes(g.A),
			units.Bytes(g.B), markdown.Replace(terminal.Clip(g.Name, 200)), g.MatchedBy)
	}
	var sides strings.Builder
	c.printSides(&sides, "")
	fmt.Fprintf(out, "\n%s", strings.ReplaceAll(markdown.Replace(sides.String()), "\n", "  \n"))
}
