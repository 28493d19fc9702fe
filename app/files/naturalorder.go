package files

import (
	"cmp"
	"path/filepath"
	"strings"
)

// ComparePaths orders paths as people do: folder by folder, rank2 before rank10, and a before B before c.
func ComparePaths(a, b string) int {
	x, y := strings.Split(filepath.ToSlash(a), "/"), strings.Split(filepath.ToSlash(b), "/")
	for i := range min(len(x), len(y)) {
		if c := compareNatural(x[i], y[i]); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

// compareNatural orders names by the numbers in them, of any length, and by the text between, ignoring case.
func compareNatural(a, b string) int {
	a, b = strings.ToLower(a), strings.ToLower(b)
	x, y := a, b
	for x != "" && y != "" {
		m, n := digits(x), digits(y)
		if m == 0 || n == 0 {
			if x[0] != y[0] {
				return cmp.Compare(x[0], y[0])
			}
			x, y = x[1:], y[1:]
			continue
		}
		p, q := strings.TrimLeft(x[:m], "0"), strings.TrimLeft(y[:n], "0")
		if c := cmp.Or(cmp.Compare(len(p), len(q)), cmp.Compare(p, q)); c != 0 {
			return c
		}
		x, y = x[m:], y[n:]
	}
	// 7 comes before 07 where nothing else differs.
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(len(a), len(b)))
}

// digits returns how many digits a text begins with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }
