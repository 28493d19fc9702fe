package layout

import (
	"fmt"
	"regexp"
	"slices"
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

// A Choice says which annotations are wanted.
type Choice struct {
	// All: PyTorch's own too, which are left out where there are others (see [Internal]).
	All bool
	// Others: also those that were recorded while another device was current, as by threads that drive several. Where a
	// device has none of its own, they are taken in any case.
	Others bool
	// Spans of a trace beside the annotations.
	Spans  SpanChoice
	Filter string // for MatchNames
}

// SpanChoice says which spans of a trace of torch.profiler are wanted.
type SpanChoice uint8

// The choices, each with those before.
const (
	NoSpans       SpanChoice = iota
	OuterSpans               // modules, and operators that no other is around
	OperatorSpans            // all operators
	PythonSpans              // all calls in Python
)

// Annotations counts the annotations of the timeline's device, or of the others where it has none, START and END each,
// and those of them that are [Internal].
func (t *Timeline) Annotations() (all, internal int) {
	_, all, internal = t.annotated(false)
	return all, internal
}

// annotated tells which annotations are offered, and counts those of them that are Internal.
func (t *Timeline) annotated(others bool) (is func(a *snapshot.Annotation) bool, all, internal int) {
	own := func(a *snapshot.Annotation) bool { return int(a.Device) == t.Device.Index }
	if others = others || !slices.ContainsFunc(t.Snapshot.Annotations,
		func(a snapshot.Annotation) bool { return own(&a) }); others {
		own = func(*snapshot.Annotation) bool { return true }
	}
	known := byName(t.Snapshot, Internal)
	for i := range t.Snapshot.Annotations {
		if a := &t.Snapshot.Annotations[i]; own(a) {
			all++
			if known(a.Name) {
				internal++
			}
		}
	}
	return own, all, internal
}

// byName asks f once for each name.
func byName(s *snapshot.Snapshot, f func(string) bool) func(snapshot.StringID) bool {
	known := map[snapshot.StringID]bool{}
	return func(id snapshot.StringID) bool {
		is, ok := known[id]
		if !ok {
			is = f(s.Strings[id])
			known[id] = is
		}
		return is
	}
}
