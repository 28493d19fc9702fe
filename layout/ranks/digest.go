// Package ranks compares the memory of many processes of one run: which are alike, which is the odd one, and which
// line of code makes it so. It works on digests, so that the snapshots need not be in memory together.
package ranks

import (
	"cmp"
	"strings"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/layout/units"
	"strata/snapshot"
)

// A File is what is kept of a snapshot: its devices, or why it could not be read.
type File struct {
	Name    string
	Rank    int    // -1 if nothing tells
	Error   string // a sentence; there are then no devices
	Devices []Digest
}

// A Digest is what is kept of a device, some kilobytes. Sizes are in bytes.
type Digest struct {
	Device              int    // -1 is pinned host memory
	Name                string `json:",omitempty"` // of the device, where the file gives it one
	Events, OOMs        int
	Peak, End, Reserved int64 // reserved at the end
	NoReserved          bool  `json:",omitempty"` // the file does not tell what was reserved
	Steps               int
	Duration            float64    // µs, 0 where no times were recorded
	Curves              [2][]int64 // the highest total in equal parts of each layout.Axis
	Groups              []Group    // at the peak, most first
	Findings            []Finding
}

// A Group is what a group held at the peak.
type Group struct {
	Name, Label string
	File        string `json:",omitempty"` // of groups by call site: what names it
	Function    string `json:",omitempty"`
	Line        int32  `json:",omitempty"`
	Bytes       int64
}

// A Finding is a warning or notice about the file.
type Finding struct {
	ID, Title string
	Warning   bool
}

// curvePoints is how many parts a curve has; mostGroups how many groups are kept, the rest is one.
const (
	curvePoints = 192
	mostGroups  = 512
)

// RestName is the name of what the smallest groups hold where there are very many.
const RestName = "others"

// NewDigest reduces a device that was laid out and grouped.
func NewDigest(g *breakdown.Grouping) Digest {
	t := g.Timeline
	d := Digest{Device: t.Device.Index, Name: t.Device.Name, Events: t.Device.Events.Len(), OOMs: len(t.OOMs()),
		Peak: t.PeakBytes, End: t.EndBytes, Steps: len(t.Actions)}
	d.Reserved = t.Device.Reserved()
	d.NoReserved = d.Reserved == 0 && t.Snapshot.LacksAllocator() != ""
	d.Curves[layout.Events] = curve(t, layout.Events)
	if t.HasTime() {
		d.Duration = t.Extent(layout.Time)
		d.Curves[layout.Time] = curve(t, layout.Time)
	}
	s := t.Snapshot
	for i, r := range g.At(t.PeakState) {
		if i >= mostGroups {
			d.Groups[mostGroups-1] = Group{Name: RestName, Label: RestName,
				Bytes: d.Groups[mostGroups-1].Bytes + r.Bytes}
			continue
		}
		group := Group{Name: bounded(g.Name(r.Group)), Label: bounded(g.Label(r.Group)), Bytes: r.Bytes}
		if f := g.Site(r.Group); f != 0 && g.By == breakdown.ByCallSite {
			group.File, group.Function = bounded(s.FileOf(f)), bounded(s.Strings[s.Frames.Name[f]])
			group.Line = int32(s.Frames.Line[f])
		}
		d.Groups = append(d.Groups, group)
	}
	for _, found := range [][]snapshot.Finding{s.Findings, t.Findings()} {
		for _, f := range found {
			if f.Severity > snapshot.Info {
				d.Findings = append(d.Findings, Finding{f.ID, f.Title, f.Severity == snapshot.Warning})
			}
		}
	}
	return d
}

// longestName is how many bytes of a name are kept: a file may hold names of megabytes.
const longestName = 4 << 10

func bounded(name string) string {
	if len(name) > longestName {
		return strings.ToValidUTF8(name[:longestName], "") + "…"
	}
	return name
}

// curve is the highest total in each part of an axis.
func curve(t *layout.Timeline, axis layout.Axis) []int64 {
	points := make([]int64, curvePoints)
	width := t.Extent(axis) / curvePoints
	for i := range points {
		points[i] = t.Height(t.Column(axis, float64(i)*width, float64(i+1)*width))
	}
	return points
}

// Title is what the device is called.
func (d *Digest) Title() string { return cmp.Or(d.Name, units.Device(d.Device)) }

// HasWarnings reports whether there is a warning about the device or its file.
func (d *Digest) HasWarnings() bool {
	for _, f := range d.Findings {
		if f.Warning {
			return true
		}
	}
	return false
}

// base is the last part of a path of any system.
func base(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }
