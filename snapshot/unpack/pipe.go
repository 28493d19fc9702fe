package unpack

const (
	pipeChunk = 1 << 17 // bytes of a buffer; bigger ones do not stay in the caches
	pipeAhead = 32      // buffers decompressed ahead, so that neither side waits while the other is held up
)

// A Pipe reads ahead in a goroutine of its own, so that decompression runs beside decoding.
type Pipe struct {
	in    *stream
	file  []byte // the mapped file, in which reading may fault
	full  chan buffer
	spare chan []byte   // to be filled again
	quit  chan struct{} // closed when nobody reads any more
	over  chan struct{} // closed when the goroutine has ended
	cur   buffer
	left  []byte // of the current buffer
}

type buffer struct {
	b    []byte
	done int64 // bytes of the file up to its end
	err  error // that comes after it
}

func startPipe(in *stream, file []byte) *Pipe {
	p := &Pipe{in: in, file: file, full: make(chan buffer, pipeAhead), spare: make(chan []byte, pipeAhead),
		quit: make(chan struct{}), over: make(chan struct{})}
	go p.fill()
	return p
}

func (p *Pipe) fill() {
	defer close(p.over)
	for {
		var b []byte
		select {
		case b = <-p.spare:
		default:
			b = make([]byte, pipeChunk)
		}
		n, err := p.fillUp(b)
		select {
		case p.full <- buffer{b[:n], p.in.position(), err}:
		case <-p.quit:
			return
		}
		if err != nil {
			return
		}
	}
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
	for len(p.left) == 0 && p.cur.err == nil {
		if p.cur.b != nil {
			select {
			case p.spare <- p.cur.b[:pipeChunk]:
			default:
			}
		}
		p.cur = <-p.full
		p.left = p.cur.b
	}
}

// skipBOM skips a byte order mark.
func (p *Pipe) skipBOM() {
	p.receive()
	p.left = trimBOM(p.left)
}

// Read implements io.Reader.
func (p *Pipe) Read(b []byte) (int, error) {
	p.receive()
	n := copy(b, p.left)
	p.left = p.left[n:]
	if n == 0 && len(b) > 0 {
		return 0, p.cur.err
	}
	return n, nil
}

// stop ends the goroutine, waits for it, and closes the stream.
func (p *Pipe) stop() {
	close(p.quit)
	<-p.over
	p.in.close()
}
