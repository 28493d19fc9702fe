// Command make writes what packages hold beside the program into a folder: the manual page and completions for shells.
package main

import (
	"bytes"
	"log"
	"os"
	"path/filepath"

	"strata/app/cli"
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: make FOLDER VERSION DATE")
	}
	var page bytes.Buffer
	err := cli.Manual(&page, os.Args[2], os.Args[3])
	write("strata.1", page.Bytes(), err)
	for _, shell := range []string{"bash", "zsh", "fish"} {
		var b bytes.Buffer
		err := cli.Completion(&b, shell)
		write("strata."+shell, b.Bytes(), err)
	}
}

// write writes a file that was made without error.
func write(name string, data []byte, err error) {
	if err == nil {
		err = os.WriteFile(filepath.Join(os.Args[1], name), data, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}
