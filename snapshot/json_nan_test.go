package snapshot

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// TestPythonJSON: the words are replaced by as many bytes wherever a read ends,
// and only outside of texts.
func TestPythonJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":NaN,"b":[-Infinity,Infinity]}`:     `{"a":"" ,"b":[-1e999999,1e999999]}`,
		`{"NaN":"-Infinity \" NaN \\","x": NaN}`: `{"NaN":"-Infinity \" NaN \\","x": "" }`,
		`[-1, -12.5, "I", N, Na, Inf, -Infinit]`: `[-1, -12.5, "I", N, Na, Inf, -Infinit]`,
		`[NaN`:                                   `["" `,
		`[-Infin`:                                `[-Infin`,
		``:                                       ``,
	} {
		for name, r := range map[string]func(io.Reader) io.Reader{"whole": func(r io.Reader) io.Reader { return r }, "a byte at a time": iotest.OneByteReader, "halves": iotest.HalfReader} {
			for _, size := range []int{1, 2, 5, 100} {
				var got strings.Builder
				x, p := newPythonJSON(r(strings.NewReader(in))), make([]byte, size)
				for {
					n, err := x.Read(p)
					got.Write(p[:n])
					if err == io.EOF {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				if got.String() != want {
					t.Errorf("%s, %s, %d at a time: %s, want %s", in, name, size, got.String(), want)
				}
			}
		}
	}
}

// TestJSONWithoutNumbers: what Python's json writes for a float that is no
// number costs that event its size or its time, and nothing else.
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
