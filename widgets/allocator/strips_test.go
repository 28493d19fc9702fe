package allocator

import (
	"image"
	"image/color"
	"reflect"
	"testing"

	"strata/layout"
	"strata/layout/state"
	"strata/render/colour"
	"strata/widgets/kit"
	"strata/widgets/widgettest"
)

// stage is Strips with what they show.
type stage struct {
	*widgettest.Harness
	p     Strips
	s     *State
	event Event
}

func newStage(t *testing.T, file string, size image.Point) *stage {
	tl := widgettest.Open(t, file)
	h := state.New(tl.Snapshot, tl.Device)
	s := &stage{Harness: widgettest.New(size), s: &State{At: h.At(h.Len() / 2), Current: true, IDs: h.IDs(tl),
		Colours: colour.New(tl, colour.BySite, colour.Dark()), Hovered: None, Pinned: None,
		PoolName: func(k state.PoolKey) string { return layout.PoolName(tl.Snapshot, k.Pool) },
		Site:     func(int32) string { return "a line" }}}
	th := kit.NewTheme(true)
	s.Draw = func(gtx C) {
		s.event = s.p.Update(gtx, s.s)
		s.p.Layout(gtx, th, s.s)
	}
	s.Frame()
	return s
}

// files are snapshots with segments of all kinds.
var files = []string{"sim-oom.pickle", "sim-expandable.pickle", "sim-pools.pickle",
	"rand-pools-exp-0.pickle"}

// TestPixelsAreBlocks: what a pixel is painted with is the colour of the block that lies under it, and free room where
// none does, at both scales and scrolled.
func TestPixelsAreBlocks(t *testing.T) {
	for _, file := range files {
		for _, fit := range []bool{false, true} {
			s := newStage(t, file, image.Pt(900, 240))
			s.s.Choice.Fit = fit
			s.Frame()
			s.Send(widgettest.Wheel(widgettest.At(400, 100), 0, 33))
			blocks, free := 0, 0
			for row := s.p.top / s.p.high; row < len(s.p.rows) && row*s.p.high < s.p.top+s.p.body.Dy(); row++ {
				st := s.p.strip(s.s, row)
				img := image.NewRGBA(image.Rect(0, 0, s.p.body.Dx(), st.at.Dy()))
				c := &stripColours{free: color.RGBA{1, 2, 3, 255}, line: color.RGBA{9, 9, 9, 255}}
				st.at = st.at.Sub(image.Pt(0, st.at.Min.Y))
				st.paint(img, c)
				for x := range st.width() - 1 {
					got, id := img.RGBAAt(x, st.at.Max.Y-2), st.under(x)
					if id == None && got != c.free {
						t.Fatalf("%s: row %d, pixel %d: %v where nothing is", file, row, x, got)
					}
					if id == None {
						free++
						continue
					}
					blocks++
					b := s.s.At.History.Block(id)
					if from, to := st.byteAt(x), st.byteAt(x+1); b.Addr > from || b.End() < to ||
						b.Occupied != b.Requested || b.Pending(s.s.At.K) || st.pixel(b.End()) == x+1 {
						continue // shared, striped or the border of a block
					}
					if got != s.s.colour(id) {
						t.Fatalf("%s: row %d, pixel %d: %v, want %v", file, row, x, got, s.s.colour(id))
					}
				}
			}
			if blocks == 0 || free == 0 {
				t.Errorf("%s: %d pixels of blocks, %d free", file, blocks, free)
			}
		}
	}
}

// TestLedger: the parts add up to what is reserved, in every state.
func TestLedger(t *testing.T) {
	for _, file := range files[:3] { // those of a sound allocator
		tl := widgettest.Open(t, file)
		h := state.New(tl.Snapshot, tl.Device)
		for k := -1; k < h.Len(); k += 1 + h.Len()/100 {
			at, sum := h.At(k), int64(0)
			for _, n := range Ledger(at) {
				if sum += n; n < 0 {
					t.Fatalf("%s, state %d: a part of %d", file, k, n)
				}
			}
			if sum != at.Totals.Reserved && len(at.Outside) == 0 {
				t.Errorf("%s, state %d: %d, reserved are %d", file, k, sum, at.Totals.Reserved)
			}
		}
	}
}

// TestRows: every segment has a row once, in the order that is chosen; of one pool alone only its own.
func TestRows(t *testing.T) {
	s := newStage(t, "sim-pools.pickle", image.Pt(900, 240)).s
	for _, o := range Orders() {
		for _, split := range []bool{false, true} {
			rows, seen, last := Rows(s.At, Choice{Order: o, Split: split}), map[int]bool{}, -1
			for _, r := range rows {
				if r.Segment < 0 {
					last = -1
					continue
				}
				if g := &s.At.Segments[r.Segment]; last >= 0 && o == ByFree && g.Free > s.At.Segments[last].Free ||
					last >= 0 && o == BySize && g.Size > s.At.Segments[last].Size {
					t.Errorf("%s: segment %d comes after %d", o, r.Segment, last)
				}
				if last = r.Segment; seen[last] {
					t.Errorf("%s: segment %d twice", o, last)
				}
				seen[last] = true
			}
			if len(seen) != len(s.At.Segments) {
				t.Errorf("%s: %d of %d segments", o, len(seen), len(s.At.Segments))
			}
		}
	}
	for _, p := range s.At.Pools() {
		if rows := Rows(s.At, Choice{Only: p.PoolKey, Alone: true}); len(rows) != p.Segments {
			t.Errorf("%v: %d rows, want %d", p.PoolKey, len(rows), p.Segments)
		}
	}
}

// TestRowsStay: while the moment moves, segments keep their places, and are put in order when it rests.
func TestRowsStay(t *testing.T) {
	s := newStage(t, "sim-oom.pickle", image.Pt(900, 240))
	h := s.s.At.History
	before := map[int32]int{}
	for i, r := range s.p.rows {
		before[s.s.At.Segments[r.Segment].Life] = i
	}
	moved := *s.s
	moved.At, moved.Moving = h.At(h.Len()-1), true
	s.s = &moved
	s.Frame()
	last := -1
	for _, r := range s.p.rows {
		if at, is := before[moved.At.Segments[r.Segment].Life]; is {
			if at < last {
				t.Fatalf("the segment of place %d comes behind that of %d", at, last)
			}
			last = at
		}
	}
	picture := s.p.img
	rests := moved
	rests.Moving = false
	s.s = &rests
	s.Frame()
	if reflect.DeepEqual(picture, s.p.img) {
		t.Error("the strips are not painted in their new order")
	}
	want := Rows(rests.At, rests.Choice)
	for i, r := range s.p.rows {
		if r.Segment != want[i].Segment {
			t.Fatalf("at rest row %d is segment %d, want %d", i, r.Segment, want[i].Segment)
		}
	}
}

// TestPointer: a block under the pointer is hovered, a click pins it, a click on a label tells its segment; a block out
// of sight is scrolled to.
func TestPointer(t *testing.T) {
	s := newStage(t, "sim-oom.pickle", image.Pt(900, 200))
	row := -1
	for i, r := range s.p.rows {
		if s.s.At.Segments[r.Segment].First < s.s.At.Segments[r.Segment].End {
			row = i
			break
		}
	}
	g := &s.s.At.Segments[s.p.rows[row].Segment]
	id := s.s.At.Blocks[g.First]
	s.p.Reveal(s.s, id)
	s.Frame()
	r, is := s.p.find(s.s, id)
	if !is {
		t.Fatal("the block is not in sight")
	}
	at := r.Add(s.p.body.Min)
	s.Send(widgettest.Move(widgettest.At(float32(at.Min.X), float32(at.Min.Y+4))))
	if want := s.s.IDs[s.p.strip(s.s, row).under(r.Min.X)]; s.event.Hovered != want || want == layout.None {
		t.Errorf("hovered is %d, want %d", s.event.Hovered, want)
	}
	if lines := s.s.tooltip(s.p.under(s.s)); len(lines) < 3 {
		t.Errorf("the tooltip is %q", lines)
	}
	var clicked []Event
	draw := s.Draw
	s.Draw = func(gtx C) {
		if draw(gtx); s.event.Clicked {
			clicked = append(clicked, s.event)
		}
	}
	s.Click(widgettest.At(float32(at.Min.X), float32(at.Min.Y+4)))
	s.Click(widgettest.At(20, float32(at.Min.Y+4)))
	if len(clicked) != 2 || clicked[0].Pin == layout.None || clicked[1].Segment != s.p.rows[row].Segment ||
		clicked[1].Pin != layout.None {
		t.Errorf("clicks: %+v", clicked)
	}
}

func BenchmarkStrips(b *testing.B) {
	tl := widgettest.Open(b, widgettest.Sample)
	h := state.New(tl.Snapshot, tl.Device)
	s := &State{Current: true, IDs: h.IDs(tl), Colours: colour.New(tl, colour.BySite, colour.Dark()), Hovered: None,
		Pinned: None, PoolName: func(state.PoolKey) string { return "" }}
	var p Strips
	th, harness := kit.NewTheme(true), widgettest.New(image.Pt(1600, 300))
	k := 0
	harness.Draw = func(gtx C) {
		s.At = h.At(k)
		p.Layout(gtx, th, s)
	}
	for b.Loop() {
		k = (k + 1) % h.Len()
		harness.Frame()
	}
}

// TestRowsMoveBelowThePointer: where rows are put in order below a pointer that rests, another frame is asked for, and
// tells what lies under it then.
func TestRowsMoveBelowThePointer(t *testing.T) {
	s := newStage(t, "sim-oom.pickle", image.Pt(900, 200))
	for order := range Orders() {
		s.s.Choice.Order = Order(order)
		for y := float32(60); y < 190; y += 22 {
			s.Send(widgettest.Move(widgettest.At(230, y)))
			before := s.event.Hovered
			s.s.Choice.Order = (Order(order) + 1) % Order(len(Orders()))
			s.Frame() // reads the events, and only then puts the rows in order
			_, again := s.Router.WakeupTime()
			now := s.s.allocation(s.p.under(s.s).block)
			if now == before {
				continue
			}
			if !again {
				t.Fatalf("%d is under the pointer in place of %d, and no frame tells it", now, before)
			}
			if s.Frame(); s.event.Hovered != now {
				t.Fatalf("%d is told, %d is under the pointer", s.event.Hovered, now)
			}
			return
		}
	}
	t.Fatal("no order moves a row")
}
