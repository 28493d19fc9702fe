package report

import (
	"fmt"
	"strconv"

	"strata/layout/state"
	"strata/snapshot"
)

// A figure is written as a text where JavaScript would round it.
type figure int64

// MarshalJSON writes the number.
func (n figure) MarshalJSON() ([]byte, error) {
	text := strconv.FormatInt(int64(n), 10)
	if n >= 1<<53 || n <= -1<<53 {
		text = `"` + text + `"`
	}
	return []byte(text), nil
}

// address is an address as JSON has it.
func address(addr uint64) any {
	if addr >= 1<<53 {
		return strconv.FormatUint(addr, 10)
	}
	return addr
}

// A State is a state of the allocator as scripts read it: keys may be added, none is renamed. Sizes are in bytes.
type State struct {
	K         int               `json:"k"`
	Raw       int               `json:"raw"`
	Action    *string           `json:"action"`
	Totals    map[string]figure `json:"totals"`
	Cached    Cached            `json:"cached"`
	Pools     map[string][]any  `json:"pools"`
	OOM       *OOM              `json:"oom"`
	Segments  []any             `json:"segments"`
	Outside   []any             `json:"outside"`
	Anomalies map[string]int    `json:"anomalies"`
}

// Cached is what of the segments is in no block.
type Cached struct {
	Free       figure `json:"free"`
	Releasable figure `json:"releasable"` // what torch.cuda.empty_cache() would give back
}

// An OOM is what the allocator had when a request failed.
type OOM struct {
	Asked      figure           `json:"asked"`
	Segment    figure           `json:"segment"`
	DeviceFree figure           `json:"device_free"`
	Stream     figure           `json:"stream"`
	Pool       any              `json:"pool"`
	Free       map[string][]any `json:"free"`
	Pending    figure           `json:"pending"`
	Pinned     []any            `json:"pinned"`
}

// NewState reports a state.
func NewState(s *state.State) *State {
	h, t := s.History, &s.Totals
	r := &State{K: s.K, Raw: h.Event(s.K), Pools: map[string][]any{}, Segments: []any{}, Outside: []any{},
		Anomalies: map[string]int{}}
	if s.K >= 0 {
		action := h.Action(s.K).String()
		r.Action = &action
	}
	for what, n := range h.Anomalies.Each {
		r.Anomalies[what] = n
	}
	r.Totals = map[string]figure{"reserved": figure(t.Reserved), "requested": figure(t.Requested),
		"allocated": figure(t.Allocated), "active": figure(t.Active), "pending": figure(t.Pending),
		"inactive_split": figure(t.InactiveSplit), "largest_free": figure(t.Largest),
		"viewer_rounded": figure(s.ViewerRounded()), "segments": figure(t.Segments), "blocks": figure(t.Blocks)}
	r.Cached = Cached{Free: figure(t.Free), Releasable: figure(t.Releasable)}
	for _, p := range s.Pools() {
		r.Pools[PoolName(h, p.PoolKey)] = []any{figure(p.Reserved), figure(p.Requested), figure(p.Free),
			figure(p.Largest)}
	}
	for i := range s.Segments {
		g := &s.Segments[i]
		blocks := []any{}
		for _, id := range s.Blocks[g.First:g.End] {
			blocks = append(blocks, blockRow(s, id, g.Addr))
		}
		r.Segments = append(r.Segments, []any{address(g.Addr), figure(g.Size), figure(h.Snapshot.Streams[g.Stream]),
			poolPair(h.Snapshot, g.Pool), g.Expandable, blocks})
	}
	for _, id := range s.Outside {
		r.Outside = append(r.Outside, blockRow(s, id, 0))
	}
	if o := s.OOM(); o != nil {
		r.OOM = NewOOM(o)
	}
	return r
}

func blockRow(s *state.State, id int32, from uint64) []any {
	b, pending := s.History.Block(id), 0
	if b.Pending(s.K) {
		pending = 1
	}
	return []any{address(b.Addr - from), figure(b.Occupied), figure(b.ViewerSize()), figure(b.Requested), pending}
}

// poolPair is a pool's id, nil if it is not known.
func poolPair(s *snapshot.Snapshot, id snapshot.PoolID) any {
	if id == 0 {
		return nil
	}
	return []figure{figure(s.Pools[id].A), figure(s.Pools[id].B)}
}

// PoolName names a pool and stream, such as 0,0,s0; ? stands for an unknown pool.
func PoolName(h *state.History, p state.PoolKey) string {
	name := "?"
	if p.Pool != 0 {
		name = fmt.Sprintf("%d,%d", h.Snapshot.Pools[p.Pool].A, h.Snapshot.Pools[p.Pool].B)
	}
	return fmt.Sprintf("%s,s%d", name, h.Snapshot.Streams[p.Stream])
}

// MostPinned is how many pinned segments are told.
const MostPinned = 5

// NewOOM reports a request that failed.
func NewOOM(o *state.OOM) *OOM {
	s := o.State.History.Snapshot
	r := &OOM{Asked: figure(o.Asked), Segment: figure(o.Needed), DeviceFree: figure(o.Free),
		Stream: figure(s.Streams[o.Stream]), Pool: poolPair(s, o.Pool), Free: map[string][]any{},
		Pending: figure(o.State.Totals.Pending), Pinned: []any{}}
	for group, name := range [state.Groups]string{"usable", "other_stream", "other_kind", "other_pool"} {
		r.Free[name] = []any{figure(o.Room[group].Bytes), figure(o.Room[group].Largest)}
	}
	for _, p := range o.Pinned[:min(MostPinned, len(o.Pinned))] {
		r.Pinned = append(r.Pinned, []any{address(p.Addr), figure(p.Size), figure(p.Free), p.End - p.First,
			figure(p.Occupied)})
	}
	return r
}
