package unpack

import "bytes"

// A Format is what the first bytes of a file say it is.
type Format uint8

// The formats that Sniff tells apart.
const (
	Pickle Format = iota // or anything that is none of the others
	JSON
	Page // a web page
	Gzip
	Zstd
	Zip
)

// SniffBytes is how many bytes Sniff needs to see.
const SniffBytes = 4096

var magics = []struct {
	bytes  string
	format Format
}{
	{"\x1f\x8b", Gzip},
	{"\x28\xb5\x2f\xfd", Zstd},
	{"PK\x03\x04", Zip},
	{"PK\x05\x06", Zip},
}

// Sniff tells a format by its first bytes; file names are not reliable. No pickle begins with the brackets of JSON
// or HTML: they are no opcodes.
func Sniff(head []byte) Format {
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.bytes)) {
			return m.format
		}
	}
	head = bytes.TrimLeft(trimBOM(head), " \t\r\n")
	switch {
	case len(head) == 0:
		return Pickle
	case head[0] == '{', head[0] == '[':
		return JSON
	case head[0] == '<':
		return Page
	}
	return Pickle
}

// Packed reports whether a file of this format is compressed, so that its content may be many times as big.
func (f Format) Packed() bool { return f >= Gzip }

func trimBOM(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")) }
