package session

import (
	"sync"
	"testing"
)

func TestBackgroundDelivers(t *testing.T) {
	m := NewBackground()
	m.Post(func() {}) // before there is a window
	var wakes sync.WaitGroup
	wakes.Add(100)
	m.SetWake(wakes.Done)
	n := 0
	for range 100 {
		go m.Post(func() { n++ })
	}
	wakes.Wait()
	m.Deliver()
	if n != 100 {
		t.Fatalf("%d of 100 delivered", n)
	}
}

func TestSentence(t *testing.T) {
	for in, want := range map[string]string{"no such file": "No such file.", "": "", "Done!": "Done!", "é": "É."} {
		if got := Sentence(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
