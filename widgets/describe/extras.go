package describe

import (
	"strings"

	"strata/layout"
	"strata/layout/explain"
	"strata/snapshot"
)

// Extras is what an allocation, or a request that failed, carries beside its stack.
type Extras struct {
	Notes   []Note
	Forward snapshot.StackID // the frames of the forward pass that led to it
}

// A Note is a text from the file with what it is.
type Note struct{ Title, Text string }

// Line is a note on one line.
func (n Note) Line() string {
	return strings.ToLower(n.Title) + ": " + strings.ReplaceAll(n.Text, "\n", "; ")
}

// ExtrasOf finds what was recorded of an allocation beside its stack: the metadata of its event, then the texts of its
// annotate events in their order.
func ExtrasOf(t *layout.Timeline, a *layout.Allocation) Extras {
	s := t.Snapshot
	e := Extras{Notes: MetaNotes(s, a.Meta), Forward: s.Metas[a.Meta].Forward}
	if e.Forward == 0 && a.Block >= 0 && t.Options.Mode != layout.Segments && t.Device.Blocks.Forward != nil {
		e.Forward = t.Device.Blocks.Forward[a.Block]
	}
	for _, m := range t.Notes(a.ID) {
		for _, n := range MetaNotes(s, m) {
			if n.Title == userMetadata {
				n.Title = "Annotated"
			}
			e.Notes = append(e.Notes, n)
		}
	}
	return e
}

const userMetadata = "User metadata"

// MetaNotes are the texts of an event's metadata.
func MetaNotes(s *snapshot.Snapshot, id snapshot.MetaID) []Note {
	var found []Note
	m := &s.Metas[id]
	add := func(title string, text snapshot.StringID) {
		if s := strings.TrimSpace(s.Strings[text]); s != "" {
			found = append(found, Note{title, s})
		}
	}
	add(userMetadata, m.User)
	add("Compile context", m.CompileContext)
	add("Category", m.Category)
	add("Internal metadata", m.Internal)
	return found
}

// Why is an explanation of a request that failed, a sentence a line.
func Why(e *explain.Explanation) *Note {
	var lines []string
	for _, s := range e.Sentences {
		lines = append(lines, s.Text)
		if s.Advice != "" {
			lines = append(lines, s.Advice)
		}
	}
	return &Note{"Why there was no memory", strings.Join(lines, "\n")}
}

// ForwardLines are the frames of the forward pass, as the file has them.
func ForwardLines(s *snapshot.Snapshot, stack snapshot.StackID) []string {
	var lines []string
	for _, l := range s.StackText(stack, false) {
		lines = append(lines, strings.TrimRight(l, "\n "))
	}
	return lines
}
