package unpack

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"

	"strata/layout/units"
)

// unzip is the one snapshot in a zip file, as torch.save and people make them.
func (s *source) unzip() (source, error) {
	if s.at == nil {
		return source{}, &Error{What: "the file is a zip file inside of compressed data", Advice: "Unpack it first"}
	}
	z, err := zip.NewReader(s.at, s.size)
	if err != nil {
		return s.unzipCut(err)
	}
	var names []string
	files := map[string]*zip.File{}
	for _, f := range z.File {
		if !f.FileInfo().IsDir() {
			names = append(names, f.Name)
			files[f.Name] = f
		}
	}
	name, err := choose("zip", names)
	if err != nil {
		return source{}, err
	}
	f := files[name]
	if f.Flags&1 != 0 {
		return source{}, &Error{What: "the zip file is encrypted", Advice: "Unpack it first"}
	}
	at, err := f.DataOffset()
	if err != nil {
		return source{}, damaged("zip", err)
	}
	return s.inflate(name, at, int64(min(f.CompressedSize64, uint64(s.size))), f.Method)
}

// inflate is the member of a zip file that lies at an offset.
func (s *source) inflate(name string, at, size int64, method uint16) (source, error) {
	part := s.section("zip", at, size)
	part.member = name
	switch method {
	case zip.Store:
		return part, nil
	case zip.Deflate:
		return part.through("zip", func(r io.Reader) (io.Reader, error) { return flate.NewReader(r), nil }), nil
	case zstd.ZipMethodWinZip:
		return part.through("zip", decompressors[Zstd]), nil
	}
	return source{}, &Error{What: fmt.Sprintf("the zip file is compressed with %s (method %d), which Strata does "+
		"not read", cmp.Or(zipMethods[method], "a method"), method), Advice: "Unpack it first"}
}

// zipMethods are the methods of compression in zip files that people may meet.
var zipMethods = map[uint16]string{
	1: "Shrink", 6: "Implode", 9: "Deflate64", 12: "bzip2", 14: "LZMA", 95: "xz", 98: "PPMd", 99: "encryption",
}

// A local header begins with these bytes, and has so many before the member's name.
const (
	localHeader      = "PK\x03\x04"
	localHeaderBytes = 30
)

// unzipCut is the first member named as a snapshot, else the first of all, in a zip file without a directory, which is
// at its end. The members are found by their local headers. cause is what is wrong with the directory.
func (s *source) unzipCut(cause error) (source, error) {
	var first func() (source, error)
	rest := func() (source, error) {
		if first != nil {
			return first()
		}
		return source{}, damaged("zip", cause)
	}
	var h [localHeaderBytes]byte
	for at := int64(0); ; {
		if n, _ := s.at.ReadAt(h[:], at); n < len(h) || string(h[:4]) != localHeader {
			return rest()
		}
		flags, method := binary.LittleEndian.Uint16(h[6:]), binary.LittleEndian.Uint16(h[8:])
		size := int64(binary.LittleEndian.Uint32(h[18:]))
		name := make([]byte, binary.LittleEndian.Uint16(h[26:]))
		if n, _ := s.at.ReadAt(name, at+localHeaderBytes); n < len(name) {
			return rest()
		}
		at += localHeaderBytes + int64(len(name)) + int64(binary.LittleEndian.Uint16(h[28:]))
		unknown := flags&8 != 0 || size == 1<<32-1 // it follows the data, or is in a 64-bit field
		if unknown {
			size = s.size
		}
		data := at
		member := func() (source, error) { return s.inflate(string(name), data, size, method) }
		switch {
		case at >= s.size:
			return rest()
		case isLikely(string(name)):
			return member()
		case first == nil && !isHidden(string(name)):
			first = member
		}
		if unknown {
			size = s.nextMember(at)
		}
		at += size
	}
}

// nextMember is how many bytes from an offset on the next local header of a zip file comes, or the end.
func (s *source) nextMember(at int64) int64 {
	b := make([]byte, 1<<16)
	for n := int64(0); ; n += int64(len(b)) - int64(len(localHeader)) + 1 {
		k, err := s.at.ReadAt(b, at+n)
		if i := bytes.Index(b[:k], []byte(localHeader)); i >= 0 {
			return n + int64(i)
		}
		if err != nil {
			return n + int64(k)
		}
	}
}

// choose returns the one member of an archive that is to be read.
func choose(format string, names []string) (string, error) {
	names = slices.DeleteFunc(names, isHidden)
	all := names
	if len(all) > 1 {
		names = slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !isLikely(name) })
	}
	if len(names) != 1 {
		what := fmt.Sprintf("the %s file holds %d files, not one snapshot", format, len(all))
		if len(all) > 0 {
			what += ": " + units.Clip(strings.Join(all, ", "), 80)
		}
		return "", &Error{What: what, Advice: "Unpack the one to be read"}
	}
	return names[0], nil
}

func isHidden(name string) bool {
	base := path.Base(name)
	return base[0] == '.' || strings.HasSuffix(name, "/") || strings.HasPrefix(name, "__MACOSX/")
}

// isLikely reports whether a file is named as snapshots are.
func isLikely(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".pickle", ".pkl", ".pickl", ".json", ".snapshot", ".html", ".htm", ".gz", ".zst", ".xz", ".bz2", ".lz4",
		".tar", ".tgz":
		return !isHidden(name)
	}
	return false
}

// untar is the one snapshot in a tar file. A compressed one is read twice: its members are counted first.
func (s *source) untar(limit int64) (source, error) {
	in, err := s.open()
	if err != nil {
		return source{}, err
	}
	defer in.close()
	var r io.Reader = io.LimitReader(in, limit)
	section := io.NewSectionReader(s.at, 0, s.size)
	if s.at != nil {
		r = section // members are skipped, not read
	}
	type member struct {
		index    int
		at, size int64 // bytes
	}
	members := map[string]member{}
	var names []string
	t := tar.NewReader(r)
	for i := 0; ; i++ {
		h, err := t.Next()
		if err != nil {
			if err != io.EOF && len(names) == 0 {
				return source{}, damaged("tar", err)
			}
			break // at the end, or cut off in a member
		}
		if h.Typeflag == tar.TypeReg {
			at, _ := section.Seek(0, io.SeekCurrent)
			names = append(names, h.Name)
			members[h.Name] = member{i, at, h.Size}
		}
	}
	name, err := choose("tar", names)
	if err != nil {
		return source{}, err
	}
	m := members[name]
	if s.at != nil {
		part := s.section("tar", m.at, m.size)
		part.member = name
		return part, nil
	}
	part := s.through("tar", func(in io.Reader) (io.Reader, error) {
		t := tar.NewReader(in)
		for range m.index + 1 {
			if _, err := t.Next(); err != nil {
				return nil, err
			}
		}
		return t, nil
	})
	part.member = name
	return part, nil
}
