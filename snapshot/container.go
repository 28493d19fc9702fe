package snapshot

import (
	"archive/zip"
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A format is what the first bytes of a file say it is.
type format uint8

const (
	formatPickle format = iota // or anything else: the machine will tell
	formatGzip
	formatZstd
	formatZip
	formatJSON
	formatHTML
)

// sniffLen is how many bytes sniff wants to see.
const sniffLen = 4096

// sniff tells a format by its content; names lie. No pickle begins with the
// brackets of JSON or HTML: they are no opcodes.
func sniff(b []byte) format {
	switch {
	case bytes.HasPrefix(b, []byte{0x1f, 0x8b}):
		return formatGzip
	case bytes.HasPrefix(b, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return formatZstd
	case bytes.HasPrefix(b, []byte("PK\x03\x04")), bytes.HasPrefix(b, []byte("PK\x05\x06")):
		return formatZip
	}
	b = bytes.TrimLeft(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(b) > 0 {
		switch b[0] {
		case '{', '[':
			return formatJSON
		case '<':
			return formatHTML
		}
	}
	return formatPickle
}

// maxWraps is how many compressions may lie around one another.
const maxWraps = 3

// bytesIn reads a file that lies in memory.
func (d *decoding) bytesIn(data []byte) error {
	d.src.Compression = "none"
	d.done = func(raw int64) int64 { return min(raw, d.total) }
	switch sniff(data) {
	case formatGzip, formatZstd:
		return d.compressed(func() (io.Reader, error) { return bytes.NewReader(data), nil }, data, 0)
	case formatZip:
		return d.zip(bytes.NewReader(data), int64(len(data)))
	case formatJSON:
		return d.json(bytes.NewReader(trimBOM(data)))
	case formatHTML:
		return d.html(data)
	}
	err := d.pickleBytes(data)
	return err
}

func trimBOM(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")) }

// compressed reads what lies in a gzip or zstd stream whose first bytes are
// head.
func (d *decoding) compressed(open func() (io.Reader, error), head []byte, depth int) error {
	f := sniff(head)
	name := map[format]string{formatGzip: "gzip", formatZstd: "zstd"}[f]
	if depth == 0 {
		d.src.Compression = name
	} else {
		d.src.Compression += "+" + name
	}
	again, stop := d.piped(func() (io.Reader, func(), error) {
		in, err := open()
		if err != nil {
			return nil, nil, err
		}
		r, shut, err := decompressor(f, in)
		if err != nil {
			return nil, nil, damagedContainer(name, err)
		}
		if whole, ok := in.(*bytes.Reader); ok && depth == 0 {
			m := &metered{Reader: r, in: whole}
			d.done = func(int64) int64 { return min(m.done.Load(), d.total) }
			r = m
		}
		return r, shut, nil
	})
	defer stop()
	inner, err := again()
	if err != nil {
		return err
	}
	peek, err := inner.Peek(sniffLen)
	if len(peek) == 0 {
		if err == nil || err == io.EOF {
			return errEmptyInside
		}
		return damagedContainer(name, err)
	}
	switch sniff(peek) {
	case formatGzip, formatZstd:
		if depth+1 >= maxWraps {
			return &containerError{"the file is compressed too many times over", "Decompress it first", nil}
		}
		return d.compressed(func() (io.Reader, error) { return again() }, bytes.Clone(peek), depth+1)
	case formatZip:
		return &containerError{"the file is a zip file inside of compressed data", "Unpack it first", nil}
	case formatJSON:
		return d.json(skipBOM(bufio.NewReaderSize(inner, sniffLen)))
	case formatHTML:
		page, err := io.ReadAll(io.LimitReader(inner, min(d.lim.Raw, d.lim.Memory, maxPage)))
		if err != nil && len(page) == 0 {
			return err
		}
		return d.html(page)
	}
	first := true
	return d.pickleStream(func() (io.Reader, error) {
		if first {
			first = false
			return inner, nil
		}
		return again()
	})
}

// piped makes again, which gives a fresh pipe of what open opens, and stop,
// which ends the last one. With the stream, open returns what closes it.
func (d *decoding) piped(open func() (io.Reader, func(), error)) (again func() (*pipe, error), stop func()) {
	end := func() {}
	stop = func() {
		end()
		end = func() {}
	}
	again = func() (*pipe, error) {
		stop()
		r, shut, err := open()
		if err != nil {
			return nil, err
		}
		p := startPipe(r, d.inFile)
		end = func() {
			p.stop()
			shut()
		}
		return p, nil
	}
	return again, stop
}

// decompressor unpacks gzip or zstd; shut frees it.
func decompressor(f format, in io.Reader) (r io.Reader, shut func(), err error) {
	if f == formatGzip {
		z, err := gzip.NewReader(in)
		return z, func() {}, err
	}
	z, err := zstd.NewReader(in, zstd.WithDecoderMaxMemory(1<<30), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, nil, err
	}
	return z, z.Close, nil
}

// maxPage bounds a compressed web page, which is unpacked into memory.
const maxPage = 1 << 30

func skipBOM(r *bufio.Reader) io.Reader {
	if b, _ := r.Peek(3); len(trimBOM(b)) == 0 && len(b) == 3 {
		_, _ = r.Discard(3)
	}
	return r
}

// A containerError is what is wrong with what a snapshot is packed in.
type containerError struct {
	what, advice string
	err          error // cause, may be nil
}

func (e *containerError) Error() string { return e.what }

func (e *containerError) Unwrap() error { return e.err }

// damagedContainer is the error for a container of which nothing can be read.
func damagedContainer(name string, err error) error {
	what := "the " + name + " file is damaged: " + err.Error()
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		what = "the " + name + " file is cut off before anything useful"
	}
	return &containerError{what, "Copy the file again in full, or dump the snapshot again", err}
}

var errEmptyInside = errors.New("nothing is inside")

// zip reads the one snapshot in a zip file, as torch.save and people make
// them.
func (d *decoding) zip(r io.ReaderAt, size int64) error {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return damagedContainer("zip", err)
	}
	z.RegisterDecompressor(zip.Deflate, func(r io.Reader) io.ReadCloser { return flate.NewReader(r) })
	member, err := zipMember(z)
	if err != nil {
		return err
	}
	open := func() (io.Reader, error) { return member.Open() }
	in, err := open()
	if err != nil {
		return damagedContainer("zip", err)
	}
	d.src.Compression = "zip"
	d.done = func(raw int64) int64 {
		return int64(float64(d.total) * min(1, float64(raw)/float64(max(member.UncompressedSize64, 1))))
	}
	br := bufio.NewReaderSize(in, sniffLen)
	peek, err := br.Peek(sniffLen)
	if len(peek) == 0 {
		if err == io.EOF {
			return errEmptyInside
		}
		return damagedContainer("zip", err)
	}
	switch sniff(peek) {
	case formatGzip, formatZstd:
		total := d.done
		err := d.compressed(open, bytes.Clone(peek), 1)
		d.done = total
		return err
	case formatJSON:
		return d.json(skipBOM(br))
	case formatHTML, formatZip:
		return &containerError{"what lies in the zip file is no snapshot", "If it holds one, unpack it first", nil}
	}
	again, stop := d.piped(func() (io.Reader, func(), error) {
		r, err := open()
		return r, func() {}, err
	})
	defer stop()
	return d.pickleStream(func() (io.Reader, error) { return again() })
}

// zipMember is the one file in a zip file that is to be read.
func zipMember(z *zip.Reader) (*zip.File, error) {
	var all, likely []*zip.File
	for _, f := range z.File {
		base := path.Base(f.Name)
		if f.FileInfo().IsDir() || strings.HasPrefix(base, ".") || strings.HasPrefix(f.Name, "__MACOSX/") {
			continue
		}
		all = append(all, f)
		switch strings.ToLower(path.Ext(base)) {
		case ".pickle", ".pkl", ".pickl", ".json", ".gz", ".zst", ".html", ".snapshot":
			likely = append(likely, f)
		}
	}
	if len(all) > 1 && len(likely) == 1 {
		all = likely
	}
	if len(all) != 1 {
		return nil, &containerError{fmt.Sprintf("the zip file holds %d files, not one snapshot", len(all)), "Unpack the one to be read", nil}
	}
	return all[0], nil
}

// html reads the pickle that PyTorch's _memory_viz pages carry in base64
// (FORMAT.md, section 1.1).
func (d *decoding) html(page []byte) error {
	d.src.Compression = strings.TrimPrefix(d.src.Compression+"+html", "none+")
	rest := page
	for {
		i := bytes.Index(rest, []byte("base64"))
		if i < 0 {
			return errHTML
		}
		rest = rest[i+len("base64"):]
		text, ok := base64String(rest)
		if !ok {
			continue
		}
		d.done = func(raw int64) int64 { return min(raw*4/3, d.total) }
		return d.pickleStream(func() (io.Reader, error) {
			return base64.NewDecoder(base64.StdEncoding, bytes.NewReader(text)), nil
		})
	}
}

var errHTML = errors.New("a web page without a snapshot in it")

// base64String finds the string literal that follows a base64 key, as in
// "base64": "gAS…", and nothing much shorter than a snapshot.
func base64String(b []byte) ([]byte, bool) {
	i := 0
	for i < len(b) && i < 16 && bytes.IndexByte([]byte("\"': =\t\r\n"), b[i]) >= 0 {
		i++
	}
	if i == 0 || b[i-1] != '"' && b[i-1] != '\'' {
		return nil, false
	}
	n := bytes.IndexByte(b[i:], b[i-1])
	if n < 16 {
		return nil, false
	}
	return b[i : i+n], true
}
