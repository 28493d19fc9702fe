// Package unpack finds the snapshot in a file: it tells formats by their first bytes, and unpacks gzip, zstd, xz,
// bzip2, lz4, tar, zip and web pages, also around one another, until a pickle or JSON is reached. It knows nothing of
// snapshots themselves.
//
// Content that is compressed is decompressed by a goroutine of its own (type Pipe) while the caller decodes it.
// Load maps big files into memory, and Guard turns the faults of a mapped file that shrinks into errors.
package unpack

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"

	"strata/layout/units"
)

// A Content is the pickle or JSON in a file.
type Content struct {
	Format      Format // Pickle, JSON or Table
	Compression string // what it was unpacked from, outermost first: "none", "gzip", "zip+gzip", …
	Data        []byte // all of it if it lies in memory unpacked, else nil, and Stream reads it

	src  source
	pipe *Pipe
	file []byte // all of the file if it lies in memory
	size int64  // of the file
}

// maxLayers is how many containers may lie around one another.
const maxLayers = 3

// Open finds the content of a file in memory. limit is how many bytes of a compressed web page or tar file are looked
// through. Errors are of type *Error.
func Open(data []byte, limit int64) (*Content, error) {
	return open(inMemory("", data, 0, 1), limit)
}

// OpenAt is Open for a file that is read only as far as needed.
func OpenAt(f io.ReaderAt, size int64, limit int64) (*Content, error) {
	return open(onDisk("", f, size), limit)
}

func open(src source, limit int64) (*Content, error) {
	file := src
	var layers []string
	for {
		head, err := src.head(SniffBytes)
		if err != nil {
			return nil, err
		}
		if len(head) == 0 && len(layers) > 0 {
			return nil, &Error{What: "the " + strings.Join(layers, "+") + " file is empty inside", Reason: Empty}
		}
		f := Sniff(head)
		if f == Pickle {
			if err = foreign(head); err != nil && src.member != "" {
				e := err.(*Error)
				e.What = fmt.Sprintf("the %s file holds %s: %s", strings.Join(layers, "+"), units.Clip(src.member, 60),
					e.What)
			}
		}
		if err != nil {
			return nil, err
		}
		if f <= Table && f != Page {
			return content(file, src, f, layers), nil
		}
		if len(layers) == maxLayers {
			return nil, &Error{What: "the file is compressed too many times over", Advice: "Decompress it first"}
		}
		name := f.String()
		switch f {
		case Zip:
			src, err = src.unzip()
		case Tar:
			src, err = src.untar(limit)
		case Page:
			src, err = src.inPage(limit, file.size)
		default:
			src = src.through(name, decompressors[f])
		}
		if err != nil {
			return nil, err
		}
		layers = append(layers, name)
	}
}

func content(file, src source, f Format, layers []string) *Content {
	c := &Content{Format: f, Compression: "none", Data: src.data, src: src, file: file.data, size: file.size}
	if len(layers) > 0 {
		c.Compression = strings.Join(layers, "+")
	}
	if f == JSON && c.Data != nil {
		c.Data = trimBOM(c.Data)
	}
	return c
}

// A decompressor makes a stream of a compressed one. If it is an io.Closer, it is closed after use.
type decompressor func(in io.Reader) (io.Reader, error)

var decompressors = map[Format]decompressor{
	Gzip: func(in io.Reader) (io.Reader, error) { return gzip.NewReader(in) },
	Zstd: func(in io.Reader) (io.Reader, error) {
		z, err := zstd.NewReader(in, zstd.WithDecoderMaxMemory(maxDictionary), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	},
	XZ:    unxz,
	Bzip2: func(in io.Reader) (io.Reader, error) { return bzip2.NewReader(in), nil },
	LZ4:   func(in io.Reader) (io.Reader, error) { return lz4.NewReader(in), nil },
}

// maxDictionary bounds the memory of a decompressor.
const maxDictionary = 1 << 30

// unxz checks the dictionary that the first block asks for, which the decompressor believes.
func unxz(in io.Reader) (io.Reader, error) {
	buffered := bufio.NewReaderSize(in, 1<<16)
	head, _ := buffered.Peek(64)
	if at := bytes.Index(head, []byte{0x21, 1}); at > 0 && at+2 < len(head) { // the filter LZMA2 with one property
		if bits := head[at+2]; bits/2+11 > 29 {
			return nil, errors.New("its dictionary takes more than 1 GiB of memory")
		}
	}
	return xz.NewReader(buffered)
}

// Head returns the first n bytes of the content, or all if there are fewer.
func (c *Content) Head(n int64) ([]byte, error) { return c.src.head(n) }

// Stream reads the content from its beginning. The stream before ends.
func (c *Content) Stream() (*Pipe, error) {
	c.Close()
	s, err := c.src.open()
	if err != nil {
		return nil, err
	}
	c.pipe = startPipe(s, c.file)
	if c.Format == JSON {
		c.pipe.skipBOM()
	}
	return c.pipe, nil
}

// Close ends the stream, if there is one.
func (c *Content) Close() {
	if c.pipe != nil {
		c.pipe.stop()
		c.pipe = nil
	}
}

// Done is how many bytes of the file lie before byte n of the content, which has been read up to there.
func (c *Content) Done(n int64) int64 {
	if c.pipe != nil {
		return min(c.pipe.done.Load(), c.size)
	}
	return min(c.src.offset+int64(c.src.scale*float64(n)), c.size)
}
