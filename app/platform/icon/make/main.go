// Command make writes Strata's icon into a folder, in the forms that packages
// want: strata-SIZE.png, strata.svg, strata.icns.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"strata/app/platform/icon"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: make FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "icon:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	files := map[string]func(io.Writer) error{
		"strata.svg":  func(w io.Writer) error { _, err := io.WriteString(w, icon.SVG()); return err },
		"strata.icns": icon.WriteICNS,
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
