package kit

import (
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gioui.org/gpu/headless"
	"gioui.org/io/input"
	"gioui.org/io/semantic"
	giolayout "gioui.org/layout"
	"gioui.org/op"
	"gioui.org/op/clip"
	"gioui.org/op/paint"
	"gioui.org/unit"
	"gioui.org/widget"
)

// byGio lays a label out as Gio does.
func byGio(gtx giolayout.Context, th *Theme, l Label, lines int) giolayout.Dimensions {
	return widget.Label{MaxLines: lines}.Layout(gtx, th.shaper, fonts[l.Face], l.size(), l.Text,
		material1(gtx.Ops, l.Colour))
}

// someText makes texts of letters, figures, signs and now and then of what the fonts lack.
func someText(r *rand.Rand) string {
	const usual = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:;/_-+*#()[]<>=%&!?'\"\\|@~^{}$`"
	const other = "→·×–…≥µäöüßéñÅČфΩfiflAVTo"
	runes := []rune(usual)
	if r.IntN(3) == 0 {
		runes = append(runes, []rune(other)...)
	}
	if r.IntN(8) == 0 {
		runes = append(runes, []rune("中שﬁ\u0301\t\n")...)
	}
	out := make([]rune, r.IntN(40))
	for i := range out {
		out[i] = runes[r.IntN(len(runes))]
	}
	return string(out)
}

// TestTypesetterLaysOutAsGio: a line that the typesetter writes takes exactly the
// room that it takes with Gio, cut or not.
func TestTypesetterLaysOutAsGio(t *testing.T) {
	th, r := NewTheme(true), rand.New(rand.NewPCG(1, 2))
	written, cut, paragraphs := 0, 0, 0
	for i := range 8000 {
		scale := []float32{1, 1.25, 1.5, 2, 3}[r.IntN(5)]
		var ops op.Ops
		gtx := giolayout.Context{Ops: &ops, Metric: unit.Metric{PxPerDp: scale, PxPerSp: scale},
			Constraints: giolayout.Constraints{Max: image.Pt(1<<20, 1<<20)}}
		if r.IntN(2) == 0 {
			gtx.Constraints.Max.X = r.IntN(400)
		}
		if r.IntN(16) == 0 {
			gtx.Constraints.Max.Y = r.IntN(30)
		}
		lines := r.IntN(2)
		l := Label{Face: Face(r.IntN(4)), Size: []unit.Sp{0, SmallSize, TitleSize}[r.IntN(3)], Text: someText(r)}
		got, ok := th.typesetter.draw(gtx, l, lines)
		if !ok {
			continue
		}
		written++
		switch cuts := th.Width(gtx, l) > gtx.Constraints.Max.X; {
		case cuts && lines == 0:
			paragraphs++
		case cuts:
			cut++
		}
		low := gtx.Constraints
		gtx.Constraints.Max.Y = 1 << 20 // where the room is low, Gio leaves out letters that are not seen
		want := byGio(gtx, th, l, lines)
		baseline := want.Size.Y - want.Baseline
		want.Size = low.Constrain(want.Size)
		if lines == 1 && strings.ContainsRune(l.Text, ' ') && got.Size.X < want.Size.X {
			want.Size.X = got.Size.X // cut at the end of a word
		}
		if want.Baseline = want.Size.Y - baseline; got != want {
			t.Fatalf("%d: %+v in %v at %v: %+v, Gio %+v", i, l, gtx.Constraints.Max, scale, got, want)
		}
	}
	if paragraphs < 300 {
		t.Errorf("only %d paragraphs were written", paragraphs)
	}
	if written < 3000 || cut < 300 {
		t.Errorf("only %d lines were written, %d of them cut", written, cut)
	}
}

// TestTypesetterSaysWhatGioSays: texts that are images are still texts for those
// who do not see them, and do not speak for what is around them.
func TestTypesetterSaysWhatGioSays(t *testing.T) {
	th := NewTheme(true)
	said := func(draw func(gtx giolayout.Context, l Label, lines int)) []string {
		var ops op.Ops
		gtx := giolayout.Context{Ops: &ops, Metric: unit.Metric{PxPerDp: 1, PxPerSp: 1},
			Constraints: giolayout.Constraints{Max: image.Pt(80, 500)}}
		area := clip.Rect{Max: gtx.Constraints.Max}.Push(&ops)
		semantic.LabelOp("Around").Add(&ops)
		draw(gtx, Label{Text: "Short"}, 1)
		draw(gtx, Label{Text: "Incomprehensibilities"}, 1)
		draw(gtx, Label{Text: "One that goes on in the next line"}, 0)
		area.Pop()
		var router input.Router
		router.Frame(&ops)
		var all []string
		for _, n := range router.AppendSemantics(nil) {
			all = append(all, fmt.Sprintf("%d in %d: %q", n.ID, n.ParentID, n.Desc.Label))
		}
		return all
	}
	want := said(func(gtx giolayout.Context, l Label, lines int) { byGio(gtx, th, l, lines) })
	got := said(func(gtx giolayout.Context, l Label, lines int) {
		if _, ok := th.typesetter.draw(gtx, l, lines); !ok {
			t.Fatalf("%q is not written", l.Text)
		}
	})
	if len(want) < 5 || !slices.Equal(got, want) {
		t.Errorf("said is %q, by Gio %q", got, want)
	}
}

// TestTypesetterLooksAsGio: and it looks the same.
func TestTypesetterLooksAsGio(t *testing.T) {
	t.Setenv("EGL_PLATFORM", "surfaceless")
	size := image.Pt(700, 120)
	w, err := headless.NewWindow(size.X, size.Y)
	if err != nil {
		t.Skipf("no graphics: %v", err)
	}
	defer w.Release()
	shot := func(draw func(gtx giolayout.Context), scale float32, room int, ground color.NRGBA) *image.RGBA {
		var ops op.Ops
		paint.Fill(&ops, ground)
		defer op.Offset(image.Pt(9, 4)).Push(&ops).Pop()
		draw(giolayout.Context{Ops: &ops, Metric: unit.Metric{PxPerDp: scale, PxPerSp: scale},
			Constraints: giolayout.Constraints{Max: image.Pt(room, 1<<20)}})
		if err := w.Frame(&ops); err != nil {
			t.Fatal(err)
		}
		img := image.NewRGBA(image.Rectangle{Max: size})
		if err := w.Screenshot(img); err != nil {
			t.Fatal(err)
		}
		return img
	}
	for i, l := range []Label{
		{Text: "Sphinx of black quartz, judge my vow: 0123456789"},
		{Face: Strong, Text: "## forward ## → (fj) {Wg} @½·×"},
		{Face: Mono, Text: "bf16: 218 x 4096 · 0x7f0011d68000"},
		{Face: MonoStrong, Size: SmallSize, Text: "model.py:93 …/user/strata-demo/"},
		{Size: SmallSize, Text: "Point at an allocation to see which line of code asked for it.  Click to pin it."},
		{Size: TitleSize, Text: "ATitleThatIsTooLong/ForTheRoomThatItHas/SoItIsCut.pickle"},
	} {
		for _, dark := range []bool{true, false} {
			th := NewTheme(dark)
			for _, scale := range []float32{1, 1.5} {
				l.Colour = []color.NRGBA{th.Text, th.Quiet, WithAlpha(th.Red, 128)}[i%3]
				lines := 1
				room := 600
				if l.Size == SmallSize && l.Face == Regular {
					lines, room = 0, 180
				}
				got := shot(func(gtx giolayout.Context) {
					if _, ok := th.typesetter.draw(gtx, l, lines); !ok {
						t.Fatalf("%q is not written", l.Text)
					}
				}, scale, room, th.Ground)
				want := shot(func(gtx giolayout.Context) { byGio(gtx, th, l, lines) }, scale, room, th.Ground)
				// Gio's letters are not quite exact: curves are a little off.
				differ, worst, inked := 0, 0, 0
				for j := range got.Pix {
					d := int(got.Pix[j]) - int(want.Pix[j])
					worst = max(worst, max(d, -d))
					differ += d
					if want.Pix[j] != want.Pix[j%4] {
						inked++
					}
				}
				if inked < 500 || max(differ, -differ) > 6*inked || worst > 90 {
					t.Errorf("%q, dark %v, scale %v: %d numbers of ink differ by up to %d, by %.1f on the whole",
						l.Text, dark, scale, inked, worst, float64(differ)/float64(inked))
				}
			}
		}
	}
}
