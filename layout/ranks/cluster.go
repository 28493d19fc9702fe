package ranks

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"strata/layout/units"
)

const (
	// unlike is the part of what two ranks hold that may differ between ranks of a cluster.
	unlike = 0.1
	// A cluster this many times smaller than another one is of outliers of that one, not of another kind. So is a lone
	// rank beside the fewest ranks that tell which one is odd.
	dwarfed = 16
	fewest  = 3
	// More kinds are not told apart: it would take too long.
	mostKinds = 256
	// A peak is apart if it differs from the median by so many bytes, by more than this part of it, and by more
	// than so
	// many times as peaks of the cluster do as a rule.
	leastApart = 64 << 10
	apart      = 0.005
	apartMAD   = 6
)

// distance is the part of what two ranks hold that differs, by group.
func distance(a, b []amount) float64 {
	var differ, x, y int64
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case j == len(b) || i < len(a) && a[i].group < b[j].group:
			differ += a[i].bytes
			x += a[i].bytes
			i++
		case i == len(a) || a[i].group > b[j].group:
			differ += b[j].bytes
			y += b[j].bytes
			j++
		default:
			differ += max(a[i].bytes-b[j].bytes, b[j].bytes-a[i].bytes)
			x += a[i].bytes
			y += b[j].bytes
			i, j = i+1, j+1
		}
	}
	return float64(differ) / float64(max(1, x, y))
}

// cluster finds the ranks that are alike: each belongs to the cluster whose first rank is most like it, if any is.
func (w *Wall) cluster() {
	for i := range w.Ranks {
		r := &w.Ranks[i]
		if r.Digest == nil {
			continue
		}
		best, least := -1, unlike
		if len(w.Clusters) == mostKinds {
			least = math.Inf(1)
		}
		for k := range w.Clusters {
			if d := distance(w.Ranks[w.Clusters[k].Ranks[0]].groups, r.groups); d < least {
				best, least = k, d
			}
		}
		if best < 0 {
			best = len(w.Clusters)
			w.Clusters = append(w.Clusters, Cluster{})
		}
		w.Clusters[best].Ranks = append(w.Clusters[best].Ranks, i)
	}
	w.join()
	for k, c := range w.Clusters {
		for _, i := range c.Ranks {
			w.Ranks[i].Cluster = k
		}
	}
}

// join makes clusters that are much smaller than another one part of the likest of those.
func (w *Wall) join() {
	bySize := slices.Clone(w.Clusters)
	slices.SortStableFunc(bySize, func(a, b Cluster) int { return cmp.Compare(len(b.Ranks), len(a.Ranks)) })
	var kept []Cluster
	var sizes []int
	for _, c := range bySize {
		best, least := -1, 0.0
		for k, n := range sizes {
			if len(c.Ranks) > max(1, n/dwarfed) || n < fewest {
				continue
			}
			if d := distance(w.Ranks[kept[k].Ranks[0]].groups, w.Ranks[c.Ranks[0]].groups); best < 0 || d < least {
				best, least = k, d
			}
		}
		if best < 0 {
			kept, sizes = append(kept, c), append(sizes, len(c.Ranks))
			continue
		}
		kept[best].Ranks = append(kept[best].Ranks, c.Ranks...)
	}
	for _, c := range kept {
		slices.Sort(c.Ranks)
	}
	slices.SortFunc(kept, func(a, b Cluster) int { return cmp.Compare(a.Ranks[0], b.Ranks[0]) })
	w.Clusters = kept
}

// outliers finds the ranks of a cluster that are not as the others, and says why.
func (w *Wall) outliers(c *Cluster) {
	var peaks, ends []int64
	held := map[int32][]int64{}
	ooms := 0
	for _, i := range c.Ranks {
		r := &w.Ranks[i]
		peaks, ends = append(peaks, r.Digest.Peak), append(ends, r.Digest.End)
		ooms += min(1, r.Digest.OOMs)
		for _, a := range r.groups {
			held[a.group] = append(held[a.group], a.bytes)
		}
	}
	peak, width := middle(peaks)
	end, endWidth := middle(ends)
	c.Peak, c.usual = peak, map[int32]usual{}
	for group, bytes := range held {
		bytes = append(bytes, make([]int64, len(c.Ranks)-len(bytes))...) // the others hold nothing
		mid, width := middle(bytes)
		c.usual[group] = usual{mid, width}
	}
	for _, i := range c.Ranks {
		r := &w.Ranks[i]
		r.Apart = r.Digest.Peak - peak
		var reasons []string
		switch {
		case len(c.Ranks) < fewest: // which of two is the odd one cannot be told
		case far(r.Apart, peak, width, len(c.Ranks)):
			reasons = append(reasons, fmt.Sprintf("peaks %s%s", above(r.Apart), w.whence(c, r)))
		default:
			if group, by := c.oddest(r); far(by, 2*peak, c.usual[group].width, len(c.Ranks)) {
				reasons = append(reasons, more(by, units.Clip(w.names[group].Label, 120)))
			}
			if by := r.Digest.End - end; far(by, peak, endWidth, len(c.Ranks)) {
				reasons = append(reasons, "ends "+above(by))
			}
		}
		if r.Digest.OOMs > 0 && 2*ooms < len(c.Ranks) {
			reasons = append(reasons, "ran out of memory "+units.Plural(r.Digest.OOMs, "time"))
		}
		r.Reason = strings.Join(reasons, "; ")
	}
}

// middle is the median of values and how far they lie from it as a rule: the median of that, the upper one.
func middle(values []int64) (mid, width int64) {
	slices.Sort(values)
	mid = median(values)
	off := make([]int64, len(values))
	for i, v := range values {
		off[i] = max(v-mid, mid-v)
	}
	slices.Sort(off)
	return mid, off[len(off)/2]
}

// far reports whether a difference from the median of n ranks is more than they differ by anyway. Few tell little of
// that.
func far(by, mid, width int64, n int) bool {
	by = max(by, -by)
	return by >= leastApart && float64(by) > apart*float64(mid) &&
		float64(by) > apartMAD*(1+4/float64(n))*float64(width)
}

func above(by int64) string {
	if by < 0 {
		return units.Bytes(-by) + " below the median"
	}
	return units.Bytes(by) + " above the median"
}

func more(by int64, name string) string {
	than := "more"
	if by < 0 {
		than, by = "less", -by
	}
	return fmt.Sprintf("holds %s %s from %s than the median", units.Bytes(by), than, name)
}

// usual is the median of what the ranks of a cluster hold of a group, and how far they lie from it as a rule.
type usual struct{ mid, width int64 }

// A difference is by how many bytes a group of a rank differs from what is usual; odd is that without what ranks
// differ by anyway.
type difference struct {
	group   int32
	by, odd int64
}

// differences are those of a rank whose sign is the given one, the oddest first.
func (c *Cluster) differences(r *Rank, sign int64) []difference {
	by := map[int32]int64{}
	for group, u := range c.usual {
		by[group] = -u.mid
	}
	for _, a := range r.groups {
		by[a.group] += a.bytes
	}
	var out []difference
	for group, n := range by {
		if sign*n > 0 {
			out = append(out, difference{group, n, sign*n - apartMAD/2*c.usual[group].width})
		}
	}
	slices.SortFunc(out, func(x, y difference) int {
		return cmp.Or(cmp.Compare(y.odd, x.odd), cmp.Compare(x.group,
			y.group))
	})
	return out
}

// oddest is the group of a rank that differs most from what is usual, and by how much.
func (c *Cluster) oddest(r *Rank) (group int32, by int64) {
	odd := int64(0)
	for _, sign := range [...]int64{1, -1} {
		if d := c.differences(r, sign); len(d) > 0 && d[0].odd > odd {
			group, by, odd = d[0].group, d[0].by, d[0].odd
		}
	}
	return group, by
}

// whence says which groups make a rank's peak differ: "all of it from moe.py:88 dispatch".
func (w *Wall) whence(c *Cluster, r *Rank) string {
	sign := int64(1)
	if r.Apart < 0 {
		sign = -1
	}
	groups := c.differences(r, sign)
	if len(groups) == 0 {
		return ""
	}
	all, from := sign*r.Apart, sign*groups[0].by
	name := func(i int) string { return units.Clip(w.names[groups[i].group].Label, 120) }
	switch {
	case from >= all-all/20:
		return ", all of it from " + name(0)
	case 2*from >= all || len(groups) == 1:
		return fmt.Sprintf(", %s of it from %s", units.Bytes(from), name(0))
	}
	return fmt.Sprintf(", %s of it from %s and %s from %s", units.Bytes(from), name(0),
		units.Bytes(sign*groups[1].by), name(1))
}
