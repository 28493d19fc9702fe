package app

import (
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

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
