package compare

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"

	"strata/layout/breakdown"
	"strata/snapshot"
)

// A Match is a group of A and a group of B that are the same one, with breakdown.Excluded for the one that is not
// there.
type Match struct {
	A, B int32
	Rule Rule
}

// Groups is the groups of two groupings, matched. It does not depend on moments, and is immutable.
type Groups struct {
	A, B *breakdown.Grouping
	All  []Match
}

// matcher collects pairs.
type matcher struct {
	Groups
	code     *Code
	toB, toA []int32
	ruleA    []Rule
}

// NewGroups matches the groups of two groupings by the same thing, of the timelines that code is of.
func NewGroups(code *Code, a, b *breakdown.Grouping) *Groups {
	m := &matcher{Groups: Groups{A: a, B: b}, code: code,
		toB:   slices.Repeat([]int32{breakdown.Excluded}, a.Len()),
		toA:   slices.Repeat([]int32{breakdown.Excluded}, b.Len()),
		ruleA: make([]Rule, a.Len())}
	switch a.By {
	case breakdown.ByCallSite, breakdown.ByFunction, breakdown.ByFile:
		m.byPlace()
	case breakdown.ByStack:
		m.byStack(false, false, SameName)
		m.byStack(true, false, OwnStack)
		m.byStack(true, true, FunctionStack)
	case breakdown.ByPackage:
		m.byName(SameName, nil)
		partner := code.packages(breakdown.Package)
		m.byName(OtherRoot, func(name string) string { return partner[name] })
	}
	m.byName(SameName, nil)
	switch a.By {
	case breakdown.ByPhase, breakdown.ByStep, breakdown.ByStream, breakdown.ByPool, breakdown.ByThread:
		m.byOrder()
	}
	for i, to := range m.toB {
		if to == breakdown.Excluded {
			m.ruleA[i] = Gone
		}
		m.All = append(m.All, Match{int32(i), to, m.ruleA[i]})
	}
	for i, to := range m.toA {
		if to == breakdown.Excluded {
			m.All = append(m.All, Match{breakdown.Excluded, int32(i), New})
		}
	}
	return &m.Groups
}

// pair makes two groups partners that have none.
func (m *matcher) pair(a, b int32, rule Rule) {
	if m.toB[a] == breakdown.Excluded && m.toA[b] == breakdown.Excluded {
		m.toB[a], m.toA[b], m.ruleA[a] = b, a, rule
	}
}

// byPlace pairs groups that are named by a line, a function or a file.
func (m *matcher) byPlace() {
	c := m.code
	key := func(d *side, frame snapshot.FrameID) [2]int32 {
		p := d.of[frame]
		switch m.A.By {
		case breakdown.ByFunction:
			return [2]int32{d.places[p].file, d.places[p].function}
		case breakdown.ByFile:
			return [2]int32{d.places[p].file}
		}
		return [2]int32{p}
	}
	inB := map[[2]int32][]int32{}
	for g := range int32(m.B.Len()) {
		if f := m.B.Site(g); f != 0 {
			k := key(c.b, f)
			inB[k] = append(inB[k], g)
		}
	}
	for g := range int32(m.A.Len()) {
		frame := m.A.Site(g)
		if frame == 0 {
			continue
		}
		k := key(c.a, frame)
		to, rule, found := [2]int32{}, SameName, false
		switch m.A.By {
		case breakdown.ByFunction:
			match, is := c.functions[functionOf{k[0], k[1]}]
			to, rule, found = [2]int32{match.to.file, match.to.function}, match.rule, is
		case breakdown.ByFile:
			to, rule, found = [2]int32{c.file[k[0]]}, c.fileRule[k[0]], c.file[k[0]] != none
		default:
			to, rule, found = [2]int32{c.place[k[0]]}, c.placeRule[k[0]], c.place[k[0]] != none
		}
		if groups := inB[to]; found && len(groups) > 0 {
			m.pair(g, groups[0], rule)
			inB[to] = groups[1:]
		}
	}
}

// byStack pairs groups by their stacks.
func (m *matcher) byStack(own, functions bool, rule Rule) {
	inB := map[string][]int32{}
	for g, to := range m.toA {
		if stack := m.B.Stack(int32(g)); stack != 0 && to == breakdown.Excluded {
			k := m.code.stackKey(m.code.b, stack, own, functions)
			inB[k] = append(inB[k], int32(g))
		}
	}
	for g, to := range m.toB {
		stack := m.A.Stack(int32(g))
		if stack == 0 || to != breakdown.Excluded {
			continue
		}
		k := m.code.stackKey(m.code.a, stack, own, functions)
		if groups := inB[k]; len(groups) > 0 && k != "" {
			found := rule
			if !own {
				for _, f := range m.A.Timeline.Snapshot.Stacks.Of(stack) {
					found = max(found, m.code.placeRule[m.code.a.of[f]])
				}
			}
			m.pair(int32(g), groups[0], found)
			inB[k] = groups[1:]
		}
	}
}

// byName pairs groups whose names are equal, those of A translated by a function, nil for none.
func (m *matcher) byName(rule Rule, translate func(string) string) {
	inB := map[string][]int32{}
	for g, to := range m.toA {
		if to == breakdown.Excluded && m.mayPairByName(m.B, int32(g)) {
			name := m.B.Name(int32(g))
			inB[name] = append(inB[name], int32(g))
		}
	}
	for g, to := range m.toB {
		if to != breakdown.Excluded || !m.mayPairByName(m.A, int32(g)) {
			continue
		}
		name := m.A.Name(int32(g))
		if translate != nil {
			name = translate(name)
		}
		if groups := inB[name]; len(groups) > 0 {
			m.pair(int32(g), groups[0], rule)
			inB[name] = groups[1:]
		}
	}
}

// mayPairByName: lines and functions that the code has no partner for are not the same for having one number.
func (m *matcher) mayPairByName(g *breakdown.Grouping, group int32) bool {
	return g.By == breakdown.ByPackage || g.Site(group) == 0
}

var digits = regexp.MustCompile(`\d+`)

// byOrder pairs groups whose names differ only in numbers, in the order of these: steps of a repeated phase, streams.
// Where some of a kind have the same name in both, the numbers mean something, and the others are not paired.
func (m *matcher) byOrder() {
	pattern := func(name string) string { return digits.ReplaceAllString(name, "N") }
	meant := map[string]bool{}
	list := func(g *breakdown.Grouping, to []int32) map[string][]int32 {
		found := map[string][]int32{}
		for i, partner := range to {
			switch name := g.Name(int32(i)); {
			case pattern(name) == name:
			case partner != breakdown.Excluded:
				meant[pattern(name)] = true
			default:
				found[pattern(name)] = append(found[pattern(name)], int32(i))
			}
		}
		for _, groups := range found {
			slices.SortStableFunc(groups, func(x, y int32) int { return natural(g.Name(x), g.Name(y)) })
		}
		return found
	}
	inA, inB := list(m.A, m.toB), list(m.B, m.toA)
	for p, groups := range inA {
		for i, to := range inB[p][:min(len(groups), len(inB[p]))] {
			if !meant[p] {
				m.pair(groups[i], to, InOrder)
			}
		}
	}
}

// natural compares names that differ only in numbers by these.
func natural(a, b string) int {
	x, y := digits.FindAllString(a, -1), digits.FindAllString(b, -1)
	return slices.CompareFunc(x, y, func(x, y string) int {
		n, _ := strconv.ParseUint(x, 10, 64)
		m, _ := strconv.ParseUint(y, 10, 64)
		return cmp.Or(cmp.Compare(n, m), cmp.Compare(len(x), len(y)))
	})
}
