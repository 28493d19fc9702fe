package sheet

import (
	"image"
	"strings"
	"testing"

	"gioui.org/io/pointer"
	giolayout "gioui.org/layout"

	"strata/snapshot/recording"
	"strata/widgets/kit"
	"strata/widgets/widgettest"
)

// TestRecordingPage: the page has all its parts, and each copy button copies the code beside it, to the letter.
func TestRecordingPage(t *testing.T) {
	var headings, codes []string
	for _, b := range recordingPage {
		switch b.Mark {
		case recording.Heading:
			headings = append(headings, b.Text)
		case recording.Code:
			codes = append(codes, b.Text)
			if strings.HasPrefix(b.Text, " ") {
				t.Errorf("code %q", b.Text)
			}
		}
	}
	if len(headings) < 5 || len(codes) < 5 || RecordingCode != codes[0] {
		t.Fatalf("%d headings, %d codes", len(headings), len(codes))
	}
	h, th := widgettest.New(image.Pt(700, 3000)), kit.NewTheme(true) // high enough for all of it
	var sheet Recording
	var copied []string
	closed := false
	h.Draw = func(gtx giolayout.Context) {
		code, c := sheet.Update(gtx)
		if code != "" {
			copied = append(copied, code)
		}
		closed = closed || c
		sheet.Layout(gtx, th)
	}
	h.Frame()
	h.Frame()
	// The buttons stand in one column; a click on each pixel of it hits each.
	for y := float32(2); y < 3000; y += 16 {
		before := len(copied)
		h.Click(widgettest.At(620, y))
		if n := len(copied); n > before+1 || n > before && n > 1 && copied[n-1] == copied[n-2] {
			copied = copied[:n-1] // the same button once more
		}
	}
	if strings.Join(copied, "|") != strings.Join(codes, "|") {
		t.Errorf("copied %q, the codes are %q", copied, codes)
	}
	h.Send(widgettest.Press(widgettest.At(3, 1000), pointer.ButtonPrimary), widgettest.Release(widgettest.At(3, 1000)))
	if !closed {
		t.Error("a press beside the sheet leaves it open")
	}
}

// TestRecordingCodeFits: no line of code is so long that the start page breaks it.
func TestRecordingCodeFits(t *testing.T) {
	for _, b := range recordingPage {
		for _, line := range strings.Split(b.Text, "\n") {
			if b.Mark == recording.Code && len(line) > 76 {
				t.Errorf("%d characters: %q", len(line), line)
			}
		}
	}
}
