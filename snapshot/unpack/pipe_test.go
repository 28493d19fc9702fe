package unpack

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"
)

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = io.ReadFull(rand.NewChaCha8([32]byte{1}), b)
	return b
}

// TestPipe takes bytes out of a pipe by Read and Next in random order: none is lost, none comes twice, and what is
// kept stays.
func TestPipe(t *testing.T) {
	const keep = 1 << 14
	want := randomBytes(5*pipeChunk + 12345)
	broken := errors.New("broken")
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		in := io.MultiReader(bytes.NewReader(want), iotest.ErrReader(broken))
		closed := false
		p := startPipe(&stream{Reader: in, position: func() int64 { return 0 }, close: func() { closed = true }}, nil, keep)
		var got, own []byte // what has been taken for good, and what lies after it
		var err error
		for err == nil {
			if rng.IntN(2) == 0 {
				own = bytes.Clone(own) // what Next returned is lent until the next call
				b := make([]byte, rng.IntN(2*pipeChunk))
				var n int
				n, err = p.Read(b)
				own = append(own, b[:n]...)
			} else {
				k := rng.IntN(min(len(own), keep) + 1)
				got = append(got, own[:len(own)-k]...)
				own, err = p.Next(own[len(own)-k:])
			}
		}
		p.stop()
		if got = append(got, own...); err != broken || !bytes.Equal(got, want) || !closed {
			t.Fatalf("%d: %v, %d bytes of %d, closed %v", seed, err, len(got), len(want), closed)
		}
	}
}
