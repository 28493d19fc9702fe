// Package category says what memory is for: parameters, gradients, activations and so on. The file may have recorded
// it; else a person's own rules say so, or the rules of this package, which infer it from the stack or from the
// annotation in force.
package category

import (
	"strings"

	"strata/layout"
	"strata/layout/breakdown"
	"strata/snapshot"
)

// Categories is the category of each allocation of a timeline. It is immutable: whatever decide remembers of an
// allocation's stack, New has asked for.
type Categories struct {
	Names []string     // by number; the first ones are those of this package
	of    []uint8      // the number of each allocation's, with recorded for those that the file itself says
	has   [1 << 8]bool // which numbers are in of, with recorded and without

	t       *layout.Timeline
	phases  *layout.Phases
	own     *matcher
	stacks  *stacks
	said    []string // by snapshot.MetaID
	byPhase []int8   // by index of phases.All; Unknown: it tells nothing
	numbers map[string]uint8
}

// recorded marks the number of a category that the file itself says. There are no more than maxNames; the rest are
// unknown.
const (
	recorded = 1 << 7
	maxNames = recorded
)

// New tells the categories of a timeline's allocations. Phases are those that rules about annotations go by, nil for
// none; own are a person's own rules, nil for none.
func New(t *layout.Timeline, phases *layout.Phases, own *Rules) *Categories {
	c := &Categories{of: make([]uint8, len(t.Size)), t: t, stacks: newStacks(t.Snapshot), numbers: map[string]uint8{}}
	for _, name := range names {
		c.number(name)
	}
	if phases != nil && t.HasTime() {
		c.phases = phases
		c.byPhase = categoriesOf(phases)
	}
	c.own = newMatcher(own, t, c.number)
	c.said = make([]string, len(t.Snapshot.Metas))
	for i, m := range t.Snapshot.Metas {
		c.said[i] = spoken(t.Snapshot.Strings[m.Category])
	}
	for id := range c.of {
		c.of[id], _ = c.decide(layout.ID(id))
		c.has[c.of[id]] = true
	}
	return c
}

// number is the number of a name, Unknown if there are too many.
func (c *Categories) number(name string) uint8 {
	n, known := c.numbers[name]
	if !known {
		n = Unknown
		if len(c.Names) < maxNames {
			n = uint8(len(c.Names))
			c.Names = append(c.Names, name)
		}
		c.numbers[name] = n
	}
	return n
}

// Of is the number of an allocation's category, an index of Names.
func (c *Categories) Of(id layout.ID) int32 { return int32(c.of[id] &^ recorded) }

// Name is an allocation's category.
func (c *Categories) Name(id layout.ID) string { return c.Names[c.Of(id)] }

// Inferred reports whether the category of an allocation is a guess: neither recorded nor unknown.
func (c *Categories) Inferred(id layout.ID) bool { return c.of[id] < recorded && c.of[id] != Unknown }

// Told is how a category was told: "inferred", "recorded", "in part inferred", or "" of what is unknown.
func (c *Categories) Told(number int32) string {
	switch said := c.has[number|recorded]; {
	case number == Unknown:
		return ""
	case said && c.has[number]:
		return "in part inferred"
	case said:
		return "recorded"
	}
	return "inferred"
}

// Title is the name of a category with how it was told: "gradients (inferred)".
func (c *Categories) Title(number int32) string {
	if told := c.Told(number); told != "" {
		return c.Names[number] + " (" + told + ")"
	}
	return c.Names[number]
}

// Group makes the options of a grouping know the categories.
func (c *Categories) Group(opt *breakdown.Options) {
	opt.Category, opt.Categories, opt.CategoryTold = c.Of, c.Names, c.Told
}

// decide tells the category of an allocation.
func (c *Categories) decide(id layout.ID) (number uint8, why string) {
	t := c.t
	before := t.BeforeRecording(id)
	if o := t.Origin[id]; o >= 0 && t.Device.Events.Meta != nil {
		if said := c.said[t.Device.Events.Meta[o]]; said != "" {
			return c.number(said) | recorded, "recorded in the file"
		}
	}
	if n, where, is := c.own.category(id); is {
		return n, where
	}
	stack := t.StackOf(id)
	if before && t.KnownByFree(id) {
		stack = 0 // it is where the block was freed
	}
	r := c.stacks.rule(stack)
	if r != nil && !r.weak {
		return uint8(r.category), r.name
	}
	phase := int32(-1)
	if c.phases != nil && !before {
		phase = c.phases.IndexAt(t.TimeOf(int(t.Birth[id] - 1)))
	}
	switch {
	case phase >= 0 && c.byPhase[phase] != Unknown:
		return uint8(c.byPhase[phase]), "the annotation " + c.phases.All[phase].Name
	case r != nil:
		return uint8(r.category), r.name
	}
	return Unknown, "nothing tells"
}

// spoken is the name of a category as the profiler records it, in this package's words.
func spoken(name string) string {
	switch name = strings.ToLower(name); name {
	case "parameter":
		return names[Parameters]
	case "gradient":
		return names[Gradients]
	case "optimizer_state":
		return names[OptimizerState]
	case "activation":
		return names[Activations]
	case "input":
		return names[Inputs]
	case "temporary":
		return names[Temporaries]
	case "unknown":
		return "" // rules may know more
	}
	return strings.ReplaceAll(name, "_", " ")
}

// categoriesOf is what the names of phases tell.
func categoriesOf(phases *layout.Phases) []int8 {
	byLabel := map[snapshot.StringID]int8{}
	out := make([]int8, len(phases.All))
	for i := range phases.All {
		p := &phases.All[i]
		told, known := byLabel[p.Label]
		if !known {
			told = Unknown
			name := strings.ToLower(p.Name)
			for _, r := range phaseRules {
				if strings.Contains(name, r.word) {
					told = int8(r.category)
					break
				}
			}
			byLabel[p.Label] = told
		}
		out[i] = told
	}
	return out
}
