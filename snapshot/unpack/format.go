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
	XZ
	Bzip2
	LZ4
	Tar
	Zip
)

// String is the format's name as in Content.Compression.
func (f Format) String() string {
	return [...]string{"pickle", "json", "html", "gzip", "zstd", "xz", "bzip2", "lz4", "tar", "zip"}[f]
}

// SniffBytes is how many bytes Sniff needs to see.
const SniffBytes = 4096

var magics = []struct {
	bytes  string
	format Format
}{
	{"\xfd7zXZ\x00", XZ},
	{"BZh", Bzip2},
	{"\x04\x22\x4d\x18", LZ4},
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
	if len(head) > tarMagicAt && bytes.HasPrefix(head[tarMagicAt:], []byte("ustar")) {
		return Tar
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

const tarMagicAt = 257

// Packed reports whether a file of this format is compressed, so that its content may be many times as big.
func (f Format) Packed() bool { return f >= Gzip }

func trimBOM(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")) }
