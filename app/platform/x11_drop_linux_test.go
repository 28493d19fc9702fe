package platform

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"strata/app/platform/drops"
)

// dragSource is the other side of the drag and drop protocol: a program from which files are dragged.
type dragSource struct {
	t        *testing.T
	conn     *xgb.Conn
	win      xproto.Window
	target   xproto.Window
	offers   map[string]string
	order    []string
	onlyDrop bool          // hand the data over only after the drop
	silent   bool          // never hand them over
	part     int           // bytes at once; 0: all
	asked    chan struct{} // for the data
	status   chan [5]uint32
	finished chan [5]uint32
	dropped  chan struct{}
}

func newDragSource(t *testing.T, display string, target uint32) *dragSource {
	t.Helper()
	conn, err := xgb.NewConnDisplay(display)
	if err != nil {
		t.Fatal(err)
	}
	s := &dragSource{t: t, conn: conn, target: xproto.Window(target), offers: map[string]string{},
		asked: make(chan struct{}, 8), status: make(chan [5]uint32, 64), finished: make(chan [5]uint32, 8),
		dropped: make(chan struct{})}
	s.win, _ = xproto.NewWindowId(conn)
	root := xproto.Setup(conn).DefaultScreen(conn).Root
	if err := xproto.CreateWindowChecked(conn, 0, s.win, root, 0, 0, 1, 1, 0, xproto.WindowClassInputOnly, 0, 0,
		nil).Check(); err != nil {
		t.Fatal(err)
	}
	xproto.SetSelectionOwner(conn, s.win, s.atom("XdndSelection"), 0)
	t.Cleanup(conn.Close)
	return s
}

// offer adds a type and its data.
func (s *dragSource) offer(kind, data string) *dragSource {
	s.offers[kind] = data
	s.order = append(s.order, kind)
	return s
}

func (s *dragSource) atom(name string) xproto.Atom {
	r, err := xproto.InternAtom(s.conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		s.t.Fatal(err)
	}
	return r.Atom
}

func (s *dragSource) send(kind string, d ...uint32) {
	data := append([]uint32{uint32(s.win)}, d...)
	for len(data) < 5 {
		data = append(data, 0)
	}
	e := xproto.ClientMessageEvent{Format: 32, Window: s.target, Type: s.atom(kind),
		Data: xproto.ClientMessageDataUnionData32New(data)}
	xproto.SendEvent(s.conn, false, s.target, 0, string(e.Bytes()))
}

// serve answers the target until the connection closes.
func (s *dragSource) serve() {
	status, finished := s.atom("XdndStatus"), s.atom("XdndFinished")
	for {
		e, err := s.conn.WaitForEvent()
		if e == nil && err == nil {
			return
		}
		switch e := e.(type) {
		case xproto.ClientMessageEvent:
			d := [5]uint32(e.Data.Data32)
			switch e.Type {
			case status:
				s.status <- d
			case finished:
				s.finished <- d
			}
		case xproto.SelectionRequestEvent:
			s.answer(e)
		}
	}
}

func (s *dragSource) answer(e xproto.SelectionRequestEvent) {
	s.asked <- struct{}{}
	if s.silent {
		return
	}
	name, err := xproto.GetAtomName(s.conn, e.Target).Reply()
	if err != nil { // the test has closed the connection
		return
	}
	data, ok := s.offers[name.Name]
	if s.onlyDrop {
		select {
		case <-s.dropped:
		default:
			ok = false
		}
	}
	notify := xproto.SelectionNotifyEvent{Time: e.Time, Requestor: e.Requestor, Selection: e.Selection,
		Target: e.Target, Property: e.Property}
	if !ok {
		notify.Property = 0
	}
	reply := func() { xproto.SendEvent(s.conn, false, e.Requestor, 0, string(notify.Bytes())) }
	put := func(b string, kind xproto.Atom, format byte, n int) {
		xproto.ChangeProperty(s.conn, xproto.PropModeReplace, e.Requestor, e.Property, kind, format, uint32(n),
			[]byte(b))
	}
	switch {
	case !ok:
		reply()
	case s.part == 0:
		put(data, e.Target, 8, len(data))
		reply()
	default:
		s.parts(e, data, put, reply)
	}
}

// parts hands data over by INCR (ICCCM 2.7.2), each part when the one before has been taken away.
func (s *dragSource) parts(e xproto.SelectionRequestEvent, data string, put func(string, xproto.Atom, byte, int),
	reply func()) {
	xproto.ChangeWindowAttributes(s.conn, e.Requestor, xproto.CwEventMask, []uint32{xproto.EventMaskPropertyChange})
	put(string(binary.LittleEndian.AppendUint32(nil, uint32(len(data)))), s.atom("INCR"), 32, 1)
	reply()
	for {
		ev, err := s.conn.WaitForEvent()
		if ev == nil && err == nil {
			return
		}
		p, ok := ev.(xproto.PropertyNotifyEvent)
		if !ok || p.State != xproto.PropertyDelete || p.Atom != e.Property {
			continue
		}
		n := min(s.part, len(data))
		put(data[:n], e.Target, 8, n)
		if n == 0 {
			return
		}
		data = data[n:]
	}
}

func (s *dragSource) enter() {
	go s.serve()
	var types []byte
	var first [3]uint32
	more := uint32(0)
	for i, k := range s.order {
		if i < 3 {
			first[i] = uint32(s.atom(k))
		} else {
			more = 1
		}
		types = binary.LittleEndian.AppendUint32(types, uint32(s.atom(k)))
	}
	xproto.ChangeProperty(s.conn, xproto.PropModeReplace, s.win, s.atom("XdndTypeList"), xproto.AtomAtom, 32,
		uint32(len(s.order)), types)
	s.send("XdndEnter", 5<<24|more, first[0], first[1], first[2])
}

// at says where the pointer is and returns whether the target would take it.
func (s *dragSource) at(x, y int) bool {
	s.t.Helper()
	s.send("XdndPosition", 0, uint32(x)<<16|uint32(y), 1000, uint32(s.atom("XdndActionCopy")))
	d := s.wait(s.status, "XdndStatus")
	return d[1]&1 == 1
}

func (s *dragSource) wait(from chan [5]uint32, what string) [5]uint32 {
	s.t.Helper()
	select {
	case d := <-from:
		if xproto.Window(d[0]) != s.target {
			s.t.Errorf("%s names window %#x, not the target %#x", what, d[0], s.target)
		}
		return d
	case <-time.After(20 * time.Second):
		s.t.Fatalf("no %s came", what)
	}
	return [5]uint32{}
}

// drop drops, and returns whether the target says that it has taken it.
func (s *dragSource) drop() bool {
	s.t.Helper()
	close(s.dropped)
	s.send("XdndDrop", 0, 1001)
	return s.wait(s.finished, "XdndFinished")[1]&1 == 1
}

func manyURIs(n int) (string, []string) {
	var b strings.Builder
	var paths []string
	for i := range n {
		p := fmt.Sprintf("/a/folder/with/a/long/name/run_rank%d.pickle", i)
		paths = append(paths, p)
		fmt.Fprintf(&b, "file://%s\r\n", p)
	}
	return b.String(), paths
}

func TestX11Drops(t *testing.T) {
	display := screen(t)
	w := openWindow(t, "DISPLAY="+display, "WAYLAND_DISPLAY=none")
	many, manyPaths := manyURIs(20_000)
	for _, c := range []struct {
		name   string
		set    func(*dragSource)
		hover  bool // the paths are known before the drop
		accept bool
		want   []string // nil: Failed
	}{
		{"files", func(s *dragSource) { s.offer(drops.URIList, "file:///a%20b%23c\r\nfile:///%C3%A9\r\n") }, true, true,
			[]string{"/a b#c", "/é"}},
		{"a list of types", func(s *dragSource) {
			s.offer("x/1", "").offer("x/2", "").offer("x/3", "").offer("text/plain", "no").offer(drops.URIList,
				"file:///a\r\n")
		}, true, true, []string{"/a"}},
		{"only after the drop", func(s *dragSource) { s.offer(drops.URIList, "file:///a\r\n").onlyDrop = true }, false,
			true, []string{"/a"}},
		{"in parts", func(s *dragSource) { s.offer(drops.URIList, many).part = 60_000 }, true, true, manyPaths},
		{"a path as text", func(s *dragSource) { s.offer("UTF8_STRING", "/home/é/x.pickle\n") }, true, true,
			[]string{"/home/é/x.pickle"}},
		{"a browser's", func(s *dragSource) {
			s.offer("text/x-moz-url", "f\x00").offer("text/html", "<a>").offer("text/plain", "file:///a")
		}, true, true, []string{"/a"}},
		{"no files", func(s *dragSource) { s.offer("image/png", "png") }, false, false, nil},
		{"other text", func(s *dragSource) { s.offer("text/plain", "hello") }, false, false, nil},
		{"a web page", func(s *dragSource) { s.offer(drops.URIList, "https://example.com/\r\n") }, false, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newDragSource(t, display, w.id)
			c.set(s)
			s.enter()
			s.at(30, 40)
			if c.hover { // the data may take a moment
				for e := w.next(t); e.Paths == nil; e = w.next(t) {
					if e.Kind != "hover" {
						t.Fatalf("got %+v while hovering", e)
					}
				}
			}
			for begun := time.Now(); s.at(31, 42) != c.accept; time.Sleep(20 * time.Millisecond) {
				if time.Since(begun) > 20*time.Second {
					t.Fatalf("accepted is not %v", c.accept)
				}
			}
			taken := s.drop()
			if taken != (c.want != nil) {
				t.Errorf("finished with taken %v", taken)
			}
			var e told
			for e = w.next(t); e.Kind == "hover" || e.Kind == "leave"; e = w.next(t) {
				continue
			}
			if c.want == nil {
				if e.Kind != "failed" || e.Err == "" {
					t.Errorf("got %+v, want a failure", e)
				}
				return
			}
			if e.Kind != "drop" || !slices.Equal(e.Paths, c.want) {
				t.Errorf("got %s of %d paths %.200q", e.Kind, len(e.Paths), e.Paths)
			}
			w.quiet(t)
		})
	}
}

func TestX11DragsThatEndOtherwise(t *testing.T) {
	display := screen(t)
	w := openWindow(t, "DISPLAY="+display, "WAYLAND_DISPLAY=none")
	t.Run("leaves", func(t *testing.T) {
		s := newDragSource(t, display, w.id).offer(drops.URIList, "file:///a\r\n")
		s.enter()
		s.at(10, 10)
		s.send("XdndLeave")
		w.until(t, drops.Leave)
		w.quiet(t)
	})
	t.Run("the source dies", func(t *testing.T) {
		s := newDragSource(t, display, w.id).offer(drops.URIList, "file:///a\r\n")
		s.enter()
		s.at(10, 10)
		s.conn.Close()
		w.until(t, drops.Leave)
		w.quiet(t)
	})
	t.Run("the source dies after the drop", func(t *testing.T) {
		s := newDragSource(t, display, w.id).offer(drops.URIList, "file:///a\r\n")
		s.silent = true
		s.enter()
		s.send("XdndDrop", 0, 1001) // without a position before it the target asks for the data only now
		select {
		case <-s.asked:
		case <-time.After(20 * time.Second):
			t.Fatal("the data were not asked for")
		}
		s.conn.Close()
		if _, e := w.until(t, drops.Failed); !strings.Contains(e.Err, "ended") {
			t.Errorf("got %+v", e)
		}
	})
	t.Run("the source hands nothing over", func(t *testing.T) {
		s := newDragSource(t, display, w.id).offer(drops.URIList, "file:///a\r\n")
		s.silent = true
		s.enter()
		s.at(10, 10)
		if s.drop() {
			t.Error("it was taken")
		}
		w.until(t, drops.Failed)
	})
	t.Run("a late message of an earlier drag", func(t *testing.T) { lateMessage(t, display, w) })
	t.Run("the window still closes by the window manager's message", func(t *testing.T) { closes(t, display, w) })
}

// lateMessage leaves a drag when another has begun.
func lateMessage(t *testing.T, display string, w *testWindow) {
	old := newDragSource(t, display, w.id).offer(drops.URIList, "file:///old\r\n")
	old.enter()
	old.at(10, 10)
	w.next(t)
	s := newDragSource(t, display, w.id).offer(drops.URIList, "file:///new\r\n")
	s.enter()
	s.at(11, 11)
	old.send("XdndLeave")
	old.atom("flush")
	if !s.drop() {
		t.Error("it was not taken")
	}
	var e told
	for e = w.next(t); e.Kind != "drop"; e = w.next(t) {
		continue
	}
	if !slices.Equal(e.Paths, []string{"/new"}) {
		t.Errorf("got %+v", e)
	}
}

// closes asks the window to close as the window manager does.
func closes(t *testing.T, display string, w *testWindow) {
	s := newDragSource(t, display, w.id)
	e := xproto.ClientMessageEvent{Format: 32, Window: s.target, Type: s.atom("WM_PROTOCOLS"),
		Data: xproto.ClientMessageDataUnionData32New([]uint32{uint32(s.atom("WM_DELETE_WINDOW")), 0, 0, 0, 0})}
	xproto.SendEvent(s.conn, false, s.target, 0, string(e.Bytes()))
	s.atom("flush")
	done := make(chan error, 1)
	go func() { done <- w.cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("the process ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it did not close")
	}
}
