package hub

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"strata/layout/units"
)

// An ID is what a person gave to name a model: a model of a hub, as "org/name" or "org/name@revision", or a folder
// or a config.json here.
type ID struct {
	Path     string // of a folder or file; "" for a model of a hub
	Repo     string // "org/name", or "name" for the oldest models
	Revision string // "main" unless given
}

// A hub's rules for names: letters, digits, '-', '_' and '.', at most 96 of them, neither "--" nor "..", and no '-'
// or '.' at the ends. They also keep a name from leaving the folder it is cached in.
var (
	namePart     = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,94}[A-Za-z0-9_])?$`)
	revisionPart = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]{0,127}$`)
)

// ParseID says what an ID means. What looks like a path, or is a folder or file here, is one; the hub's own
// libraries decide in the same way.
func ParseID(s string) (ID, error) {
	if s == "" || s != strings.TrimSpace(s) || strings.ContainsRune(s, 0) {
		return ID{}, fmt.Errorf("%q names no model; give a hub ID such as org/name, a folder or a config.json", s)
	}
	if looksLocal(s) {
		return ID{Path: s}, nil
	}
	if _, err := os.Stat(s); err == nil {
		return ID{Path: s}, nil
	} else if !errors.Is(err, fs.ErrNotExist) && strings.Count(s, "/") > 1 {
		return ID{Path: s}, nil
	}
	repo, revision, given := strings.Cut(s, "@")
	if !given {
		revision = "main"
	}
	if !validRepo(repo) || !revisionPart.MatchString(revision) || strings.Contains(revision, "..") ||
		strings.Contains(revision, "//") || strings.HasSuffix(revision, "/") {
		return ID{}, fmt.Errorf("%q is neither a folder or file here nor a hub ID, which is org/name or "+
			"org/name@revision", clip(s))
	}
	return ID{Repo: repo, Revision: revision}, nil
}

// looksLocal reports whether a name can only be meant as a path.
func looksLocal(s string) bool {
	return filepath.IsAbs(s) || strings.HasPrefix(s, "/") || s == "." || s == ".." || s == "~" ||
		strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") || strings.HasPrefix(s, "~/") ||
		strings.ContainsRune(s, '\\') || strings.HasSuffix(strings.ToLower(s), ".json") || strings.HasSuffix(s, "/")
}

func validRepo(repo string) bool {
	parts := strings.Split(repo, "/")
	if len(parts) > 2 || len(repo) > 193 {
		return false
	}
	for _, p := range parts {
		if !namePart.MatchString(p) || strings.Contains(p, "--") || strings.Contains(p, "..") {
			return false
		}
	}
	return true
}

// folder is the name of the model's folder in a hub cache.
func (id ID) folder() string { return "models--" + strings.ReplaceAll(id.Repo, "/", "--") }

// String is the ID as a person writes it.
func (id ID) String() string {
	switch {
	case id.Path != "":
		return id.Path
	case id.Revision != "main":
		return id.Repo + "@" + id.Revision
	}
	return id.Repo
}

// clip shortens what others wrote for a sentence.
func clip(s string) string { return units.Clip(s, 120) }
