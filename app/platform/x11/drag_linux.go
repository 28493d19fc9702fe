package x11

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/jezek/xgb/xproto"

	"strata/app/platform/drops"
)

// drag is a drag in progress: from XdndEnter to XdndLeave or the end of a drop.
type drag struct {
	source  xproto.Window // 0: none
	want    string        // the target to ask for, "" if nothing offered is of use
	asked   bool          // for the data
	askedAt xproto.Timestamp
	refused bool   // then; some hand them over only after the drop
	incr    bool   // they come in parts
	data    []byte // the parts so far
	have    bool   // they are complete: paths
	paths   []string
	dropped bool
	hovered bool // a Hover has been sent
}

// enter begins a drag: data[1] has the version in its highest byte, and in bit 0 whether there are more than the
// three types in data[2:5].
func (t *Target) enter(source xproto.Window, m message) {
	t.leave()
	t.drag = drag{source: source}
	types := m.data[2:5]
	if m.data[1]&1 != 0 {
		types = nil
		r, err := xproto.GetProperty(t.conn, false, source, t.atoms["XdndTypeList"], xproto.AtomAtom, 0, 1024).Reply()
		if err == nil {
			for i := 0; i+4 <= len(r.Value); i += 4 {
				types = append(types, binary.LittleEndian.Uint32(r.Value[i:]))
			}
		}
	}
	for _, want := range drops.Types {
		if t.drag.want == "" && slices.Contains(types, uint32(t.atoms[want])) {
			t.drag.want = want
		}
	}
	// To hear of the source's death. Nobody else's selection of events changes.
	xproto.ChangeWindowAttributes(t.conn, source, xproto.CwEventMask, []uint32{xproto.EventMaskStructureNotify})
}

// position answers that the pointer has moved. The first one also asks for the data, so that the window can say during
// the hover what a drop would open.
func (t *Target) position(m message) {
	d := &t.drag
	if d.dropped {
		return
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
	if d.have || d.want == drops.URIList {
		t.hover()
	}
}

func (t *Target) hover() {
	t.drag.hovered = true
	t.on(drops.Event{Kind: drops.Hover, Paths: t.drag.paths})
}

func (t *Target) unhover() {
	if t.drag.hovered {
		t.drag.hovered = false
		t.on(drops.Event{Kind: drops.Leave})
	}
}

// leave ends a drag that was not dropped.
func (t *Target) leave() {
	t.unhover()
	t.forget()
}

// forget makes an end of the drag, without a word.
func (t *Target) forget() {
	t.timer.Stop()
	if t.drag.source != 0 {
		xproto.ChangeWindowAttributes(t.conn, t.drag.source, xproto.CwEventMask, []uint32{0})
	}
	t.drag = drag{}
}

// ask asks the source to put the data into a property of the helper window.
func (t *Target) ask(at xproto.Timestamp) {
	t.drag.asked, t.drag.askedAt, t.drag.refused, t.drag.incr, t.drag.data = true, at, false, false, nil
	xproto.ConvertSelection(t.conn, t.helper, t.atoms["XdndSelection"], t.atoms[t.drag.want],
		t.atoms["STRATA_DROP"], at)
}

// drop waits for the data, if they are not there yet.
func (t *Target) drop(at xproto.Timestamp) {
	d := &t.drag
	d.dropped = true
	switch {
	case d.have || d.want == "":
		t.end(nil)
	default:
		if !d.asked || d.refused {
			t.ask(at)
		}
		t.timer.Reset(drops.Wait)
	}
}

// selection takes the data, or their first part.
func (t *Target) selection(e xproto.SelectionNotifyEvent) {
	d := &t.drag
	if !d.asked || d.have || d.incr || e.Selection != t.atoms["XdndSelection"] || e.Requestor != t.helper ||
		e.Time != d.askedAt && e.Time != 0 {
		return // the answer to an earlier drag
	}
	if e.Property == xproto.AtomNone {
		if d.dropped {
			t.end(errors.New("the program that the files came from refused to name them"))
		}
		d.refused, d.have = true, d.want != drops.URIList
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
func (t *Target) part() {
	value, _, err := t.take()
	d := &t.drag
	switch {
	case err != nil:
		t.end(err)
	case len(value) == 0:
		t.complete(d.data)
	case len(d.data)+len(value) > drops.MaxBytes:
		t.end(drops.ErrTooMuch)
	default:
		d.data = append(d.data, value...)
		if d.dropped {
			t.timer.Reset(drops.Wait)
		}
	}
}

// take reads and deletes the property that the source writes.
func (t *Target) take() ([]byte, xproto.Atom, error) {
	r, err := xproto.GetProperty(t.conn, true, t.helper, t.atoms["STRATA_DROP"], xproto.GetPropertyTypeAny, 0,
		drops.MaxBytes/4).Reply()
	if err != nil {
		return nil, 0, err
	}
	if r.BytesAfter > 0 {
		return nil, 0, drops.ErrTooMuch
	}
	return r.Value, r.Type, nil
}

// complete has all the data.
func (t *Target) complete(data []byte) {
	d := &t.drag
	d.have, d.incr, d.data = true, false, nil
	d.paths = drops.Parse(d.want, data)
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
func (t *Target) end(err error) {
	d := t.drag
	if !d.dropped { // it broke off before
		t.leave()
		return
	}
	e := drops.Dropped(d.paths, err)
	var ok, action uint32
	if e.Kind == drops.Drop {
		ok, action = 1, uint32(t.atoms["XdndActionCopy"])
	}
	t.send(d.source, "XdndFinished", ok, action, 0, 0)
	t.forget()
	t.on(e)
}
