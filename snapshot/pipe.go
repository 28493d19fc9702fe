package snapshot

import (
	"bytes"
	"io"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"strata/snapshot/pickle"
)

// A metered reader unpacks what in holds, and can tell how far in that it is. A
// counter around in would do as well, but decompressors have a faster way of
// their own with bytes in memory.
type metered struct {
	io.Reader // that unpacks in
	in        *bytes.Reader
	done      atomic.Int64 // bytes of in behind what a pipe has handed out, to whatever goroutine
}

func (m *metered) read() int64 { return m.in.Size() - int64(m.in.Len()) }

const (
	pipeChunk = 1 << 17        // more, and the caches would not hold what is on its way
	pipeAhead = 128            // so that neither side waits while columns grow on the other
	pipeHead  = pickle.MaxKeep // room before the bytes, for what is left of the ones before
)

// A pipe reads ahead in a goroutine of its own, so that decompression runs
// beside decoding.
type pipe struct {
	full chan piece
	room chan struct{} // one for each piece that may still be filled
	quit chan struct{}
	over chan struct{} // closed when the goroutine has ended
	from *metered      // that is read, nil if another reader is
	cur  []byte        // what is left of the piece at hand
	buf  []byte        // that it lies in, room and all
	err  error         // that comes after it
	kept []byte        // room for what is kept of a piece

	mu    sync.Mutex
	spare [][]byte // to be filled anew, the last one first: that is in the caches still
}

type piece struct {
	b    []byte // room, and then the bytes
	n    int    // of bytes
	read int64  // of what is unpacked, so far
	err  error
}

func startPipe(r io.Reader, file span) *pipe {
	p := &pipe{full: make(chan piece, pipeAhead), room: make(chan struct{}, pipeAhead), quit: make(chan struct{}), over: make(chan struct{})}
	p.from, _ = r.(*metered)
	for range pipeAhead {
		p.room <- struct{}{}
	}
	go p.fill(r, file)
	return p
}

func (p *pipe) fill(r io.Reader, file span) {
	defer close(p.over)
	for {
		select {
		case <-p.room:
		case <-p.quit:
			return
		}
		x := piece{b: p.take()}
		x.n, x.err = fillUp(r, x.b[pipeHead:], file)
		if p.from != nil {
			x.read = p.from.read()
		}
		select {
		case p.full <- x:
		case <-p.quit:
			return
		}
		if x.err != nil {
			return
		}
	}
}

// take returns room for a piece.
func (p *pipe) take() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.spare); n > 0 {
		b := p.spare[n-1]
		p.spare = p.spare[:n-1]
		return b
	}
	return make([]byte, pipeHead+pipeChunk)
}

// give takes back the room of a piece that is used up.
func (p *pipe) give(b []byte) {
	p.mu.Lock()
	p.spare = append(p.spare, b)
	p.mu.Unlock()
	p.room <- struct{}{}
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
			p.give(p.buf)
		}
		x := <-p.full
		p.buf, p.cur, p.err = x.b, x.b[pipeHead:pipeHead+x.n], x.err
		if p.from != nil {
			p.from.done.Store(x.read)
		}
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
