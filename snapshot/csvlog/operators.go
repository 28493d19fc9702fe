package csvlog

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Unknown is a time that an allocation of Ascend's table lacks.
const Unknown int64 = -1

// An Operator is a row of operator_memory.csv, an allocation by an operator (profiler-files.md, section 4). Times are
// nanoseconds since the Unix epoch.
type Operator struct {
	Name     string
	Bytes    int64 // as given: negative where only the free of an older allocation was seen
	Born     int64 // Unknown where it is from before the recording
	Released int64 // when it was freed, Unknown where it was not
	// Reusable is when its memory could be used again, which other streams can put off; Unknown where it never could.
	Reusable int64
	Stream   int64
	Device   string
	// What the pool held after the allocation, Unknown where not told.
	Allocated, Reserved, Active int64
	// What it held after the free, likewise.
	AllocatedAfter, ReservedAfter, ActiveAfter int64
}

// IsOperators reports whether a file that begins so is an operator_memory.csv.
func IsOperators(head []byte) bool {
	line, _, _ := bytes.Cut(bytes.TrimPrefix(head, []byte("\ufeff")), []byte("\n"))
	return bytes.HasPrefix(line, []byte("Name,Size(")) && bytes.Contains(line, []byte("Allocation Time(us)"))
}

// IsAscend reports whether a file that begins so may be one of the tables of Ascend's profiler that tell of pools.
func IsAscend(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return IsOperators(head) || bytes.Contains(line, []byte("Component,")) &&
		bytes.Contains(line, []byte("Total Allocated(")) && Is(head)
}

// ReadOperators reads an operator_memory.csv. skipped is how many rows could not be read.
func ReadOperators(data []byte) (list []Operator, skipped int, err error) {
	in := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\ufeff"))))
	in.FieldsPerRecord, in.LazyQuotes, in.ReuseRecord = -1, true, true
	first, err := in.Read()
	if err != nil {
		return nil, 0, errors.New("the table is empty")
	}
	var names []string
	var unit []float64
	for _, f := range trimmed(slices.Clone(first)) {
		name, u := unitOf(f)
		names, unit = append(names, name), append(unit, u)
	}
	column := func(name string) int { return slices.Index(names, name) }
	at := struct{ name, size, born, released, reusable, stream, device int }{column("Name"), column("Size"),
		column("Allocation Time"), column("Release Time"), column("Active Release Time"), column("Stream Ptr"),
		max(column("Device Type"), column("Device"), column("Device_id"))}
	if at.name < 0 || at.size < 0 || at.born < 0 {
		return nil, 0, errors.New("the table has no columns Name, Size and Allocation Time")
	}
	interned := map[string]string{} // a few operators have all rows
	for {
		rec, err := in.Read()
		if err == io.EOF {
			return list, skipped, nil
		}
		if err != nil {
			skipped++
			continue
		}
		trimmed(rec)
		bytesOf := func(c int) (int64, error) { return parseBytes(field(rec, c), unit[max(0, c)]) }
		optional := func(name string) int64 {
			if n, err := bytesOf(column(name)); err == nil {
				return n
			}
			return Unknown
		}
		size, err := bytesOf(at.size)
		op := Operator{Bytes: size, Born: nanoseconds(field(rec, at.born)),
			Released: nanoseconds(field(rec, at.released)), Reusable: nanoseconds(field(rec, at.reusable)),
			Allocated: optional("Allocation Total Allocated"), Reserved: optional("Allocation Total Reserved"),
			Active: optional("Allocation Total Active"), AllocatedAfter: optional("Release Total Allocated"),
			ReservedAfter: optional("Release Total Reserved"), ActiveAfter: optional("Release Total Active")}
		if err != nil || size == 0 || op.Born == Unknown && op.Released == Unknown && op.Reusable == Unknown {
			skipped++
			continue
		}
		op.Stream, _ = strconv.ParseInt(field(rec, at.stream), 10, 64)
		op.Name, op.Device = intern(interned, field(rec, at.name)), intern(interned, field(rec, at.device))
		list = append(list, op)
	}
}

// intern returns one copy of a text that is no part of a row.
func intern(known map[string]string, text string) string {
	if s, ok := known[text]; ok {
		return s
	}
	s := strings.Clone(text)
	known[s] = s
	return s
}

// nanoseconds reads microseconds with decimals, Unknown if there are none. A float64 has not enough digits.
func nanoseconds(text string) int64 {
	whole, fraction, _ := strings.Cut(text, ".")
	us, err := strconv.ParseInt(whole, 10, 64)
	ns, err2 := strconv.ParseInt((fraction + "000")[:3], 10, 64)
	if err != nil || err2 != nil || us <= 0 || us > 1<<62/1000 {
		return Unknown
	}
	return us*1000 + ns
}
