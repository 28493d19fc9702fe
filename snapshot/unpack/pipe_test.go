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

// TestPipe takes bytes out of a pipe in pieces of random size: none is lost, none comes twice, and an error after them.
func TestPipe(t *testing.T) {
	want := randomBytes(5*pipeChunk + 12345)
	broken := errors.New("broken")
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		in := io.MultiReader(bytes.NewReader(want), iotest.ErrReader(broken))
		closed := false
		p := startPipe(&stream{Reader: in, position: func() int64 { return 0 }, close: func() { closed = true }}, nil)
		var got []byte
		var err error
		for err == nil {
			b := make([]byte, rng.IntN(2*pipeChunk))
			var n int
			n, err = p.Read(b)
			got = append(got, b[:n]...)
		}
		p.stop()
		if err != broken || !bytes.Equal(got, want) || !closed {
			t.Fatalf("%d: %v, %d bytes of %d, closed %v", seed, err, len(got), len(want), closed)
		}
	}
}
