package category

import (
	"slices"
	"strings"

	"strata/snapshot"
)

// stacks tells which of the built-in rules decides a stack, looking at each distinct stack and frame once.
type stacks struct {
	s       *snapshot.Snapshot
	rules   []compiled
	byFrame []int16 // the number of the first rule that knows a frame, unset or none
	byStack []int16
}

const (
	unset = -1 - iota
	none
)

// A compiled rule is one that is quick to ask.
type compiled struct {
	*rule
	weak            bool
	files           []string
	whole           map[string]bool
	prefixes, parts []string
}

func newStacks(s *snapshot.Snapshot) *stacks {
	k := &stacks{s: s, byFrame: slices.Repeat([]int16{unset}, len(s.Frames.Name)),
		byStack: slices.Repeat([]int16{unset}, s.Stacks.Len())}
	for i := range rules {
		k.rules = append(k.rules, compile(&rules[i], false))
	}
	for i := range weak {
		k.rules = append(k.rules, compile(&weak[i], true))
	}
	return k
}

func compile(r *rule, weak bool) compiled {
	c := compiled{rule: r, weak: weak, files: strings.Fields(r.files)}
	for _, f := range strings.Fields(r.functions) {
		prefix, is := strings.CutSuffix(f, "*")
		switch {
		case strings.Contains(f, "::"):
			c.parts = append(c.parts, f)
		case is:
			c.prefixes = append(c.prefixes, prefix)
		default:
			if c.whole == nil {
				c.whole = map[string]bool{}
			}
			c.whole[f] = true
		}
	}
	return c
}

// knows reports whether a frame is one that the rule is about.
func (c *compiled) knows(file, function string) bool {
	contains := func(whole string) func(string) bool {
		return func(part string) bool { return strings.Contains(whole, part) }
	}
	if c.rule.functions != "" && !c.whole[function] && !slices.ContainsFunc(c.parts, contains(function)) &&
		!slices.ContainsFunc(c.prefixes, func(p string) bool { return strings.HasPrefix(function, p) }) {
		return false
	}
	return len(c.files) == 0 || slices.ContainsFunc(c.files, contains(file))
}

// rule is the rule that decides a stack: of its innermost frame that one knows; if none but weak ones do, the first of
// those in their table. Nil if none does.
func (k *stacks) rule(stack snapshot.StackID) *compiled {
	if k.byStack[stack] == unset {
		found := int16(none)
		for _, f := range k.s.Stacks.Of(stack) {
			n := k.frame(f)
			if n == none || found != none && n >= found {
				continue
			}
			found = n
			if int(n) < len(rules) {
				break
			}
		}
		k.byStack[stack] = found
	}
	if n := k.byStack[stack]; n >= 0 {
		return &k.rules[n]
	}
	return nil
}

// frame is the first rule that knows a frame, or none.
func (k *stacks) frame(f snapshot.FrameID) int16 {
	if k.byFrame[f] != unset {
		return k.byFrame[f]
	}
	file := strings.ReplaceAll(k.s.FileOf(f), `\`, "/")
	function := k.s.Strings[k.s.Frames.Name[f]]
	if strings.HasPrefix(function, file+"(") { // made of a profile: "FILE(LINE): FUNCTION"
		_, function, _ = strings.Cut(function, "): ")
	}
	n := int16(slices.IndexFunc(k.rules, func(c compiled) bool { return c.knows(file, function) }))
	if n < 0 {
		n = none
	}
	k.byFrame[f] = n
	return n
}
