package snapshot

import (
	"bytes"
	"io"
	"runtime/debug"
	"slices"
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
	pipeBatch = 8              // a side that has to wait waits for so many: to be woken takes longer than to fill a piece
	pipeHead  = pickle.MaxKeep // room before the bytes, for what is left of the ones before
)

// A pipe reads ahead in a goroutine of its own, so that decompression runs
// beside decoding.
type pipe struct {
	from *metered      // that is read, nil if another reader is
	over chan struct{} // closed when the goroutine has ended
	cur  []byte        // what is left of the piece at hand
	buf  []byte        // that it lies in, room and all
	err  error         // that comes after it
	kept []byte        // room for what is kept of a piece

	mu    sync.Mutex
	full  []piece   // to be read
	spare [][]byte  // to be filled anew, the last one first: that is in the caches still
	last  bool      // no piece comes after those
	quit  bool      // nobody wants more
	come  sync.Cond // there are pieces to be read
	gone  sync.Cond // there is room for more
}

type piece struct {
	b    []byte // room, and then the bytes
	n    int    // of bytes
	read int64  // of what is unpacked, so far
	err  error
}

func startPipe(r io.Reader, file span) *pipe {
	p := &pipe{over: make(chan struct{})}
	p.come.L, p.gone.L = &p.mu, &p.mu
	p.from, _ = r.(*metered)
	go p.fill(r, file)
	return p
}

func (p *pipe) fill(r io.Reader, file span) {
	defer close(p.over)
	for {
		x := piece{b: p.take()}
		if x.b == nil {
			return
		}
		x.n, x.err = fillUp(r, x.b[pipeHead:], file)
		if p.from != nil {
			x.read = p.from.read()
		}
		p.push(x)
		if x.err != nil {
			return
		}
	}
}

// take waits until a piece may be filled, and returns room for it; nil if
// nobody wants one.
func (p *pipe) take() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.full) >= pipeAhead {
		for len(p.full) > pipeAhead-pipeBatch && !p.quit {
			p.gone.Wait()
		}
	}
	if p.quit {
		return nil
	}
	if n := len(p.spare); n > 0 {
		b := p.spare[n-1]
		p.spare = p.spare[:n-1]
		return b
	}
	return make([]byte, pipeHead+pipeChunk)
}

// push hands over a piece.
func (p *pipe) push(x piece) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.full = append(p.full, x)
	p.last = x.err != nil
	if p.last || len(p.full) >= pipeBatch {
		p.come.Signal()
	}
}

// pull waits for a piece, and leaves room, if there is any, to be filled anew.
func (p *pipe) pull(room []byte) piece {
	p.mu.Lock()
	defer p.mu.Unlock()
	if room != nil {
		p.spare = append(p.spare, room)
	}
	if len(p.full) == 0 {
		for len(p.full) < pipeBatch && !p.last {
			p.come.Wait()
		}
	}
	x := p.full[0]
	p.full = slices.Delete(p.full, 0, 1)
	if len(p.full) <= pipeAhead-pipeBatch {
		p.gone.Signal()
	}
	return x
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
		x := p.pull(p.buf)
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
	p.mu.Lock()
	p.quit = true
	p.gone.Signal()
	p.mu.Unlock()
	<-p.over
}
