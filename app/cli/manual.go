package cli

import (
	"fmt"
	"io"
	"strings"
)

// Manual writes the manual page, in the form of man(7), from the table that the parser reads. date is the day of
// the release, as 2026-11-29. The error is that of w.
func Manual(w io.Writer, version, date string) error {
	var b strings.Builder
	fmt.Fprintf(&b, `.TH STRATA 1 "%s" "Strata %s"
.SH NAME
strata \- see what held the memory of a GPU in PyTorch memory snapshots
.SH SYNOPSIS
`, roff(date), roff(version))
	for _, m := range modes {
		fmt.Fprintf(&b, ".B %s\n.br\n", roff(m.synopsis))
	}
	b.WriteString(`.SH DESCRIPTION
Strata opens the files that torch.cuda.memory._dump_snapshot writes (pickle, also compressed with gzip, zstd, xz,
bzip2 or lz4 or packed with zip or tar, and what PyTorch's own tools make of them: JSON and HTML)
and shows which line of code held how much of the memory, and when.
A file that is named like a subcommand opens as ./summary.
.SH COMMANDS
`)
	for _, m := range modes {
		fmt.Fprintf(&b, ".SS %s\n%s\n", roff(m.call()), roff(m.about))
		for _, o := range m.options {
			fmt.Fprintf(&b, ".TP\n%s\n%s\n", roffOption(o), roff(o.help))
		}
	}
	b.WriteString(`.SH EXIT STATUS
0 when all went well, 1 when a file cannot be used or no window can be opened, 2 when the command line is wrong.
.SH FILES
.TP
.I ~/.config/strata/settings.json
settings, below $XDG_CONFIG_HOME where that is set
.SH ENVIRONMENT
.TP
.B STRATA_DEBUG
when set, Strata says on the terminal why it did not use something of the desktop's, such as a file dialog
`)
	_, err := io.WriteString(w, b.String())
	return err
}

// roff writes text so that nothing in it is a command.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}

func roffOption(o option) string {
	s := `\fB\-\-` + roff(o.long) + `\fR`
	if o.short != "" {
		s = `\fB\-` + roff(o.short) + `\fR, ` + s
	}
	if o.arg != "" {
		s += ` \fI` + roff(o.arg) + `\fR`
	}
	return s
}
