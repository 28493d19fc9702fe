package snapshot

import (
	"math/rand/v2"
	"strings"
)

// manyEvents is a snapshot of n events with stacks, of several shapes, with all that makes a dict unusual now and
// then.
func manyEvents(rng *rand.Rand, n int) *node {
	var stacks []*node
	for i := range 5 {
		frames := listOf()
		for j := range 10 + i {
			frames.items = append(frames.items, dictOf("name", "f"+string(rune('a'+j)), "filename", "a.py", "line",
				i+j))
		}
		stacks = append(stacks, frames)
	}
	events := listOf()
	for i := range n {
		action := "alloc"
		if i%5 == 3 {
			action = []string{"free_requested", "free_completed", "oom", "odd", "annotate"}[rng.IntN(5)]
		}
		e := []any{"action", action, "addr", 1<<40 + i*512, "size", 512, "stream", 0, "time_us", 1<<50 + i}
		if i%3 == 0 {
			e = append(e, "category", "x")
		}
		switch rng.IntN(24) {
		case 0:
			e = append(e, "user_metadata", dictOf("k", i%2))
		case 1:
			e = append(e, "user_metadata", "step "+string(rune('a'+rng.IntN(20))))
		case 2:
			e = append(e, "pool_id", tupleOf(1<<40, 7))
		case 3:
			e[5] = "big"
		case 4:
			e = append(e, "pool_id", tupleOf(0, 0), "pool_id", tupleOf(0, rng.IntN(3)))
		case 5:
			e = append(e, "compile_context", nil, 5, 6)
		case 6:
			e = append(e, "category", action, "category", i) // the last one counts
		case 7:
			e = append(e, "device_free", 1<<33+i)
		case 8:
			e[3] = 1<<(58+rng.IntN(5)) + i
		case 9:
			e[5+2*rng.IntN(3)] = -1<<(8*rng.IntN(8)) - i%3
		}
		frames := stacks[rng.IntN(len(stacks))]
		switch {
		case i > 0 && rng.IntN(4) == 0: // the list of an event before
			items := events.items[rng.IntN(i)].(*node).items
			frames = items[len(items)-1].(*node)
		case rng.IntN(9) > 0: // a list of its own, of frames that are shared
			frames = listOf(frames.items...)
		}
		if i > n/2 && rng.IntN(8) > 0 {
			frames = listOf()
			if rng.IntN(3) == 0 {
				e = append(e, "user_metadata", listOf())
			}
		}
		event := dictOf(append(e, "frames", frames)...)
		if i > 0 && rng.IntN(10) == 0 { // the same event again
			event = events.items[rng.IntN(i)].(*node)
		}
		events.items = append(events.items, event)
	}
	return dictOf("segments", listOf(), "device_traces", listOf(events))
}

// innerEvents is a snapshot of n events, of which most have dicts as metadata.
func innerEvents(rng *rand.Rand, n int) *node {
	frames := listOf()
	for i := range 10 {
		frames.items = append(frames.items, dictOf("name", "f", "filename", "a.py", "line", i))
	}
	shared := dictOf("rank", 7)
	events := listOf()
	var metas []any
	for i := range n {
		meta := []any{dictOf(), dictOf("k", 1), dictOf("rank", 0, "phase", "forward"), dictOf("addr", 1<<62, "none",
			nil, "yes", true),
			dictOf("text", strings.Repeat("x", i%3)), dictOf("step", i), shared, "no dict", dictOf("list", listOf(1)),
			dictOf("inner", dictOf("a", 1))}[rng.IntN(10)]
		if i > 20 && rng.IntN(4) == 0 {
			meta = metas[rng.IntN(i)]
		}
		metas = append(metas, meta)
		action, size, context := "alloc", any(512), "N/A"
		switch rng.IntN(12) {
		case 0:
			action = "odd" // an event that is skipped, and what it has is met again
		case 1:
			size = "big"
		case 2:
			context = "forward" // a text of an inner dict, perhaps
		}
		e := []any{"action", action, "addr", 1<<40 + i*512, "size", size, "stream", 0, "time_us", 1<<50 + i,
			"compile_context", context, "user_metadata", meta}
		switch rng.IntN(8) {
		case 0:
			e = append(e, "internal_metadata", meta) // the same dict twice
		case 1, 4, 5:
			e = append(e, "internal_metadata", dictOf("k", rng.IntN(2)))
		case 2:
			e = append(e, "what", meta)
		case 3:
			e = append([]any{"user_metadata", meta}, e...)
		}
		events.items = append(events.items, dictOf(append(e, "frames", listOf(frames.items...))...))
	}
	return dictOf("segments", listOf(), "device_traces", listOf(events))
}
