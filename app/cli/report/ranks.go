package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"strata/app/cli/terminal"
	"strata/layout/ranks"
	"strata/layout/units"
)

// Ranks is a wall as scripts read it: keys may be added, none is renamed. Sizes are in bytes.
type Ranks struct {
	Ranks    []Rank        `json:"ranks"` // by rank, then in natural order
	Clusters []RankCluster `json:"clusters"`
	By       string        `json:"by"`
	Groups   []RankGroup   `json:"groups"` // the largest spread first

	wall          *ranks.Wall
	labels, names []string
}

// A Rank is a device of a file, or a file that could not be read.
type Rank struct {
	File     string        `json:"file"`
	Rank     int           `json:"rank"`   // -1: not known
	Device   int           `json:"device"` // -1 is pinned host memory
	Peak     int64         `json:"peak"`
	End      int64         `json:"end"`
	Reserved int64         `json:"reserved"` // at the end
	OOMs     int           `json:"oom_events"`
	Cluster  int           `json:"cluster"` // index, -1 if it could not be read
	Apart    int64         `json:"apart"`   // of its peak from the cluster's median
	Reason   string        `json:"reason"`  // why it is not as the others, "" if it is
	Error    string        `json:"error"`   // why it could not be read
	Findings []RankFinding `json:"findings"`
}

// A RankFinding is a warning or notice about a rank's file.
type RankFinding struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Title    string `json:"title"`
}

// A RankCluster is ranks that are alike, as indexes of Ranks.
type RankCluster struct {
	Ranks []int `json:"ranks"`
	Peak  int64 `json:"peak"` // median
}

// A RankGroup is what a group holds at the peak of each of Ranks.
type RankGroup struct {
	Name   string  `json:"name"`
	Min    int64   `json:"min"`
	Median int64   `json:"median"` // of two middle ones the lower
	Max    int64   `json:"max"`
	Spread int64   `json:"spread"` // max - min
	Bytes  []int64 `json:"bytes"`
}

// NewRanks makes the report of a wall; names are short ones of its files.
func NewRanks(w *ranks.Wall, by string, names []string) *Ranks {
	r := &Ranks{wall: w, By: strings.ReplaceAll(by, " ", "-"), Ranks: []Rank{}, Clusters: []RankCluster{},
		Groups: []RankGroup{}}
	n := -1
	var last *ranks.File
	for i := range w.Ranks {
		x := &w.Ranks[i]
		if x.File != last {
			last = x.File
			n++
		}
		rank := Rank{File: x.File.Name, Rank: x.File.Rank, Device: 0, Cluster: x.Cluster, Apart: x.Apart,
			Reason: x.Reason, Error: x.File.Error, Findings: []RankFinding{}}
		if d := x.Digest; d != nil {
			rank.Device, rank.Peak, rank.End, rank.Reserved, rank.OOMs = d.Device, d.Peak, d.End, d.Reserved, d.OOMs
			for _, f := range d.Findings {
				severity := "notice"
				if f.Warning {
					severity = "warning"
				}
				rank.Findings = append(rank.Findings, RankFinding{f.ID, severity, f.Title})
			}
		}
		r.Ranks, r.names = append(r.Ranks, rank), append(r.names, names[n])
	}
	for _, c := range w.Clusters {
		r.Clusters = append(r.Clusters, RankCluster{c.Ranks, c.Peak})
	}
	for _, g := range w.Groups {
		r.Groups = append(r.Groups, RankGroup{g.Name, g.Min, g.Median, g.Max, g.Spread, g.Bytes})
		r.labels = append(r.labels, g.Label)
	}
	return r
}

// Print writes tables for people, with at most n groups, 0 for all.
func (r *Ranks) Print(out io.Writer, n int) {
	fmt.Fprintf(out, "%s\n\n", terminal.Wrap("", r.wall.Sentence(r.names)))
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "peak\tat end\treserved\tout of memory\tkind\tdevice\t  rank\n")
	for i := range r.Ranks {
		x := &r.Ranks[i]
		name := r.names[i]
		if x.Rank >= 0 {
			name = fmt.Sprintf("%d  %s", x.Rank, name)
		}
		if x.Error != "" {
			fmt.Fprintf(w, "\t\t\t\t\t\t  %s: %s\n", terminal.Printable(name), terminal.Clip(x.Error, 200))
			continue
		}
		oom := "never"
		if x.OOMs > 0 {
			oom = units.Plural(x.OOMs, "time")
		}
		if x.Reason != "" {
			name += ": " + x.Reason
		}
		if k := len(x.Findings); k > 0 {
			name += fmt.Sprintf(" (%s: %s)", units.Plural(k, "finding"), x.Findings[0].Title)
		}
		digest, reserved := r.wall.Ranks[i].Digest, units.Bytes(x.Reserved)
		if digest.NoReserved {
			reserved = ""
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\t  %s\n", units.Bytes(x.Peak), units.Bytes(x.End), reserved, oom,
			x.Cluster+1, strings.TrimPrefix(digest.Title(), "GPU "), terminal.Printable(name))
	}
	if n <= 0 || n > len(r.Groups) {
		n = len(r.Groups)
	}
	if n > 0 {
		fmt.Fprintf(w, "\nspread\tmin\tmedian\tmax\tmost in\t\t  %s\n", strings.ReplaceAll(r.By, "-", " "))
	}
	for i, g := range r.Groups[:n] {
		most := slices.Index(g.Bytes, g.Max)
		title := terminal.Clip(r.wall.Title(most, r.names[most]), 24)
		if g.Spread == 0 {
			title = ""
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t\t  %s\n", units.Bytes(g.Spread), units.Bytes(g.Min),
			units.Bytes(g.Median),
			units.Bytes(g.Max), title, terminal.Clip(r.labels[i], 200))
	}
	w.Flush()
	if more := len(r.Groups) - n; more > 0 {
		fmt.Fprintf(out, "and %s of smaller spread\n", units.Plural(more, "group"))
	}
}

// WriteCSV writes the table of groups: a line for each, a column for each rank.
func (r *Ranks) WriteCSV(out io.Writer) error {
	w := csv.NewWriter(out)
	head := []string{"name", "min", "median", "max", "spread"}
	for i := range r.Ranks {
		head = append(head, r.wall.Title(i, r.names[i]))
	}
	w.Write(head)
	for _, g := range r.Groups {
		line := []string{g.Name}
		for _, v := range slices.Concat([]int64{g.Min, g.Median, g.Max, g.Spread}, g.Bytes) {
			line = append(line, strconv.FormatInt(v, 10))
		}
		w.Write(line)
	}
	w.Flush()
	return w.Error()
}
