package display

import (
	"image"
	"strconv"
	"strings"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"
)

// screenClient is how long the connection that asked for the screen stays.
const screenClient = 5 * time.Second

// Screen is the size of the screen that a window comes up on, in device independent pixels, as Gio counts them;
// zero where it cannot be known. It must be asked after Choose. A Wayland compositor fits windows into the screen
// itself.
func Screen() image.Point {
	if !X11() {
		return image.Point{}
	}
	conn, err := xgb.NewConn()
	if err != nil {
		return image.Point{}
	}
	// An X server that loses its only client starts over, and then loses whoever connects meanwhile: the window
	// must be there before this client goes.
	time.AfterFunc(screenClient, conn.Close)
	root := xproto.Setup(conn).DefaultScreen(conn)
	size := image.Pt(int(root.WidthInPixels), int(root.HeightInPixels))
	if hasMonitors(conn) { // the root spans all monitors
		if r, err := randr.GetMonitors(conn, root.Root, true).Reply(); err == nil && len(r.Monitors) > 0 {
			m := r.Monitors[0]
			for _, other := range r.Monitors {
				if other.Primary {
					m = other
				}
			}
			size = image.Pt(int(m.Width), int(m.Height))
		}
	}
	scale := 1.
	const longest = 1 << 16 // in units of four bytes
	if r, err := xproto.GetProperty(conn, false, root.Root, xproto.AtomResourceManager, xproto.AtomString, 0,
		longest).Reply(); err == nil {
		scale = scaleOf(string(r.Value))
	}
	return image.Pt(int(float64(size.X)/scale), int(float64(size.Y)/scale))
}

// hasMonitors makes ready to ask for monitors. randr.Init would do it, but writes into maps of xgb that other
// connections read meanwhile; they are for events and errors, of which none are needed here.
func hasMonitors(conn *xgb.Conn) bool {
	const name = "RANDR"
	r, err := xproto.QueryExtension(conn, uint16(len(name)), name).Reply()
	if err != nil || !r.Present {
		return false
	}
	conn.ExtLock.Lock()
	defer conn.ExtLock.Unlock()
	conn.Extensions[name] = r.MajorOpcode
	return true
}

// scaleOf reads the scale from X resources, as Gio does.
func scaleOf(resources string) float64 {
	for _, line := range strings.Split(resources, "\n") {
		name, value, _ := strings.Cut(line, ":")
		if strings.TrimSpace(name) != "Xft.dpi" {
			continue
		}
		if dpi, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && dpi >= 24 && dpi <= 960 {
			return dpi / 96
		}
	}
	return 1
}
