package dialog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"strata/app/platform/platformtest"
	"strata/app/platform/sessionbus"
)

// fakePortal answers OpenFile on the bus as the desktop portal does.
type fakePortal struct {
	conn   *dbus.Conn
	answer func(f *fakePortal, handle dbus.ObjectPath)
	early  bool // answer before OpenFile returns
	handle string

	saves         bool
	parent, title string
	options       map[string]dbus.Variant
	closed        chan bool
}

// SaveFile is answered as OpenFile.
func (f *fakePortal) SaveFile(sender dbus.Sender, parent, title string,
	options map[string]dbus.Variant) (dbus.ObjectPath, *dbus.Error) {
	f.saves = true
	return f.OpenFile(sender, parent, title, options)
}

func (f *fakePortal) OpenFile(sender dbus.Sender, parent, title string,
	options map[string]dbus.Variant) (dbus.ObjectPath, *dbus.Error) {
	f.parent, f.title, f.options = parent, title, options
	var token string
	options["handle_token"].Store(&token)
	handle := dbus.ObjectPath(sessionbus.PortalPath + "/request/" +
		strings.ReplaceAll(strings.TrimPrefix(string(sender), ":"), ".", "_") + "/" + token)
	if f.handle != "" {
		handle = dbus.ObjectPath(f.handle)
	}
	f.conn.Export(f, handle, portalRequest)
	if f.early {
		f.answer(f, handle)
	} else {
		go func() {
			time.Sleep(100 * time.Millisecond)
			f.answer(f, handle)
		}()
	}
	return handle, nil
}

// Close is the request's.
func (f *fakePortal) Close() *dbus.Error { f.closed <- true; return nil }

func respond(code uint32, uris ...string) func(*fakePortal, dbus.ObjectPath) {
	return func(f *fakePortal, handle dbus.ObjectPath) {
		f.conn.Emit(handle, portalRequest+".Response", code, map[string]dbus.Variant{"uris": dbus.MakeVariant(uris)})
	}
}

func (f *fakePortal) serve(t *testing.T) {
	t.Helper()
	conn, err := dbus.Connect(os.Getenv("DBUS_SESSION_BUS_ADDRESS"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	f.conn, f.closed = conn, make(chan bool, 1)
	if err := conn.Export(f, sessionbus.PortalPath, portalChooser); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName(sessionbus.PortalName, 0); err != nil {
		t.Fatal(err)
	}
}

func TestPortal(t *testing.T) {
	platformtest.Bus(t)
	t.Setenv("PATH", t.TempDir())
	for _, c := range []struct {
		name   string
		portal fakePortal
		want   []string
		err    error
	}{
		{"a choice", fakePortal{answer: respond(0, "file:///a%20b/%C3%A9%23.pickle", "file:///c")},
			[]string{"/a b/é#.pickle", "/c"}, nil},
		{"an answer before the call returns", fakePortal{answer: respond(0, "file:///c"), early: true}, []string{"/c"},
			nil},
		{"an old portal's own path", fakePortal{answer: respond(0, "file:///c"), handle: sessionbus.PortalPath +
			"/request/old"}, []string{"/c"}, nil},
		{"cancelled", fakePortal{answer: respond(1)}, nil, nil},
		{"not shown", fakePortal{answer: respond(2)}, nil, ErrNoDialog},
		{"another form", fakePortal{answer: func(f *fakePortal, handle dbus.ObjectPath) {
			f.conn.Emit(handle, portalRequest+".Response", "x")
		}}, nil, ErrNoDialog},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.portal.serve(t)
			defer c.portal.conn.Close()
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			got, err := Open(ctx, Request{Title: "Open", Folder: "/runs", Filters: Snapshots(), Multiple: true},
				0x1c00002)
			if !slices.Equal(got, c.want) || !errors.Is(err, c.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, c.want, c.err)
			}
			f := c.portal
			if f.parent != "x11:1c00002" || f.title != "Open" {
				t.Errorf("asked with parent %q, title %q", f.parent, f.title)
			}
			if s := portalOptions(Request{Filters: Snapshots()}, "")["filters"].Signature().String(); s != "a(sa(us))" {
				t.Errorf("the filters are of type %s", s)
			}
			if s := fmt.Sprint(f.options["filters"].Value()); !strings.Contains(s, "[All files [[0 *]]]") {
				t.Errorf("the filters are %s", s)
			}
			if s := fmt.Sprintf("%s", f.options["current_folder"].Value()); s != "/runs\x00" {
				t.Errorf("the folder is %q", s)
			}
		})
	}
}

func TestPortalSaves(t *testing.T) {
	platformtest.Bus(t)
	f := &fakePortal{answer: respond(0, "file:///a%20b/%C3%A9.png")}
	f.serve(t)
	got, err := Save(context.Background(), Request{Title: "Save", Folder: "/runs", Name: "run.png",
		Filters: Snapshots()}, 0)
	if got != "/a b/é.png" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	_, multiple := f.options["multiple"] // is no option of SaveFile
	if name := f.options["current_name"]; !f.saves || multiple || name.Value() != "run.png" {
		t.Errorf("asked with %v", f.options)
	}
}

func TestPortalClosedByContext(t *testing.T) {
	platformtest.Bus(t)
	f := &fakePortal{answer: func(*fakePortal, dbus.ObjectPath) {}}
	f.serve(t)
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	if _, err := Open(ctx, Request{}, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
	select {
	case <-f.closed:
	case <-time.After(10 * time.Second):
		t.Error("the portal's dialog was left open")
	}
}

func TestBusWithoutPortal(t *testing.T) {
	platformtest.Bus(t)
	t.Setenv("PATH", t.TempDir())
	begun := time.Now()
	if _, err := Open(context.Background(), Request{}, 0); !errors.Is(err, ErrNoDialog) {
		t.Errorf("the error is %v", err)
	}
	if d := time.Since(begun); d > 5*time.Second {
		t.Errorf("it took %v to find that there is no portal", d)
	}
}
