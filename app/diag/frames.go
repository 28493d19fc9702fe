package diag

import (
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"time"
)

// A FrameLog writes the duration of each frame of the window as CSV (--trace-frames). It measures Strata's own work,
// reading events and laying out panels, apart from the drawing of the graphics system that follows. A nil FrameLog
// does nothing.
type FrameLog struct {
	file *os.File
	err  error

	first  time.Time // begin of the first frame
	frames int
	view   any // of the previous frame

	begun, lap time.Time
	took       [parts]time.Duration
	own        time.Duration
	cpu        time.Duration // at Begin the thread's time, from Own on that of the frame
	allocs     uint64        // likewise
	working    bool
	heap       [1]metrics.Sample
}

// A Part is a part of Strata's own work for a frame.
type Part uint8

// The parts of a frame, in their order.
const (
	Updating  Part = iota // user input and results of goroutines
	Composing             // choosing tiles, and what is under the pointer
	Layout                // panels and the text in them
	parts
)

// A FrameState is what a FrameLog records of a frame that was drawn.
type FrameState struct {
	View      any       // comparable; to tell whether it moved
	Working   bool      // workers are making tiles
	TileBytes int64     // memory of tiles and overviews
	TileReady time.Time // when the newest visible tile was ready
	Sharp     bool      // every pixel of the picture is that of the view
}

// frameColumns are the columns of the file. Times are in ms or µs.
//
//	frame       number, from 1
//	at_ms       begin, since the begin of the first frame
//	update_us   Updating
//	compose_us  Composing
//	layout_us   Layout, into operations for the graphics system
//	own_us      all of these
//	cpu_us      processor time within own_us, where the system tells it
//	gpu_us      drawing by the graphics system or a software renderer
//	allocs      heap allocations within own_us, of all goroutines; the runtime counts them by the span, so that only
//	            means over many frames are exact
//	working     1 when workers were making tiles at the begin or the end
//	tile_bytes  memory of tiles and overviews
//	moved       1 when the view differs from that of the previous frame
//	sharp       1 when every pixel of the picture is that of the view
//	tiles_ms    when the newest visible tile was ready, on the clock of at_ms
const frameColumns = "frame,at_ms,update_us,compose_us,layout_us,own_us,cpu_us,gpu_us,allocs,working,tile_bytes,moved" +
	",sharp,tiles_ms\n"

// NewFrameLog creates the file; it returns nil if path is empty.
func NewFrameLog(path string) (*FrameLog, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("--trace-frames: %w", err)
	}
	l := &FrameLog{file: f, heap: [1]metrics.Sample{{Name: "/gc/heap/allocs:objects"}}}
	_, l.err = f.WriteString(frameColumns)
	return l, nil
}

// allocated is how many objects have been allocated. Reading it takes some microseconds and stops no goroutine.
func (l *FrameLog) allocated() uint64 {
	metrics.Read(l.heap[:])
	if v := l.heap[0].Value; v.Kind() == metrics.KindUint64 {
		return v.Uint64()
	}
	return 0
}

// Begin begins a frame. working says whether workers are making tiles.
func (l *FrameLog) Begin(working bool) {
	if l == nil {
		return
	}
	runtime.LockOSThread() // processor time is counted by thread
	l.working = working
	l.allocs, l.cpu = l.allocated(), threadTime()
	l.begun = time.Now()
	l.lap = l.begun
	if l.frames == 0 {
		l.first = l.begun
	}
	l.frames++
}

// End ends a part of the frame; the end of Layout ends Strata's own work.
func (l *FrameLog) End(p Part) {
	if l == nil {
		return
	}
	now := time.Now()
	l.took[p] = now.Sub(l.lap)
	l.lap = now
	if p == Layout {
		l.own = l.lap.Sub(l.begun)
		l.cpu = threadTime() - l.cpu
		l.allocs = l.allocated() - l.allocs
		runtime.UnlockOSThread()
	}
}

// Drawn ends the frame and writes its line. gpu is how long the graphics system took.
func (l *FrameLog) Drawn(s FrameState, gpu time.Duration) {
	if l == nil {
		return
	}
	moved := s.View != l.view
	l.view = s.View
	in := func(d, unit time.Duration) float64 { return float64(d) / float64(unit) }
	us := func(d time.Duration) float64 { return in(d, time.Microsecond) }
	flag := map[bool]int{true: 1}
	if l.err != nil { // a full disk is reported once
		return
	}
	_, l.err = fmt.Fprintf(l.file, "%d,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%.3f,%d,%d,%d,%d,%d,%.3f\n",
		l.frames, in(l.begun.Sub(l.first), time.Millisecond), us(l.took[Updating]), us(l.took[Composing]),
		us(l.took[Layout]), us(l.own), us(l.cpu), us(gpu), l.allocs, flag[l.working || s.Working], s.TileBytes,
		flag[moved], flag[s.Sharp], in(max(0, s.TileReady.Sub(l.first)), time.Millisecond))
	if l.err != nil {
		fmt.Fprintf(os.Stderr, "strata: --trace-frames: %v\n", l.err)
	}
}

// Close closes the file.
func (l *FrameLog) Close() {
	if l != nil {
		_ = l.file.Close()
	}
}
