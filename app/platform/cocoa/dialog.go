// Package cocoa holds what Strata asks of macOS beyond Gio: drops on a view, and
// the file dialog. It imports no Gio, whose macOS part needs Apple's compiler, so
// that it can be type-checked on every machine.
package cocoa

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
)

// ErrNoDialog says that there is no osascript, that is, this is no macOS.
var ErrNoDialog = errors.New("there is no osascript here")

// osascript runs AppleScript.
var osascript = "/usr/bin/osascript"

// A Chooser is a file dialog.
type Chooser struct {
	Title    string
	Folder   string // shown first, unless ""
	Multiple bool   // several files may be opened
	Save     bool   // it asks for a file to write
	Name     string // of that file, without its folder
}

// Choose has AppleScript show the system's file dialog. It returns absolute
// paths, none if the person cancelled.
func (c Chooser) Choose(ctx context.Context) ([]string, error) {
	args := []string{}
	for _, line := range c.script() {
		args = append(args, "-e", line)
	}
	// What the dialog shows goes in as arguments, which are data, not script.
	cmd := exec.CommandContext(ctx, osascript, append(args, c.Title, c.Folder, c.Name)...)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
		var paths []string
		for _, line := range strings.Split(out.String(), "\n") {
			if strings.HasPrefix(line, "/") {
				paths = append(paths, line)
			}
		}
		return paths, nil
	case strings.Contains(complaints.String(), "(-128)"): // userCanceledErr
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNoDialog
	}
	return nil, fmt.Errorf("the file dialog could not be shown: %s", strings.TrimSpace(complaints.String()))
}

func (c Chooser) script() []string {
	choose := "choose file with prompt (item 1 of argv)"
	if c.Save {
		choose = "choose file name with prompt (item 1 of argv) default name (item 3 of argv)"
	}
	if c.Folder != "" {
		choose += " default location (POSIX file (item 2 of argv))"
	}
	if c.Multiple && !c.Save {
		choose += " with multiple selections allowed"
	} else {
		choose = "{" + choose + "}"
	}
	return []string{
		"on run argv",
		"activate",
		"set chosen to " + choose,
		`set answer to ""`,
		"repeat with one in chosen",
		"set answer to answer & POSIX path of one & linefeed",
		"end repeat",
		"return answer",
		"end run",
	}
}
