package cache

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"sync"

	"strata/snapshot"
)

// An entry is:
//
//	header    magic, key, hash of the file, bytes of the entry and of the catalog, number of sums, a checksum
//	identity  of the file, with a checksum of its own, as it can be overwritten in place
//	catalog   as coder writes it
//	sums      a checksum for each block of the columns; a column's last block may be short
//	columns   one after another, as they are in memory; other numbers are little-endian
//
// The checksum of the header covers the header, the catalog and the sums. All are CRC-32C, which processors compute
// as fast as they read; they protect against damage only.
const (
	magic        = "strata columns\r\n"
	headerBytes  = len(magic) + 32 + 32 + 8 + 8 + 8 + 4
	identityAt   = headerBytes
	identitySize = 5*8 + 4
	catalogAt    = identityAt + identitySize
	blockBytes   = 1 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sumOf(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

var (
	errForeign = errors.New("this is no entry for this file and this version")
	errDamaged = errors.New("the entry is damaged")
)

// A header describes an entry.
type header struct {
	key     key
	whole   [32]byte // hashAll of the file
	id      identity
	size    int64 // of the entry
	catalog int64 // bytes
	blocks  int64 // of the columns, each with a sum
}

// columns is the offset of the columns.
func (h *header) columns() int64 { return int64(catalogAt) + h.catalog + 4*h.blocks }

// fixed is the encoded header without its checksum.
func (h *header) fixed() []byte {
	b := append([]byte(magic), h.key[:]...)
	b = append(b, h.whole[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.size))
	b = binary.LittleEndian.AppendUint64(b, uint64(h.catalog))
	return binary.LittleEndian.AppendUint64(b, uint64(h.blocks))
}

// bytes is the encoded identity with its checksum.
func (id identity) bytes() []byte {
	var b []byte
	for _, v := range []uint64{id.device, id.inode, uint64(id.size), uint64(id.modified), uint64(id.changed)} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return binary.LittleEndian.AppendUint32(b, sumOf(b))
}

// identityFrom decodes an identity; it returns the zero identity for a damaged one.
func identityFrom(b []byte) identity {
	v := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	if binary.LittleEndian.Uint32(b[40:]) != sumOf(b[:40]) {
		return identity{}
	}
	return identity{device: v(0), inode: v(1), size: int64(v(2)), modified: int64(v(3)), changed: int64(v(4))}
}

// introduce replaces the identity in an entry, after the file was copied or moved.
func introduce(name string, id identity) {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	_, _ = f.WriteAt(id.bytes(), int64(identityAt))
	_ = f.Close()
}

// blocksOf is how many blocks the columns have.
func blocksOf(columns []column) (n int64) {
	for i := range columns {
		n += (columns[i].length + blockBytes - 1) / blockBytes
	}
	return n
}

// A writer writes an entry.
type writer struct {
	ctx context.Context
	c   coder
}

func newWriter(ctx context.Context, s *snapshot.Snapshot) *writer {
	w := &writer{ctx: ctx}
	w.c.snapshot(s) // does not change s when writing
	return w
}

// size is that of the whole entry, in bytes.
func (w *writer) size() int64 {
	n := int64(catalogAt+len(w.c.catalog)) + 4*blocksOf(w.c.columns)
	for i := range w.c.columns {
		n += w.c.columns[i].length
	}
	return n
}

// write writes an entry, the columns first, as their checksums stand before them.
func (w *writer) write(f io.WriterAt, h header) error {
	if w.c.err != nil {
		return w.c.err
	}
	h.size, h.catalog, h.blocks = w.size(), int64(len(w.c.catalog)), blocksOf(w.c.columns)
	var sums []byte
	out := bufio.NewWriterSize(io.NewOffsetWriter(f, h.columns()), 64<<10) // whole blocks are not copied into it
	for i := range w.c.columns {
		err := w.c.columns[i].blocks(func(b []byte) error {
			sums = binary.LittleEndian.AppendUint32(sums, sumOf(b))
			if err := w.ctx.Err(); err != nil {
				return err
			}
			_, err := out.Write(b)
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	fixed := h.fixed()
	sum := sumOf(fixed)
	sum = crc32.Update(sum, castagnoli, w.c.catalog)
	sum = crc32.Update(sum, castagnoli, sums)
	front := append(binary.LittleEndian.AppendUint32(fixed, sum), h.id.bytes()...)
	front = append(append(front, w.c.catalog...), sums...)
	_, err := f.WriteAt(front, 0)
	return err
}

// blocks calls yield with each block of a column.
func (c *column) blocks(yield func([]byte) error) error {
	if c.texts != nil {
		buf := make([]byte, 0, min(blockBytes, c.length))
		for _, s := range c.texts {
			for s != "" {
				n := min(len(s), cap(buf)-len(buf))
				buf, s = append(buf, s[:n]...), s[n:]
				if len(buf) == cap(buf) {
					if err := yield(buf); err != nil {
						return err
					}
					buf = buf[:0]
				}
			}
		}
		if len(buf) > 0 {
			return yield(buf)
		}
		return nil
	}
	for at := 0; at < len(c.bytes); at += blockBytes {
		if err := yield(c.bytes[at:min(at+blockBytes, len(c.bytes))]); err != nil {
			return err
		}
	}
	return nil
}

// A reader reads an entry. The entry is untrusted: reading takes little more memory than it is long, and never more
// than budget.
type reader struct {
	ctx      context.Context
	f        io.ReaderAt
	size     int64 // of the entry
	budget   int64
	original int64 // bytes of the snapshot file, for progress
	progress func(done, total int64)

	head  header
	fixed []byte // header.fixed as it was read
	sum   uint32
}

// front reads the header; it is an error if the entry is not k's.
func (r *reader) front(k key) (*header, error) {
	b := make([]byte, catalogAt)
	if r.size < int64(len(b)) {
		return nil, errDamaged
	}
	if _, err := r.f.ReadAt(b, 0); err != nil {
		return nil, err
	}
	h, rest := &r.head, b[len(magic):]
	number := func(at int) int64 { return int64(binary.LittleEndian.Uint64(rest[at:])) }
	copy(h.key[:], rest)
	copy(h.whole[:], rest[32:])
	h.size, h.catalog, h.blocks = number(64), number(72), number(80)
	h.id = identityFrom(b[identityAt:])
	if string(b[:len(magic)]) != magic || h.key != k {
		return nil, errForeign
	}
	left := r.size - int64(catalogAt)
	if h.size != r.size || h.catalog < 0 || h.catalog > left || h.blocks < 0 || h.blocks > (left-h.catalog)/4 {
		return nil, errDamaged
	}
	r.fixed, r.sum = b[:headerBytes-4], binary.LittleEndian.Uint32(b[headerBytes-4:])
	return h, nil
}

// snapshot reads the rest of the entry.
func (r *reader) snapshot() (*snapshot.Snapshot, error) {
	h := &r.head
	n := h.columns() - int64(catalogAt)
	if n > r.budget {
		return nil, errMemory
	}
	b := make([]byte, n)
	if _, err := r.f.ReadAt(b, int64(catalogAt)); err != nil {
		return nil, err
	}
	if crc32.Update(sumOf(r.fixed), castagnoli, b) != r.sum {
		return nil, errDamaged
	}
	c := &coder{reading: true, catalog: b[:h.catalog], budget: r.budget, room: r.size - h.columns()}
	s := &snapshot.Snapshot{}
	c.snapshot(s)
	if c.err == nil && (len(c.catalog) > 0 || c.room > 0 || blocksOf(c.columns) != h.blocks) {
		c.fail(errCatalog)
	}
	if c.err != nil {
		return nil, c.err
	}
	if err := r.columns(c.columns, b[h.catalog:]); err != nil {
		return nil, err
	}
	for _, f := range c.after {
		if err := f(); err != nil {
			return nil, err
		}
	}
	return s, check(s)
}

// columns reads the columns block by block and checks their sums.
func (r *reader) columns(columns []column, sums []byte) error {
	type block struct {
		bytes []byte
		at    int64
	}
	var blocks []block
	begin := r.head.columns()
	at := begin
	for i := range columns {
		for b := columns[i].bytes; len(b) > 0; {
			n := min(len(b), blockBytes)
			blocks = append(blocks, block{b[:n], at})
			at, b = at+int64(n), b[n:]
		}
	}
	var mu sync.Mutex
	var done int64
	return parallel(r.ctx, len(blocks), func() func(int) error {
		return func(i int) error {
			b := blocks[i]
			if _, err := r.f.ReadAt(b.bytes, b.at); err != nil {
				return err
			}
			if sumOf(b.bytes) != binary.LittleEndian.Uint32(sums[4*i:]) {
				return errDamaged
			}
			mu.Lock()
			defer mu.Unlock()
			if done += int64(len(b.bytes)); r.progress != nil {
				r.progress(int64(float64(done)/float64(at-begin)*float64(r.original)), r.original)
			}
			return nil
		}
	})
}
