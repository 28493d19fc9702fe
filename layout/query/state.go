package query

import (
	"strata/layout/state"
	"strata/snapshot"
)

func (db *DB) reserved() *TableInfo {
	events := func(d *snapshot.Device) int { return d.Events.Len() }
	return db.perDevice("reserved", "what the allocator held after each event: torch.cuda.memory_stats()", events,
		func(l *lane) (int, []ColumnInfo) {
			h := l.history()
			amount := func(name, doc string, a state.Amount) ColumnInfo {
				return ColumnInfo{Name: name, Doc: doc, lowCardinality: true,
					load: func(i int) int64 { return h.Amounts(i - 1)[a] }}
			}
			return db.states(h), []ColumnInfo{
				{Name: "k", Doc: "events counted with what is joined to them; -1 is the start",
					load: func(i int) int64 { return int64(i) - 1 }},
				{Name: "event", Doc: "in events; NULL at the start", load: func(i int) int64 {
					if i == 0 {
						return null
					}
					return int64(h.Event(i - 1))
				}},
				amount("reserved", "bytes of segments: reserved_bytes.all.current", state.Reserved),
				amount("allocated", "bytes that blocks in use occupy: allocated_bytes.all.current", state.Allocated),
				amount("active", "blocks waiting to be freed included: active_bytes.all.current", state.Active),
				amount("requested", "bytes that these asked for: requested_bytes.all.current", state.Requested),
			}
		})
}

// states is how many states of the allocator there are; none are known of a profiler's file.
func (db *DB) states(h *state.History) int {
	if db.s.LacksAllocator() != "" {
		return 0
	}
	return h.Len() + 1
}

func (db *DB) segmentLives() *TableInfo {
	guess := func(d *snapshot.Device) int { return 2 * len(d.Segments) }
	kinds := []string{"large", "small"}
	return db.perDevice("segment_lives", "all segments there were, a row for each size that one had", guess,
		func(l *lane) (int, []ColumnInfo) {
			var spans []state.SegmentSpan
			var lives []int32
			for i, life := range l.history().SegmentLives() {
				for _, span := range life {
					spans, lives = append(spans, span), append(lives, int32(i))
				}
			}
			of := func(f func(s *state.SegmentSpan) int64) loader {
				return func(i int) int64 { return f(&spans[i]) }
			}
			return len(spans), []ColumnInfo{
				{Name: "life", Doc: "number of the segment", lowCardinality: true, load: ints(lives)},
				{Name: "addr", Doc: "first byte", Unsigned: true,
					load: of(func(s *state.SegmentSpan) int64 { return int64(s.Addr) })},
				{Name: "size", Doc: "bytes", lowCardinality: true,
					load: of(func(s *state.SegmentSpan) int64 { return s.Size })},
				{Name: "from_k", Doc: "the state since which it has this size",
					load: of(func(s *state.SegmentSpan) int64 { return int64(s.From) })},
				{Name: "to_k", Doc: "the first in which it no longer has it; NULL: never",
					load: of(func(s *state.SegmentSpan) int64 {
						if s.To == state.Never {
							return null
						}
						return int64(s.To)
					})},
				{Name: "stream", Doc: "CUDA stream", lowCardinality: true,
					load: of(func(s *state.SegmentSpan) int64 { return db.s.Streams[s.Stream] })},
				{Name: "pool", Doc: "memory pool, such as 0,0; NULL if not known", text: db.poolText,
					load: of(func(s *state.SegmentSpan) int64 { return known(s.Pool) })},
				{Name: "segment_type", Doc: "small or large", dict: list(kinds), lowCardinality: true,
					load: of(func(s *state.SegmentSpan) int64 { return 1 - flag(s.Large) })},
				{Name: "is_expandable", Doc: "1: an expandable segment", lowCardinality: true,
					load: of(func(s *state.SegmentSpan) int64 { return flag(s.Expandable) })},
				{Name: "stack", Doc: "where it was made, in stacks", lowCardinality: true,
					load: of(func(s *state.SegmentSpan) int64 { return known(s.Stack) })},
			}
		})
}

// atState is a table whose rows are made for a state. rows reads one.
func (db *DB) atState(name, doc string, rows func(s *state.State) (int, []loader), cols ...ColumnInfo) *TableInfo {
	return db.keyed(name, doc, &keyed{each: 1000,
		must: "the table " + name + " is made for a state: ask WHERE k = N, or k BETWEEN N AND M",
		keys: func(l *lane) (int64, int64) { return -1, int64(db.states(l.history())) - 2 },
		rows: func(l *lane, k int64) (int, []loader) { return rows(l.history().At(int(k))) },
	}, append([]ColumnInfo{{Name: "k", Doc: "the state; it must be asked for, -1 is the start"}}, cols...)...)
}

func (db *DB) pooled() *TableInfo {
	return db.atState("pools", "what each pool and stream held in the state asked for",
		func(s *state.State) (int, []loader) {
			list, peaks := s.Pools(), s.History.PoolPeaks()
			of := func(f func(p *state.PoolTotals) int64) loader {
				return func(i int) int64 { return f(&list[i]) }
			}
			return len(list), []loader{
				of(func(p *state.PoolTotals) int64 { return known(p.Pool) }),
				of(func(p *state.PoolTotals) int64 { return db.s.Streams[p.Stream] }),
				of(func(p *state.PoolTotals) int64 { return int64(p.Segments) }),
				of(func(p *state.PoolTotals) int64 { return p.Reserved }),
				of(func(p *state.PoolTotals) int64 { return p.Requested }),
				of(func(p *state.PoolTotals) int64 { return p.Free }),
				of(func(p *state.PoolTotals) int64 { return p.Largest }),
				of(func(p *state.PoolTotals) int64 { return peaks[p.PoolKey] }),
			}
		},
		ColumnInfo{Name: "pool", Doc: "such as 0,0; NULL if not known", text: db.poolText},
		ColumnInfo{Name: "stream", Doc: "CUDA stream"}, ColumnInfo{Name: "segments", Doc: "how many"},
		ColumnInfo{Name: "reserved", Doc: "bytes of segments"},
		ColumnInfo{Name: "requested", Doc: "bytes that blocks asked for"},
		ColumnInfo{Name: "free", Doc: "bytes in no block"},
		ColumnInfo{Name: "largest_free", Doc: "bytes of the largest free range"},
		ColumnInfo{Name: "reserved_peak", Doc: "the most it reserved in any state of the run, bytes"})
}

func (db *DB) stateBlocks() *TableInfo {
	return db.atState("state_blocks", "the blocks in the state asked for, by address",
		func(s *state.State) (int, []loader) {
			blocks, in := make([]state.Block, len(s.Blocks)), make([]int64, len(s.Blocks))
			for i, id := range s.Blocks {
				blocks[i], in[i] = s.History.Block(id), null
			}
			for i := range s.Segments {
				for at := s.Segments[i].First; at < s.Segments[i].End; at++ {
					in[at] = int64(s.Segments[i].Addr)
				}
			}
			stack := func(i int) snapshot.StackID {
				id, _ := s.History.StackOf(s.Blocks[i])
				return id
			}
			of := func(f func(b *state.Block) int64) loader {
				return func(i int) int64 { return f(&blocks[i]) }
			}
			return len(blocks), []loader{
				of(func(b *state.Block) int64 { return int64(b.Addr) }),
				of(func(b *state.Block) int64 { return b.Occupied }),
				of(func(b *state.Block) int64 { return b.Requested }),
				of(func(b *state.Block) int64 { return flag(b.Pending(s.K)) }),
				func(i int) int64 { return known(stack(i)) },
				func(i int) int64 { return in[i] },
				func(i int) int64 { return known(db.s.Stacks.Site[stack(i)]) },
			}
		},
		ColumnInfo{Name: "addr", Doc: "first byte", Unsigned: true},
		ColumnInfo{Name: "size", Doc: "bytes occupied; inferred of those gone at the end"},
		ColumnInfo{Name: "requested_size", Doc: "bytes asked for"},
		ColumnInfo{Name: "pending", Doc: "1: it is freed, but another stream still uses it"},
		ColumnInfo{Name: "stack", Doc: "where it was allocated, else freed, in stacks"},
		ColumnInfo{Name: "segment_addr", Doc: "first byte of its segment; NULL: it lies in none", Unsigned: true},
		ColumnInfo{Name: "site", Doc: "frame of the line of code that counts, in frames", Hidden: true,
			values: len(db.s.Frames.Name)})
}

func (db *DB) freeRanges() *TableInfo {
	type row struct {
		state.FreeRange
		in *state.Segment
	}
	return db.atState("free_ranges", "what is free within segments in the state asked for, by address",
		func(s *state.State) (int, []loader) {
			var rows []row
			for i := range s.Segments {
				for id, free := range s.Within(&s.Segments[i]) {
					if id < 0 {
						rows = append(rows, row{free, &s.Segments[i]})
					}
				}
			}
			of := func(f func(r *row) int64) loader {
				return func(i int) int64 { return f(&rows[i]) }
			}
			return len(rows), []loader{
				of(func(r *row) int64 { return int64(r.FreeRange.Addr) }),
				of(func(r *row) int64 { return r.FreeRange.Size }),
				of(func(r *row) int64 { return int64(r.in.Addr) }),
				of(func(r *row) int64 { return known(r.in.Pool) }),
				of(func(r *row) int64 { return db.s.Streams[r.in.Stream] }),
			}
		},
		ColumnInfo{Name: "addr", Doc: "first byte", Unsigned: true}, ColumnInfo{Name: "size", Doc: "bytes"},
		ColumnInfo{Name: "segment_addr", Doc: "first byte of its segment", Unsigned: true},
		ColumnInfo{Name: "pool", Doc: "such as 0,0; NULL if not known", text: db.poolText},
		ColumnInfo{Name: "stream", Doc: "CUDA stream"})
}
