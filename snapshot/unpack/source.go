package unpack

import (
	"bytes"
	"errors"
	"io"
)

// A source is a run of bytes that can be read from its beginning as often as needed.
type source struct {
	name   string      // what it was unpacked from, for messages: "gzip", …
	member string      // of an archive, "" if from none
	data   []byte      // all of it if it lies in memory, else nil
	at     io.ReaderAt // random access to size bytes, nil if there is none
	size   int64
	open   func() (*stream, error)

	// Byte i of at is byte offset+i*scale of the file; for progress.
	offset int64
	scale  float64
}

// A stream is one pass over a source.
type stream struct {
	io.Reader
	position func() int64 // bytes of the file consumed so far
	close    func()
}

// inMemory is the source of bytes in memory.
func inMemory(name string, data []byte, offset int64, scale float64) source {
	s := source{name: name, data: data, at: bytes.NewReader(data), size: int64(len(data)), offset: offset, scale: scale}
	s.open = func() (*stream, error) {
		r := bytes.NewReader(data) // decompressors read it faster than other readers
		at := func() int64 { return offset + int64(scale*float64(r.Size()-int64(r.Len()))) }
		return &stream{Reader: r, position: at, close: func() {}}, nil
	}
	return s
}

// onDisk is the source of bytes read when needed.
func onDisk(name string, at io.ReaderAt, size int64) source {
	s := source{name: name, at: at, size: size}
	s.open = func() (*stream, error) {
		r := io.NewSectionReader(at, 0, size)
		return &stream{Reader: r, position: func() int64 { return 0 }, close: func() {}}, nil
	}
	return s
}

// section is a part of a source that has random access.
func (s *source) section(name string, offset, size int64) source {
	offset = min(offset, s.size)
	size = min(size, s.size-offset)
	if s.data != nil {
		return inMemory(name, s.data[offset:offset+size], s.offset+int64(s.scale*float64(offset)), s.scale)
	}
	return onDisk(name, io.NewSectionReader(s.at, offset, size), size)
}

// through is the source of what a decompressor makes of s.
func (s *source) through(name string, decompress decompressor) source {
	open := s.open
	return source{name: name, member: s.member, open: func() (*stream, error) {
		in, err := open()
		if err != nil {
			return nil, err
		}
		r, err := decompress(in.Reader)
		if err != nil {
			in.close()
			return nil, damaged(name, err)
		}
		return &stream{Reader: r, position: in.position, close: func() {
			if c, ok := r.(io.Closer); ok {
				c.Close()
			}
			in.close()
		}}, nil
	}}
}

// head returns the first n bytes, or all if there are fewer. It is an error if there are none.
func (s *source) head(n int64) ([]byte, error) {
	if s.data != nil {
		return s.data[:min(n, s.size)], nil
	}
	in, err := s.open()
	if err != nil {
		return nil, err
	}
	defer in.close()
	b, err := io.ReadAll(io.LimitReader(in, n))
	if err != nil && len(b) == 0 {
		return nil, damaged(s.name, err)
	}
	return b, nil
}

// An Error says why a file cannot be unpacked.
type Error struct {
	What   string // a sentence without the full stop
	Advice string // what to do
	Reason Reason
	Err    error // cause, may be nil
}

// A Reason classifies an Error.
type Reason uint8

// The reasons of an Error.
const (
	Damaged Reason = iota // or packed in a way that is not read
	CutOff                // it ends before anything useful
	Empty                 // nothing is inside
	Foreign               // no snapshot
)

// Error returns What.
func (e *Error) Error() string { return e.What }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// AdviceCutXZ is what to do about an xz file that is cut off: its decompressor gives a piece out when it is complete.
const AdviceCutXZ = "The piece of up to 2 MiB in which an xz file ends is lost here; xz -dc FILE > PART saves of it " +
	"what there is"

// damaged is the error for a container of which nothing can be read.
func damaged(name string, err error) error {
	e := &Error{What: "the " + name + " file is damaged: " + err.Error(),
		Advice: "Copy the file again in full, or dump the snapshot again", Err: err}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		e.What, e.Reason = "the "+name+" file is cut off before anything useful", CutOff
		if name == "xz" {
			e.Advice += ". " + AdviceCutXZ
		}
	}
	return e
}
