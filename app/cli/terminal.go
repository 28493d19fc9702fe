package cli

import (
	"strings"
	"unicode"
)

// printable makes text from outside safe for a terminal: what could move the
// cursor, change colours or turn the direction of the line becomes U+FFFD.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// clip shortens text from outside to n characters, its middle left out.
func clip(s string, n int) string {
	r := []rune(printable(s))
	if len(r) <= n {
		return string(r)
	}
	head := (n - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(n-1-head):])
}
