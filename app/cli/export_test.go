package cli

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"strata/app/export"
)

// TestMeter: one line that is written over and taken away, none for what is done at once, and none where nobody
// looks.
func TestMeter(t *testing.T) {
	var out bytes.Buffer
	m := &meter{line: &out, names: []string{"/x/rank0.pickle", "/x/rank\x1b[31m1.pickle"}, begun: time.Now()}
	m.show(export.Progress{})
	if m.clear(); out.Len() > 0 {
		t.Errorf("at once: %q", out.String())
	}
	m.begun = time.Now().Add(-time.Minute)
	m.show(export.Progress{Table: "events", Rows: 1234567})
	m.show(export.Progress{Source: 1}) // too soon after
	if s := out.String(); s != "\r\x1b[K1 of 2: rank0.pickle  events  1,234,567" {
		t.Errorf("%q", s)
	}
	m.last = time.Time{}
	m.show(export.Progress{Source: 1})
	if s := m.text(); !strings.HasPrefix(s, "reading 2 of 2: rank") || strings.Contains(s, "\x1b") {
		t.Errorf("%q", s)
	}
	m.show(export.Progress{Source: 2})
	if !strings.HasPrefix(m.text(), "finishing") {
		t.Errorf("%q", m.text())
	}
	if m.clear(); !strings.HasSuffix(out.String(), "\r\x1b[K") {
		t.Errorf("left: %q", out.String())
	}
}
