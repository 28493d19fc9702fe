package snapshot

import (
	"io"
	"runtime/debug"
	"sync/atomic"

	"strata/snapshot/pickle"
)

// A counter counts the bytes read through it.
type counter struct {
	r io.Reader
	n atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

const (
	pipeChunk = 1 << 20
	pipeAhead = 4
	pipeHead  = pickle.MaxKeep // room before the bytes, for what is left of the ones before
)

// A pipe reads ahead in a goroutine of its own, so that decompression runs
// beside decoding.
type pipe struct {
	full chan piece
	free chan []byte
	quit chan struct{}
	over chan struct{} // closed when the goroutine has ended
	cur  []byte        // what is left of the piece at hand
	buf  []byte        // that it lies in, room and all
	err  error         // that comes after it
	kept []byte        // room for what is kept of a piece
}

type piece struct {
	b   []byte // room, and then the bytes
	n   int    // of bytes
	err error
}

func startPipe(r io.Reader, file span) *pipe {
	p := &pipe{full: make(chan piece, pipeAhead), free: make(chan []byte, pipeAhead+1), quit: make(chan struct{}), over: make(chan struct{})}
	for range pipeAhead {
		p.free <- nil
	}
	go p.fill(r, file)
	return p
}

func (p *pipe) fill(r io.Reader, file span) {
	defer close(p.over)
	for {
		var b []byte
		select {
		case b = <-p.free:
		case <-p.quit:
			return
		}
		if b == nil {
			b = make([]byte, pipeHead+pipeChunk)
		}
		n, err := fillUp(r, b[pipeHead:], file)
		select {
		case p.full <- piece{b, n, err}:
		case <-p.quit:
			return
		}
		if err != nil {
			return
		}
	}
}

// fillUp reads until b is full or r ends. Faults of a mapped file that shrinks
// become errors here, because nobody else can catch them in this goroutine.
func fillUp(r io.Reader, b []byte, file span) (n int, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if f := recover(); f != nil {
			err = file.fault(f)
		}
	}()
	for n < len(b) && err == nil {
		var k int
		k, err = r.Read(b[n:])
		n += k
	}
	return n, err
}

// receive waits for the next piece if nothing is left of the one at hand, and
// leaves that to be filled anew.
func (p *pipe) receive() {
	for len(p.cur) == 0 && p.err == nil {
		if p.buf != nil {
			p.free <- p.buf
		}
		x := <-p.full
		p.buf, p.cur, p.err = x.b, x.b[pipeHead:pipeHead+x.n], x.err
	}
}

// Peek returns at most n of the bytes that come next, less where the pipe ends
// or fails, with the error, or where a piece does.
func (p *pipe) Peek(n int) ([]byte, error) {
	p.receive()
	if len(p.cur) >= n {
		return p.cur[:n], nil
	}
	return p.cur, p.err
}

// Read implements io.Reader.
func (p *pipe) Read(b []byte) (int, error) {
	p.receive()
	n := copy(b, p.cur)
	p.cur = p.cur[n:]
	if n == 0 && len(b) > 0 {
		return 0, p.err
	}
	return n, nil
}

// Next implements pickle.Pieces.
func (p *pipe) Next(keep []byte) ([]byte, error) {
	if len(p.cur) == 0 && p.err == nil { // keep may lie in the piece that receive gives back
		keep = append(p.kept[:0], keep...)
		p.kept = keep[:0]
		p.receive()
	}
	at := len(p.buf[:cap(p.buf)]) - cap(p.cur) - len(keep)
	b := p.buf[at : at+len(keep)+len(p.cur)]
	copy(b, keep)
	p.cur = p.cur[len(p.cur):]
	if len(b) == len(keep) {
		return b, p.err
	}
	return b, nil
}

// stop ends the goroutine and waits for it.
func (p *pipe) stop() {
	close(p.quit)
	<-p.over
}
