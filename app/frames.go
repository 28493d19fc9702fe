package app

import (
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"time"

	"strata/render"
)

// A frameLog writes what each frame took, as CSV: --trace-frames. It measures
// our own time, in which events are read and panels laid out, apart from that
// of the graphics system, which then draws them. A nil frameLog does nothing.
type frameLog struct {
	file *os.File
	line []byte
	err  error

	first  time.Time
	frames int
	view   render.View // of the frame before

	begun, lap time.Time
	took       [parts]time.Duration
	own        time.Duration
	cpu        time.Duration // at the beginning, then of our own time
	allocs     uint64        // likewise
	working    bool
	heap       [1]metrics.Sample
}

// The parts of a frame that are ours.
const (
	updating  = iota // what was posted, what the user did
	composing        // choosing tiles, and what is under the pointer
	laying           // the panels, and the texts in them
	parts
)

// frameColumns are the columns of the file. Times are in ms or µs.
//
//	frame       its number, from 1
//	at_ms       when it began, since the first frame did
//	update_us   reading events and what follows from them
//	compose_us  choosing tiles
//	layout_us   laying the panels out, into operations for the graphics system
//	own_us      all of these
//	cpu_us      what the processor worked in own_us, where the system says
//	gpu_us      e.Frame: the graphics system, or a software renderer
//	allocs      heap allocations in own_us, of all goroutines; as the runtime
//	            counts them by the span, only means of many frames tell
//	working     1 when workers were making tiles at its beginning or end
//	tile_bytes  memory of tiles and overviews
//	moved       1 when the view is another than in the frame before
//	sharp       1 when every pixel of the picture is the view's
//	tiles_ms    when the newest tile in sight was ready, on the clock of at_ms
const frameColumns = "frame,at_ms,update_us,compose_us,layout_us,own_us,cpu_us,gpu_us,allocs,working,tile_bytes,moved,sharp,tiles_ms\n"

// newFrameLog starts the file; nil if path is empty.
func newFrameLog(path string) (*frameLog, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("--trace-frames: %w", err)
	}
	l := &frameLog{file: f, heap: [1]metrics.Sample{{Name: "/gc/heap/allocs:objects"}}}
	_, l.err = f.WriteString(frameColumns)
	return l, nil
}

// allocated is how many objects have been allocated. Reading it takes some
// microseconds and stops nobody.
func (l *frameLog) allocated() uint64 {
	metrics.Read(l.heap[:])
	if v := l.heap[0].Value; v.Kind() == metrics.KindUint64 {
		return v.Uint64()
	}
	return 0
}

// begin begins a frame.
func (l *frameLog) begin(c *render.Cache) {
	if l == nil {
		return
	}
	runtime.LockOSThread() // the processor's time is counted by thread
	l.working = c.State().Working
	l.allocs, l.cpu = l.allocated(), threadTime()
	l.begun = time.Now()
	l.lap = l.begun
	if l.frames == 0 {
		l.first = l.begun
	}
	l.frames++
}

// end ends a part of the frame.
func (l *frameLog) end(part int) {
	if l == nil {
		return
	}
	now := time.Now()
	l.took[part] = now.Sub(l.lap)
	l.lap = now
}

// ours ends our own part of the frame.
func (l *frameLog) ours() {
	if l == nil {
		return
	}
	l.own = l.lap.Sub(l.begun)
	l.cpu = threadTime() - l.cpu
	l.allocs = l.allocated() - l.allocs
	runtime.UnlockOSThread()
}

// drawn ends the frame, which took the graphics system so long, and writes its
// line.
func (l *frameLog) drawn(w *window, gpu time.Duration) {
	if l == nil {
		return
	}
	state := w.cache.State()
	moved := w.view != l.view
	l.view = w.view
	b := strconv.AppendInt(l.line[:0], int64(l.frames), 10)
	b = appendTime(b, l.begun.Sub(l.first), time.Millisecond)
	for _, d := range [...]time.Duration{l.took[updating], l.took[composing], l.took[laying], l.own, l.cpu, gpu} {
		b = appendTime(b, d, time.Microsecond)
	}
	b = strconv.AppendUint(append(b, ','), l.allocs, 10)
	b = appendFlag(b, l.working || state.Working)
	b = strconv.AppendInt(append(b, ','), state.Bytes, 10)
	b = appendFlag(b, moved)
	b = appendFlag(b, w.scene != nil && w.scene.Sharp())
	b = appendTime(b, max(0, state.Changed.Sub(l.first)), time.Millisecond)
	l.line = append(b, '\n')
	if l.err == nil { // a disk that is full has been told of once
		if _, l.err = l.file.Write(l.line); l.err != nil {
			fmt.Fprintf(os.Stderr, "strata: --trace-frames: %v\n", l.err)
		}
	}
}

func appendTime(b []byte, d, unit time.Duration) []byte {
	return strconv.AppendFloat(append(b, ','), float64(d)/float64(unit), 'f', 3, 64)
}

func appendFlag(b []byte, v bool) []byte {
	if v {
		return append(b, ",1"...)
	}
	return append(b, ",0"...)
}

// close closes the file.
func (l *frameLog) close() {
	if l != nil {
		_ = l.file.Close()
	}
}
