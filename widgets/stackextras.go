package widgets

import (
	"image"
	"strings"

	giolayout "gioui.org/layout"
	"gioui.org/widget"

	"strata/layout"
	"strata/snapshot"
)

// stackExtras is what an allocation carries beside its stack.
type stackExtras struct {
	meta    snapshot.MetaID
	forward snapshot.StackID // the frames of the forward pass that led to it
}

// extrasOf finds what was recorded of an allocation beside its stack.
func extrasOf(t *layout.Timeline, a *layout.Allocation) stackExtras {
	e := stackExtras{meta: a.Meta, forward: t.Snapshot.Metas[a.Meta].Forward}
	if e.forward == 0 && a.Block >= 0 && t.Options.Mode != layout.Segments && t.Device.Blocks.Forward != nil {
		e.forward = t.Device.Blocks.Forward[a.Block]
	}
	return e
}

// noted are the texts of an event's metadata, each with what it is.
func noted(s *snapshot.Snapshot, id snapshot.MetaID) [][2]string {
	var found [][2]string
	m := &s.Metas[id]
	for _, n := range [...]struct {
		title string
		text  snapshot.StringID
	}{{"User metadata", m.User}, {"Compile context", m.CompileContext}, {"Category", m.Category}, {"Internal metadata", m.Internal}} {
		if n.text != 0 && s.Strings[n.text] != "" {
			found = append(found, [2]string{n.title, strings.TrimSpace(s.Strings[n.text])})
		}
	}
	return found
}

// forwardLines are the frames of the forward pass, as the file has them.
func forwardLines(s *snapshot.Snapshot, stack snapshot.StackID) []string {
	var lines []string
	for _, l := range s.StackText(stack, false) {
		lines = append(lines, strings.TrimRight(l, "\n "))
	}
	return lines
}

// notes makes rows of what stands above the frames.
func (e stackExtras) notes(rows []stackRow, s *snapshot.Snapshot) []stackRow {
	for _, n := range noted(s, e.meta) {
		rows = append(rows, noteRow(n[0], n[1]))
	}
	return rows
}

// below makes rows of what stands under the frames.
func (e stackExtras) below(rows []stackRow, s *snapshot.Snapshot) []stackRow {
	if lines := forwardLines(s, e.forward); len(lines) > 0 {
		rows = append(rows, noteRow("Forward pass that led here", strings.Join(lines, "\n")))
	}
	return rows
}

// fxRow makes a row of what torch.fx knows of a frame; false if nothing.
func fxRow(s *snapshot.Snapshot, f snapshot.FrameID) (stackRow, bool) {
	node, code := s.FX(f)
	if node == "" && len(code) == 0 {
		return stackRow{}, false
	}
	if node != "" {
		code = append([]string{node}, code...)
	}
	return noteRow("From torch.fx, with the model's own code", strings.Join(code, "\n")), true
}

func noteRow(title, text string) stackRow {
	return stackRow{title: title, place: text}
}

// note draws a row that is no frame.
func (r *stackRow) note(gtx giolayout.Context, th *Theme) giolayout.Dimensions {
	width := gtx.Constraints.Max.X
	c, d := measure(gtx, Label{Size: SmallSize, Colour: th.Link, Text: r.title}.widget(th))
	y := gtx.Dp(5)
	place(gtx.Ops, image.Pt(0, y), c)
	y += d.Size.Y + gtx.Dp(1)
	c, d = measure(gtx, func(gtx giolayout.Context) giolayout.Dimensions { return selectable(gtx, th, &r.texts[0]) })
	place(gtx.Ops, image.Pt(0, y), c)
	y += d.Size.Y + gtx.Dp(5)
	fill(gtx.Ops, image.Rect(0, y, width, y+1), withAlpha(th.Line, 160))
	return giolayout.Dimensions{Size: image.Pt(width, y+1)}
}

func selectable(gtx giolayout.Context, th *Theme, s *widget.Selectable) giolayout.Dimensions {
	return s.Layout(gtx, th.shaper, fonts[Mono], SmallSize, material1(gtx.Ops, th.Text), material1(gtx.Ops, withAlpha(th.Accent, 96)))
}
