// Package x11 lets files be dropped on Gio's windows on X11.
package x11

import (
	"encoding/binary"
	"errors"
	"io"
	"log"
	"slices"
	"sync"
	"time"

	gioapp "gioui.org/app"
	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"strata/app/platform/debuglog"
	"strata/app/platform/drops"
)

// xdndVersion is the version of the drag and drop protocol (XDND) spoken here.
const xdndVersion = 5

// Target makes Gio's window a target of the X drag and drop protocol. Xlib hands it the messages (hook); it answers
// over a connection of its own. All of its state belongs to the goroutine of run.
type Target struct {
	on    func(drops.Event)
	conn  *xgb.Conn
	hook  *hook
	atoms map[string]xproto.Atom // xdndAtoms and drops.Types

	target xproto.Window
	helper xproto.Window // receives the data

	drag  drag
	timer *time.Timer
	done  chan struct{}
	once  sync.Once
}

var xdndAtoms = []string{"XdndAware", "XdndEnter", "XdndPosition", "XdndLeave", "XdndDrop", "XdndStatus",
	"XdndFinished", "XdndSelection", "XdndTypeList", "XdndActionCopy", "INCR", "STRATA_DROP"}

func init() { xgb.Logger = log.New(io.Discard, "", 0) } // it tells of a missing Xauthority, which is no trouble

// New lets files be dropped on a window.
func New(view gioapp.X11ViewEvent, on func(drops.Event)) (*Target, error) {
	conn, err := xgb.NewConn()
	if err != nil {
		return nil, err
	}
	t := &Target{on: on, conn: conn, atoms: map[string]xproto.Atom{}, target: xproto.Window(view.Window),
		timer: time.NewTimer(time.Hour), done: make(chan struct{})}
	t.timer.Stop()
	if err := t.prepare(); err != nil {
		conn.Close()
		return nil, err
	}
	if t.hook, err = newHook(view.Display, [4]uint32{uint32(t.atoms["XdndEnter"]), uint32(t.atoms["XdndPosition"]),
		uint32(t.atoms["XdndLeave"]), uint32(t.atoms["XdndDrop"])}); err != nil {
		conn.Close()
		return nil, err
	}
	messages, events := make(chan message), make(chan xgb.Event)
	go t.hook.messages(messages, t.done)
	go t.events(events)
	go t.run(messages, events)
	return t, nil
}

// prepare makes the atoms, the helper window, and the target known as one.
func (t *Target) prepare() error {
	root := xproto.Setup(t.conn).DefaultScreen(t.conn).Root
	for _, name := range slices.Concat(xdndAtoms, drops.Types) {
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
	err = xproto.CreateWindowChecked(t.conn, 0, t.helper, root, -10, -10, 1, 1, 0, xproto.WindowClassInputOnly, 0,
		xproto.CwOverrideRedirect|xproto.CwEventMask, []uint32{1, xproto.EventMaskPropertyChange}).Check()
	if err != nil {
		return err
	}
	version := binary.LittleEndian.AppendUint32(nil, xdndVersion) // xgb speaks little-endian on every machine
	return xproto.ChangePropertyChecked(t.conn, xproto.PropModeReplace, t.target, t.atoms["XdndAware"], xproto.AtomAtom,
		32, 1, version).Check()
}

// Close ends everything, after Gio has closed its display. t may be nil.
func (t *Target) Close() {
	if t == nil {
		return
	}
	t.once.Do(func() {
		t.hook.close()
		close(t.done)
		t.conn.Close()
	})
}

// events passes on what the connection reads.
func (t *Target) events(to chan<- xgb.Event) {
	for {
		e, err := t.conn.WaitForEvent()
		if e == nil && err == nil {
			return // closed
		}
		if err != nil { // of a request without a reply
			if _, gone := err.(xproto.WindowError); !gone { // the source may have ended
				debuglog.Print("drop: ", err)
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

func (t *Target) run(messages <-chan message, events <-chan xgb.Event) {
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
				if t.drag.incr && e.Window == t.helper && e.Atom == t.atoms["STRATA_DROP"] &&
					e.State == xproto.PropertyNewValue {
					t.part()
				}
			case xproto.DestroyNotifyEvent:
				if t.drag.source != 0 && e.Window == t.drag.source {
					t.end(errors.New("the program that the files came from has ended"))
				}
			}
		case <-t.timer.C:
			t.end(drops.ErrSilent)
		}
	}
}

// message acts on a message of the source. Those of another source than the present drag's are late ones of an
// earlier drag.
func (t *Target) message(m message) {
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

// send sends the source a message; its first datum is always our window.
func (t *Target) send(to xproto.Window, kind string, d1, d2, d3, d4 uint32) {
	e := xproto.ClientMessageEvent{Format: 32, Window: to, Type: t.atoms[kind],
		Data: xproto.ClientMessageDataUnionData32New([]uint32{uint32(t.target), d1, d2, d3, d4})}
	xproto.SendEvent(t.conn, false, to, 0, string(e.Bytes()))
}
