package kit

import (
	"image"

	"gioui.org/io/event"
	"gioui.org/io/pointer"
	"gioui.org/io/semantic"
	"gioui.org/op/clip"
	"gioui.org/unit"
)

// A Splitter is the edge between two panels, which can be dragged.
type Splitter struct {
	// Vertical: the edge is a vertical line and moves sideways.
	Vertical bool

	dragging, hovered bool
	from              float32 // where in the edge's own coordinates it was gripped
}

// Grip is how wide the area is that takes the edge.
const Grip = unit.Dp(7)

// Update returns by how many dp the edge was dragged, towards the right or
// the bottom, and whether a drag ended in this frame.
func (s *Splitter) Update(gtx C) (moved unit.Dp, done bool) {
	kinds := AllPointer &^ (pointer.Move | pointer.Scroll)
	for e := range Events[pointer.Event](gtx, pointer.Filter{Target: s, Kinds: kinds}) {
		at := e.Position.Y
		if s.Vertical {
			at = e.Position.X
		}
		switch e.Kind {
		case pointer.Enter:
			s.hovered = true
		case pointer.Leave:
			s.hovered = false
		case pointer.Press:
			s.dragging, s.from = true, at
			gtx.Execute(pointer.GrabCmd{Tag: s, ID: e.PointerID})
		case pointer.Drag:
			if s.dragging {
				// The edge follows in the next frame, so positions are relative to where it was drawn last; the last
				// of this frame's drags counts.
				moved = gtx.Metric.PxToDp(int(at - s.from))
			}
		case pointer.Release, pointer.Cancel:
			done = done || s.dragging
			s.dragging, s.hovered = false, s.hovered && e.Kind == pointer.Release
		}
	}
	return moved, done
}

// Layout draws the edge through the middle of the constraints.
func (s *Splitter) Layout(gtx C, th *Theme) D {
	size := gtx.Constraints.Max
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	event.Op(gtx.Ops, s)
	semantic.LabelOp("Edge between two panels").Add(gtx.Ops)
	line := image.Rect(0, size.Y/2, size.X, size.Y/2+1)
	if s.Vertical {
		pointer.CursorColResize.Add(gtx.Ops)
		line = image.Rect(size.X/2, 0, size.X/2+1, size.Y)
	} else {
		pointer.CursorRowResize.Add(gtx.Ops)
	}
	colour := th.Line
	if s.dragging || s.hovered {
		colour = th.Accent
		line = line.Inset(-1).Intersect(image.Rectangle{Max: size})
	}
	Fill(gtx.Ops, line, colour)
	return D{Size: size}
}
