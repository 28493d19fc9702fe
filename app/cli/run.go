package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"strata/app/cli/terminal"
	"strata/app/diag"
	"strata/snapshot/cache"
)

// The exit codes of the program.
const (
	ExitGood      = 0
	ExitUnusable  = 1 // a file cannot be used, or not in the way asked for
	ExitUsage     = 2
	ExitHigher    = 3   // strata compare: the peak is higher than --fail-above allows
	ExitCancelled = 130 // what shells expect after Ctrl+C
)

// A job is a command with what it needs to run.
type job struct {
	Command
	reader
	out    *bufio.Writer // standard output
	stderr io.Writer

	toTerminal bool // out is a terminal
}

// Run does what the command asks for and returns the exit code. It returns soon after ctx is cancelled. It opens no
// window.
func (c Command) Run(ctx context.Context, stdout, stderr io.Writer) int {
	return c.run(ctx, stdout, stderr, cache.Options{})
}

// run is Run with other options of the cache.
func (c Command) run(ctx context.Context, stdout, stderr io.Writer, opt cache.Options) int {
	remove, err := c.Prepare(os.Stdin, stderr)
	defer remove()
	opt.Disabled = c.NoCache
	j := job{Command: c, out: bufio.NewWriter(stdout), stderr: stderr, toTerminal: terminal.Is(stdout),
		reader: reader{cache: opt, limits: c.Limits, own: c.OwnCode, with: c.With, zone: c.Zone,
			log: diag.New(c.Verbose, stderr)}}
	defer j.storing.Wait()
	switch {
	case err != nil:
	case c.Kind == Help:
		usage(j.out, c.Topic)
	default:
		err = modeOf(c.Kind).run(&j, ctx)
	}
	if flushed := j.out.Flush(); flushed != nil && !errors.Is(err, flushed) {
		err = errors.Join(err, flushed)
	}
	return Fail(stderr, err)
}

// inputName is what the copy of standard input is called.
const inputName = "standard input"

// Prepare comes before Run and before the window. It notes on stderr how the command was understood. If a file is
// "-" it copies standard input into a file to open instead, which remove deletes; the cache does not keep what is
// in it. Where the system can, the file is deleted at once and opened by way of its descriptor: no copy stays when the
// program is killed.
func (c *Command) Prepare(stdin io.Reader, stderr io.Writer) (remove func(), err error) {
	if c.GPU.Note != "" {
		fmt.Fprintf(stderr, "strata: %s\n", c.GPU.Note)
	}
	if !slices.Contains(c.Files, "-") {
		return func() {}, nil
	}
	dir, err := os.MkdirTemp("", "strata-")
	if err != nil {
		return func() {}, err
	}
	f, err := os.Create(filepath.Join(dir, inputName))
	remove = func() {
		f.Close()
		os.RemoveAll(dir)
	}
	if err != nil {
		return remove, err
	}
	open := fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), f.Fd())
	if _, none := os.Stat(open); none == nil && os.Remove(f.Name()) == nil {
		err = os.Symlink(open, f.Name())
	}
	if err == nil {
		_, err = io.Copy(f, stdin)
	}
	c.NoCache, c.Files = true, slices.Clone(c.Files)
	for i, name := range c.Files {
		if name == "-" {
			c.Files[i] = f.Name()
		}
	}
	return remove, err
}

// Fail tells a person what went wrong, a sentence a line, and returns the exit code for it. It prints nothing for
// nil, and nothing when nobody reads the output any more.
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
	u, isUsage := errors.AsType[*UsageError](err)
	higher, isHigher := errors.AsType[*higherError](err)
	switch {
	case isUsage:
		end := "."
		if strings.HasSuffix(u.What, "?") {
			end = ""
		}
		fmt.Fprintf(stderr, "strata: %s%s\nSee: %s -h\n", terminal.Printable(u.What), end, modeOf(u.Topic).Call())
		return ExitUsage
	case isHigher:
		fmt.Fprintf(stderr, "strata: %s\n", terminal.Printable(higher.what))
		return ExitHigher
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
