package layout

import (
	"math/rand/v2"
	"testing"

	"strata/layout/traces"
	"strata/snapshot"
)

// TestBars: whatever the zoom, what shows of a level are its phases in view, each in one bar or cell, none over
// another, and no more than there is room.
func TestBars(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s, d := device(event{alloc, 0, 100, 1000}, event{free, 0, 100, 1_001_000})
	s.Strings = append(s.Strings, "p")
	name := snapshot.StringID(len(s.Strings) - 1)
	for at := int64(1000); at < 1_000_000; {
		long := 1 + rng.Int64N(40)
		if rng.IntN(200) == 0 {
			long *= 500
		}
		s.Annotations = append(s.Annotations,
			snapshot.Annotation{Start: true, Name: name, Time: at}, snapshot.Annotation{Name: name, Time: at + long})
		at += long + rng.Int64N(60)
	}
	tl := New(s, d, Options{})
	p := AllPhases(tl)
	bars := p.Bars(tl, Time)
	if len(p.All) < 5000 || p.Depth() != 1 {
		t.Fatalf("%d phases in %d levels", len(p.All), p.Depth())
	}
	const w = 1000
	for range 200 {
		from := rng.Float64() * 900_000
		to := from + 10 + rng.Float64()*rng.Float64()*(1_000_000-from)
		got := bars.Appear(nil, 0, from, to, w)
		want := 0
		for _, ph := range p.All {
			if float64(ph.End) >= from && float64(ph.Start) <= to {
				want++
			}
		}
		count := 0
		for i, b := range got {
			count += b.Count
			if b.Count > 1 && (b.Dense <= 0 || b.Dense > 1 || b.X1-b.X0 < Cell-1e-6) {
				t.Fatalf("cell %+v", b)
			}
			if b.Count == 1 {
				x0, x1 := bars.Span(b.Phase)
				if scale := w / (to - from); b.X0 != (x0-from)*scale || b.X1 != (x1-from)*scale {
					t.Fatalf("bar %+v of %g – %g", b, x0, x1)
				}
			}
			if i > 0 && b.X0 < got[i-1].X1-Cell {
				t.Fatalf("%+v begins in %+v", b, got[i-1])
			}
		}
		// A cell at the right edge may hold some that begin just after it.
		if count < want || count > want+Cell+int((to-from)*Cell/w) {
			t.Fatalf("%d phases in %g – %g show as %d", want, from, to, count)
		}
		if len(got) > w/Cell*2+2 {
			t.Fatalf("%d bars in %d pixels", len(got), w)
		}
	}
}

func TestMatchNames(t *testing.T) {
	for _, c := range []struct {
		filter string
		yes    string
		no     string
	}{
		{"", "anything", ""},
		{"FORWARD", "## forward ##", "## backward ##"},
		{"/^step [0-9]$/", "step 1", "step 12"},
		{"/Back/", "Backward", "backward"},
		{"/back/i", "Backward", "forward"},
		{"a/b", "x a/b", "ab"},
		{"/", "a/b", "ab"},
		{"/open", "reopened", "closed"},
	} {
		match, err := MatchNames(c.filter)
		if err != nil {
			t.Errorf("%q: %v", c.filter, err)
			continue
		}
		if !match(c.yes) || c.no != "" && match(c.no) {
			t.Errorf("%q: %v, %v", c.filter, match(c.yes), match(c.no))
		}
	}
	if _, err := MatchNames("/(/"); err == nil {
		t.Error("an expression that is none was taken")
	}
}

// TestOOMs: a failed request lies after the actions before it, on both axes.
func TestOOMs(t *testing.T) {
	s, d := device(event{alloc, 0, 100, 1000}, event{alloc, 512, 100, 1050}, event{free, 0, 100, 1100})
	ev := &d.Events
	insert := func(at int, size, free int64, time int64) {
		ev.Action = append(ev.Action[:at:at], append([]snapshot.Action{snapshot.ActionOOM}, ev.Action[at:]...)...)
		ev.Addr = append(ev.Addr[:at:at], append([]uint64{uint64(free)}, ev.Addr[at:]...)...)
		ev.Size = append(ev.Size[:at:at], append([]int64{size}, ev.Size[at:]...)...)
		ev.Time = append(ev.Time[:at:at], append([]int64{time}, ev.Time[at:]...)...)
		ev.Stream = append(ev.Stream, 0)
		ev.Stack = append(ev.Stack, 0)
	}
	insert(2, 4096, 17, 1070)
	tl := New(s, d, Options{})
	got := tl.OOMs()
	if len(got) != 1 || got[0].Event != 2 || got[0].State != 2 || got[0].Asked != 4096 || got[0].Free != 17 {
		t.Fatalf("%+v", got)
	}
	if x := tl.XOfOOM(Time, got[0]); x != 70 {
		t.Errorf("at %g µs", x)
	}
	if x := tl.XOfOOM(Events, got[0]); x != 2 {
		t.Errorf("at step %g", x)
	}
}

// TestFreeRequest: the request is found between an allocation and its free, never that of another allocation at the
// same address.
func TestFreeRequest(t *testing.T) {
	asked, done := snapshot.ActionFreeRequested, snapshot.ActionFreeCompleted
	s, d := device(event{alloc, 0, 100, 0}, event{asked, 0, 100, 1}, event{alloc, 512, 50, 2}, event{done, 0, 100, 9},
		event{alloc, 0, 70, 10}, event{asked, 512, 50, 11}, event{done, 512, 50, 12}, event{asked, 0, 70, 13})
	tl := New(s, d, Options{})
	for _, c := range []struct {
		size  int64
		event int32
	}{{100, 1}, {50, 5}, {70, 7}} {
		found := false
		for id := range tl.Size {
			if tl.Size[id] != c.size {
				continue
			}
			found = true
			a := tl.At(ID(id))
			if e, ok := tl.FreeRequest(&a); !ok || e != c.event {
				t.Errorf("of %d bytes: event %d, %v", c.size, e, ok)
			}
		}
		if !found {
			t.Errorf("no allocation of %d bytes", c.size)
		}
	}
}

// TestFreeRequestIsTheLast compares with going through the trace, where frees are carried out at once or later, or
// never, and addresses are used again.
func TestFreeRequestIsTheLast(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	found := 0
	for range 100 {
		tr := traces.New()
		live, pending := map[uint64]bool{}, map[uint64]bool{}
		for range 200 {
			switch addr := uint64(rng.IntN(12)) * 512; {
			case pending[addr] && rng.IntN(3) > 0:
				tr.Add(snapshot.ActionFreeCompleted, addr, 512)
				delete(pending, addr)
			case live[addr]:
				tr.Add(snapshot.ActionFreeRequested, addr, 512)
				delete(live, addr)
				if pending[addr] = rng.IntN(2) == 0; !pending[addr] {
					tr.Add(snapshot.ActionFreeCompleted, addr, 512)
					delete(pending, addr)
				}
			case !pending[addr]:
				tr.Add(snapshot.ActionAlloc, addr, 512)
				live[addr] = true
			}
		}
		s, d := tr.Snapshot()
		tl := New(s, d, Options{})
		for id := range tl.Size {
			a := tl.At(ID(id))
			last, want := a.FreeEvent, int32(-1)
			if last < 0 {
				last = int32(d.Events.Len())
			}
			for e := a.AllocEvent + 1; e < last; e++ {
				if d.Events.Action[e] == snapshot.ActionFreeRequested && d.Events.Addr[e] == a.Addr {
					want = e
				}
			}
			got, ok := tl.FreeRequest(&a)
			if ok != (want >= 0) || ok && got != want {
				t.Fatalf("allocation %d, %+v: request %d, %v, want %d", id, a, got, ok, want)
			}
			if ok && got != last-1 {
				found++
			}
		}
	}
	if found == 0 {
		t.Error("no free was carried out later")
	}
}
