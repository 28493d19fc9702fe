package cache

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"reflect"

	"strata/snapshot"
)

// An entry is:
//
//	header   magic, key, bytes of the catalog
//	catalog  as coder writes it
//	columns  one after another, as they are in memory
//	sum      CRC-32C of all before it, which processors compute as fast as they read; it protects against damage only
const (
	magic       = "strata columns 3"
	headerBytes = len(magic) + len(key{}) + 8
	sumBytes    = crc32.Size
	blockBytes  = 1 << 20 // read or written at a time
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errDamaged = errors.New("the entry is damaged, or of another file or version")

// encoderOf takes a snapshot apart, which it does not change.
func encoderOf(s *snapshot.Snapshot) *coder {
	c := &coder{}
	without := *s // the name and size of the file, which are those of the file that is opened
	without.Source.Name, without.Source.Bytes = "", 0
	c.value(reflect.ValueOf(without))
	return c
}

// size is that of the whole entry, in bytes.
func (c *coder) size() int64 {
	n := int64(headerBytes + len(c.catalog) + sumBytes)
	for _, column := range c.columns {
		n += int64(len(column))
	}
	return n
}

func (c *coder) write(ctx context.Context, f io.Writer, k key) error {
	sum := crc32.New(castagnoli)
	out := bufio.NewWriterSize(io.MultiWriter(f, sum), blockBytes)
	head := append([]byte(magic), k[:]...)
	head = binary.LittleEndian.AppendUint64(head, uint64(len(c.catalog)))
	_, _ = out.Write(append(head, c.catalog...)) // Flush returns the error
	for _, b := range c.columns {
		for ; len(b) > 0; b = b[min(len(b), blockBytes):] {
			if err := ctx.Err(); err != nil {
				return err
			}
			_, _ = out.Write(b[:min(len(b), blockBytes)])
		}
	}
	if err := errors.Join(out.Flush(), ctx.Err()); err != nil {
		return err
	}
	return binary.Write(f, binary.LittleEndian, sum.Sum32())
}

// decode reads the entry f of size bytes and of key k. The entry is untrusted: reading takes little more memory than it
// is long, and never more than budget. progress is told the share that was read.
func decode(ctx context.Context, f io.Reader, size int64, k key, budget int64, progress func(float64)) (
	*snapshot.Snapshot, error,
) {
	sum := crc32.New(castagnoli)
	read := func(b []byte) error {
		_, err := io.ReadFull(f, b)
		_, _ = sum.Write(b)
		return err
	}
	head := make([]byte, headerBytes)
	if err := read(head); err != nil {
		return nil, err
	}
	catalog := binary.LittleEndian.Uint64(head[headerBytes-8:])
	left := size - int64(headerBytes+sumBytes)
	if string(head[:headerBytes-8]) != magic+string(k[:]) || left < 0 || catalog > uint64(min(left, budget)) {
		return nil, errDamaged
	}
	c := &coder{reading: true, catalog: make([]byte, catalog), budget: budget, room: left - int64(catalog)}
	if err := read(c.catalog); err != nil {
		return nil, err
	}
	s := &snapshot.Snapshot{}
	c.value(reflect.ValueOf(s).Elem())
	if c.err == nil && (len(c.catalog) > 0 || c.room > 0) {
		c.fail(errCatalog)
	}
	if c.err != nil {
		return nil, c.err
	}
	done := int64(0)
	for _, b := range c.columns {
		for len(b) > 0 {
			n := min(len(b), blockBytes)
			if err := errors.Join(ctx.Err(), read(b[:n])); err != nil {
				return nil, err
			}
			b, done = b[n:], done+int64(n)
			progress(float64(done) / float64(size))
		}
	}
	var stored uint32
	if binary.Read(f, binary.LittleEndian, &stored) != nil || stored != sum.Sum32() {
		return nil, errDamaged
	}
	progress(1)
	return s, check(s)
}
