package appearance

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"strata/app/platform/platformtest"
	"strata/app/platform/sessionbus"
)

func TestAppearanceOf(t *testing.T) {
	nested := func(v any) dbus.Variant { return dbus.MakeVariant(dbus.MakeVariant(v)) }
	for _, c := range []struct {
		value   dbus.Variant
		desktop string
		want    Appearance
	}{
		{nested(uint32(1)), "GNOME", Dark},
		{dbus.MakeVariant(uint32(1)), "", Dark},
		{dbus.MakeVariant(uint32(2)), "", Light},
		{nested(uint32(0)), "ubuntu:GNOME", Light},
		{nested(uint32(0)), "XFCE", Unsaid},
		{nested(uint32(7)), "GNOME", Unsaid},
		{nested("dark"), "GNOME", Unsaid},
	} {
		if got := appearanceOf(c.value, c.desktop); got != c.want {
			t.Errorf("%v on %q: %v, want %v", c.value, c.desktop, got, c.want)
		}
	}
}

// fakeSettings answer as the portal's settings do.
type fakeSettings struct{ scheme uint32 }

func (f *fakeSettings) Read(space, key string) (dbus.Variant, *dbus.Error) {
	if space != appearanceSpace || key != colourScheme {
		return dbus.Variant{}, dbus.NewError("org.freedesktop.portal.Error.NotFound", nil)
	}
	return dbus.MakeVariant(dbus.MakeVariant(f.scheme)), nil
}

// The appearance is that of the portal, then follows it; other settings do not matter, and it ends with its
// context.
func TestWatch(t *testing.T) {
	platformtest.Bus(t)
	t.Setenv("XDG_CURRENT_DESKTOP", "KDE")
	conn, err := dbus.Connect(os.Getenv("DBUS_SESSION_BUS_ADDRESS"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.Export(&fakeSettings{2}, sessionbus.PortalPath, portalSettings); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName(sessionbus.PortalName, 0); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	told, ended := make(chan Appearance, 8), make(chan bool)
	go func() {
		Watch(ctx, func(a Appearance) { told <- a })
		close(ended)
	}()
	expect := func(want Appearance) {
		t.Helper()
		select {
		case got := <-told:
			if got != want {
				t.Errorf("told %v, want %v", got, want)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%v was not told", want)
		}
	}
	expect(Light)
	change := func(space, key string, value any) {
		conn.Emit(sessionbus.PortalPath, portalSettings+".SettingChanged", space, key, dbus.MakeVariant(value))
	}
	change("org.freedesktop.appearance", "contrast", uint32(1))
	change("org.gnome.desktop.interface", colourScheme, uint32(1))
	change(appearanceSpace, colourScheme, uint32(2)) // as it is
	change(appearanceSpace, colourScheme, uint32(1))
	expect(Dark)
	change(appearanceSpace, colourScheme, uint32(0))
	expect(Unsaid)
	cancel()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("it does not end")
	}
	if len(told) > 0 {
		t.Errorf("then it told %v", <-told)
	}
}

// Without a bus or a portal it tells nothing and is soon over.
func TestNoAppearance(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
	Watch(context.Background(), func(a Appearance) { t.Errorf("told %v", a) })
	platformtest.Bus(t)
	Watch(context.Background(), func(a Appearance) { t.Errorf("told %v", a) })
}
