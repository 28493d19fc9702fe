// Command make writes what packages hold beside the program into a folder: the manual page and completions for shells.
package main

import (
	"log"
	"os"

	"strata/app/cli"
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: make FOLDER VERSION DATE")
	}
	if err := cli.WriteExtras(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}
