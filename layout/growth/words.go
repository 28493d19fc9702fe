package growth

import (
	"fmt"

	"strata/layout/units"
)

// Found says what repeats and how often, or that nothing does.
func (r *Result) Found() string {
	switch {
	case r.Count() == 0 && r.Grouping.Timeline.HasTime():
		return "nothing repeats often enough to tell growth: no annotation three times, and no loop" +
			" is seen in the calls"
	case r.Count() == 0:
		return "nothing repeats often enough to tell growth: no loop is seen in the calls"
	case r.Phase != "":
		return fmt.Sprintf("%s of the annotation %q", units.Plural(r.Count(), "repetition"), r.Phase)
	}
	s, t := r.Grouping.Timeline.Snapshot, r.Grouping.Timeline
	found := units.Plural(r.Count(), "repetition") + ", found from what is allocated in turn, not from annotations"
	if site := s.Stacks.Site[t.StackOf(r.Site)]; site != 0 {
		found += ", each from " + s.FrameText(site)
	}
	return found
}

// Rate says how much a group grew and how often: "819 MiB each of 8 repetitions".
func (r *Result) Rate(g *Group) string {
	return fmt.Sprintf("%s each of %s", units.Bytes(g.PerRepeat()), units.Plural(g.Repeats(), "repetition"))
}

// Why says how sure that is, and from what.
func (r *Result) Why(g *Group) string {
	why := fmt.Sprintf("%s: it rose in %s of %s", r.Sure(g), units.Count(g.Rises), units.Plural(g.Looks, "look"))
	if g.Lasting {
		why += ", of what lives through a whole repetition"
	}
	return why
}

// AfterLast says when what no whole repetition made was made.
const AfterLast = "after the last whole repetition"

// Age says when what was never freed was made.
func (k Kept) Age() string {
	switch {
	case k.Oldest == 0:
		return AfterLast
	case k.Oldest == k.Newest:
		return units.Plural(k.Oldest, "repetition") + " ago"
	}
	return fmt.Sprintf("%s to %s ago", units.Count(k.Newest), units.Plural(k.Oldest, "repetition"))
}
