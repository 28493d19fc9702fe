package dialog

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"

	"github.com/godbus/dbus/v5"

	"strata/app/platform/drops"
	"strata/app/platform/sessionbus"
)

// Interfaces of the desktop portal (org.freedesktop.portal.FileChooser and .Request in its documentation).
const (
	portalChooser = "org.freedesktop.portal.FileChooser"
	portalRequest = "org.freedesktop.portal.Request"
)

// portalDialog asks the desktop portal for files, or for one to write. An error says that it showed no dialog;
// cancelling gives no paths and no error.
func portalDialog(ctx context.Context, d Request, parent uintptr) ([]string, error) {
	conn, err := sessionbus.Dial()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return askPortal(ctx, conn, d, parent)
}

// askPortal shows a dialog over a connection.
func askPortal(ctx context.Context, conn *dbus.Conn, d Request, parent uintptr) ([]string, error) {
	// The answer is a signal of a request object, whose path follows from our name and a token: listen for it
	// before the request exists, or a quick answer is missed.
	token := "strata" + strings.ToLower(rand.Text())
	sender := strings.ReplaceAll(strings.TrimPrefix(conn.Names()[0], ":"), ".", "_")
	request := dbus.ObjectPath(sessionbus.PortalPath + "/request/" + sender + "/" + token)
	signals := make(chan *dbus.Signal, 8)
	conn.Signal(signals)
	listen := func(path dbus.ObjectPath) error {
		return conn.AddMatchSignalContext(ctx, dbus.WithMatchObjectPath(path), dbus.WithMatchInterface(portalRequest),
			dbus.WithMatchMember("Response"))
	}
	if err := listen(request); err != nil {
		return nil, err
	}
	start, cancel := context.WithTimeout(ctx, sessionbus.PortalStart)
	defer cancel()
	window := ""
	if parent != 0 {
		window = fmt.Sprintf("x11:%x", parent)
	}
	var handle dbus.ObjectPath
	method := portalChooser + ".OpenFile"
	if d.save {
		method = portalChooser + ".SaveFile"
	}
	err := conn.Object(sessionbus.PortalName, sessionbus.PortalPath).CallWithContext(start, method, 0, window, d.Title,
		portalOptions(d, token)).Store(&handle)
	if err != nil {
		return nil, err
	}
	if handle != request { // portals before 0.9 chose the path themselves
		if err := listen(handle); err != nil {
			return nil, err
		}
	}
	for {
		select {
		case <-ctx.Done():
			conn.Object(sessionbus.PortalName, handle).Call(portalRequest+".Close", dbus.FlagNoReplyExpected)
			return nil, ctx.Err()
		case s, ok := <-signals:
			if !ok {
				return nil, errors.New("the session bus closed while the dialog was open")
			}
			if s.Name == portalRequest+".Response" && (s.Path == handle || s.Path == request) {
				return portalAnswer(s.Body)
			}
		}
	}
}

// portalOptions are the options of OpenFile and SaveFile.
func portalOptions(d Request, token string) map[string]dbus.Variant {
	type pattern struct {
		Kind uint32 // 0: a glob, 1: a media type
		Text string
	}
	type filter struct {
		Name     string
		Patterns []pattern
	}
	var filters []filter
	for _, f := range d.Filters {
		g := filter{Name: f.Name}
		for _, p := range f.Patterns {
			g.Patterns = append(g.Patterns, pattern{0, p})
		}
		filters = append(filters, g)
	}
	options := map[string]dbus.Variant{
		"handle_token": dbus.MakeVariant(token),
		"modal":        dbus.MakeVariant(true),
	}
	if d.Multiple {
		options["multiple"] = dbus.MakeVariant(true)
	}
	if d.Name != "" {
		options["current_name"] = dbus.MakeVariant(d.Name)
	}
	if len(filters) > 0 {
		options["filters"] = dbus.MakeVariant(filters)
		options["current_filter"] = dbus.MakeVariant(filters[0])
	}
	if d.Folder != "" {
		options["current_folder"] = dbus.MakeVariant(append([]byte(d.Folder), 0))
	}
	return options
}

// portalAnswer reads a Response: 0 for a choice, 1 for a person who cancelled, and 2 for a dialog that ended
// otherwise, as when it could not be shown.
func portalAnswer(body []any) ([]string, error) {
	var code uint32
	var results map[string]dbus.Variant
	if err := dbus.Store(body, &code, &results); err != nil {
		return nil, fmt.Errorf("the portal's answer has another form: %w", err)
	}
	if code == 1 {
		return nil, nil
	}
	if code != 0 {
		return nil, fmt.Errorf("the portal could not show its dialog (answer %d)", code)
	}
	var uris []string
	if err := results["uris"].Store(&uris); err != nil {
		return nil, fmt.Errorf("the portal's answer names no files: %w", err)
	}
	// Not joined and parsed as a list: a URI may begin with anything.
	var paths []string
	for _, u := range uris {
		if p, ok := drops.FilePath(u); ok {
			paths = append(paths, p)
		}
	}
	return drops.Unique(paths), nil
}
