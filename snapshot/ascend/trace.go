package ascend

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"strata/snapshot/csvlog"
	"strata/snapshot/kineto"
)

// A maker makes the trace.
type maker struct {
	out              *Reading
	texts            map[string]uint32
	byName           map[string][]int32 // operators by name, as they begin
	births, releases uint32             // the threads of what no operator of the trace explains
	told             map[moment]bool    // totals that rows of operator_memory.csv tell
}

// A moment is what a pool held after an event, at a microsecond.
type moment struct {
	id    kineto.DeviceID
	us    int64
	bytes int64
}

// pools are the components that are pools of an NPU.
var pools = map[string]int16{"PTA": PTA, "GE": GE}

// take goes on with a trace, which has no events about memory.
func (m *maker) take(t *kineto.Trace) {
	if t == nil {
		return
	}
	t.Memory, t.NoKineto, t.Relative = nil, false, false
	m.out.Trace = t
}

// begin finds the operators, and makes the threads.
func (m *maker) begin() {
	t := m.out.Trace
	m.texts, m.byName, m.told = map[string]uint32{}, map[string][]int32{}, map[moment]bool{}
	for id, text := range t.Texts {
		m.texts[text] = uint32(id)
	}
	var most uint32
	spans := make([]int, len(t.Threads)+1)
	for i := range t.Spans {
		s := &t.Spans[i]
		if spans[s.Thread]++; spans[s.Thread] > spans[most] {
			most = s.Thread
		}
		if s.Kind == kineto.OpSpan {
			m.byName[t.Text(s.Text)] = append(m.byName[t.Text(s.Text)], int32(i))
		}
	}
	for _, list := range m.byName {
		slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(t.Spans[a].Start, t.Spans[b].Start) })
	}
	pid := "" // the steps are those of the process
	if len(t.Threads) > 0 {
		pid = t.Threads[most].PID
	}
	m.births = uint32(len(t.Threads))
	m.releases = m.births + 1
	t.Threads = append(t.Threads, kineto.Thread{PID: pid, TID: "operator_memory.csv", Name: "thread not known"},
		kineto.Thread{PID: pid, TID: "operator_memory.csv, releases", Name: "thread not known"})
}

// furthest is how many operators of a name are looked at for the one that lasted at a moment.
const furthest = 64

// threadOf is the thread in which an operator lasted at a moment.
func (m *maker) threadOf(name string, at int64) (uint32, bool) {
	spans, list := m.out.Spans, m.byName[name]
	n, _ := slices.BinarySearchFunc(list, at, func(i int32, at int64) int {
		if spans[i].Start <= at {
			return -1
		}
		return 1
	})
	for _, i := range slices.Backward(list[max(0, n-furthest):n]) {
		if spans[i].End >= at {
			return spans[i].Thread, true
		}
	}
	return 0, false
}

// operators makes the events of allocations, and notes the figures of the table. Their addresses are made up: the table
// has none.
func (m *maker) operators(list []csvlog.Operator) {
	t := m.out.Trace
	for i := range list {
		op := &list[i]
		e := kineto.Memory{Order: int64(i), Addr: int64(i+1) << 9, Device: kineto.DeviceID{Type: poolOf(op.Name),
			Index: number(op.Device)}}
		thread, known := m.threadOf(op.Name, op.Born)
		if op.Born != csvlog.Unknown {
			if !known {
				thread = m.births
				t.Spans = append(t.Spans, kineto.Span{Start: op.Born, End: op.Born, Text: m.text(op.Name),
					Thread: thread, Op: -1})
			}
			e.Time, e.Bytes, e.Thread = op.Born, max(0, op.Bytes), thread
			e.Total, e.Held = total(op.Allocated), total(op.Reserved)
			m.add(e, op.Stream)
		}
		if gone := cmp.Or(op.Released+1, op.Reusable+1) - 1; gone != csvlog.Unknown {
			if !known {
				thread = m.releases
			}
			e.Time, e.Bytes, e.Thread = gone, -max(op.Bytes, -op.Bytes), thread
			e.Total, e.Held = total(op.AllocatedAfter), total(op.ReservedAfter)
			m.add(e, op.Stream)
			if wait := op.Reusable - op.Released; op.Released != csvlog.Unknown && wait > 0 {
				m.out.Later++
				m.out.Latest = max(m.out.Latest, wait)
			}
		}
		m.row(op)
	}
}

// row adds a row to the figures of the table.
func (m *maker) row(op *csvlog.Operator) {
	key := strings.TrimSpace(operators + " " + op.Device)
	f := m.out.Figures[key]
	if f == nil {
		f = map[string]int64{"negative": 0, "released": 0}
		m.out.Figures[key] = f
	}
	f["rows"]++
	f["bytes"] += op.Bytes
	if op.Bytes < 0 {
		f["negative"]++
	}
	if op.Released != csvlog.Unknown {
		f["released"]++
	}
	for name, n := range map[string]int64{"Allocation Total Allocated(MB)": op.Allocated,
		"Allocation Total Reserved(MB)": op.Reserved, "Allocation Total Active(MB)": op.Active,
		"Release Total Allocated(MB)": op.AllocatedAfter, "Release Total Reserved(MB)": op.ReservedAfter,
		"Release Total Active(MB)": op.ActiveAfter} {
		if n != csvlog.Unknown {
			f[name] = max(f[name], n)
		}
	}
}

func (m *maker) add(e kineto.Memory, stream int64) {
	m.told[moment{e.Device, e.Time / 1000, e.Total}] = true
	m.out.Memory, m.out.Streams = append(m.out.Memory, e), append(m.out.Streams, stream)
	m.out.Events++
}

func (m *maker) text(s string) uint32 {
	id, known := m.texts[s]
	if !known {
		id = uint32(len(m.out.Texts))
		m.out.Texts = append(m.out.Texts, s)
		m.texts[s] = id
	}
	return id
}

// log takes a table of totals. Those of the two pools become events that change nothing but the totals, unless a row
// of operator_memory.csv tells of them; the others become lines.
func (m *maker) log(name string, log *csvlog.Log) {
	for i := range log.Lines {
		l := &log.Lines[i]
		most := slices.Max(l.Bytes)
		if most == 0 { // most components of npu_module_mem.csv
			continue
		}
		m.figures(strings.TrimSpace(name+" "+l.Component+" "+l.Device), int64(len(l.Bytes)), l.Column, most)
		pool, is := pools[l.Component]
		switch {
		case name == records && is && l.Name == "Total Allocated":
			m.totals(log, l, kineto.DeviceID{Type: pool, Index: number(l.Device)})
		case is, l.Component == "PTA+GE": // a sum of the two
		case name == records || l.Component != "APP": // which is in both tables
			m.out.Lines = append(m.out.Lines, Line{number(l.Device), l})
		}
	}
}

// totals makes events of what a pool held, with what was reserved for it at the same moments.
func (m *maker) totals(log *csvlog.Log, l *csvlog.Line, id kineto.DeviceID) {
	held := map[int64]int64{}
	for i := range log.Lines {
		if o := &log.Lines[i]; o.Component == l.Component && o.Device == l.Device && o.Name == "Total Reserved" {
			for k, at := range o.Times {
				held[at] = o.Bytes[k]
			}
		}
	}
	for k, at := range l.Times {
		if m.told[moment{id, at, l.Bytes[k]}] {
			continue
		}
		e := kineto.Memory{Time: at*1000 + 999, Order: int64(m.out.Events), Total: l.Bytes[k], Held: kineto.None,
			Thread: m.releases, Device: id}
		if n, known := held[at]; known {
			e.Held = n
		}
		m.add(e, 0)
	}
}

// figures notes how many rows a table has, and the most of one of its columns.
func (m *maker) figures(table string, rows int64, column string, most int64) {
	if m.out.Figures[table] == nil {
		m.out.Figures[table] = map[string]int64{"rows": rows}
	}
	m.out.Figures[table][column] = most
}

// poolOf is the pool that an operator's memory is of.
func poolOf(name string) int16 {
	if strings.HasPrefix(name, "cann::") {
		return GE
	}
	return PTA
}

// number is the number in "NPU:0" or "0".
func number(device string) int16 {
	n, err := strconv.ParseInt(device[strings.LastIndexByte(device, ':')+1:], 10, 16)
	if err != nil {
		return 0
	}
	return max(0, int16(n))
}

// total is what a table tells, as a trace has it.
func total(bytes int64) int64 {
	if bytes < 0 {
		return kineto.None
	}
	return bytes
}
