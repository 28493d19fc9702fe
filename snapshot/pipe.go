package snapshot

import (
	"io"
	"runtime/debug"
	"sync/atomic"
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
)

// A pipe reads ahead in a goroutine of its own, so that decompression runs
// beside decoding.
type pipe struct {
	full chan piece
	free chan []byte
	quit chan struct{}
	over chan struct{} // closed when the goroutine has ended
	cur  []byte
	buf  []byte
	err  error
}

type piece struct {
	b   []byte
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
			b = make([]byte, pipeChunk)
		}
		n, err := fillUp(r, b[:pipeChunk], file)
		select {
		case p.full <- piece{b[:n], err}:
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

// Read implements io.Reader.
func (p *pipe) Read(b []byte) (int, error) {
	for len(p.cur) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		if p.buf != nil {
			p.free <- p.buf
			p.buf = nil
		}
		x := <-p.full
		p.buf, p.cur, p.err = x.b[:cap(x.b)], x.b, x.err
	}
	n := copy(b, p.cur)
	p.cur = p.cur[n:]
	return n, nil
}

// stop ends the goroutine and waits for it.
func (p *pipe) stop() {
	close(p.quit)
	<-p.over
}
