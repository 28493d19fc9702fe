package drops

import (
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"
)

const onWindows = runtime.GOOS == "windows"

// parseURIList returns the local paths in a text/uri-list (RFC 2483), in its order and without repetitions. Lines
// end in CRLF, but LF, CR and NUL occur too; lines that begin with # are comments. What is not a file on this
// machine is left out. Sources differ in what they escape, so a line that is no valid URL is tried as one whose
// special characters stand for themselves.
func parseURIList(s string, windows bool) []string {
	var paths []string
	for _, line := range lines(s) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if p, ok := filePath(line, windows); ok {
			paths = append(paths, p)
		}
	}
	return Unique(paths)
}

// ParseText returns the paths in text that was dropped or pasted: each line an absolute path, a path below the home
// folder as ~/..., or a file: URL, perhaps in quotes. One line that is none of these makes the whole something
// else: nil.
func ParseText(s string) []string {
	return parseText(s, onWindows)
}

func parseText(s string, windows bool) []string {
	var paths []string
	for _, line := range lines(s) {
		line = unquote(strings.TrimSpace(line))
		p, ok := filePath(line, windows)
		if !ok {
			p, ok = plainPath(line, windows)
		}
		if !ok {
			return nil
		}
		paths = append(paths, p)
	}
	return Unique(paths)
}

// Unique takes away repetitions and keeps the order.
func Unique(paths []string) []string {
	seen := make(map[string]bool, len(paths))
	return slices.DeleteFunc(paths, func(p string) bool {
		again := seen[p]
		seen[p] = true
		return again
	})
}

// lines returns the lines of s that are not empty.
func lines(s string) []string {
	s = strings.TrimPrefix(s, "\ufeff")
	out := strings.FieldsFunc(s, func(r rune) bool { return r == '\r' || r == '\n' || r == 0 })
	return slices.DeleteFunc(out, func(l string) bool { return strings.TrimSpace(l) == "" })
}

// unquote takes away a pair of quotes, such as file managers and shells put around a path that they copy.
func unquote(s string) string {
	if len(s) >= 2 && s[0] == s[len(s)-1] && (s[0] == '"' || s[0] == '\'') {
		return s[1 : len(s)-1]
	}
	return s
}

// FilePath returns the path that a file: URL names, if it is one of this machine.
func FilePath(url string) (string, bool) { return filePath(url, onWindows) }

func filePath(s string, windows bool) (string, bool) {
	s = strings.TrimSpace(s)
	const scheme = "file:"
	if len(s) < len(scheme) || !strings.EqualFold(s[:len(scheme)], scheme) {
		return "", false
	}
	host, path := "", s[len(scheme):]
	if rest, ok := strings.CutPrefix(path, "//"); ok {
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			return "", false
		}
		host, path = rest[:i], rest[i:]
	}
	// A well-formed URL has neither ? nor # in its path: whatever looks like a query or fragment of a local file is
	// a part of its name that the source forgot to escape. The same with % that no two hex digits follow.
	if p, err := url.PathUnescape(path); err == nil {
		path = p
	}
	if !strings.HasPrefix(path, "/") || strings.ContainsRune(path, 0) {
		return "", false
	}
	if windows {
		return windowsPath(host, path)
	}
	if !isThisHost(host) || path == "/" {
		return "", false
	}
	return path, true
}

// windowsPath makes a path of the host and path of a URL: file:///C:/x is C:\x, file://server/share/x is
// \\server\share\x.
func windowsPath(host, path string) (string, bool) {
	if host != "" && !isThisHost(host) {
		return `\\` + host + strings.ReplaceAll(path, "/", `\`), true
	}
	path = strings.TrimLeft(path, "/")
	if len(path) < 3 || path[1] != ':' && path[1] != '|' {
		return "", false
	}
	return path[:1] + ":" + strings.ReplaceAll(path[2:], "/", `\`), true
}

func isThisHost(host string) bool {
	if host == "" || strings.EqualFold(host, "localhost") || host == "127.0.0.1" {
		return true
	}
	name, err := os.Hostname()
	return err == nil && strings.EqualFold(host, name)
}

// plainPath takes a line of text for a path if it is an absolute one.
func plainPath(s string, windows bool) (string, bool) {
	if rest, ok := strings.CutPrefix(s, "~/"); ok {
		home, err := os.UserHomeDir()
		return filepath.Join(home, rest), err == nil
	}
	if windows {
		drive := len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/')
		return s, drive || strings.HasPrefix(s, `\\`) && len(s) > 2
	}
	return s, len(s) > 1 && s[0] == '/' && s[1] != '/'
}

// Parse returns the paths in data that came as a media type or as the name of an X11 target.
func Parse(kind string, data []byte) []string {
	if len(data) > MaxBytes {
		return nil
	}
	if kind == URIList {
		return parseURIList(string(data), onWindows)
	}
	if !utf8.Valid(data) {
		return nil
	}
	return ParseText(string(data))
}

// URIList is the media type of a list of files.
const URIList = "text/uri-list"

// Types are what may be dropped, by media type, the best first. The last are the old names of X11.
var Types = []string{URIList, "text/plain;charset=utf-8", "UTF8_STRING", "text/plain", "STRING"}
