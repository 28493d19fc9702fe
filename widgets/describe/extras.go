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
type Note struct {
	Title, Text string
	Link        int // of a sentence of an explanation that leads to its free ranges: its number from 1; else 0
}

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
			found = append(found, Note{Title: title, Text: s})
		}
	}
	add(userMetadata, m.User)
	add("Compile context", m.CompileContext)
	add("Category", m.Category)
	add("Internal metadata", m.Internal)
	return found
}

// Reasons say why a request failed: a note for each sentence of an explanation.
type Reasons struct {
	Of    *explain.Explanation
	Notes []Note
}

// Why puts an explanation into notes. Those of sentences about free ranges lead to these.
func Why(e *explain.Explanation) *Reasons {
	r := &Reasons{Of: e}
	for i, s := range e.Sentences {
		n := Note{Title: factTitles[s.Fact], Text: s.Text}
		if s.Advice != "" {
			n.Text += "\n" + s.Advice
		}
		if len(s.Ranges) > 0 {
			n.Link = i + 1
		}
		r.Notes = append(r.Notes, n)
	}
	return r
}

// factTitles say what the sentences of an explanation are about.
var factTitles = map[explain.Fact]string{explain.Asked: "Why there was no memory", explain.Limit: "A memory limit",
	explain.Fits: "A range that fits", explain.SplitLimit: "Ranges that may not be split",
	explain.Switched: "Ranges of expandable segments", explain.Full: "Truly full", explain.Fragmented: "Fragmented",
	explain.Streams: "Other streams", explain.Pools: "Other pools", explain.Kinds: "Requests of another size",
	explain.Pending: "Waiting for other streams", explain.Rounding: "Lost to rounding",
	explain.Outside: "Outside PyTorch", explain.Pinned: "Kept by few blocks", explain.Unknown: "Not in the file"}

// ForwardLines are the frames of the forward pass, as the file has them.
func ForwardLines(s *snapshot.Snapshot, stack snapshot.StackID) []string {
	var lines []string
	for _, l := range s.StackText(stack, false) {
		lines = append(lines, strings.TrimRight(l, "\n "))
	}
	return lines
}
