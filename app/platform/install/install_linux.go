package install

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed files/strata.desktop files/strata.xml files/icons/*.png files/icons/strata.svg
var files embed.FS

// iconSizes are the sides in which desktops want icons, pixels.
var iconSizes = []int{16, 22, 24, 32, 48, 64, 128, 256, 512}

// dataHome is where a person's applications, types and icons are (XDG base directory specification).
func dataHome() (string, error) {
	if d := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(d) {
		return d, nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share"), err
}

// contents are the files to make, by their names below dataHome.
func contents(exe string) (map[string][]byte, error) {
	entry, err := files.ReadFile("files/strata.desktop")
	if err != nil {
		return nil, err
	}
	entry = bytes.Replace(entry, []byte("Exec=strata "), []byte("Exec="+quoted(exe)+" "), 1)
	types, err := files.ReadFile("files/strata.xml")
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{
		"applications/strata.desktop": entry,
		"mime/packages/strata.xml":    types,
	}
	for _, n := range iconSizes {
		picture, err := files.ReadFile(fmt.Sprintf("files/icons/strata-%d.png", n))
		if err != nil {
			return nil, err
		}
		all[fmt.Sprintf("icons/hicolor/%dx%d/apps/strata.png", n, n)] = picture
	}
	all["icons/hicolor/scalable/apps/strata.svg"], err = files.ReadFile("files/icons/strata.svg")
	return all, err
}

// quoted writes a path as an argument in a desktop entry: in quotes, with what is special in quotes behind a
// backslash, each backslash doubled because the value is a string too, and % doubled.
func quoted(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\\\`, `"`, `\\"`, "`", "\\\\`", `$`, `\\$`, `%`, `%%`).Replace(path) + `"`
}

func associate(w io.Writer, exe string) error {
	if strings.ContainsAny(exe, "\n\r\t=") {
		return fmt.Errorf("the program's path %q has characters that a desktop entry cannot hold; move it first", exe)
	}
	home, err := dataHome()
	if err != nil {
		return err
	}
	all, err := contents(exe)
	if err != nil {
		return err
	}
	for name, data := range all {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	refresh(home)
	say(w, "Strata (%s) is in your applications menu and opens PyTorch memory snapshots.", exe)
	say(w, "To take that back: strata associate --undo")
	return nil
}

func undo(w io.Writer) error {
	home, err := dataHome()
	if err != nil {
		return err
	}
	all, err := contents("")
	if err != nil {
		return err
	}
	n := 0
	for name := range all {
		switch err := os.Remove(filepath.Join(home, name)); {
		case err == nil:
			n++
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	if n == 0 {
		say(w, "Strata was not registered; there is nothing to take back.")
		return nil
	}
	refresh(home)
	say(w, "Strata is no longer registered with your desktop. Your settings and snapshots are as they were.")
	return nil
}

// refresh brings the desktop's caches up to date. Where the programs for that are missing the desktop has no such
// caches.
func refresh(home string) {
	for _, command := range [][]string{
		{"update-mime-database", filepath.Join(home, "mime")},
		{"update-desktop-database", filepath.Join(home, "applications")},
	} {
		if path, err := exec.LookPath(command[0]); err == nil {
			_ = exec.Command(path, command[1:]...).Run()
		}
	}
}
