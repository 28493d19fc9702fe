// Package beside lays a second file over a snapshot by the time of day: a trace of torch.profiler, whose annotations,
// operators and calls then stand over the snapshot's timeline, or a table such as a log of nvidia-smi, whose figures
// become lines.
package beside

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"strata/layout/units"
	"strata/snapshot"
	"strata/snapshot/csvlog"
	"strata/snapshot/kineto"
	"strata/snapshot/unpack"
)

// A File is one that can be laid over snapshots.
type File struct {
	Name  string
	trace *kineto.Trace // nil of a table
	table *csvlog.Log   // nil of a trace
}

// Local reports whether the times of the file are those of a clock whose zone it does not tell.
func (f *File) Local() bool { return f.table != nil && f.table.Local }

// mostMemory is what reading a file may take if there is no limit, bytes.
const mostMemory = 4 << 30

// Open reads a trace or a table. Its errors are sentences that begin with the path.
func Open(ctx context.Context, path string, limits snapshot.Limits) (*File, error) {
	memory := int64(mostMemory)
	if limits.Memory > 0 {
		memory = limits.Memory
	}
	fail := func(format string, args ...any) (*File, error) {
		return nil, fmt.Errorf(path+": "+format, args...)
	}
	file, err := unpack.Load(path)
	if err != nil {
		if pe, is := errors.AsType[*os.PathError](err); is {
			err = pe.Err
		}
		return fail("it cannot be read: %w", err)
	}
	defer file.Release()
	f := &File{Name: filepath.Base(path)}
	err = unpack.Guard(file.Data, func() error { return f.read(ctx, file.Data, memory) })
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, kineto.ErrMemory):
		return fail("it takes more memory than the %s allowed; --memory-limit raises that", units.Bytes(memory))
	case err != nil:
		return fail("it cannot be laid over a snapshot, as traces of torch.profiler and tables (CSV) of a time and "+
			"bytes can: %w", err)
	}
	return f, nil
}

// IsTable reports whether a file can be laid over snapshots but not be opened by itself: a table that is none of
// Ascend's.
func IsTable(path string) bool {
	if !strings.EqualFold(filepath.Ext(path), ".csv") {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, unpack.SniffBytes)
	n, _ := io.ReadFull(f, head)
	return csvlog.Is(head[:n]) && !csvlog.IsAscend(head[:n])
}

func (f *File) read(ctx context.Context, data []byte, memory int64) (err error) {
	if csvlog.Is(data[:min(len(data), unpack.SniffBytes)]) {
		if int64(len(data)) > memory {
			return kineto.ErrMemory
		}
		f.table, err = csvlog.Read(data)
		return err
	}
	c, err := unpack.Open(data, memory)
	if err != nil {
		return err
	}
	defer c.Close()
	if c.Format != unpack.JSON {
		return errors.New("it is neither")
	}
	var r io.Reader = bytes.NewReader(c.Data)
	if c.Data == nil {
		if r, err = c.Stream(); err != nil {
			return err
		}
	}
	f.trace, _, err = kineto.Read(r, kineto.Options{Tick: func(int64) error { return ctx.Err() }, Memory: memory})
	return err
}

// A Fit says how a file was laid.
type Fit struct {
	Zone     time.Duration // that the file's clock was taken to be ahead of UTC
	Proposed bool          // it is the one in which the times overlap most, and nobody told it
	Devices  string        // a sentence about devices that were told apart otherwise than by number, else ""
}

// Over lays the file over a snapshot, which stays as it is. zone is what a Local file's clock is ahead of UTC, nil to
// take the one in which the times overlap most. The error is a sentence that says what does not fit.
func (f *File) Over(s *snapshot.Snapshot, zone *time.Duration) (*snapshot.Snapshot, Fit, error) {
	var fit Fit
	from, to := times(s)
	switch {
	case from > to:
		return nil, fit, errors.New("the snapshot does not tell the time of any event, so that nothing can be laid " +
			"over it; PyTorch 2.2 and newer record times")
	case from < absolute:
		return nil, fit, errors.New("the times of the snapshot do not tell the day: they begin at an unknown moment")
	case f.trace != nil && f.trace.Relative:
		return nil, fit, fmt.Errorf("%s does not say when its times begin (baseTimeNanoseconds)", f.Name)
	}
	if f.Local() {
		if zone == nil {
			z, _ := f.table.ZoneOf(from, to)
			zone, fit.Proposed = &z, true
		}
		fit.Zone = *zone
	}
	first, last := f.times()
	first, last = first-fit.Zone.Microseconds(), last-fit.Zone.Microseconds()
	if first > to || last < from {
		return nil, fit, fmt.Errorf("%s is of another time: it lasts from %s to %s, the snapshot from %s to %s",
			f.Name, clock(first), clock(last), clock(from), clock(to))
	}
	if f.trace != nil {
		return s.WithTrace(f.trace, from*1000, to*1000+999), fit, nil
	}
	with, err := f.lines(s, &fit, from, to)
	return with, fit, err
}

// Lay lays files over a snapshot. What it has to say of each is a finding, the last ones: a warning of one that does
// not fit, and why.
// The error is that of the context.
func Lay(ctx context.Context, s *snapshot.Snapshot, paths []string, zone *time.Duration, limits snapshot.Limits) (
	*snapshot.Snapshot, error,
) {
	for i, path := range paths {
		found := snapshot.Finding{ID: fmt.Sprintf("beside-%d", i), Offset: -1}
		f, err := Open(ctx, path, limits)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		var with *snapshot.Snapshot
		var fit Fit
		if err == nil {
			with, fit, err = f.Over(s, zone)
		}
		if err != nil {
			c := *s
			with, found.Severity, found.Title, found.Explain = &c, snapshot.Warning, NotLaid, sentence(err.Error())
		} else {
			found.Severity, found.Title, found.Explain = f.says(fit)
		}
		s = with
		s.Findings = append(slices.Clip(s.Findings), found)
	}
	return s, nil
}

// NotLaid is the title of the finding of a file that does not fit.
const NotLaid = "file not laid over"

// says tells how a file was laid.
func (f *File) says(fit Fit) (snapshot.Severity, string, string) {
	severity, text := snapshot.Info, f.Name+" lies over the snapshot"
	if f.trace == nil {
		text += ", as lines"
	} else {
		text += ": its annotations, operators and calls stand in the lane"
	}
	if fit.Proposed {
		severity = snapshot.Notice
		text += ". It does not tell its zone: its clock is taken to be UTC" + ZoneName(fit.Zone) +
			", where the two overlap most"
	}
	if fit.Devices != "" {
		text += ". " + fit.Devices
	}
	return severity, "file laid over", sentence(text)
}

func sentence(text string) string { return strings.TrimSuffix(text, ".") + "." }

// ZoneName is what a zone adds to UTC: "+09:00", "" for nothing.
func ZoneName(z time.Duration) string {
	if z == 0 {
		return ""
	}
	return time.Time{}.In(time.FixedZone("", int(z/time.Second))).Format("-07:00")
}

// absolute is the least time of a file that says itself when it was, in microseconds: in 1973.
const absolute = 1e14

// times are those of the first and last event of a snapshot, in microseconds since the Unix epoch; the first is after
// the last where it tells none.
func times(s *snapshot.Snapshot) (from, to int64) {
	from, to = math.MaxInt64, math.MinInt64
	for _, d := range s.All() {
		list := d.Events.Time
		if d.Bands != nil {
			list = d.Bands.Time
		}
		for _, at := range list {
			if at != snapshot.NoTime {
				from, to = min(from, at), max(to, at)
			}
		}
	}
	return from, to
}

// times are those of the file, likewise, as its clock tells them.
func (f *File) times() (first, last int64) {
	first, last = math.MaxInt64, math.MinInt64
	if f.trace != nil {
		for i := range f.trace.Spans {
			s := &f.trace.Spans[i]
			first, last = min(first, s.Start/1000), max(last, s.End/1000)
		}
		return first, last
	}
	for _, l := range f.table.Lines {
		first, last = min(first, l.Times[0]), max(last, l.Times[len(l.Times)-1])
	}
	return first, last
}

// clock writes a time for people.
func clock(us int64) string { return time.UnixMicro(us).UTC().Format("2006-01-02 15:04:05 UTC") }

// lines makes series of the figures of a table, for the devices that they are of.
func (f *File) lines(s *snapshot.Snapshot, fit *Fit, from, to int64) (*snapshot.Snapshot, error) {
	c := *s
	c.Devices = slices.Clone(s.Devices)
	wanted := f.wanted()
	var numbers []int
	for _, l := range wanted {
		numbers = append(numbers, number(l.Device))
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	laid := false
	for i := range c.Devices {
		d := &c.Devices[i]
		take := d.Index
		if !slices.Contains(numbers, take) && len(c.Devices) == 1 && len(numbers) == 1 && numbers[0] >= 0 {
			take = numbers[0] // as with CUDA_VISIBLE_DEVICES
			fit.Devices = fmt.Sprintf("%s of %s is taken for %s", units.Device(take), f.Name, d.Title())
		}
		d.Series = slices.Clip(d.Series)
		for _, l := range wanted {
			if n := number(l.Device); n == take || n < 0 {
				d.Series = append(d.Series, f.series(l, fit.Zone.Microseconds(), from, to))
				laid = true
			}
		}
		for _, l := range f.table.Lines {
			if d.Memory == 0 && l.Name == "memory.total" && number(l.Device) == take {
				d.Memory = slices.Max(l.Bytes)
			}
		}
	}
	if !laid {
		return nil, fmt.Errorf("%s tells of none of the snapshot's devices, but of %s", f.Name, devices(numbers))
	}
	return &c, nil
}

// wanted are the figures that are drawn: of nvidia-smi's only what is used, as the others are constant or its opposite.
func (f *File) wanted() (lines []*csvlog.Line) {
	used := slices.ContainsFunc(f.table.Lines, func(l csvlog.Line) bool { return l.Name == "memory.used" })
	for i := range f.table.Lines {
		if l := &f.table.Lines[i]; !used || !strings.HasPrefix(l.Name, "memory.") || l.Name == "memory.used" {
			lines = append(lines, l)
		}
	}
	return lines
}

// number is the number of a device such as "0" or "NPU:0", -1 without one: then a figure is of all.
func number(device string) int {
	n := -1
	_, _ = fmt.Sscanf(device[strings.LastIndexByte(device, ':')+1:], "%d", &n)
	return n
}

func devices(numbers []int) string {
	var names []string
	for _, n := range numbers[:min(8, len(numbers))] {
		names = append(names, units.Device(n))
	}
	return strings.Join(names, ", ")
}

// series is a figure between two moments. Before its first value and after its last it is not known.
func (f *File) series(l *csvlog.Line, zone, from, to int64) snapshot.Series {
	s := snapshot.Series{Name: strings.TrimSpace(l.Component + " " + l.Name), File: f.Name}
	add := func(at, bytes int64) { s.Time, s.Bytes = append(s.Time, at), append(s.Bytes, bytes) }
	for k, at := range l.Times {
		switch at -= zone; {
		case at > to:
		case at <= from:
			s.Time, s.Bytes = append(s.Time[:0], from), append(s.Bytes[:0], l.Bytes[k])
		default:
			if len(s.Time) == 0 {
				add(from, snapshot.UnknownBytes)
			}
			add(at, l.Bytes[k])
		}
	}
	if end := l.Times[len(l.Times)-1] - zone; end < to && len(s.Time) > 0 {
		add(end+1, snapshot.UnknownBytes)
	}
	return s
}
