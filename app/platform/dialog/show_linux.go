package dialog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"strata/app/platform/debuglog"
	"strata/app/platform/display"
)

// show asks the desktop portal, else zenity, else kdialog.
func show(ctx context.Context, d Request, parent uintptr) ([]string, error) {
	ways := []func() ([]string, error){
		func() ([]string, error) { return portalDialog(ctx, d, parent) },
		func() ([]string, error) { return runDialog(ctx, "zenity", zenityArgs(d, parent)) },
		func() ([]string, error) { return runDialog(ctx, "kdialog", kdialogArgs(d, parent)) },
	}
	for _, way := range ways {
		paths, err := way()
		if err == nil || ctx.Err() != nil {
			return paths, ctx.Err()
		}
		debuglog.Print("dialog: ", err)
	}
	return nil, ErrNoDialog
}

// runDialog runs a program that shows a file dialog and prints the paths, each on a line. An error says that no
// dialog was shown: both programs leave with 1 when the person cancels, and say something on standard error when
// they cannot start, though GTK also warns there.
func runDialog(ctx context.Context, name string, args []string) ([]string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = display.ChildEnv()
	cmd.WaitDelay = time.Second
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return pathLines(out.String()), nil
	case errors.As(err, &exit) && exit.ExitCode() == 1 && !couldNotStart(complaints.String()):
		return nil, nil
	}
	return nil, fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(complaints.String()))
}

// couldNotStart reports whether a dialog program says that it found no display.
func couldNotStart(complaints string) bool {
	s := strings.ToLower(complaints)
	return strings.Contains(s, "cannot open display") || strings.Contains(s, "could not connect to display")
}

func zenityArgs(d Request, parent uintptr) []string {
	args := []string{"--file-selection", "--separator=\n", "--title=" + d.Title}
	if d.Multiple {
		args = append(args, "--multiple")
	}
	if d.save {
		args = append(args, "--save", "--confirm-overwrite") // newer ones always confirm
	}
	if d.Folder != "" { // the slash at its end makes it the folder to show
		args = append(args, "--filename="+strings.TrimRight(d.Folder, "/")+"/"+d.Name)
	} else if d.Name != "" {
		args = append(args, "--filename="+d.Name)
	}
	if parent != 0 {
		args = append(args, "--modal", fmt.Sprintf("--attach=%d", parent))
	}
	for _, f := range d.Filters {
		args = append(args, "--file-filter="+f.Name+" | "+strings.Join(f.Patterns, " "))
	}
	return args
}

func kdialogArgs(d Request, parent uintptr) []string {
	args := []string{"--title", d.Title}
	if parent != 0 {
		args = append(args, "--attach", fmt.Sprint(parent))
	}
	if d.Multiple {
		args = append(args, "--multiple", "--separate-output")
	}
	folder := d.Folder
	if folder == "" {
		folder, _ = os.UserHomeDir()
	}
	var filters []string
	for _, f := range d.Filters {
		filters = append(filters, f.Name+" ("+strings.Join(f.Patterns, " ")+")")
	}
	if d.save {
		return append(args, "--getsavefilename", filepath.Join(folder, d.Name), strings.Join(filters, "\n"))
	}
	return append(args, "--getopenfilename", folder, strings.Join(filters, "\n"))
}
