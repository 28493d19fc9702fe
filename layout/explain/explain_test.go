package explain

import (
	"fmt"
	"strings"
	"testing"

	"strata/layout/state"
	"strata/snapshot"
)

const mib = 1 << 20

// A made segment has blocks of so many MiB, free between them where it is negative.
type segment struct {
	parts      []int64
	stream     snapshot.StreamID
	pool       snapshot.PoolID
	small      bool
	expandable bool
	pending    bool
}

// made is a file whose only event is a request of so many bytes that failed.
func made(asked, free int64, pool snapshot.PoolID, settings []snapshot.Setting,
	segments ...segment) *snapshot.Snapshot {
	s := &snapshot.Snapshot{Strings: []string{"", "train.py", "step"}, Streams: []int64{0, 7},
		Pools: []snapshot.Pool{{}, {}, {A: 1}, {B: 4}}, Metas: []snapshot.Meta{{}, {Pool: pool}}, Settings: settings,
		Frames: snapshot.Frames{Name: []snapshot.StringID{0, 2}, File: []snapshot.StringID{0, 1}, Line: []int32{0,
			118}},
		Stacks: snapshot.Stacks{Start: []uint32{0, 0, 1}, Frame: []snapshot.FrameID{1}, Site: []snapshot.FrameID{0, 1}}}
	d := snapshot.Device{Events: snapshot.Events{Action: []snapshot.Action{snapshot.ActionOOM},
		Addr: []uint64{uint64(free)},
		Size: []int64{asked}, Stream: []snapshot.StreamID{0}, Stack: []snapshot.StackID{1}, Meta: []snapshot.MetaID{1}}}
	at := uint64(1 << 40)
	for _, g := range segments {
		seg := snapshot.Segment{Addr: at, Stream: g.stream, Pool: g.pool, Large: !g.small, Expandable: g.expandable}
		for _, part := range g.parts {
			b, state := &d.Blocks, snapshot.BlockAllocated
			if g.pending {
				state = snapshot.BlockPendingFree
			}
			if part < 0 {
				part, state = -part, snapshot.BlockInactive
			}
			size := part * mib
			b.Addr, b.Size, b.Requested = append(b.Addr, at), append(b.Size, size), append(b.Requested, size)
			b.State, b.Stack = append(b.State, state), append(b.Stack, 1)
			at += uint64(size)
			seg.Size += size
		}
		at += 64 * mib
		d.Segments = append(d.Segments, seg)
	}
	s.Devices = []snapshot.Device{d}
	return s
}

func set(pairs ...string) []snapshot.Setting {
	list := []snapshot.Setting{{Key: "expandable_segments", Value: "False"}}
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, snapshot.Setting{Key: pairs[i], Value: pairs[i+1]})
	}
	return list
}

// said is all that an explanation says.
func said(x *Explanation) (text string) {
	for _, s := range x.Sentences {
		text += s.Text + " " + s.Advice + "\n"
	}
	return text
}

// TestSituations: each situation is told from the others, in sentences from its numbers, and advice stands only where
// its reason does.
func TestSituations(t *testing.T) {
	const hint, dflt = "expandable_segments:True", snapshot.PoolID(1)
	comb := segment{parts: []int64{-30, 1, -30, 1, -30, 1}, pool: dflt}
	for _, c := range []struct {
		name   string
		s      *snapshot.Snapshot
		cause  Fact
		says   []string // all of these
		silent []string // none of these
	}{
		{"fragmented", made(80*mib, 10*mib, dflt, set(), comb), Fragmented, []string{
			"Asked for 80.0 MiB (needs a new segment of 80.0 MiB). The device had 10.0 MiB free.",
			"90.0 MiB of cache was free for this pool and stream, but in 3 pieces, and the largest is 30.0 MiB", hint,
			"3 blocks (3.00 MiB) keep 1 segment from being returned, of which 90.0 MiB is free"},
			[]string{"not recorded"}},
		{"fragmented, expandable on", made(80*mib, 10*mib, dflt, set("expandable_segments", "True"), segment{
			parts: comb.parts, pool: dflt, expandable: true}), Fragmented,
			[]string{"Expandable segments were on already"}, []string{hint}},
		{"fragmented, settings unknown", made(80*mib, 10*mib, dflt, nil, comb), Fragmented,
			[]string{"settings are not recorded"}, []string{hint}},
		{"other stream", made(80*mib, 10*mib, dflt, set(), segment{parts: []int64{-100, 1}, pool: dflt, stream: 1}),
			Streams,
			[]string{"100.0 MiB of free cache belongs to other streams (stream 7: 100.0 MiB)"}, []string{hint}},
		{"graph's pool", made(80*mib, 10*mib, dflt, set(), segment{parts: []int64{-100, 1}, pool: 2}), Pools,
			[]string{"100.0 MiB of free cache belongs to other pools ((1,0) of a CUDA graph: 100.0 MiB)"},
			[]string{hint}},
		{"user's pool", made(80*mib, 10*mib, dflt, set(), segment{parts: []int64{-100, 1}, pool: 3}), Pools,
			[]string{"(0,4) a MemPool"}, []string{hint}},
		{"small segments", made(4*mib, 1*mib, dflt, set(), segment{parts: []int64{-4}, pool: dflt, small: true}), Kinds,
			[]string{"4.00 MiB of free cache is in segments for requests up to 1 MiB"}, []string{hint}},
		{"truly full", made(80*mib, 10*mib, dflt, set(), segment{parts: []int64{900, -5}, pool: dflt}), Full,
			[]string{"holds 900.0 MiB in live tensors; free inside its cache is only 5.00 MiB, in 1 piece"},
			[]string{hint, "Fragmented"}},
		{"full but for pieces", made(80*mib, 70*mib, dflt, set(), segment{parts: []int64{900, -15, 1}, pool: dflt}),
			Full, []string{"is only 15.0 MiB, in 1 piece, which with what the device had would do in one piece."},
			[]string{"nothing is free", "Even if"}},
		{"more than all", made(80*mib, 10*mib, dflt, set(), segment{parts: []int64{20}, pool: dflt}), Full,
			[]string{"holds 20.0 MiB in live tensors; nothing is free inside its cache. Even if all that it " +
				"holds were given back, there would be only 30.0 MiB."}, []string{"0 B", "piece"}},
		{"pages that did not fit", made(53*mib, 54*mib, dflt, set("expandable_segments", "True"), segment{
			parts: []int64{20}, pool: dflt, expandable: true}), Full,
			[]string{"needs at most 60.0 MiB more, as expandable segments are on"}, []string{"limit", "Even if"}},
		{"limit that is told", made(80*mib, 100*mib, dflt, set("PYTORCH_CUDA_ALLOC_CONF",
			"per_process_memory_fraction:0.5"), segment{parts: []int64{900}, pool: dflt}), Limit,
			[]string{"per_process_memory_fraction is set to 0.5"}, []string{"does not tell it"}},
		{"split limit", made(80*mib, 10*mib, dflt, set("max_split_size", fmt.Sprint(128*mib)), segment{
			parts: []int64{-512, 1}, pool: dflt}), SplitLimit,
			[]string{"(128.0 MiB) may not be split: a free range of 512.0 MiB was passed over"},
			[]string{hint}},
		{"memory limit", made(80*mib, 100*mib, dflt, set(), segment{parts: []int64{900}, pool: dflt}), Limit,
			[]string{"a limit below the device's memory seems to be set"}, []string{hint}},
		{"would have fit", made(80*mib, 10*mib, dflt, set(), segment{parts: []int64{-90, 1}, pool: dflt}), Fits,
			[]string{"A free range of 90.0 MiB did fit", "pytorch#189504"}, []string{hint}},
		{"switched off", made(80*mib, 10*mib, dflt, set(), segment{parts: []int64{-90, 1}, pool: dflt,
			expandable: true}),
			Switched, []string{"were switched off"}, []string{hint}},
		{"pending", made(80*mib, 10*mib, 0, set(), segment{parts: []int64{50}, pending: true}), Full,
			[]string{"50.0 MiB is freed, but still in use by another stream", "pool is not recorded"}, []string{hint}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := state.New(c.s, &c.s.Devices[0])
			x := Explain(h, Events(h), 0, 0)
			text := said(x)
			if x.Cause != c.cause || x.Number != 1 || x.Count != 1 {
				t.Errorf("cause %q, %d of %d, want %q", x.Cause, x.Number, x.Count, c.cause)
			}
			for _, want := range c.says {
				if !strings.Contains(text, want) {
					t.Errorf("says\n%swithout %q", text, want)
				}
			}
			for _, never := range c.silent {
				if strings.Contains(text, never) {
					t.Errorf("says\n%swith %q", text, never)
				}
			}
		})
	}
}

// TestOutside: what is outside PyTorch is told only where the device's memory is known, and pins have their lines.
func TestOutside(t *testing.T) {
	s := made(80*mib, 10*mib, 1, set(), segment{parts: []int64{-30, 1, -30}, pool: 1})
	h := state.New(s, &s.Devices[0])
	last := func(capacity int64) string {
		x := Explain(h, Events(h), 0, capacity)
		return x.Sentences[len(x.Sentences)-1].Text
	}
	for capacity, want := range map[int64]string{0: "unknown", 171 * mib: "100.0 MiB is outside PyTorch",
		20 * mib: "its memory is not 20.0 MiB"} {
		if got := last(capacity); !strings.Contains(got, want) {
			t.Errorf("with %d bytes it says %q", capacity, got)
		}
	}
	o := h.At(0).OOM()
	pins := Pins(o.State, &o.Pinned[0])
	if len(pins) != 1 || pins[0].Line != "train.py:118 step" || !pins[0].Old {
		t.Errorf("pins %+v", pins)
	}
}
