package sheet

import (
	"image"

	giolayout "gioui.org/layout"
	"gioui.org/op/clip"
	"gioui.org/widget"

	"strata/widgets/kit"
)

// A Start is what the window shows before anything is open.
type Start struct {
	Path   PathField
	open   kit.Button
	copy   kit.Button
	more   kit.Button
	sample kit.Button
	recent [maxRecent]kit.Button
	list   widget.List
}

// A RecentFile is a file that was open before.
type RecentFile struct {
	Path, Name, Folder string
	Size               string // "" while it is not known
	Missing            bool
}

// maxRecent is how many recent files are offered.
const maxRecent = 8

// StartLook is what a start page shows.
type StartLook struct {
	Recent             []RecentFile
	OpenKey, RecordKey string // of the buttons
	Note               string // in place of the field for a path, "" shows that
}

// StartEvent is what the user did.
type StartEvent struct {
	Choose bool   // wants a file dialog
	Open   string // a path to open
	Copy   bool   // wants RecordingCode on the clipboard
	Record bool   // wants the page on recording
	Sample bool   // wants the sample
}

// Update reads the start page's events.
func (s *Start) Update(gtx C, recent []RecentFile) StartEvent {
	e := StartEvent{Choose: s.open.Clicked(gtx), Copy: s.copy.Clicked(gtx), Record: s.more.Clicked(gtx),
		Sample: s.sample.Clicked(gtx)}
	for i := range min(len(recent), maxRecent) {
		if s.recent[i].Clicked(gtx) {
			e.Open = recent[i].Path
		}
	}
	if path, ok := s.Path.Update(gtx); ok {
		e.Open = path
	}
	return e
}

// Layout draws the start page.
func (s *Start) Layout(gtx C, th *kit.Theme, look StartLook) D {
	size := gtx.Constraints.Max
	s.list.Axis = giolayout.Vertical
	width := min(gtx.Dp(560), size.X-gtx.Dp(32))
	gtx.Constraints.Min = image.Point{}
	c, d := kit.Measure(gtx, func(gtx C) D {
		gtx.Constraints.Max.X = max(0, width)
		return s.list.List.Layout(gtx, 1, func(gtx C, _ int) D {
			gtx.Constraints.Min.X = gtx.Constraints.Max.X
			return giolayout.UniformInset(8).Layout(gtx, kit.InColumn(s.content(th, look)...))
		})
	})
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	kit.Place(gtx.Ops, image.Pt((size.X-d.Size.X)/2, max(0, (size.Y-d.Size.Y)*2/5)), c)
	return D{Size: size}
}

// content is the page from top to bottom: what to drop or open, the recent files, how to make a snapshot.
func (s *Start) content(th *kit.Theme, look StartLook) []giolayout.FlexChild {
	recent := look.Recent
	under := func(gtx C) D { return s.Path.Layout(gtx, th, "Open", "or type the path of a file") }
	if look.Note != "" {
		under = th.Aside(look.Note).Line(th)
	}
	children := []giolayout.FlexChild{
		giolayout.Rigid(func(gtx C) D { return s.dropArea(gtx, th, look.OpenKey) }),
		kit.Gap(16),
		giolayout.Rigid(under)}
	if len(recent) > 0 {
		children = append(children, kit.Gap(20), giolayout.Rigid(th.Strong("Recent").Line(th)), kit.Gap(4))
	}
	for i := range min(len(recent), maxRecent) {
		children = append(children, giolayout.Rigid(recentFile(th, &s.recent[i], &recent[i])))
	}
	more := kit.ButtonLook{Text: "Phases, out of memory, leaks…", Small: true, Colour: th.Link, Key: look.RecordKey,
		Hint: "How to record a snapshot, the whole page", HintLeft: true, HintAbove: true}
	return append(children, kit.Gap(24),
		giolayout.Rigid(kit.InRow(
			giolayout.Flexed(1, kit.Wide(th.Strong("How to record one").Line(th))),
			giolayout.Rigid(s.more.Look(th, more)))),
		kit.Gap(6),
		giolayout.Rigid(func(gtx C) D { return codeBox(gtx, th, RecordingCode, &s.copy) }))
}

// dropArea is the dashed box in the middle.
func (s *Start) dropArea(gtx C, th *kit.Theme, openKey string) D {
	width := gtx.Constraints.Max.X
	gtx.Constraints.Min.X = width
	c, d := kit.Measure(gtx, kit.Padded(giolayout.Inset{Top: 26, Bottom: 26, Left: 12, Right: 12}, func(gtx C) D {
		return giolayout.Flex{Axis: giolayout.Vertical, Alignment: giolayout.Middle}.Layout(gtx,
			giolayout.Rigid(th.Picture(kit.IconMemory, 36, th.Quiet)),
			kit.Gap(10),
			giolayout.Rigid(kit.Label{Size: kit.TitleSize, Colour: th.Text,
				Text: "Drop a CUDA memory snapshot or a profiler trace here"}.Line(th)),
			kit.Gap(4),
			giolayout.Rigid(th.Aside("to see what held the memory, when, and which line asked for it").Line(th)),
			kit.Gap(16),
			giolayout.Rigid(s.open.Look(th, kit.ButtonLook{Icon: kit.IconOpen, Text: "Open snapshot…",
				Ground: th.Accent, Colour: th.OnAccent, Hint: "Choose a .pickle file", Key: openKey})),
			kit.Gap(6),
			giolayout.Rigid(s.sample.Look(th, kit.ButtonLook{Text: "or look at a sample", Small: true,
				Colour: th.Link, Hint: "An invented training run that died of out-of-memory"})))
	}))
	r := image.Rectangle{Max: image.Pt(width, d.Size.Y)}
	kit.DashedFrame(gtx, th, r, kit.WithAlpha(th.Quiet, 140))
	kit.Place(gtx.Ops, image.Pt((width-d.Size.X)/2, 0), c)
	return D{Size: r.Max}
}

// recentFile is a line of the recent files: name, folder, size.
func recentFile(th *kit.Theme, b *kit.Button, f *RecentFile) giolayout.Widget {
	look := kit.ButtonLook{Icon: kit.IconFile, Text: f.Name, Hint: f.Path, Colour: th.Link, MaxWidth: 260}
	right := th.Figures(f.Size)
	if f.Missing {
		look.Colour = th.Quiet
		right = kit.Label{Size: kit.SmallSize, Colour: th.Warning, Text: "missing"}
	}
	return kit.InRow(
		giolayout.Rigid(b.Look(th, look)),
		giolayout.Flexed(1, kit.Wide(th.Small(f.Folder).Line(th))),
		kit.Gap(12),
		giolayout.Rigid(right.Line(th)))
}
