package chart

import (
	"image"
	"slices"
)

// A Mark is a mark in the timeline that answers the pointer.
type Mark struct {
	Kind MarkKind
	OOM  int // index in Limits.OOMs
}

// A MarkKind is what a Mark stands for.
type MarkKind uint8

// The kinds of marks.
const (
	NoMark MarkKind = iota
	PeakMark
	OOMMark
)

// A markArea is where a mark was drawn, in the widget's coordinates.
type markArea struct {
	image.Rectangle
	mark Mark
}

// answers notes where a mark is drawn.
func (tl *Timeline) answers(mark Mark, areas ...image.Rectangle) {
	for _, r := range areas {
		tl.marks = append(tl.marks, markArea{r, mark})
	}
}

// Mark returns the mark under the pointer, of those drawn last.
func (tl *Timeline) Mark() Mark {
	if !tl.inside || tl.button != 0 && tl.moved {
		return Mark{}
	}
	return tl.MarkAt(image.Pt(int(tl.pointer.X), int(tl.pointer.Y)))
}

// MarkAt returns the mark at a point of the widget.
func (tl *Timeline) MarkAt(p image.Point) Mark {
	for _, m := range slices.Backward(tl.marks) { // the last one drawn lies on top
		if p.In(m.Rectangle) {
			return m.mark
		}
	}
	return Mark{}
}
