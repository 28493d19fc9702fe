package snapshot

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"strata/snapshot/pickle"
)

// TestPipe takes bytes out of a pipe in all its ways: none is lost, none comes
// twice, and what is kept stays.
func TestPipe(t *testing.T) {
	want := randomBytes(5*pipeChunk + 12345)
	broken := errors.New("broken")
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := startPipe(io.MultiReader(bytes.NewReader(want), iotest.ErrReader(broken)), span{})
		var got, own []byte // what has been taken for good, and what lies after it
		var err error
		for err == nil {
			way := rng.IntN(3)
			if way < 2 { // what Next returned is lent until the next call
				own = bytes.Clone(own)
			}
			switch way {
			case 0:
				var peek []byte
				if peek, err = p.Peek(1 + rng.IntN(5000)); len(peek) > 0 {
					at := len(got) + len(own)
					if err = nil; !bytes.Equal(peek, want[at:at+len(peek)]) {
						t.Fatal("peeked at something else")
					}
				}
			case 1:
				b := make([]byte, rng.IntN(2*pipeChunk))
				var n int
				n, err = p.Read(b)
				own = append(own, b[:n]...)
			default:
				k := rng.IntN(min(len(own), pickle.MaxKeep) + 1)
				got = append(got, own[:len(own)-k]...)
				own, err = p.Next(own[len(own)-k:])
			}
		}
		p.stop()
		if got = append(got, own...); err != broken || !bytes.Equal(got, want) {
			t.Fatalf("%d: %v, %d bytes of %d", seed, err, len(got), len(want))
		}
	}
}
