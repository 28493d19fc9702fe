package snapshot

import "testing"

// TestJSONWithoutNumbers: what Python's json writes for a float that is no number costs that event its size or its
// time, and nothing else.
func TestJSONWithoutNumbers(t *testing.T) {
	s := read(t, []byte(`{"segments": [], "device_traces": [[
		{"action": "alloc", "addr": 4096, "size": 1024, "stream": 0, "frames": [], "time_us": NaN},
		{"action": "alloc", "addr": 8192, "size": Infinity, "stream": 0, "frames": [], "time_us": 2},
		{"action": "alloc", "addr": 8192, "size": -Infinity, "stream": 0, "frames": [], "time_us": 2},
		{"action": "alloc", "addr": 8192, "size": NaN, "stream": 0, "frames": [], "time_us": 2},
		{"action": "free_completed", "addr": 4096, "size": 1024, "stream": 0, "frames": [], "time_us": 3}]]}`))
	if e := s.Devices[0].Events; e.Len() != 2 || e.Size[0] != 1024 || e.Time[1] != 3 {
		t.Errorf("%+v", e)
	}
	for _, f := range s.Findings {
		if f.ID == "truncated" || f.ID == "damaged" {
			t.Errorf("%+v", f)
		}
	}
}
