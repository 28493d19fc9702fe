package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"strata/app/cli/terminal"
	"strata/app/diag"
	"strata/app/platform/install"
	"strata/snapshot/cache"
)

// The exit codes of the program.
const (
	ExitGood      = 0
	ExitUnusable  = 1 // a file cannot be used, or not in the way asked for
	ExitUsage     = 2
	ExitCancelled = 130 // what shells expect after Ctrl+C
)

// A job is a command with what it needs to run.
type job struct {
	Command
	reader
	out    *bufio.Writer // standard output
	stderr io.Writer
}

// Run does what the command asks for and returns the exit code. It returns soon after ctx is cancelled. It opens no
// window.
func (c Command) Run(ctx context.Context, stdout, stderr io.Writer) int {
	return c.run(ctx, stdout, stderr, cache.Options{Disabled: c.NoCache})
}

// run is Run with other options of the cache.
func (c Command) run(ctx context.Context, stdout, stderr io.Writer, opt cache.Options) int {
	j := job{Command: c, out: bufio.NewWriter(stdout), stderr: stderr,
		reader: reader{cache: opt, limits: c.Limits, log: diag.New(c.Verbose, stderr)}}
	defer j.storing.Wait()
	err := j.do(ctx)
	if flushed := j.out.Flush(); flushed != nil && !errors.Is(err, flushed) {
		err = errors.Join(err, flushed)
	}
	return Fail(stderr, err)
}

// do runs the command.
func (j *job) do(ctx context.Context) error {
	switch {
	case j.Kind == Help:
		usage(j.out, j.Topic)
		return nil
	case j.Kind == Version:
		version(j.out)
		return nil
	case j.Kind == Associate && j.Undo:
		return install.Undo(j.out)
	case j.Kind == Associate:
		return install.Associate(j.out)
	case j.Kind == Summary:
		return j.summary(ctx)
	case j.Kind == Render:
		return j.render(ctx)
	case j.Kind == Query:
		return j.query(ctx)
	case j.Kind == Export:
		return j.export(ctx)
	}
	return errors.New("a window is opened elsewhere")
}

// Fail tells a person what went wrong, a sentence a line, and returns the exit code for it. It prints nothing for nil,
// and nothing when nobody reads the output any more.
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
		fmt.Fprintf(stderr, "strata: %s.\nSee: %s -h\n", terminal.Printable(u.What), modeOf(u.Topic).call())
		return ExitUsage
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(stderr, "strata: cancelled")
		return ExitCancelled
	case errors.Is(err, syscall.EPIPE):
		return ExitGood
	}
	lines := []string{err.Error()}
	var advice interface{ Lines() []string } // display.StartError's errors say what to do too
	if errors.As(err, &advice) {
		lines = advice.Lines()
	}
	for i, l := range lines {
		lines[i] = terminal.Printable(l)
	}
	fmt.Fprintf(stderr, "strata: %s\n", strings.Join(lines, "\n"))
	return ExitUnusable
}
