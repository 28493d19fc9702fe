package appearance

import (
	"context"
	"os"
	"strings"

	"github.com/godbus/dbus/v5"

	"strata/app/platform/debuglog"
	"strata/app/platform/sessionbus"
)

// The portal's settings (org.freedesktop.portal.Settings in its documentation).
const (
	portalSettings  = "org.freedesktop.portal.Settings"
	appearanceSpace = "org.freedesktop.appearance"
	colourScheme    = "color-scheme"
)

func watch(ctx context.Context, tell func(Appearance)) {
	conn, err := sessionbus.Dial()
	if err != nil {
		debuglog.Print("appearance: ", err)
		return
	}
	defer conn.Close()
	if err := followPortal(ctx, conn, tell); err != nil && ctx.Err() == nil {
		debuglog.Print("appearance: ", err)
	}
}

// followPortal reads the colour scheme and listens to its changes. It listens first, or a change in between is
// missed.
func followPortal(ctx context.Context, conn *dbus.Conn, tell func(Appearance)) error {
	signals := make(chan *dbus.Signal, 8)
	conn.Signal(signals)
	err := conn.AddMatchSignalContext(ctx, dbus.WithMatchObjectPath(sessionbus.PortalPath),
		dbus.WithMatchInterface(portalSettings),
		dbus.WithMatchMember("SettingChanged"), dbus.WithMatchArg(0, appearanceSpace))
	if err != nil {
		return err
	}
	desktop := os.Getenv("XDG_CURRENT_DESKTOP")
	start, cancel := context.WithTimeout(ctx, sessionbus.PortalStart)
	defer cancel()
	var value dbus.Variant
	err = conn.Object(sessionbus.PortalName, sessionbus.PortalPath).CallWithContext(start, portalSettings+".Read", 0,
		appearanceSpace, colourScheme).Store(&value)
	if err != nil {
		return err
	}
	tell(appearanceOf(value, desktop))
	for {
		select {
		case <-ctx.Done():
			return nil
		case s, ok := <-signals:
			if !ok { // the bus is gone: what was said last holds
				return nil
			}
			var space, key string
			var value dbus.Variant
			if s.Name == portalSettings+".SettingChanged" && dbus.Store(s.Body, &space, &key, &value) == nil &&
				space == appearanceSpace && key == colourScheme {
				tell(appearanceOf(value, desktop))
			}
		}
	}
}

// appearanceOf reads a colour scheme: 1 dark, 2 light, 0 no preference, which is how GNOME writes light. Read wraps
// it in a second variant.
func appearanceOf(v dbus.Variant, desktop string) Appearance {
	for inner, ok := v.Value().(dbus.Variant); ok; inner, ok = v.Value().(dbus.Variant) {
		v = inner
	}
	switch scheme, ok := v.Value().(uint32); {
	case ok && scheme == 1:
		return Dark
	case ok && scheme == 2, ok && scheme == 0 && strings.Contains(strings.ToUpper(desktop), "GNOME"):
		return Light
	}
	return Unsaid
}
