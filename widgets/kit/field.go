package kit

import (
	"gioui.org/widget"
	"gioui.org/widget/material"
)

// Editor is the style of a text field.
func (th *Theme) Editor(e *widget.Editor, face Face, hint string) material.EditorStyle {
	style := material.Editor(th.mat, e, hint)
	style.Color, style.HintColor, style.SelectionColor = th.Text, th.Quiet, WithAlpha(th.Accent, 96)
	style.Font, style.TextSize = fonts[face], BodySize
	return style
}
