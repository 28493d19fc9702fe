package category

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"strata/layout"
	"strata/layout/search"
)

// Rules are a person's own rules. A line is one, CATEGORY = SEARCH, with the terms of the search field; the first line
// whose terms all hold decides. The category is any name. Empty lines and those that begin with # say nothing.
type Rules struct {
	list []ownRule
}

type ownRule struct {
	category string
	query    *search.Query
	where    string // file and line
}

// MaxText is the most that a text of rules has, bytes.
const MaxText = 1 << 20

// maxRules bounds a text of rules.
const maxRules = 1000

// ParseRules reads rules from a text; name is what errors call it. The error says which line is wrong and why.
func ParseRules(name, text string) (*Rules, error) {
	switch {
	case len(text) > MaxText:
		return nil, fmt.Errorf("%s: it holds no rules: it has more than 1 MiB", name)
	case !utf8.ValidString(text):
		return nil, fmt.Errorf("%s: it holds no rules: it is not UTF-8 text", name)
	}
	r := &Rules{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		where := fmt.Sprintf("%s, line %d", name, i+1)
		category, terms, is := strings.Cut(line, "=")
		category = strings.Join(strings.Fields(category), " ")
		switch {
		case !is || category == "":
			return nil, fmt.Errorf("%s: a rule is CATEGORY = SEARCH, as in: KV cache = /cache_utils/ size>=1MiB", where)
		case len(r.list) == maxRules:
			return nil, fmt.Errorf("%s: there are more than %d rules", where, maxRules)
		}
		q, err := search.Parse(terms)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", where, err)
		case q.Empty():
			return nil, fmt.Errorf("%s: nothing says what is %s", where, category)
		case q.Has("category"):
			return nil, fmt.Errorf("%s: a rule cannot ask for a category", where)
		}
		r.list = append(r.list, ownRule{category, q, where})
	}
	return r, nil
}

// A matcher applies a person's rules to a timeline.
type matcher struct {
	rules   []ownRule
	holds   []func(layout.ID) bool
	numbers []uint8
}

// newMatcher prepares rules. Those that ask about what the snapshot has not, such as phases without times, hold for
// nothing.
func newMatcher(r *Rules, t *layout.Timeline, number func(string) uint8) *matcher {
	m := &matcher{}
	if r == nil {
		return m
	}
	for _, rule := range r.list {
		holds, err := search.Matcher(context.Background(), t, rule.query, nil)
		if err != nil {
			continue
		}
		m.rules = append(m.rules, rule)
		m.holds = append(m.holds, holds)
		m.numbers = append(m.numbers, number(rule.category))
	}
	return m
}

// category is that of the first rule that holds for an allocation, and where it stands; false if none does.
func (m *matcher) category(id layout.ID) (number uint8, where string, is bool) {
	for i, holds := range m.holds {
		if holds(id) {
			return m.numbers[i], m.rules[i].where, true
		}
	}
	return 0, "", false
}
