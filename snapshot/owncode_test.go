package snapshot

import (
	"context"
	"testing"
)

// TestOwnCode: a person's rules come before those for everybody, for call sites and for what is framework.
func TestOwnCode(t *testing.T) {
	s, err := Open(context.Background(), "../testdata/sample.pickle.gz", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if o := ParseOwnCode(" /mine/ , -/theirs/,, - ,x"); o.String() != "/mine/, x, -/theirs/" || o.IsZero() {
		t.Errorf("read as %q", o)
	}
	for _, c := range []struct {
		rules, file    string
		before, behind bool // IsFramework of that file's frames
	}{
		{"-strata-demo/model.py", "/home/user/strata-demo/model.py", false, true},
		{"torch/nn/modules", "", true, false},
		{"", "/home/user/strata-demo/model.py", false, false},
	} {
		changed := s.WithOwnCode(ParseOwnCode(c.rules))
		found := false
		for f := 1; f < len(s.Frames.Name); f++ {
			file := s.FileOf(FrameID(f))
			if of := c.file == "" && containsAny(file, changed.own.Own); !of && (c.file == "" || file != c.file) {
				continue
			}
			found = true
			if s.IsFramework(FrameID(f)) != c.before || changed.IsFramework(FrameID(f)) != c.behind {
				t.Errorf("%q: %s is framework %v, then %v", c.rules, file, s.IsFramework(FrameID(f)),
					changed.IsFramework(FrameID(f)))
			}
		}
		if !found {
			t.Errorf("%q: there is no such frame", c.rules)
		}
		for i, site := range changed.Stacks.Site {
			if c.behind && c.file != "" && changed.FileOf(site) == c.file && s.FileOf(s.Stacks.Site[i]) != c.file {
				t.Errorf("stack %d has its site in %s", i, c.file)
			}
		}
	}
}
