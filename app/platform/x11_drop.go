//go:build linux && !android && cgo && !nox11

package platform

import (
	"encoding/binary"
	"errors"
	"image"
	"io"
	"log"
	"slices"
	"sync"
	"time"

	gioapp "gioui.org/app"
	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// x11Built says whether Gio and this package know X11.
const x11Built = true

// xdndVersion is the version of the drag and drop protocol (XDND) spoken here.
const xdndVersion = 5

// x11Drop makes Gio's window a target of the X drag and drop protocol. Xlib hands
// it the messages (x11Hook); it answers over a connection of its own. All of its
// state belongs to the goroutine of run.
type x11Drop struct {
	on    func(Event)
	conn  *xgb.Conn
	hook  *x11Hook
	atoms map[string]xproto.Atom
	names map[xproto.Atom]string

	root, target xproto.Window
	helper       xproto.Window // receives the data

	drag  x11Drag
	timer *time.Timer
	done  chan struct{}
	once  sync.Once
}

// x11Drag is a drag in progress: from XdndEnter to XdndLeave or the end of a drop.
type x11Drag struct {
	source  xproto.Window // 0: none
	want    string        // the target to ask for, "" if nothing offered is of use
	pos     image.Point
	asked   bool // for the data
	askedAt xproto.Timestamp
	refused bool   // then; some hand them over only after the drop
	incr    bool   // they come in parts
	data    []byte // the parts so far
	have    bool   // they are complete: paths
	paths   []string
	dropped bool
	hovered bool // a Hover has been sent
}

var xdndAtoms = []string{"XdndAware", "XdndEnter", "XdndPosition", "XdndLeave", "XdndDrop", "XdndStatus", "XdndFinished",
	"XdndSelection", "XdndTypeList", "XdndActionCopy", "INCR", "STRATA_DROP"}

func init() { xgb.Logger = log.New(io.Discard, "", 0) } // it tells of a missing Xauthority, which is no trouble

// newX11Drop lets files be dropped on a window.
func newX11Drop(view gioapp.X11ViewEvent, on func(Event)) (*x11Drop, error) {
	conn, err := xgb.NewConn()
	if err != nil {
		return nil, err
	}
	t := &x11Drop{on: on, conn: conn, atoms: map[string]xproto.Atom{}, names: map[xproto.Atom]string{},
		target: xproto.Window(view.Window), timer: time.NewTimer(time.Hour), done: make(chan struct{})}
	t.timer.Stop()
	if err := t.prepare(); err != nil {
		conn.Close()
		return nil, err
	}
	if t.hook, err = hookX11(view.Display, [4]uint32{uint32(t.atoms["XdndEnter"]), uint32(t.atoms["XdndPosition"]), uint32(t.atoms["XdndLeave"]), uint32(t.atoms["XdndDrop"])}); err != nil {
		conn.Close()
		return nil, err
	}
	messages, events := make(chan x11Message), make(chan xgb.Event)
	go t.hook.messages(messages, t.done)
	go t.events(events)
	go t.run(messages, events)
	return t, nil
}

// prepare makes the atoms, the helper window, and the target known as one.
func (t *x11Drop) prepare() error {
	t.root = xproto.Setup(t.conn).DefaultScreen(t.conn).Root
	for _, name := range xdndAtoms {
		r, err := xproto.InternAtom(t.conn, false, uint16(len(name)), name).Reply()
		if err != nil {
			return err
		}
		t.atoms[name] = r.Atom
	}
	var err error
	if t.helper, err = xproto.NewWindowId(t.conn); err != nil {
		return err
	}
	err = xproto.CreateWindowChecked(t.conn, 0, t.helper, t.root, -10, -10, 1, 1, 0, xproto.WindowClassInputOnly, 0,
		xproto.CwOverrideRedirect|xproto.CwEventMask, []uint32{1, xproto.EventMaskPropertyChange}).Check()
	if err != nil {
		return err
	}
	version := binary.LittleEndian.AppendUint32(nil, xdndVersion) // xgb speaks little-endian on every machine
	return xproto.ChangePropertyChecked(t.conn, xproto.PropModeReplace, t.target, t.atoms["XdndAware"], xproto.AtomAtom, 32, 1, version).Check()
}

// close ends everything; open says whether Gio's display still is.
func (t *x11Drop) close(open bool) {
	if t == nil {
		return
	}
	t.once.Do(func() {
		t.hook.close(open)
		close(t.done)
		t.conn.Close()
	})
}

// events passes on what the connection reads.
func (t *x11Drop) events(to chan<- xgb.Event) {
	for {
		e, err := t.conn.WaitForEvent()
		if e == nil && err == nil {
			return // closed
		}
		if err != nil { // of a request without a reply; a WindowError says that the source is gone
			if _, gone := err.(xproto.WindowError); !gone {
				complain("drop: ", err)
			}
			continue
		}
		select {
		case to <- e:
		case <-t.done:
			return
		}
	}
}

func (t *x11Drop) run(messages <-chan x11Message, events <-chan xgb.Event) {
	for {
		select {
		case <-t.done:
			return
		case m := <-messages:
			t.message(m)
		case e := <-events:
			switch e := e.(type) {
			case xproto.SelectionNotifyEvent:
				t.selection(e)
			case xproto.PropertyNotifyEvent:
				if t.drag.incr && e.Window == t.helper && e.Atom == t.atoms["STRATA_DROP"] && e.State == xproto.PropertyNewValue {
					t.part()
				}
			case xproto.DestroyNotifyEvent:
				if t.drag.source != 0 && e.Window == t.drag.source {
					t.end(errors.New("the program that the files came from has ended"))
				}
			}
		case <-t.timer.C:
			t.end(errSilentSource)
		}
	}
}

// message acts on a message of the source. Those of another source than the
// present drag's are late ones of an earlier drag.
func (t *x11Drop) message(m x11Message) {
	source := xproto.Window(m.data[0])
	if xproto.Window(m.window) != t.target {
		return
	}
	if xproto.Atom(m.kind) == t.atoms["XdndEnter"] {
		t.enter(source, m)
		return
	}
	if source != t.drag.source || source == 0 {
		if xproto.Atom(m.kind) == t.atoms["XdndDrop"] { // it waits for an answer
			t.send(source, "XdndFinished", 0, 0, 0, 0)
		}
		return
	}
	switch xproto.Atom(m.kind) {
	case t.atoms["XdndPosition"]:
		t.position(m)
	case t.atoms["XdndLeave"]:
		if !t.drag.dropped { // mutter sends one after the drop too
			t.leave()
		}
	case t.atoms["XdndDrop"]:
		t.drop(xproto.Timestamp(m.data[2]))
	}
}

// enter begins a drag: data[1] has the version in its highest byte, and in bit 0
// whether there are more than the three types in data[2:5].
func (t *x11Drop) enter(source xproto.Window, m x11Message) {
	t.leave()
	t.drag = x11Drag{source: source}
	var types []string
	if m.data[1]&1 != 0 {
		r, err := xproto.GetProperty(t.conn, false, source, t.atoms["XdndTypeList"], xproto.AtomAtom, 0, 1024).Reply()
		if err == nil {
			for i := 0; i+4 <= len(r.Value); i += 4 {
				types = append(types, t.name(xproto.Atom(binary.LittleEndian.Uint32(r.Value[i:]))))
			}
		}
	} else {
		for _, a := range m.data[2:5] {
			types = append(types, t.name(xproto.Atom(a)))
		}
	}
	for _, want := range dropTypes {
		if t.drag.want == "" && slices.Contains(types, want) {
			t.drag.want = want
		}
	}
	// To hear of the source's death. Nobody else's selection of events changes.
	xproto.ChangeWindowAttributes(t.conn, source, xproto.CwEventMask, []uint32{xproto.EventMaskStructureNotify})
}

// position answers where the pointer is. The first one also asks for the data,
// so that the window can say during the hover what a drop would open.
func (t *x11Drop) position(m x11Message) {
	d := &t.drag
	if d.dropped {
		return
	}
	x, y := int16(m.data[2]>>16), int16(m.data[2])
	if r, err := xproto.TranslateCoordinates(t.conn, t.root, t.target, x, y).Reply(); err == nil {
		d.pos = image.Pt(int(r.DstX), int(r.DstY))
	}
	var accept, action uint32
	useful := d.want != "" && (!d.have || len(d.paths) > 0)
	if useful {
		accept, action = 1, uint32(t.atoms["XdndActionCopy"])
	}
	const keepTelling = 2 // of each move
	t.send(d.source, "XdndStatus", accept|keepTelling, 0, 0, action)
	if !useful {
		t.unhover()
		return
	}
	if !d.asked {
		t.ask(xproto.Timestamp(m.data[3]))
	}
	// Text may be anything until it is known to be a path.
	if d.have || d.want == uriList || d.want == mozURL {
		t.hover()
	}
}

func (t *x11Drop) hover() {
	t.drag.hovered = true
	t.on(Event{Kind: Hover, Paths: t.drag.paths, Pos: t.drag.pos})
}

func (t *x11Drop) unhover() {
	if t.drag.hovered {
		t.drag.hovered = false
		t.on(Event{Kind: Leave})
	}
}

// leave ends a drag that was not dropped.
func (t *x11Drop) leave() {
	t.unhover()
	t.forget()
}

// forget makes an end of the drag, without a word.
func (t *x11Drop) forget() {
	t.timer.Stop()
	if t.drag.source != 0 {
		xproto.ChangeWindowAttributes(t.conn, t.drag.source, xproto.CwEventMask, []uint32{0})
	}
	t.drag = x11Drag{}
}

// ask asks the source to put the data into a property of the helper window.
func (t *x11Drop) ask(at xproto.Timestamp) {
	target, err := xproto.InternAtom(t.conn, false, uint16(len(t.drag.want)), t.drag.want).Reply()
	if err != nil {
		return
	}
	t.drag.asked, t.drag.askedAt, t.drag.refused, t.drag.incr, t.drag.data = true, at, false, false, nil
	xproto.ConvertSelection(t.conn, t.helper, t.atoms["XdndSelection"], target.Atom, t.atoms["STRATA_DROP"], at)
}

// drop waits for the data, if they are not there yet.
func (t *x11Drop) drop(at xproto.Timestamp) {
	d := &t.drag
	d.dropped = true
	switch {
	case d.have || d.want == "":
		t.end(nil)
	default:
		if !d.asked || d.refused {
			t.ask(at)
		}
		t.timer.Reset(dropWait)
	}
}

// selection takes the data, or their first part.
func (t *x11Drop) selection(e xproto.SelectionNotifyEvent) {
	d := &t.drag
	if !d.asked || d.have || d.incr || e.Selection != t.atoms["XdndSelection"] || e.Requestor != t.helper || e.Time != d.askedAt && e.Time != 0 {
		return // the answer to an earlier drag
	}
	if e.Property == xproto.AtomNone {
		if d.dropped {
			t.end(errors.New("the program that the files came from refused to name them"))
		}
		d.refused, d.have = true, d.want != uriList && d.want != mozURL
		return
	}
	value, kind, err := t.take()
	switch {
	case err != nil:
		t.end(err)
	case kind == t.atoms["INCR"]: // taking it has told the source to begin
		d.incr = true
	default:
		t.complete(value)
	}
}

// part takes the next part of data that come in parts; an empty one ends them.
func (t *x11Drop) part() {
	value, _, err := t.take()
	d := &t.drag
	switch {
	case err != nil:
		t.end(err)
	case len(value) == 0:
		t.complete(d.data)
	case len(d.data)+len(value) > maxDropped:
		t.end(errTooMuch)
	default:
		d.data = append(d.data, value...)
		if d.dropped {
			t.timer.Reset(dropWait)
		}
	}
}

// take reads and deletes the property that the source writes.
func (t *x11Drop) take() ([]byte, xproto.Atom, error) {
	r, err := xproto.GetProperty(t.conn, true, t.helper, t.atoms["STRATA_DROP"], xproto.GetPropertyTypeAny, 0, maxDropped/4).Reply()
	if err != nil {
		return nil, 0, err
	}
	if r.BytesAfter > 0 {
		return nil, 0, errTooMuch
	}
	return r.Value, r.Type, nil
}

// complete has all the data.
func (t *x11Drop) complete(data []byte) {
	d := &t.drag
	d.have, d.incr, d.data = true, false, nil
	d.paths = parseDropped(d.want, data)
	switch {
	case d.dropped:
		t.end(nil)
	case len(d.paths) > 0:
		t.hover()
	default:
		t.unhover()
	}
}

// end finishes the drag, tells the source, and tells what was dropped.
func (t *x11Drop) end(err error) {
	d := t.drag
	if err == nil && d.want == "" || err == nil && len(d.paths) == 0 {
		err = errNoFiles
	}
	if !d.dropped { // it broke off before
		t.leave()
		return
	}
	var ok, action uint32
	if err == nil {
		ok, action = 1, uint32(t.atoms["XdndActionCopy"])
	}
	t.send(d.source, "XdndFinished", ok, action, 0, 0)
	t.forget()
	if err != nil {
		t.on(Event{Kind: Failed, Pos: d.pos, Err: err})
		return
	}
	t.on(Event{Kind: Drop, Paths: d.paths, Pos: d.pos})
}

// send sends the source a message; its first datum is always our window.
func (t *x11Drop) send(to xproto.Window, kind string, d1, d2, d3, d4 uint32) {
	e := xproto.ClientMessageEvent{Format: 32, Window: to, Type: t.atoms[kind],
		Data: xproto.ClientMessageDataUnionData32New([]uint32{uint32(t.target), d1, d2, d3, d4})}
	xproto.SendEvent(t.conn, false, to, 0, string(e.Bytes()))
}

// name returns an atom's name.
func (t *x11Drop) name(a xproto.Atom) string {
	if n, ok := t.names[a]; ok || a == 0 {
		return n
	}
	r, err := xproto.GetAtomName(t.conn, a).Reply()
	if err != nil {
		return ""
	}
	t.names[a] = r.Name
	return r.Name
}
