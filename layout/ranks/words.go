package ranks

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"strata/layout/units"
)

// Sort puts files in the order of their ranks, those whose rank nothing tells last, in the order they have.
func Sort(files []*File) {
	place := func(f *File) uint { return uint(f.Rank) } // -1 is the largest
	slices.SortStableFunc(files, func(a, b *File) int { return cmp.Compare(place(a), place(b)) })
}

// Title is what one of Ranks is called: by its number, else by a name of its file, and by its device where the file has
// several.
func (w *Wall) Title(i int, name string) string {
	title, device := w.Titles(i, name)
	if device != "" {
		title += ", " + device
	}
	return title
}

// Titles are the two parts of Title; device is "" where the file has only one.
func (w *Wall) Titles(i int, name string) (title, device string) {
	r := &w.Ranks[i]
	if r.File.Rank >= 0 {
		name = "rank " + strconv.Itoa(r.File.Rank)
	}
	if len(r.File.Devices) > 1 {
		device = r.Digest.Title()
	}
	return name, device
}

// mostOdd is how many ranks that stand out a sentence tells of.
const mostOdd = 4

// Sentence says how many ranks there are, how many kinds of them, and which stand out; names are those of the files of
// Ranks.
func (w *Wall) Sentence(names []string) string {
	read, broken := 0, 0
	var odd []string
	for i := range w.Ranks {
		switch r := &w.Ranks[i]; {
		case r.Digest == nil:
			broken++
		case r.Reason != "":
			odd = append(odd, w.Title(i, names[i])+" "+r.Reason)
			fallthrough
		default:
			read++
		}
	}
	s := units.Plural(read, "rank")
	if len(w.Clusters) > 1 {
		s += fmt.Sprintf(" of %d kinds", len(w.Clusters))
	}
	if broken > 0 {
		s += ", " + units.Plural(broken, "file") + " that cannot be read"
	}
	switch {
	case len(odd) == 0 && read > 2:
		return s + ": none stands out"
	case len(odd) == 0:
		return s
	case len(odd) > mostOdd:
		return fmt.Sprintf("%s: %s, and %d more", s, strings.Join(odd[:mostOdd], "; "), len(odd)-mostOdd)
	}
	return s + ": " + strings.Join(odd, "; ")
}
