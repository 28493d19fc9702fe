package ranks

import (
	"regexp"
	"strconv"
)

var (
	named  = regexp.MustCompile(`(?i)rank[^0-9a-z/]{0,2}(\d{1,6})`)
	short  = regexp.MustCompile(`(?i)(?:^|[^a-z0-9])r(\d{1,6})(?:[^a-z0-9]|$)`)
	digits = regexp.MustCompile(`\d+`)
)

// Numbers tells the ranks of files from their paths, with slashes: from what follows "rank", else from the one number
// that tells them apart and counts from 0 or 1. It is -1 where nothing tells.
func Numbers(paths []string) []int {
	out := make([]int, len(paths))
	any := false
	for i, p := range paths {
		out[i] = -1
		for _, form := range []*regexp.Regexp{named, short} {
			if m := form.FindAllStringSubmatch(p, -1); m != nil && out[i] < 0 {
				out[i], _ = strconv.Atoi(m[len(m)-1][1])
				any = true
			}
		}
	}
	if !any && len(paths) > 1 {
		counted(paths, out)
	}
	return out
}

// counted numbers files that differ in one number only.
func counted(paths []string, out []int) {
	pattern := digits.ReplaceAllString(paths[0], "0")
	var numbers [][]string
	for _, p := range paths {
		if digits.ReplaceAllString(p, "0") != pattern {
			return
		}
		numbers = append(numbers, digits.FindAllString(p, -1))
	}
	for place := len(numbers[0]) - 1; place >= 0; place-- {
		seen := map[int]bool{}
		for i, n := range numbers {
			v, err := strconv.Atoi(n[place])
			if err != nil || v > len(paths) || seen[v] {
				break
			}
			seen[v] = true
			out[i] = v
		}
		if len(seen) == len(paths) {
			return
		}
		for i := range out {
			out[i] = -1
		}
	}
}
