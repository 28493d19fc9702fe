package dialog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
)

// osascript is macOS's interpreter of AppleScript.
var osascript = "/usr/bin/osascript"

// runOsascript shows the dialog of macOS by AppleScript. It filters nothing: macOS knows files by type, and would
// make snapshots with other names impossible to choose.
func runOsascript(ctx context.Context, r Request) ([]string, error) {
	args := []string{}
	for _, line := range r.appleScript() {
		args = append(args, "-e", line)
	}
	// What the dialog shows goes in as arguments, which are data, not script.
	cmd := exec.CommandContext(ctx, osascript, append(args, r.Title, r.Folder, r.Name)...)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
		return pathLines(out.String()), nil
	case strings.Contains(complaints.String(), "(-128)"): // userCanceledErr
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, ErrNoDialog
	}
	return nil, fmt.Errorf("the file dialog could not be shown: %s", strings.TrimSpace(complaints.String()))
}

// appleScript returns the lines of the script, whose arguments are title, folder and name.
func (r Request) appleScript() []string {
	choose := "choose file with prompt (item 1 of argv)"
	if r.save {
		choose = "choose file name with prompt (item 1 of argv) default name (item 3 of argv)"
	}
	if r.Folder != "" {
		choose += " default location (POSIX file (item 2 of argv))"
	}
	if r.Multiple {
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
