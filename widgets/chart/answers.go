package chart

import (
	"image"
	"slices"
)

// A Mark is a mark in the timeline that answers the pointer.
type Mark struct {
	Kind MarkKind
	// Index is that of an out-of-memory event in Limits.OOMs, of a line in Allocator.Curves, or of the first of some
	// trades in Allocator.Trades, of which Last is the last.
	Index, Last int
}

// A MarkKind is what a Mark stands for.
type MarkKind uint8

// The kinds of marks.
const (
	NoMark MarkKind = iota
	PeakMark
	OOMMark
	CurveMark
	TradeMark
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
