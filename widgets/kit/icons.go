package kit

import (
	"image"
	"image/color"

	giolayout "gioui.org/layout"
	"gioui.org/unit"
	"gioui.org/widget"
	"golang.org/x/exp/shiny/materialdesign/icons"
)

// An Icon names a picture of the Material set.
type Icon uint8

// The icons in use; NoIcon draws nothing.
const (
	NoIcon Icon = iota
	IconSettings
	IconHelp
	IconCopy
	IconOpen
	IconSearch
	IconClose
	IconDown
	IconChecked
	IconUnchecked
	IconTick
	IconWarning
	IconInfo
	IconError
	IconDark
	IconLight
	IconMemory
	IconFile
	IconBack
	IconForward
	IconHide
	IconFilter
	IconMore
	IconUp
	IconDownward
	iconCount
)

var iconData = [iconCount][]byte{
	IconSettings: icons.ActionSettings, IconHelp: icons.ActionHelpOutline,
	IconCopy: icons.ContentContentCopy, IconOpen: icons.FileFolderOpen, IconSearch: icons.ActionSearch,
	IconClose: icons.NavigationClose, IconDown: icons.NavigationArrowDropDown,
	IconChecked: icons.ToggleCheckBox, IconUnchecked: icons.ToggleCheckBoxOutlineBlank, IconTick: icons.NavigationCheck,
	IconWarning: icons.AlertWarning, IconInfo: icons.ActionInfoOutline, IconError: icons.AlertErrorOutline,
	IconDark: icons.ImageBrightness3, IconLight: icons.ImageBrightness5,
	IconMemory: icons.HardwareMemory, IconFile: icons.EditorInsertDriveFile,
	IconFilter: icons.ContentFilterList, IconMore: icons.NavigationMoreVert,
	IconBack: icons.NavigationArrowBack, IconForward: icons.NavigationArrowForward,
	IconHide: icons.ActionVisibilityOff,
	IconUp:   icons.NavigationArrowUpward, IconDownward: icons.NavigationArrowDownward,
}

// iconKey: a widget.Icon caches one size and colour, so there is one for each.
type iconKey struct {
	icon   Icon
	px     int
	colour color.NRGBA
}

// Icon draws an icon of the given size.
func (th *Theme) Icon(gtx C, i Icon, size unit.Dp, c color.NRGBA) D {
	px := gtx.Dp(size)
	if i == NoIcon {
		return D{Size: image.Pt(px, px)}
	}
	key := iconKey{i, px, c}
	ic := th.icons[key]
	if ic == nil {
		var err error
		if ic, err = widget.NewIcon(iconData[i]); err != nil {
			return D{Size: image.Pt(px, px)} // embedded data: the test draws every icon
		}
		th.icons[key] = ic
	}
	gtx.Constraints = giolayout.Exact(image.Pt(px, px))
	return ic.Layout(gtx, c)
}

// Picture is Icon as a widget.
func (th *Theme) Picture(i Icon, size unit.Dp, c color.NRGBA) giolayout.Widget {
	return func(gtx C) D { return th.Icon(gtx, i, size, c) }
}
