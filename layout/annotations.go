package layout

import (
	"fmt"
	"regexp"
	"strings"

	"strata/snapshot"
)

// MatchNames reads a filter of annotation names: a part of the name, in whatever case, or /regex/, or /regex/i; ""
// matches all. Its error is a sentence that says what is wrong with the expression.
func MatchNames(filter string) (func(name string) bool, error) {
	if filter == "" {
		return func(string) bool { return true }, nil
	}
	if len(filter) < 2 || filter[0] != '/' {
		part := strings.ToLower(filter)
		return func(name string) bool { return strings.Contains(strings.ToLower(name), part) }, nil
	}
	body, flags := filter[1:], ""
	if rest, ok := strings.CutSuffix(body, "/i"); ok {
		body, flags = rest, "(?i)"
	} else {
		body = strings.TrimSuffix(body, "/")
	}
	re, err := regexp.Compile(flags + body)
	if err != nil {
		return nil, fmt.Errorf("%s is no regular expression: %s", filter,
			strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re.MatchString, nil
}

// ChooseNames accepts the names that a filter of MatchNames matches; those that are [Internal] only if all are
// wanted.
func ChooseNames(all bool, filter string) (func(name string) bool, error) {
	match, err := MatchNames(filter)
	if err != nil {
		return nil, err
	}
	return func(name string) bool { return (all || !Internal(name)) && match(name) }, nil
}

// Annotations counts the annotations of the timeline's device, START and END each, and those of them that are
// [Internal].
func (t *Timeline) Annotations() (all, internal int) {
	known := byName(t.Snapshot, Internal)
	for _, a := range t.Snapshot.Annotations {
		if int(a.Device) != t.Device.Index {
			continue
		}
		all++
		if known(a.Name) {
			internal++
		}
	}
	return all, internal
}

// byName asks f once for each name.
func byName(s *snapshot.Snapshot, f func(string) bool) func(snapshot.StringID) bool {
	known := map[snapshot.StringID]bool{}
	return func(id snapshot.StringID) bool {
		is, ok := known[id]
		if !ok {
			is = f == nil || f(s.Strings[id])
			known[id] = is
		}
		return is
	}
}
