package unpack

import (
	"bufio"
	"bytes"
	"io"
	"sync/atomic"
)

// pipeChunk is how many bytes are decompressed ahead; bigger buffers do not stay in the caches.
const pipeChunk = 1 << 17

// A Pipe reads ahead in a goroutine of its own, so that decompression runs beside decoding.
type Pipe struct {
	*bufio.Reader
	in   *stream
	end  *io.PipeReader
	done atomic.Int64  // bytes of the file up to the end of what was decompressed
	over chan struct{} // closed when the goroutine has ended
}

// startPipe reads in. Reading may fault in file, which nobody can guard against from another goroutine.
func startPipe(in *stream, file []byte) *Pipe {
	r, w := io.Pipe()
	p := &Pipe{Reader: bufio.NewReader(r), in: in, end: r, over: make(chan struct{})}
	go func() {
		defer close(p.over)
		w.CloseWithError(Guard(file, func() error { return p.fill(w) }))
	}()
	return p
}

func (p *Pipe) fill(w io.Writer) error {
	for b := make([]byte, pipeChunk); ; {
		n, err := p.in.Read(b)
		p.done.Store(p.in.position())
		if n > 0 {
			if _, closed := w.Write(b[:n]); closed != nil {
				return closed
			}
		}
		if err != nil {
			return err
		}
	}
}

// skipBOM skips a byte order mark.
func (p *Pipe) skipBOM() {
	if head, _ := p.Peek(len(bom)); bytes.Equal(head, []byte(bom)) {
		_, _ = p.Discard(len(bom))
	}
}

// stop ends the goroutine, waits for it, and closes the stream.
func (p *Pipe) stop() {
	_ = p.end.Close()
	<-p.over
	p.in.close()
}
