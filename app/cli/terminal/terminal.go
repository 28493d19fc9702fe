// Package terminal prepares text from outside for a terminal.
package terminal

import (
	"io"
	"os"
	"strings"
	"unicode"
)

// Is reports whether w is a terminal that a person may be looking at.
func Is(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// Printable makes text safe to print: what could move the cursor, change colours or turn the direction of the line
// becomes U+FFFD.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}

// Clip makes text printable and shortens it to n characters by leaving out its middle.
func Clip(s string, n int) string {
	r := []rune(Printable(s))
	if len(r) <= n {
		return string(r)
	}
	head := (n - 1) / 2
	return string(r[:head]) + "…" + string(r[len(r)-(n-1-head):])
}

// textWidth is how wide Wrap lets lines be, characters.
const textWidth = 96

// Wrap makes text printable and breaks it at spaces into lines of at most 96 characters, all but the first indented.
func Wrap(indent, text string) string {
	var b strings.Builder
	at := len(indent)
	for i, word := range strings.Split(Printable(text), " ") {
		n := len([]rune(word))
		switch {
		case i == 0:
		case at+1+n > textWidth:
			b.WriteString("\n" + indent)
			at = len(indent)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}
