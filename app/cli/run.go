package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"strata/app/diag"
	"strata/app/platform/install"
	"strata/snapshot/cache"
)

// The exit codes of the program. Cancelled is what shells expect of a
// program that ended by Ctrl+C.
const (
	ExitGood      = 0
	ExitUnusable  = 1 // a file cannot be used, or not in the way asked for
	ExitUsage     = 2
	ExitCancelled = 130
)

// Run does what the command asks for, Window apart, and returns the exit
// code. It returns soon after ctx is cancelled.
func (c Command) Run(ctx context.Context, stdout, stderr io.Writer) int {
	return c.run(ctx, stdout, stderr, cache.Options{Disabled: c.NoCache})
}

// run is Run with other options of the cache.
func (c Command) run(ctx context.Context, stdout, stderr io.Writer, opt cache.Options) int {
	out := bufio.NewWriter(stdout)
	f := &files{cache: opt, limits: c.Limits, log: diag.New(c.Verbose, stderr)}
	defer f.storing.Wait()
	ctx = context.WithValue(ctx, filesKey{}, f)
	var err error
	switch c.Kind {
	case Help:
		usage(out, c.Topic)
	case Version:
		version(out)
	case Associate:
		if c.Undo {
			err = install.Undo(out)
		} else {
			err = install.Associate(out)
		}
	case Summary:
		err = c.summary(ctx, out)
	case Render:
		err = c.render(ctx, out)
	case Query:
		err = c.query(ctx, out)
	case Export:
		err = c.export(ctx, stderr)
	default:
		err = errors.New("a window is opened elsewhere")
	}
	if flushed := out.Flush(); flushed != nil && !errors.Is(err, flushed) {
		err = errors.Join(err, flushed)
	}
	return Fail(stderr, err)
}

// Fail tells a person what went wrong, a sentence a line, and returns the exit
// code for it. It says nothing about nil, and nothing when nobody reads the
// output any more.
func Fail(stderr io.Writer, err error) int {
	if err == nil {
		return ExitGood
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		code := ExitGood
		for _, e := range joined.Unwrap() {
			code = max(code, Fail(stderr, e))
		}
		return code
	}
	var u *UsageError
	switch {
	case errors.As(err, &u):
		fmt.Fprintf(stderr, "strata: %s.\n%s\n", printable(u.What), hint(u))
		return ExitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "strata: cancelled")
		return ExitCancelled
	case errors.Is(err, syscall.EPIPE):
		return ExitGood
	}
	lines := []string{err.Error()}
	var advice interface{ Lines() []string } // what to do about it too, as platform.StartError has it
	if errors.As(err, &advice) {
		lines = advice.Lines()
	}
	for i, l := range lines {
		lines[i] = printable(l)
	}
	fmt.Fprintf(stderr, "strata: %s\n", strings.Join(lines, "\n"))
	return ExitUnusable
}
