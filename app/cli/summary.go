package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"strata/layout"
	"strata/snapshot"
)

// summary prints a report of each file. A file that cannot be used does not
// keep the others from being reported.
func (c Command) summary(ctx context.Context, out *bufio.Writer) error {
	var failures error
	for i, name := range c.Files {
		r, err := newReport(ctx, name)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failures = errors.Join(failures, err)
			continue
		}
		if c.JSON {
			enc := json.NewEncoder(out)
			enc.SetEscapeHTML(false)
			err = enc.Encode(r)
		} else {
			if i > 0 {
				out.WriteByte('\n')
			}
			r.print(out)
			err = out.Flush()
		}
		if err != nil { // nobody reads on
			return err
		}
	}
	return failures
}

// A report is what there is to say about a file. Its JSON is a promise to
// scripts: keys are added, none is renamed.
type report struct {
	File        string         `json:"file"`
	Bytes       int64          `json:"bytes"`
	Compression string         `json:"compression"`
	Protocol    int            `json:"protocol"`
	PyTorch     string         `json:"pytorch"` // guess of the versions that write such a file, may be ""
	Warnings    []finding      `json:"warnings"`
	Annotations int            `json:"annotations"`
	Devices     []deviceReport `json:"devices"`
	Host        *deviceReport  `json:"host,omitempty"`
	Findings    []finding      `json:"findings"` // all of them, gravest first: the warnings and what is merely worth knowing

	rawBytes int64
	format   string // in words
}

// A deviceReport is the figures of one device; sizes in bytes.
type deviceReport struct {
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

	text deviceText
}

// A finding is a snapshot.Finding for scripts.
type finding struct {
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

// newReport reads a file and lays out every device of it.
func newReport(ctx context.Context, name string) (*report, error) {
	s, err := open(ctx, name)
	if err != nil {
		return nil, err
	}
	r := &report{File: name, Bytes: s.Source.Bytes, Compression: s.Source.Compression, Protocol: s.Source.Protocol,
		PyTorch: s.Source.Version, Annotations: len(s.Annotations),
		Warnings: []finding{}, Devices: []deviceReport{}, Findings: []finding{}, rawBytes: s.Source.RawBytes, format: formatOf(&s.Source)}
	r.add(nil, s.Findings)
	for i := range s.Devices {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r.Devices = append(r.Devices, r.device(ctx, s, &s.Devices[i]))
	}
	if s.Host != nil {
		host := r.device(ctx, s, s.Host)
		r.Host = &host
	}
	slices.SortStableFunc(r.Findings, func(a, b finding) int { return int(b.severity) - int(a.severity) })
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
	case s.Reader == "json":
		return "JSON"
	case s.Protocol == 0: // neither of the two announces itself
		return "pickle protocol 0 or 1"
	}
	return fmt.Sprintf("pickle protocol %d", s.Protocol)
}

// device lays out one device and takes its figures and findings.
func (r *report) device(ctx context.Context, s *snapshot.Snapshot, d *snapshot.Device) deviceReport {
	t := lay(ctx, s, d, layout.Options{})
	f := deviceReport{Device: d.Index, Events: d.Events.Len(), Allocations: len(t.Size), UnmatchedFrees: t.Unmatched,
		StartBytes: t.StartBytes, EndBytes: t.EndBytes, PeakBytes: t.PeakBytes, PeakStep: t.PeakStep(),
		Segments: len(d.Segments)}
	if us, ok := t.PeakTime(); ok {
		f.PeakTime = &us
	}
	if t.HasTime() {
		us := t.End - t.Start
		f.Duration = &us
	}
	for _, a := range d.Events.Action {
		if a == snapshot.ActionOOM {
			f.OOMEvents++
		}
	}
	for i := range d.Segments {
		f.ReservedBytes += d.Segments[i].Size
	}
	f.text = newDeviceText(t)
	r.add(&f.Device, t.Findings())
	return f
}

// add notes findings, of a device or of the whole file.
func (r *report) add(device *int, found []snapshot.Finding) {
	for _, f := range found {
		j := finding{ID: f.ID, Severity: severityNames[f.Severity], Device: device, Title: f.Title, Explain: f.Explain,
			Advice: f.Advice, Count: f.Count, severity: f.Severity}
		if f.Offset >= 0 {
			j.Offset = &f.Offset
		}
		r.Findings = append(r.Findings, j)
	}
}

var severityNames = [...]string{snapshot.Info: "info", snapshot.Notice: "notice", snapshot.Warning: "warning"}
