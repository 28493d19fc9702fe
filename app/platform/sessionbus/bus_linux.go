// Package sessionbus connects to the session's D-Bus, where the desktop portal answers.
package sessionbus

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/godbus/dbus/v5"
)

// The desktop portal on the bus.
const (
	PortalName = "org.freedesktop.portal.Desktop"
	PortalPath = "/org/freedesktop/portal/desktop"
	// PortalStart is how long the portal may take for its first answer; it may have to be started for that.
	PortalStart = 10 * time.Second
)

// Dial makes a connection of its own. The shared one of package dbus would be closed for everybody, and would start
// a bus where there is none.
func Dial() (*dbus.Conn, error) {
	address, err := address()
	if err != nil {
		return nil, err
	}
	conn, err := dbus.Dial(address)
	if err != nil {
		return nil, err
	}
	if err = conn.Auth(nil); err == nil {
		err = conn.Hello()
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// address is where the session bus listens.
func address() (string, error) {
	if a := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); a != "" && a != "autolaunch:" {
		return a, nil
	}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		if _, err := os.Stat(filepath.Join(dir, "bus")); err == nil {
			return "unix:path=" + filepath.Join(dir, "bus"), nil
		}
	}
	return "", errors.New("there is no session bus")
}
