// Command make writes what packages hold beside the program into a folder: the
// icon in several forms, the manual page, completions for shells.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"strata/app/cli"
	"strata/app/platform/icon"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: make FOLDER VERSION DATE")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "make:", err)
		os.Exit(1)
	}
}

func write(dir, version, date string) error {
	files := map[string]func(io.Writer) error{
		"strata.svg":  func(w io.Writer) error { _, err := io.WriteString(w, icon.SVG()); return err },
		"strata.icns": icon.WriteICNS,
		"strata.1":    func(w io.Writer) error { return cli.Manual(w, version, date) },
	}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		files["strata."+shell] = func(w io.Writer) error { return cli.Completion(w, shell) }
	}
	for _, n := range icon.Sizes() {
		files[fmt.Sprintf("strata-%d.png", n)] = func(w io.Writer) error { return icon.WritePNG(w, n) }
	}
	for name, to := range files {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := to(f); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}
