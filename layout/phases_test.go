package layout

import (
	"fmt"
	"testing"

	"strata/snapshot"
)

// annotated is a timeline from 0 to 100 µs with annotations written as "+name@time" for a START and "-name@time"
// for an END, of device 0 unless "!name".
func annotated(t *testing.T, marks ...string) *Timeline {
	t.Helper()
	s, d := device(event{alloc, 0, 100, 1000}, event{alloc, 512, 100, 1050}, event{free, 0, 100, 1100})
	for _, m := range marks {
		var sign, name string
		var at int64
		if _, err := fmt.Sscanf(m, "%1s%1s@%d", &sign, &name, &at); err != nil {
			t.Fatal(err)
		}
		a := snapshot.Annotation{Start: sign == "+", Name: snapshot.StringID(len(s.Strings)), Time: 1000 + at}
		for i, have := range s.Strings {
			if have == name {
				a.Name = snapshot.StringID(i)
			}
		}
		if int(a.Name) == len(s.Strings) {
			s.Strings = append(s.Strings, name)
		}
		if name == "X" {
			a.Device = 1
		}
		s.Annotations = append(s.Annotations, a)
	}
	return New(s, d, Options{})
}

func TestPhases(t *testing.T) {
	tests := []struct {
		name  string
		marks []string
		want  string
	}{
		{"nested", []string{"+a@0", "+b@10", "-b@20", "+c@20", "-c@30", "-a@40"}, "a 0-40 0, b 10-20 1, c 20-30 1"},
		{"the same name nested in itself", []string{"+a@0", "+a@10", "-a@20", "-a@30"}, "a 0-30 0, a 10-20 1"},
		{"interleaved threads", []string{"+a@0", "+b@10", "-a@20", "-b@30"}, "a 0-20 0, b 10-30 1"},
		{"no END", []string{"+a@5"}, "a 5-100 0 open"},
		{"no START", []string{"-a@5"}, "a 5-5 0 instant"},
		{"only another device's", []string{"+X@5", "-X@9"}, "X 5-9 0"},
		{"another device's", []string{"+X@5", "-X@9", "+a@5", "-a@9"}, "a 5-9 0"},
		{"outside the trace", []string{"+a@-20", "-a@-10", "+b@150"}, "a -20--10 0, b 150-150 0 open"},
		{"one begins where another ends", []string{"+a@0", "-a@10", "+b@10", "-b@20"}, "a 0-10 0, b 10-20 0"},
	}
	for _, test := range tests {
		got := ""
		for i, p := range AllPhases(annotated(t, test.marks...)).All {
			if i > 0 {
				got += ", "
			}
			got += fmt.Sprintf("%s %d-%d %d", p.Name, p.Start, p.End, p.Depth)
			if p.Open {
				got += " open"
			}
			if p.Instant {
				got += " instant"
			}
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

func TestPhaseInForce(t *testing.T) {
	p := AllPhases(annotated(t, "+a@0", "+b@10", "-b@20", "-a@40", "+c@60", "-c@70"))
	for at, want := range map[int64]string{-1: "", 0: "a", 9: "a", 15: "b", 25: "a", 50: "", 65: "c", 71: ""} {
		got := ""
		if ph := p.At(at); ph != nil {
			got = ph.Name
		}
		if got != want {
			t.Errorf("at %d: %q, want %q", at, got, want)
		}
	}
}

// TestXOfTime: the way from time to the event axis and back meets the same action.
func TestXOfTime(t *testing.T) {
	tl := annotated(t)
	for us, want := range map[int64]float64{-5: 0, 0: 0, 1: 1, 50: 1, 51: 2, 100: 2, 101: 6} {
		if got := tl.XOfTime(Events, us); got != want {
			t.Errorf("%d µs at timestep %v, want %v", us, got, want)
		}
	}
	for x, want := range map[float64]int64{0: 0, 0.5: 0, 1: 50, 2: 100, 5.9: 100, 99: 100} {
		if got := tl.TimeAt(Events, x); got != want {
			t.Errorf("timestep %v at %d µs, want %d", x, got, want)
		}
	}
}

// TestChoice: PyTorch's own annotations are left out where there are others, those of other devices where the device
// has its own; both can be asked for.
func TestChoice(t *testing.T) {
	count := func(tl *Timeline, c Choice) int {
		p, err := NewPhases(tl, c)
		if err != nil {
			t.Fatal(err)
		}
		return len(p.All)
	}
	tl := annotated(t, "+a@0", "-a@9", "+b@10", "-b@20", "+X@5", "-X@9")
	tl.Snapshot.Strings[tl.Snapshot.Annotations[2].Name] = "ProfilerStep#1"
	for c, want := range map[Choice]int{{}: 1, {All: true}: 2, {Others: true}: 2, {All: true, Others: true}: 3,
		{All: true, Filter: "step"}: 1, {Filter: "step"}: 0} {
		if got := count(tl, c); got != want {
			t.Errorf("%+v: %d phases, want %d", c, got, want)
		}
	}
	if _, err := NewPhases(tl, Choice{Filter: "/["}); err == nil {
		t.Error("a wrong expression was accepted")
	}
	tl = annotated(t, "+b@10", "-b@20")
	tl.Snapshot.Strings[tl.Snapshot.Annotations[0].Name] = "ProfilerStep#1"
	if got := count(tl, Choice{}); got != 1 {
		t.Errorf("%d phases where only PyTorch's own are there", got)
	}
	if all, internal := tl.Annotations(); all != 2 || internal != 2 {
		t.Errorf("%d annotations, %d of them internal", all, internal)
	}
}

func TestInternal(t *testing.T) {
	for name, want := range map[string]bool{
		"## forward ##": false, "my step": false, "Optimizer.step#AdamW.step": true, "ProfilerStep#3": true,
		"pad_mm_benchmark (dynamo_timed)":                               true,
		"enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__": true, "Optimizer of mine": false,
	} {
		if Internal(name) != want {
			t.Errorf("Internal(%q) = %v", name, !want)
		}
	}
}

// TestDeepPhases: as many STARTs without END as a hostile file likes.
func TestDeepPhases(t *testing.T) {
	tl := annotated(t)
	for range 300_000 {
		tl.Snapshot.Annotations = append(tl.Snapshot.Annotations, snapshot.Annotation{Start: true, Time: 1000})
	}
	if p := AllPhases(tl); p.Depth() != deepest+1 || len(p.All) != 300_000 {
		t.Errorf("%d phases in %d levels", len(p.All), p.Depth())
	}
}
