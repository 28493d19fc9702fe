package report

import (
	"cmp"
	"fmt"
	"slices"

	"strata/app/cli/terminal"
	"strata/layout"
	"strata/snapshot"
)

// A site is a line of code and what it held at one moment.
type site struct {
	Bytes int64
	Count int
	Where string // file:line function
	Known bool   // it is a line of code, not the lack of one
}

// siteKey tells sites apart. Of memory from before the recording only the stack of its free may be known: that line
// let go of it, and did not ask.
type siteKey struct {
	frame  snapshot.FrameID
	freed  bool
	before bool // live before the first event, and no stack at all
}

// sitesAt returns who held the memory in a state of the timeline, most first.
func sitesAt(t *layout.Timeline, state int32) []site {
	place := map[siteKey]int{} // in sites
	var sites []site
	for _, id := range t.Live(nil, state) {
		k := keyOf(t, id)
		i, known := place[k]
		if !known {
			i = len(sites)
			place[k] = i
			sites = append(sites, site{Where: whereIs(t.Snapshot, k), Known: k.frame != 0})
		}
		sites[i].Bytes += t.Size[id]
		sites[i].Count++
	}
	slices.SortStableFunc(sites, func(a, b site) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Count, a.Count))
	})
	return sites
}

// keyOf is the site of an allocation.
func keyOf(t *layout.Timeline, id layout.ID) siteKey {
	var k siteKey
	k.frame = t.Snapshot.Stacks.Site[t.StackOf(id)]
	k.freed = k.frame != 0 && t.KnownByFree(id)
	k.before = k.frame == 0 && t.BeforeRecording(id)
	return k
}

// whereIs names a site for a person.
func whereIs(s *snapshot.Snapshot, k siteKey) string {
	switch {
	case k.before:
		return "from before the recording, no stack"
	case k.frame == 0:
		return "no stack recorded"
	}
	where := terminal.Clip(s.Strings[s.Frames.File[k.frame]], 160)
	if line := s.Frames.Line[k.frame]; line > 0 {
		where += fmt.Sprintf(":%d", line)
	}
	where += " " + terminal.Clip(snapshot.ShortFunction(s.Strings[s.Frames.Name[k.frame]]), 80)
	if k.freed {
		where += " (freed here; allocated before the recording)"
	}
	return where
}
