package csvlog

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// units are what the tables count in, all by 1024 (profiler-files.md, sections 3 and 4).
var units = map[string]float64{"b": 1, "byte": 1, "bytes": 1, "kb": 1 << 10, "kib": 1 << 10, "mb": 1 << 20,
	"mib": 1 << 20, "gb": 1 << 30, "gib": 1 << 30}

// unitOf splits the unit off a column's name, 0 if it has none of bytes: "memory.used [MiB]", "Size(KB)".
func unitOf(column string) (name string, unit float64) {
	column = strings.TrimSpace(column)
	for _, pair := range []string{"[]", "()"} {
		if i := strings.LastIndexByte(column, pair[0]); i >= 0 && column[len(column)-1] == pair[1] {
			return strings.TrimSpace(column[:i]), units[strings.ToLower(column[i+1:len(column)-1])]
		}
	}
	return column, 0
}

// parseBytes reads a number of bytes; unit is that of one without its own.
func parseBytes(text string, unit float64) (int64, error) {
	number, own, _ := strings.Cut(text, " ")
	if own != "" {
		var known bool
		if unit, known = units[strings.ToLower(strings.TrimSpace(own))]; !known {
			return 0, errors.New("unknown unit")
		}
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(f) || math.Abs(f*unit) > 1<<60 {
		return 0, errors.New("no number of bytes")
	}
	return int64(f * unit), nil
}

// layouts are the written forms of times; the local ones have no zone.
var layouts = []struct {
	form  string
	local bool
}{
	{"2006/01/02 15:04:05.999999999", true}, // nvidia-smi
	{"2006-01-02 15:04:05.999999999", true},
	{"2006-01-02T15:04:05.999999999", true},
	{time.RFC3339Nano, false},
	{"2006-01-02 15:04:05.999999999Z07:00", false},
}

// parseTime reads a time as microseconds since the Unix epoch: a date, or a number of seconds, milliseconds,
// microseconds or nanoseconds since then, told apart by size, which fits all times from 1973 on.
func parseTime(text string) (us int64, local bool, err error) {
	if len(text) < 9 {
		return 0, false, errors.New("no time")
	}
	for _, l := range layouts {
		if t, err := time.Parse(l.form, text); err == nil {
			return t.UnixMicro(), l.local, nil
		}
	}
	whole, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n < 1e8 {
		return 0, false, errors.New("no time")
	}
	// Digits behind the point are taken as digits: a float64 has not enough of them.
	fraction = (fraction + "000000")[:6]
	micros, err := strconv.ParseInt(fraction, 10, 64)
	switch {
	case err != nil:
		return 0, false, errors.New("no time")
	case n < 1e11: // seconds
		return n*1e6 + micros, false, nil
	case n < 1e14: // milliseconds
		return n*1e3 + micros/1e3, false, nil
	case n < 1e17:
		return n, false, nil
	}
	return n / 1e3, false, nil
}

// ZoneOf proposes the zone of a local clock, as what is to be taken from its times, for a log that belongs to
// something from microsecond from to microsecond to: of the zones in use the one in which they overlap most, of
// equal ones the nearest to UTC. False where none makes them overlap.
func (l *Log) ZoneOf(from, to int64) (zone time.Duration, ok bool) {
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range l.Lines {
		t := l.Lines[i].Times
		first, last = min(first, t[0]), max(last, t[len(t)-1])
	}
	best := int64(-1)
	for quarter := range 57 { // UTC, ±15 min, … to UTC+14; those beyond UTC−12 do no harm
		for _, sign := range []time.Duration{1, -1} {
			z := sign * time.Duration(quarter) * 15 * time.Minute
			a, b := max(first-z.Microseconds(), from), min(last-z.Microseconds(), to)
			if b-a > best {
				best, zone, ok = b-a, z, true
			}
		}
	}
	return zone, ok
}
