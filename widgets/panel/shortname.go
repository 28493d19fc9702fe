package panel

import (
	"cmp"
	"strings"

	"strata/widgets/kit"
)

// shortName is a name as it fits a width.
type shortName struct {
	name  string
	width int
	text  string
}

// fit shortens a name until it fits: its extension goes first, as that is the same in all tabs, then its middle, as
// the names of one run differ at their ends.
func (s *shortName) fit(gtx C, th *kit.Theme, l kit.Label, width int) string {
	if s.name == l.Text && s.width == width {
		return s.text
	}
	*s = shortName{name: l.Text, width: width, text: l.Text}
	if th.Width(gtx, l) <= width {
		return s.text
	}
	stem := Stem(s.name)
	if l.Text = stem + "…"; stem != s.name && th.Width(gtx, l) <= width {
		s.text = l.Text
		return s.text
	}
	runes := []rune(stem)
	cut := func(n int) string { // n runes of it
		return string(runes[:n/2]) + "…" + string(runes[len(runes)-(n-n/2):])
	}
	low, high := 0, len(runes)-1 // low fits, or nothing does
	for low < high {
		n := (low + high + 1) / 2
		l.Text = cut(n)
		if th.Width(gtx, l) <= width {
			low = n
		} else {
			high = n - 1
		}
	}
	s.text = cut(low)
	return s.text
}

// Stem is a snapshot's name without its extensions.
func Stem(name string) string {
	stem := name
	for _, ext := range []string{".gz", ".zst", ".pickle", ".pkl", ".json", ".trace", ".pt"} {
		if strings.HasSuffix(strings.ToLower(stem), ext) {
			stem = stem[:len(stem)-len(ext)]
		}
	}
	return cmp.Or(stem, name)
}
