package app

import (
	"image/color"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"strata/layout/units"
)

func count(n int64) string { return units.Count(n) }

// sentence gives a text a capital and a full stop.
func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	r, n := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(r)) + s[n:]
	if !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "!") && !strings.HasSuffix(s, "?") {
		s += "."
	}
	return s
}

func shortDuration(d time.Duration) string { return units.Duration(float64(d.Microseconds())) }

// shortCount is a count to be read at a glance: "2.7 M".
func shortCount(n int) string {
	switch {
	case n >= 9_995_000:
		return strconv.Itoa((n+500_000)/1_000_000) + " M"
	case n >= 999_500:
		return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + " M"
	case n >= 10_000:
		return strconv.Itoa((n+500)/1000) + " k"
	}
	return units.Count(int64(n))
}

func baseName(path string) string { return filepath.Base(path) }

// shortFolder is a file's folder, the home folder written as ~.
func shortFolder(path string) string {
	dir := filepath.Dir(path)
	if home, err := os.UserHomeDir(); err == nil && home != "" && home != "/" {
		if rest, ok := strings.CutPrefix(dir, home); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
			return "~" + rest
		}
	}
	return dir
}

func nrgba(c color.RGBA) color.NRGBA { return color.NRGBA(c) } // opaque: the same
