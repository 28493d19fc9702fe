package query

import "strata/snapshot"

// spans are all spans of a trace, and ops those of them that are operators. Both are empty for snapshots.
func (db *DB) spans() (spans, ops *TableInfo) {
	s := &db.s.Spans
	var operators []int32
	for i, kind := range s.Kind {
		if kind == snapshot.SpanOperator {
			operators = append(operators, int32(i))
		}
	}
	table := func(name, doc, number string, n int, row func(i int) int, more ...ColumnInfo) *TableInfo {
		thread := func(f func(*snapshot.Thread) string) func(int64) string {
			return func(code int64) string { return f(&db.s.Threads[code]) }
		}
		ofThread := func(i int) int64 { return int64(s.Thread[row(i)]) }
		for k := range more {
			load := more[k].load
			more[k].load = func(i int) int64 { return load(row(i)) }
		}
		return whole(name, doc, n, append([]ColumnInfo{
			{Name: number, Doc: "its number in spans", load: func(i int) int64 { return int64(row(i)) }},
			{Name: "name", Doc: "of Python \"file(line): function\"", text: db.str, lowCardinality: true,
				load: func(i int) int64 { return int64(s.Name[row(i)]) }},
			{Name: "thread", Doc: "its id", lowCardinality: true, load: ofThread,
				text: thread(func(t *snapshot.Thread) string { return t.TID })},
			{Name: "process", Doc: "its id", lowCardinality: true, load: ofThread,
				text: thread(func(t *snapshot.Thread) string { return t.PID })},
			{Name: "start_ns", Doc: "nanoseconds since 1970", load: func(i int) int64 { return s.Start[row(i)] }},
			{Name: "end_ns", Doc: "likewise", load: func(i int) int64 { return s.End[row(i)] }},
			{Name: "parent", Doc: "the span around it in its thread, in spans", load: func(i int) int64 {
				if p := s.Parent[row(i)]; p >= 0 {
					return int64(p)
				}
				return null
			}},
		}, more...)...)
	}
	spans = table("spans", "what lasted in a trace of torch.profiler: operators, annotations, calls in Python", "span",
		len(s.Name), func(i int) int { return i },
		ColumnInfo{Name: "cat", Doc: "cpu_op, user_annotation or python_function", lowCardinality: true,
			text: func(code int64) string { return snapshot.SpanKind(code).String() },
			load: func(i int) int64 { return int64(s.Kind[i]) }})
	ops = table("ops", "operators of a trace", "span", len(operators), func(i int) int { return int(operators[i]) },
		ColumnInfo{Name: "sequence", Doc: "number of its autograd node, the same in forward and backward",
			load: func(i int) int64 { return s.Sequence[i] }},
		ColumnInfo{Name: "input_shapes", Doc: "of its inputs, where recorded", text: db.str, lowCardinality: true,
			load: func(i int) int64 { return known(s.Shapes[i]) }})
	return spans, ops
}
