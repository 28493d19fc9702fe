package snapshot

import (
	"slices"
	"testing"
)

// TestOddKeys: a key that Python cannot have is a sign of damage, wherever it lies; a tuple is none.
func TestOddKeys(t *testing.T) {
	for name, c := range map[string]struct {
		key any
		odd bool
	}{
		"list": {listOf(1), true}, "dict": {dictOf("a", 1), true}, "stack": {listOf(dictOf("name", "f", "line", 1)),
			true},
		"frame": {dictOf("name", "f", "line", 1), true}, "tuple": {tupleOf(1, 2, 3), false},
		"pair": {tupleOf(1, 2), false}, "number": {5, false},
	} {
		events := listOf()
		for i := range 20 {
			e := []any{"action", "alloc", "addr", i * 512, "size", 512}
			if i == 15 {
				e = append(e, c.key, 1)
			}
			events.items = append(events.items, dictOf(e...))
		}
		s := read(t, encode(dictOf("segments", listOf(), "device_traces", listOf(events)), form4))
		if n := s.Devices[0].Events.Len(); n != 20 {
			t.Errorf("%s: %d events", name, n)
		}
		i := slices.IndexFunc(s.Findings, func(f Finding) bool { return f.ID == "odd-keys" })
		if (i >= 0) != c.odd || i >= 0 && s.Findings[i].Offset < 100 {
			t.Errorf("%s: %+v", name, s.Findings)
		}
	}
}
