// Package report says what is in a snapshot: the figures of each device, who held the memory at the peak, and what
// there is to know about the file.
package report

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"strata/layout"
	"strata/layout/state"
	"strata/snapshot"
	"strata/snapshot/kineto"
)

// A Report is what there is to say about a file. Scripts read its JSON: keys may be added, none is renamed.
type Report struct {
	File        string    `json:"file"`
	Bytes       int64     `json:"bytes"`
	Compression string    `json:"compression"`
	Protocol    int       `json:"protocol"`
	PyTorch     string    `json:"pytorch"` // guess of the versions that write such a file, may be ""
	Warnings    []Finding `json:"warnings"`
	Annotations int       `json:"annotations"`
	Devices     []Device  `json:"devices"`
	Host        *Device   `json:"host,omitempty"`
	Findings    []Finding `json:"findings"` // all, the gravest first, with the warnings
	Ledgers     []Ledgers `json:"ledgers"`  // of each device, and of host memory

	rawBytes       int64
	format, writer string // in words
}

// A Device is the figures of one device. Sizes are in bytes, times in microseconds.
type Device struct {
	Device         int    `json:"device"`
	Events         int    `json:"events"`
	Allocations    int    `json:"allocations"`
	UnmatchedFrees int    `json:"unmatched_frees"`
	StartBytes     int64  `json:"start_bytes"`
	EndBytes       int64  `json:"end_bytes"`
	PeakBytes      int64  `json:"peak_bytes"`
	PeakStep       int    `json:"peak_step"`
	PeakTime       *int64 `json:"peak_time_us"` // since the Unix epoch
	OOMEvents      int    `json:"oom_events"`
	Segments       int    `json:"segments"`
	ReservedBytes  int64  `json:"reserved_bytes"`
	Duration       *int64 `json:"duration_us"`

	*kineto.Figures // of a trace of torch.profiler

	Timeline *Categories `json:"timeline,omitempty"`

	text deviceText
}

// Categories is the figures of a memory timeline. Times are microseconds since the Unix epoch.
type Categories struct {
	Points int              `json:"points"`
	First  int64            `json:"first_us"`
	Last   int64            `json:"last_us"`
	AtPeak map[string]int64 `json:"at_peak"` // bytes
}

// newCategories is nil for a device that has allocations.
func newCategories(t *layout.Timeline) *Categories {
	if !t.Banded() {
		return nil
	}
	bands := t.Device.Bands
	c := &Categories{Points: len(bands.Time), First: t.Start, Last: t.End, AtPeak: map[string]int64{}}
	for _, b := range bands.All {
		if n := b.Bytes[t.PeakState]; n > 0 {
			c.AtPeak[b.Name] = n
		}
	}
	return c
}

// A Finding is a snapshot.Finding as scripts read it.
type Finding struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Device   *int   `json:"device,omitempty"` // nil: the whole file
	Title    string `json:"title"`
	Explain  string `json:"explain"`
	Advice   string `json:"advice,omitempty"`
	Count    int64  `json:"count"`
	Offset   *int64 `json:"offset"` // byte of the uncompressed file

	severity snapshot.Severity
}

// New makes a report of a snapshot. lay lays out a device of it. The error is that of ctx.
func New(ctx context.Context, name string, s *snapshot.Snapshot,
	lay func(*snapshot.Device) *layout.Timeline) (*Report, error) {
	r := &Report{File: name, Bytes: s.Source.Bytes, Compression: s.Source.Compression, Protocol: s.Source.Protocol,
		PyTorch: s.Source.Version, Annotations: len(s.Annotations),
		Warnings: []Finding{}, Devices: []Device{}, Findings: []Finding{}, Ledgers: []Ledgers{},
		rawBytes: s.Source.RawBytes,
		format:   formatOf(&s.Source), writer: s.Source.Writer()}
	r.add(nil, s.Findings)
	for i := range s.Devices {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.Devices = append(r.Devices, r.device(s, &s.Devices[i], lay))
	}
	if s.Host != nil {
		host := r.device(s, s.Host, lay)
		r.Host = &host
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int { return int(b.severity) - int(a.severity) })
	for _, f := range r.Findings {
		if f.severity > snapshot.Info {
			r.Warnings = append(r.Warnings, f)
		}
	}
	return r, nil
}

// formatOf is what kind of file it is, for people.
func formatOf(s *snapshot.Source) string {
	switch {
	case s.Reader == snapshot.ReaderTrace:
		return "trace of torch.profiler"
	case s.Reader == snapshot.ReaderAscend:
		return "tables of torch_npu's profiler"
	case s.Reader == snapshot.ReaderTimeline:
		return "memory timeline of torch.profiler"
	case s.Reader == "json":
		return "JSON"
	case s.Protocol == 0: // neither of the two announces itself
		return "pickle protocol 0 or 1"
	}
	return fmt.Sprintf("pickle protocol %d", s.Protocol)
}

// device returns the figures of a device and adds its findings to the report.
func (r *Report) device(s *snapshot.Snapshot, d *snapshot.Device,
	lay func(*snapshot.Device) *layout.Timeline) Device {
	var history chan *state.History
	if !s.IsTrace() { // which tells nothing of the allocator
		history = make(chan *state.History, 1)
		go func() { history <- state.New(s, d) }() // takes twice as long as the layout
	}
	t := lay(d)
	f := Device{Device: d.Index, Events: d.Events.Len(), Allocations: len(t.Size), UnmatchedFrees: t.Unmatched,
		StartBytes: t.StartBytes, EndBytes: t.EndBytes, PeakBytes: t.PeakBytes, PeakStep: t.PeakStep(),
		Segments: len(d.Segments), ReservedBytes: d.Reserved(), OOMEvents: len(t.OOMs())}
	if us, ok := t.PeakTime(); ok {
		f.PeakTime = &us
	}
	if t.HasTime() {
		us := t.End - t.Start
		f.Duration = &us
	}
	if d.Figures != nil && json.Unmarshal(d.Figures, &f.Figures) == nil {
		f.Events = f.Figures.Events
		if f.Counts != nil && f.Pairs != nil {
			f.UnmatchedFrees = f.Pairs.UnmatchedFrees
		}
	}
	f.Timeline = newCategories(t)
	f.text = newDeviceText(t)
	if history != nil {
		f.text.ledgers = newLedgers(<-history)
		r.Ledgers = append(r.Ledgers, f.text.ledgers)
	}
	r.add(&f.Device, t.Findings())
	return f
}

// add adds findings, of a device or, for nil, of the whole file.
func (r *Report) add(device *int, found []snapshot.Finding) {
	for _, f := range found {
		j := Finding{ID: f.ID, Severity: severityNames[f.Severity], Device: device, Title: f.Title, Explain: f.Explain,
			Advice: f.Advice, Count: f.Count, severity: f.Severity}
		if f.Offset >= 0 {
			j.Offset = &f.Offset
		}
		r.Findings = append(r.Findings, j)
	}
}

var severityNames = [...]string{snapshot.Info: "info", snapshot.Notice: "notice", snapshot.Warning: "warning"}
