package snapshot

import (
	"bytes"
	"strings"
	"testing"
)

// Python's pickle.dumps of {'segments': [], 'device_traces': [[{'action': 'alloc', 'addr': 1, 'size': 2, 'stream':
// 0, 'frames': [{'name': b'f', 'filename': b'/x/\xe9.py', 'line': 3}]}]]} in protocols 0, 1 and 2, which have no
// bytes: they come as the call of a function.
var oldBytes = []string{
	"(dp0\nVsegments\np1\n(lp2\nsVdevice_traces\np3\n(lp4\n(lp5\n(dp6\nVaction\np7\nValloc\np8\nsVaddr\np9\nI1\nsVsiz" +
		"e\np10\nI2\nsVstream\np11\nI0\nsVframes\np12\n(lp13\n(dp14\nVname\np15\nc_codecs\nencode\np16\n(Vf\np17\nVla" +
		"tin1\np18\ntp19\nRp20\nsVfilename\np21\ng16\n(V/x/\xe9.py\np22\ng18\ntp23\nRp24\nsVline\np25\nI3\nsasaas.",
	"}q\x00(X\x08\x00\x00\x00segmentsq\x01]q\x02X\x0d\x00\x00\x00device_tracesq\x03]q\x04]q\x05}q\x06(X\x06\x00\x00" +
		"\x00actionq\x07X\x05\x00\x00\x00allocq\x08X\x04\x00\x00\x00addrq\x09K\x01X\x04\x00\x00\x00sizeq\nK\x02X\x06" +
		"\x00\x00\x00streamq\x0bK\x00X\x06\x00\x00\x00framesq\x0c]q\x0d}q\x0e(X\x04\x00\x00\x00nameq\x0fc_codecs\nenc" +
		"ode\nq\x10(X\x01\x00\x00\x00fq\x11X\x06\x00\x00\x00latin1q\x12tq\x13Rq\x14X\x08\x00\x00\x00filenameq\x15h" +
		"\x10(X\x08\x00\x00\x00/x/\xc3\xa9.pyq\x16h\x12tq\x17Rq\x18X\x04\x00\x00\x00lineq\x19K\x03uauaau.",
	"\x80\x02}q\x00(X\x08\x00\x00\x00segmentsq\x01]q\x02X\x0d\x00\x00\x00device_tracesq\x03]q\x04]q\x05}q\x06(X\x06" +
		"\x00\x00\x00actionq\x07X\x05\x00\x00\x00allocq\x08X\x04\x00\x00\x00addrq\x09K\x01X\x04\x00\x00\x00sizeq\nK" +
		"\x02X\x06\x00\x00\x00streamq\x0bK\x00X\x06\x00\x00\x00framesq\x0c]q\x0d}q\x0e(X\x04\x00\x00\x00nameq\x0fc_co" +
		"decs\nencode\nq\x10X\x01\x00\x00\x00fq\x11X\x06\x00\x00\x00latin1q\x12\x86q\x13Rq\x14X\x08\x00\x00\x00filena" +
		"meq\x15h\x10X\x08\x00\x00\x00/x/\xc3\xa9.pyq\x16h\x12\x86q\x17Rq\x18X\x04\x00\x00\x00lineq\x19K\x03uauaau.",
}

// TestOldBytes: names that are bytes are read in every protocol, as plain data, and by both readers.
func TestOldBytes(t *testing.T) {
	for protocol, data := range oldBytes {
		s := read(t, []byte(data))
		if s.Source.Reader != "stream" {
			t.Errorf("protocol %d took the reader %q", protocol, s.Source.Reader)
		}
		wantFrame(t, s, "/x/\ufffd.py:3 f")
		if protocol == 0 {
			continue // gopickle reads its text as UTF-8
		}
		s, err := viaTree(t, []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		wantFrame(t, s, "/x/\ufffd.py:3 f")
	}
}

func wantFrame(t *testing.T, s *Snapshot, want string) {
	t.Helper()
	if got := s.StackText(s.Devices[0].Events.Stack[0], false); len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestOtherCodecs: what is not exactly how Python writes bytes has no value, and harms nothing.
func TestOtherCodecs(t *testing.T) {
	for _, change := range [][2]string{
		{"X\x06\x00\x00\x00latin1", "X\x06\x00\x00\x00rot_13"},
		{"/x/\xc3\xa9.py", "\xe2\x82\xac/xy.p"}, // no Latin-1
		{"_codecs\nencode", "_codecs\ndecode"},
		{"q\x10X\x01\x00\x00\x00fq", "q\x10K\x01q"},
	} {
		data := []byte(strings.ReplaceAll(oldBytes[2], change[0], change[1]))
		if bytes.Equal(data, []byte(oldBytes[2])) {
			t.Fatalf("%q is not there", change[0])
		}
		s := read(t, data)
		if e := &s.Devices[0].Events; e.Len() != 1 || e.Size[0] != 2 {
			t.Errorf("%q: %d events", change[1], e.Len())
		}
	}
}
