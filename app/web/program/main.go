//go:build js

// Program is Strata in a web page: the window, or in a worker the reading of a file for it.
package main

import (
	"os"

	"strata/app"
	"strata/app/options"
	"strata/app/reading"
	"strata/layout"
)

func main() {
	if args := os.Args[1:]; len(args) == 2 && args[0] == reading.WorkerCommand {
		reading.Work(args[1])
		return
	}
	err := app.Run(options.Options{Device: options.AnyDevice, Axis: layout.Events, Verbose: true, Files: os.Args[1:]})
	if err != nil {
		panic(err) // the page says so
	}
}
