package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"

	"strata/snapshot/pickle"
)

// Options steer Open and Read; the zero value is good.
type Options struct {
	// Progress, when not nil, is called now and then from the reading
	// goroutine with the bytes of the file consumed so far and its size
	// (0 when unknown). It must return quickly.
	Progress func(done, total int64)
	Limits   Limits
}

// Kind says what sort of failure an Error is.
type Kind uint8

// The kinds of failure of Open and Read.
const (
	KindIO          Kind = iota // the file could not be read
	KindEmpty                   // no bytes at all
	KindFormat                  // no pickle, or a damaged one of which nothing useful remains
	KindTruncated               // ends too early, and nothing useful remains
	KindNotSnapshot             // a good pickle of something else
	KindLimit                   // a limit of Limits was met
)

// An Error is why a file cannot be used: one sentence for the person, with the
// place and what to try.
type Error struct {
	Kind   Kind
	Name   string // the file, "" if read from memory
	Offset int64  // byte in the decompressed stream, -1 if there is none
	What   string // what is wrong
	Advice string // what to do
	Err    error  // cause, may be nil
}

// Error is the whole message: file, what, where, what to do.
func (e *Error) Error() string {
	s := e.What
	if e.Offset >= 0 {
		s += fmt.Sprintf(" at byte %d", e.Offset)
	}
	if e.Name != "" {
		s = e.Name + ": " + s
	}
	if e.Advice != "" {
		s += ". " + e.Advice
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Open reads the snapshot in the file at path. The error is an *Error, or
// ctx.Err() when cancelled.
func Open(ctx context.Context, path string, opt Options) (*Snapshot, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &Error{Kind: KindIO, Name: path, Offset: -1, What: "the file cannot be read: " + cause(err), Err: err}
	}
	return Read(ctx, path, data, opt)
}

func cause(err error) string {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// Read reads a snapshot from bytes in memory; name is for messages. The
// snapshot keeps no reference to data.
func Read(ctx context.Context, name string, data []byte, opt Options) (*Snapshot, error) {
	lim := opt.Limits.withDefaults()
	if len(data) == 0 {
		return nil, &Error{Kind: KindEmpty, Name: name, Offset: -1, What: "the file is empty"}
	}
	src := Source{Name: name, Bytes: int64(len(data)), RawBytes: int64(len(data)), Compression: "none"}
	if len(data) > 2 && data[0] == 0x1f && data[1] == 0x8b {
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err == nil {
			data, err = io.ReadAll(io.LimitReader(z, lim.Raw))
		}
		if err != nil {
			return nil, &Error{Kind: KindFormat, Name: name, Offset: -1, What: "damaged gzip file", Err: err}
		}
		src.Compression, src.RawBytes = "gzip", int64(len(data))
	}
	src.Reader = "gopickle"
	root, err := loadTree(data)
	if err != nil {
		return nil, &Error{Kind: KindFormat, Name: name, Offset: -1, What: "not a readable pickle: " + err.Error(), Err: err}
	}
	b := newBuilder()
	b.h = pickle.NewHeap(b, knownStrings[:], lim.Memory)
	f := &feeder{h: b.h, done: map[any]pickle.Value{}, max: lim.Depth, check: ctx.Err}
	v, err := f.feed(root, pickle.Absent)
	if err != nil {
		return nil, err
	}
	s, err := b.finish(v)
	if err != nil {
		return nil, &Error{Kind: KindNotSnapshot, Name: name, Offset: -1, What: "this is no memory snapshot: it has neither device_traces nor segments", Err: err}
	}
	s.Source = src
	return s, nil
}

// Limits bound what a file may cost; 0 means the default.
type Limits struct {
	Depth  int   // nesting of containers
	Memory int64 // bytes of columns, tables and memo
	Raw    int64 // bytes after decompression
}

func (l Limits) withDefaults() Limits {
	if l.Depth <= 0 {
		l.Depth = 1000
	}
	if l.Memory <= 0 {
		l.Memory = 8 << 30
	}
	if l.Raw <= 0 {
		l.Raw = 64 << 30
	}
	return l
}
