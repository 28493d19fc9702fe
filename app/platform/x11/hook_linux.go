package x11

/*
#cgo pkg-config: x11
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>
#include <X11/Xlib.h>
#include <X11/Xlibint.h>

// Xlib calls a function of its display for each event that it takes off the
// wire. Ours stands before the one for client messages, passes those of the
// drag and drop protocol on to a pipe, and lets Xlib forget them, for Gio would
// throw them away. Xlib holds the display's lock meanwhile: no calls of Xlib here.

typedef Bool (*wire_function)(Display *, XEvent *, xEvent *);
enum { ATOMS = 4 };

// The program has one window.
static struct hook {
	Display *display; // NULL: free
	int pipe;
	Atom atoms[ATOMS];
	wire_function before;
} the_hook;
static pthread_mutex_t hook_lock = PTHREAD_MUTEX_INITIALIZER;

static Bool strata_wire(Display *display, XEvent *event, xEvent *wire) {
	pthread_mutex_lock(&hook_lock);
	struct hook hook = the_hook;
	pthread_mutex_unlock(&hook_lock);
	// While the display lives its hook is there; without it the event is lost.
	if (hook.display != display || !hook.before(display, event, wire)) return False;
	if (event->type != ClientMessage || event->xclient.format != 32) return True;
	for (int i = 0; i < ATOMS; i++) {
		if (event->xclient.message_type != hook.atoms[i]) continue;
		uint32_t message[7] = {(uint32_t)event->xclient.message_type, (uint32_t)event->xclient.window};
		for (int k = 0; k < 5; k++) message[2 + k] = (uint32_t)event->xclient.data.l[k];
		// Less than PIPE_BUF, so whole or not at all. The pipe does not block: if
		// nobody reads it, the window must not hang, a lost message does less harm.
		ssize_t written = write(hook.pipe, message, sizeof message);
		(void)written;
		return False;
	}
	return True;
}

// strata_hook must be called on the thread that reads the display's events.
static int strata_hook(void *display, int pipe, uint32_t *atoms) {
	pthread_mutex_lock(&hook_lock);
	int free = !the_hook.display;
	if (free) {
		the_hook.display = display;
		the_hook.pipe = pipe;
		for (int k = 0; k < ATOMS; k++) the_hook.atoms[k] = atoms[k];
		the_hook.before = XESetWireToEvent(display, ClientMessage, strata_wire);
	}
	pthread_mutex_unlock(&hook_lock);
	return free;
}

// strata_unhook forgets the display that has been closed.
static void strata_unhook(void) {
	pthread_mutex_lock(&hook_lock);
	the_hook.display = NULL;
	pthread_mutex_unlock(&hook_lock);
}
*/
import "C"

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// message is a client message of format 32.
type message struct {
	kind, window uint32
	data         [5]uint32
}

// hook diverts the drag and drop messages that Xlib reads for a display.
type hook struct{ read, write *os.File }

// newHook starts diverting messages of the four kinds (atoms).
func newHook(display unsafe.Pointer, kinds [4]uint32) (*hook, error) {
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return nil, err
	}
	h := &hook{os.NewFile(uintptr(fds[0]), "drops"), os.NewFile(uintptr(fds[1]), "drops")}
	atoms := (*C.uint32_t)(unsafe.Pointer(&kinds))
	if C.strata_hook(display, C.int(fds[1]), atoms) == 0 {
		h.read.Close()
		h.write.Close()
		return nil, errors.New("another window is open")
	}
	return h, nil
}

// messages passes on what comes in, until the hook is closed.
func (h *hook) messages(to chan<- message, done <-chan struct{}) {
	defer h.read.Close()
	var b [28]byte
	for {
		if _, err := io.ReadFull(h.read, b[:]); err != nil {
			return
		}
		u := func(i int) uint32 { return binary.NativeEndian.Uint32(b[4*i:]) }
		m := message{u(0), u(1), [5]uint32{u(2), u(3), u(4), u(5), u(6)}}
		select {
		case to <- m:
		case <-done:
			return
		}
	}
}

// close ends the diverting of a display that has been closed.
func (h *hook) close() {
	C.strata_unhook()
	h.write.Close()
}
