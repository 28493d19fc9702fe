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
func (s *Start) Layout(gtx C, th *kit.Theme, recent []RecentFile, openKey,
	recordKey string) D {
	size := gtx.Constraints.Max
	s.list.Axis = giolayout.Vertical
	width := min(gtx.Dp(560), size.X-gtx.Dp(32))
	gtx.Constraints.Min = image.Point{}
	c, d := kit.Measure(gtx, func(gtx C) D {
		gtx.Constraints.Max.X = max(0, width)
		return s.list.List.Layout(gtx, 1, func(gtx C, _ int) D {
			gtx.Constraints.Min.X = gtx.Constraints.Max.X
			return s.content(gtx, th, recent, openKey, recordKey)
		})
	})
	defer clip.Rect{Max: size}.Push(gtx.Ops).Pop()
	kit.Place(gtx.Ops, image.Pt((size.X-d.Size.X)/2, max(0, (size.Y-d.Size.Y)*2/5)), c)
	return D{Size: size}
}

func (s *Start) content(gtx C, th *kit.Theme, recent []RecentFile, openKey,
	recordKey string) D {
	return giolayout.UniformInset(8).Layout(gtx, func(gtx C) D {
		return giolayout.Flex{Axis: giolayout.Vertical}.Layout(gtx,
			giolayout.Rigid(func(gtx C) D { return s.dropArea(gtx, th, openKey) }),
			kit.Gap(16),
			giolayout.Rigid(func(gtx C) D { return s.Path.Layout(gtx, th, "Open", "or type the path of a file") }),
			giolayout.Rigid(func(gtx C) D { return s.recents(gtx, th, recent) }),
			kit.Gap(24),
			giolayout.Rigid(func(gtx C) D { return s.recording(gtx, th, recordKey) }),
		)
	})
}

// dropArea is the dashed box in the middle.
func (s *Start) dropArea(gtx C, th *kit.Theme, openKey string) D {
	width := gtx.Constraints.Max.X
	gtx.Constraints.Min.X = width
	c, d := kit.Measure(gtx, func(gtx C) D {
		return giolayout.Inset{Top: 26, Bottom: 26, Left: 12, Right: 12}.Layout(gtx,
			func(gtx C) D {
				return giolayout.Flex{Axis: giolayout.Vertical, Alignment: giolayout.Middle}.Layout(gtx,
					giolayout.Rigid(th.Picture(kit.IconMemory, 36, th.Quiet)),
					kit.Gap(10),
					giolayout.Rigid(kit.Label{Size: kit.TitleSize, Colour: th.Text,
						Text: "Drop a CUDA memory snapshot here"}.Line(th)),
					kit.Gap(4),
					giolayout.Rigid(kit.Label{Colour: th.Quiet,
						Text: "to see what held the memory, when, and which line asked for it"}.Line(th)),
					kit.Gap(16),
					giolayout.Rigid(s.open.Look(th, kit.ButtonLook{Icon: kit.IconOpen, Text: "Open snapshot…",
						Ground: th.Accent, Colour: th.OnAccent, Hint: "Choose a .pickle file", Key: openKey})),
					kit.Gap(6),
					giolayout.Rigid(s.sample.Look(th, kit.ButtonLook{Text: "or look at a sample", Small: true,
						Colour: th.Link, Hint: "An invented training run that died of out-of-memory"})),
				)
			})
	})
	r := image.Rectangle{Max: image.Pt(width, d.Size.Y)}
	kit.DashedFrame(gtx, th, r, kit.WithAlpha(th.Quiet, 140))
	kit.Place(gtx.Ops, image.Pt((width-d.Size.X)/2, 0), c)
	return D{Size: r.Max}
}

func (s *Start) recents(gtx C, th *kit.Theme, recent []RecentFile) D {
	if len(recent) == 0 {
		return D{}
	}
	return giolayout.Inset{Top: 20}.Layout(gtx, func(gtx C) D {
		children := []giolayout.FlexChild{giolayout.Rigid(kit.Label{Face: kit.Strong, Colour: th.Text,
			Text: "Recent"}.Line(th)), kit.Gap(4)}
		for i := range min(len(recent), maxRecent) {
			children = append(children, giolayout.Rigid(func(gtx C) D {
				return s.recentFile(gtx, th, &s.recent[i], &recent[i])
			}))
		}
		return giolayout.Flex{Axis: giolayout.Vertical}.Layout(gtx, children...)
	})
}

// recentFile is a line of the recent files: name, folder, size.
func (s *Start) recentFile(gtx C, th *kit.Theme, b *kit.Button, f *RecentFile) D {
	look := kit.ButtonLook{Icon: kit.IconFile, Text: f.Name, Hint: f.Path, Colour: th.Link, MaxWidth: 260}
	right := th.Figures(f.Size)
	if f.Missing {
		look.Colour = th.Quiet
		right = kit.Label{Size: kit.SmallSize, Colour: th.Warning, Text: "missing"}
	}
	return giolayout.Flex{Alignment: giolayout.Middle}.Layout(gtx,
		giolayout.Rigid(b.Look(th, look)),
		giolayout.Flexed(1, kit.Wide(th.Small(f.Folder).Line(th))),
		giolayout.Rigid(func(gtx C) D { return giolayout.Inset{Left: 12}.Layout(gtx, right.Line(th)) }),
	)
}

// recording shows how to make a snapshot.
func (s *Start) recording(gtx C, th *kit.Theme, recordKey string) D {
	return giolayout.Flex{Axis: giolayout.Vertical}.Layout(gtx,
		giolayout.Rigid(func(gtx C) D {
			return giolayout.Flex{Alignment: giolayout.Middle}.Layout(gtx,
				giolayout.Flexed(1, kit.Wide(kit.Label{Face: kit.Strong, Colour: th.Text,
					Text: "How to record one"}.Line(th))),
				giolayout.Rigid(s.more.Look(th, kit.ButtonLook{Text: "Phases, out of memory, leaks…", Small: true,
					Colour: th.Link, Hint: "How to record a snapshot, the whole page", Key: recordKey, HintLeft: true,
					HintAbove: true})),
			)
		}),
		kit.Gap(6),
		giolayout.Rigid(func(gtx C) D { return codeBox(gtx, th, RecordingCode, &s.copy) }),
	)
}
