// Package csvlog reads tables of memory over time: the log of nvidia-smi, memory_record.csv and npu_module_mem.csv of
// Ascend's profiler, and any CSV of a time and a number of bytes. profiler-files.md tells of their forms.
package csvlog

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Line is one figure of one device over time.
type Line struct {
	Name      string // as the table calls it, without the unit: "memory.used", "Total Reserved"; "" without a header
	Component string // of Ascend's tables, such as "PTA"; "" elsewhere
	Device    string // as the table has it, such as "0" or "NPU:0"; "" where it tells none
	Times     []int64
	Bytes     []int64
	Column    string // the header as it stands, with the unit
}

// A Log is what a table holds. Times are microseconds since the Unix epoch, ascending within a line; if Local they
// are those of a clock whose zone the file does not tell, taken as UTC.
type Log struct {
	Lines   []Line // none is empty; in the order in which they begin
	Local   bool
	Skipped int // rows in which something could not be read
}

// maxLines bounds how many figures a table can have.
const maxLines = 4096

// roles says what the columns of a table mean.
type roles struct {
	time, device, component int // -1 where there is none
	values                  []value
}

type value struct {
	column int
	name   string
	header string
	unit   float64 // bytes of a number that has no unit of its own
}

// Is reports whether a file that begins so may be such a table. Read says for certain.
func Is(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if !bytes.Contains(line, []byte(",")) || bytes.ContainsAny(line, "{}<\x00") {
		return false
	}
	rec, err := csv.NewReader(bytes.NewReader(line)).Read()
	if err != nil {
		return false
	}
	r, _, err := newRoles(trimmed(rec))
	return err == nil && r.time >= 0
}

// Read reads a table. The error is a sentence that says what it lacks.
func Read(data []byte) (*Log, error) {
	in := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	in.FieldsPerRecord, in.LazyQuotes, in.ReuseRecord = -1, true, true
	first, err := in.Read()
	if err != nil {
		return nil, errors.New("the table is empty")
	}
	r, header, err := newRoles(trimmed(slices.Clone(first)))
	if err != nil {
		return nil, err
	}
	log := &Log{}
	lines := map[lineKey]int{}
	if !header {
		log.row(r, lines, trimmed(first))
	}
	for {
		rec, err := in.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Skipped++
			continue
		}
		if err := log.row(r, lines, trimmed(rec)); err != nil {
			return nil, err
		}
	}
	log.sort()
	if len(log.Lines) == 0 {
		return nil, errors.New("the table has no row with a time and a number of bytes")
	}
	return log, nil
}

type lineKey struct {
	column            int
	device, component string
}

// row adds a row's numbers to their lines. The error says that there are too many lines.
func (l *Log) row(r *roles, lines map[lineKey]int, rec []string) error {
	at, local, err := parseTime(field(rec, r.time))
	if err != nil {
		l.Skipped++
		return nil
	}
	l.Local = l.Local || local
	for _, v := range r.values {
		text := field(rec, v.column)
		if text == "" || text == "[N/A]" || text == "N/A" || text == "[Not Supported]" {
			continue // the tool does not know it
		}
		n, err := parseBytes(text, v.unit)
		if err != nil {
			l.Skipped++
			continue
		}
		key := lineKey{v.column, field(rec, r.device), field(rec, r.component)}
		i, ok := lines[key]
		if !ok {
			if i = len(l.Lines); i == maxLines {
				return fmt.Errorf("the table has more than %d devices and components", maxLines)
			}
			lines[key] = i
			l.Lines = append(l.Lines, Line{Name: v.name, Column: v.header, Component: strings.Clone(key.component),
				Device: strings.Clone(key.device)})
		}
		l.Lines[i].Times = append(l.Lines[i].Times, at)
		l.Lines[i].Bytes = append(l.Lines[i].Bytes, n)
	}
	return nil
}

// sort puts each line in the order of time; rows of one moment keep theirs.
func (l *Log) sort() {
	for i := range l.Lines {
		line := &l.Lines[i]
		if slices.IsSorted(line.Times) {
			continue
		}
		order := make([]int, len(line.Times))
		for k := range order {
			order[k] = k
		}
		slices.SortStableFunc(order, func(a, b int) int { return int(min(1, max(-1, line.Times[a]-line.Times[b]))) })
		times, sizes := make([]int64, len(order)), make([]int64, len(order))
		for k, from := range order {
			times[k], sizes[k] = line.Times[from], line.Bytes[from]
		}
		line.Times, line.Bytes = times, sizes
	}
}

// newRoles tells from the first row what the columns mean, and whether that row is a header.
func newRoles(first []string) (r *roles, header bool, err error) {
	r = &roles{time: -1, device: -1, component: -1}
	for i, f := range first {
		if _, _, err := parseTime(f); err == nil {
			return noHeader(first, i)
		}
	}
	for i, f := range first {
		name, unit := unitOf(f)
		switch lower := strings.ToLower(name); {
		case r.time < 0 && (strings.HasPrefix(lower, "time") || lower == "date" || lower == "ts"):
			r.time = i
		case lower == "component":
			r.component = i
		case r.device < 0 && (lower == "index" || lower == "gpu" || lower == "device type" || lower == "device" ||
			lower == "device_id"):
			r.device = i
		case unit > 0:
			r.values = append(r.values, value{i, name, f, unit})
		}
	}
	if r.time < 0 {
		return nil, true, errors.New("the table has no column of times; for nvidia-smi ask for timestamp " +
			"first, as in nvidia-smi --query-gpu=timestamp,index,memory.used --format=csv -l 1")
	}
	if len(r.values) == 0 && len(first) == 2 {
		r.values = []value{{1 - r.time, first[1-r.time], first[1-r.time], 1}}
	}
	if len(r.values) == 0 {
		return nil, true, errors.New("the table has no column in bytes: a unit such as [MiB] or (KB) must " +
			"stand in the header, unless there are but two columns, a time and a number of bytes")
	}
	return r, true, nil
}

// noHeader takes the columns of a table without a header, whose times are in column at: as nvidia-smi writes them with
// noheader, or two columns.
func noHeader(first []string, at int) (*roles, bool, error) {
	r := &roles{time: at, device: -1, component: -1}
	unit := 1.
	if _, local, _ := parseTime(first[at]); local {
		unit = 1 << 20 // nvidia-smi counts in MiB
	}
	for i, f := range first {
		switch _, err := parseBytes(f, unit); {
		case i == at:
		case r.device < 0 && len(first) > 2 && len(f) <= 2 && err == nil:
			r.device = i
		case err == nil || f == "[N/A]":
			r.values = append(r.values, value{i, "", "", unit})
		}
	}
	if len(r.values) == 0 {
		return nil, false, errors.New("the table has no column with numbers of bytes")
	}
	return r, false, nil
}

// trimmed takes the blanks and tabs around the fields of a row away, in place.
func trimmed(rec []string) []string {
	for i, f := range rec {
		rec[i] = strings.TrimSpace(f)
	}
	return rec
}

// field is a field of a row, "" where the row is shorter or there is no such column.
func field(rec []string, column int) string {
	if column < 0 || column >= len(rec) {
		return ""
	}
	return rec[column]
}
