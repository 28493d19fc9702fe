// Package memtimeline reads what torch.profiler's export_memory_timeline writes: bytes by category over time, as JSON
// or raw JSON, and the picture in its HTML. profiler-files.md, section 2, tells of the forms.
package memtimeline

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Categories are PyTorch's own, in the order in which the files number them.
var Categories = [...]string{"parameter", "optimizer_state", "input", "temporary", "activation", "gradient",
	"autograd_detail", "unknown"}

// A Timeline is the bytes of each category over time. State i lasts from Times[i] to Times[i+1].
type Timeline struct {
	Times []int64 // nanoseconds since the Unix epoch, or since the beginning in files of before March 2023
	Bytes [len(Categories)][]int64
	Raw   bool // the file is raw: a state for each change, in place of one for each microsecond
	// Odd counts rows that could not be: unknown categories or actions, times that go back.
	Odd int
}

// Is reports whether a file that begins so may be the JSON of a timeline. Read says for certain.
func Is(head []byte) bool {
	head = bytes.Join(bytes.Fields(head[:min(len(head), 4096)]), nil)
	if len(head) < 3 || head[0] != '[' || head[1] != '[' {
		return false
	}
	return head[2] == '-' || head[2] >= '0' && head[2] <= '9'
}

// The actions of raw rows (profiler-files.md, section 2).
const (
	preexisting = 1 + iota
	create
	incrementVersion
	destroy
)

// Read reads the JSON of a timeline. The error is a sentence.
func Read(data []byte) (*Timeline, error) {
	var pair []json.RawMessage
	if err := json.Unmarshal(data, &pair); err != nil {
		return nil, fmt.Errorf("the memory timeline is damaged: %v", err)
	}
	if len(pair) == 2 {
		var times []int64
		var sizes [][]int64
		if json.Unmarshal(pair[0], &times) == nil && json.Unmarshal(pair[1], &sizes) == nil {
			return coalesced(times, sizes)
		}
	}
	rows := make([][4]int64, len(pair))
	for i, p := range pair {
		var row []int64
		if err := json.Unmarshal(p, &row); err != nil || len(row) != 4 {
			return nil, fmt.Errorf("row %d of the memory timeline is no list of four whole numbers", i)
		}
		rows[i] = [4]int64(row)
	}
	t := raw(rows)
	if len(t.Times) == 0 {
		return nil, errors.New("the memory timeline is empty")
	}
	return t, nil
}

// coalesced makes a timeline of lists of times and of sizes, of which the first is a zero for sums.
func coalesced(times []int64, sizes [][]int64) (*Timeline, error) {
	if len(times) != len(sizes) || len(times) == 0 {
		return nil, fmt.Errorf("the memory timeline has %d times and %d rows of sizes", len(times), len(sizes))
	}
	t := &Timeline{}
	for i, row := range sizes {
		if len(row) < len(Categories) {
			return nil, fmt.Errorf("row %d of the memory timeline has %d sizes, not %d", i, len(row), len(Categories)+1)
		}
		row = row[len(row)-len(Categories):]
		t.add(times[i]*1000, [len(Categories)]int64(row))
	}
	return t, nil
}

// raw makes a timeline of rows of time, action, bytes and category. Between the two rows of a new version there is no
// state.
func raw(rows [][4]int64) *Timeline {
	t := &Timeline{Raw: true}
	first := int64(0)
	for _, r := range rows {
		if ns := r[0]; ns > 0 && (first == 0 || ns < first) {
			first = ns
		}
	}
	var state [len(Categories)]int64
	for _, r := range rows {
		ns, action, size, category := r[0], r[1], r[2], r[3]
		if action < preexisting || action > destroy || category < 0 || category >= int64(len(Categories)) {
			t.Odd++
			continue
		}
		if state[category] += size; action == incrementVersion && size < 0 {
			continue
		}
		if ns <= 0 {
			ns = first
		}
		t.add(ns, state)
	}
	return t
}

// add adds a state.
func (t *Timeline) add(ns int64, state [len(Categories)]int64) {
	if n := len(t.Times); n > 0 && ns < t.Times[n-1] {
		t.Odd++
		ns = t.Times[n-1]
	}
	t.Times = append(t.Times, ns)
	for c, n := range state {
		t.Bytes[c] = append(t.Bytes[c], n)
	}
}

// Total is the bytes of all categories in state i.
func (t *Timeline) Total(i int) (sum int64) {
	for c := range t.Bytes {
		sum += t.Bytes[c][i]
	}
	return sum
}

// Peak is the first state in which most bytes were held.
func (t *Timeline) Peak() (state int) {
	most := t.Total(0)
	for i := 1; i < len(t.Times); i++ {
		if n := t.Total(i); n > most {
			state, most = i, n
		}
	}
	return state
}

// title is that of the HTML form.
var title = []byte("<title>GPU Memory Timeline HTML</title>")

// IsHTML reports whether a file that begins so is the HTML form.
func IsHTML(head []byte) bool { return bytes.Contains(head, title) }

// Picture returns the PNG in the HTML form. It is the only thing that form holds.
func Picture(html []byte) ([]byte, error) {
	_, rest, ok := bytes.Cut(html, []byte("data:image/png;base64,"))
	end := bytes.IndexAny(rest, `'"`)
	if !ok || end < 0 {
		return nil, errors.New("the file is cut off before the end of its picture")
	}
	png, err := base64.StdEncoding.AppendDecode(nil, slices.DeleteFunc(bytes.Clone(rest[:end]), func(b byte) bool {
		return b == '\n' || b == '\r' || b == ' '
	}))
	if err != nil || !bytes.HasPrefix(png, []byte("\x89PNG")) {
		return nil, errors.New("its picture is damaged")
	}
	return png, nil
}
