package unpack

import (
	"slices"
	"sync"
)

const (
	pipeChunk = 1 << 17 // bytes of a buffer; bigger ones do not stay in the caches
	pipeAhead = 128     // buffers decompressed ahead, so that neither side waits while the other is held up
	pipeBatch = 8       // a side that must wait waits for so many buffers: waking it takes longer than filling one
)

// A Pipe reads ahead in a goroutine of its own, so that decompression runs beside decoding. PERFORMANCE.md has the
// figures behind its constants.
type Pipe struct {
	in   *stream
	file []byte        // the mapped file, in which reading may fault
	room int           // bytes before those of each buffer, for what Next keeps of the one before
	over chan struct{} // closed when the goroutine has ended
	cur  []byte        // what is left of the current buffer
	buf  []byte        // the current buffer, room included
	err  error         // that comes after it
	kept []byte        // reused by Next
	done int64         // bytes of the file up to the current buffer

	mu    sync.Mutex
	full  []buffer  // to be read
	spare [][]byte  // to be filled again, the last one first: it is still in the caches
	last  bool      // no buffer comes after those
	quit  bool      // nobody reads any more
	come  sync.Cond // there are buffers to be read
	gone  sync.Cond // there is room for more
}

type buffer struct {
	b    []byte // room, and then the bytes
	n    int    // of bytes
	done int64  // bytes of the file up to here
	err  error
}

func startPipe(in *stream, file []byte, room int) *Pipe {
	p := &Pipe{in: in, file: file, room: room, over: make(chan struct{})}
	p.come.L, p.gone.L = &p.mu, &p.mu
	go p.fill()
	return p
}

func (p *Pipe) fill() {
	defer close(p.over)
	for {
		x := buffer{b: p.take()}
		if x.b == nil {
			return
		}
		x.n, x.err = p.fillUp(x.b[p.room:])
		x.done = p.in.position()
		p.push(x)
		if x.err != nil {
			return
		}
	}
}

// take waits until a buffer may be filled and returns one, nil if nobody reads any more.
func (p *Pipe) take() []byte {
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
	return make([]byte, p.room+pipeChunk)
}

// push hands over a buffer to be read.
func (p *Pipe) push(x buffer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.full = append(p.full, x)
	p.last = x.err != nil
	if p.last || len(p.full) >= pipeBatch {
		p.come.Signal()
	}
}

// pull waits for a buffer, and gives back used, unless it is nil, to be filled again.
func (p *Pipe) pull(used []byte) buffer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if used != nil {
		p.spare = append(p.spare, used)
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

// fillUp reads until b is full or the stream ends. It guards against faults, as nobody can from another goroutine.
func (p *Pipe) fillUp(b []byte) (n int, err error) {
	fault := Guard(p.file, func() error {
		for n < len(b) && err == nil {
			var k int
			k, err = p.in.Read(b[n:])
			n += k
		}
		return nil
	})
	if fault != nil {
		err = fault
	}
	return n, err
}

// receive waits for the next buffer if nothing is left of the current one, which is filled again.
func (p *Pipe) receive() {
	for len(p.cur) == 0 && p.err == nil {
		x := p.pull(p.buf)
		p.buf, p.cur, p.err, p.done = x.b, x.b[p.room:p.room+x.n], x.err, x.done
	}
}

// skipBOM skips a byte order mark.
func (p *Pipe) skipBOM() {
	p.receive()
	p.cur = trimBOM(p.cur)
}

// Read implements io.Reader.
func (p *Pipe) Read(b []byte) (int, error) {
	p.receive()
	n := copy(b, p.cur)
	p.cur = p.cur[n:]
	if n == 0 && len(b) > 0 {
		return 0, p.err
	}
	return n, nil
}

// Next returns a buffer that begins with keep, which is from the end of the buffer before and at most as long as
// Options.Keep, and goes on with what follows. The buffer is lent until the next call. With an error there is
// nothing but keep.
func (p *Pipe) Next(keep []byte) ([]byte, error) {
	if len(p.cur) == 0 && p.err == nil { // keep may lie in the buffer that receive gives back
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

// stop ends the goroutine, waits for it, and closes the stream.
func (p *Pipe) stop() {
	p.mu.Lock()
	p.quit = true
	p.gone.Signal()
	p.mu.Unlock()
	<-p.over
	p.in.close()
}
