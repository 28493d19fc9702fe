package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Manual writes the manual page, in the form of man(7), from the table that the
// parser reads. date is the day of the release, as 2026-11-29.
func Manual(w io.Writer, version, date string) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH STRATA 1 \"%s\" \"Strata %s\"\n.SH NAME\nstrata \\- see what held the memory of a GPU in PyTorch memory snapshots\n.SH SYNOPSIS\n", roff(date), roff(version))
	for _, m := range modes {
		fmt.Fprintf(&b, ".B %s\n.br\n", roff(m.synopsis))
	}
	b.WriteString(".SH DESCRIPTION\nStrata opens the files that torch.cuda.memory._dump_snapshot writes (pickle, also compressed with gzip or zstd, and what\nPyTorch's own tools make of them: JSON and HTML) and shows which line of code held how much of the memory, and when.\n" +
		"A file that is named like a subcommand opens as ./summary.\n.SH COMMANDS\n")
	for _, m := range modes {
		fmt.Fprintf(&b, ".SS %s\n%s\n", roff(m.call()), roff(m.about))
		for _, o := range m.options {
			fmt.Fprintf(&b, ".TP\n%s\n%s\n", roffOption(o), roff(o.help))
		}
	}
	b.WriteString(".SH EXIT STATUS\n0 when all went well, 1 when a file cannot be used or no window can be opened, 2 when the command line is wrong.\n" +
		".SH FILES\n.TP\n.I ~/.config/strata/settings.json\nsettings, below $XDG_CONFIG_HOME where that is set\n" +
		".SH ENVIRONMENT\n.TP\n.B STRATA_DEBUG\nwhen set, Strata says on the terminal why it did not use something of the desktop's, such as a file dialog\n")
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

// choices are the words that an option takes, nil if it takes anything.
func (o option) choices() []string {
	if !strings.Contains(o.arg, "|") {
		return nil
	}
	return strings.Split(o.arg, "|")
}

// takesFile reports whether an option's value is a file to write or read.
func (o option) takesFile() bool { return o.long == "out" || o.long == "file" }

// Completion writes what makes a shell complete the command line: bash, zsh or
// fish.
func Completion(w io.Writer, shell string) error {
	write := map[string]func() string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[shell]
	if write == nil {
		return fmt.Errorf("there is no completion for %q; there are bash, zsh and fish", shell)
	}
	_, err := io.WriteString(w, write())
	return err
}

// flagsOf are a mode's flags, those of every mode included.
func flagsOf(m mode) []option { return append(append([]option{}, m.options...), everywhere...) }

func subcommandWords() string { return strings.ReplaceAll(subcommandNames(), ",", "") }

// choice is a flag and the words that it takes in any mode.
type choice struct {
	long  string
	words []string
}

func allChoices() []choice {
	var all []choice
	for _, m := range modes {
		for _, o := range m.options {
			if o.choices() == nil {
				continue
			}
			i := slices.IndexFunc(all, func(c choice) bool { return c.long == o.long })
			if i < 0 {
				i, all = len(all), append(all, choice{long: o.long})
			}
			for _, w := range o.choices() {
				if !slices.Contains(all[i].words, w) {
					all[i].words = append(all[i].words, w)
				}
			}
		}
	}
	return all
}

func bashCompletion() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# bash completion for strata\n_strata() {\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} flags\n\tCOMPREPLY=()\n\tcase $prev in\n")
	for _, c := range allChoices() {
		fmt.Fprintf(&b, "\t--%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", c.long, strings.Join(c.words, " "))
	}
	b.WriteString("\tesac\n\tcase ${COMP_WORDS[1]} in\n")
	flags := func(pattern string, m mode) {
		var all []string
		for _, o := range flagsOf(m) {
			all = append(all, "--"+o.long)
		}
		fmt.Fprintf(&b, "\t%s) flags='%s' ;;\n", pattern, strings.Join(all, " "))
	}
	for _, m := range modes {
		if m.kind != Window {
			flags(m.name, m)
		}
	}
	flags("*", *modeOf(Window)) // which has no word of its own
	b.WriteString("\tesac\n")
	fmt.Fprintf(&b, "\tif [[ $cur == -* ]]; then\n\t\tCOMPREPLY=($(compgen -W \"$flags\" -- \"$cur\"))\n\t\treturn\n\tfi\n\tlocal IFS=$'\\n'\n\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"+
		"\tif [[ $COMP_CWORD == 1 ]]; then\n\t\tIFS=$' \\n'\n\t\tCOMPREPLY+=($(compgen -W '%s help' -- \"$cur\"))\n\tfi\n}\ncomplete -o filenames -F _strata strata\n", subcommandWords())
	return b.String()
}

// firstLine is what an option does, in a few words.
func firstLine(help string) string {
	return strings.NewReplacer("'", "", "[", "(", "]", ")", ":", " -").Replace(strings.ReplaceAll(help, "\n", " "))
}

func zshCompletion() string {
	var b strings.Builder
	b.WriteString("#compdef strata\n# zsh completion for strata\n_strata() {\n\tlocal -a commands\n\tcommands=(\n")
	for _, m := range modes {
		if m.name != "" {
			fmt.Fprintf(&b, "\t\t'%s:%s'\n", m.name, firstLine(strings.SplitAfter(m.about, ".")[0]))
		}
	}
	b.WriteString("\t)\n\tcase $words[2] in\n")
	arguments := func(m mode) {
		b.WriteString("_arguments")
		for _, o := range flagsOf(m) {
			value := ""
			switch {
			case o.choices() != nil:
				value = ":" + o.long + ":(" + strings.Join(o.choices(), " ") + ")"
			case o.takesFile():
				value = ":file:_files"
			case o.arg != "":
				value = ":" + firstLine(o.arg) + ": "
			}
			fmt.Fprintf(&b, " \\\n\t\t\t'--%s[%s]%s'", o.long, firstLine(o.help), value)
		}
		b.WriteString(" '*:file:_files' ;;\n")
	}
	for _, m := range modes {
		if m.name != "" {
			fmt.Fprintf(&b, "\t%s) shift words; ((CURRENT--)); ", m.name)
			arguments(m)
		}
	}
	b.WriteString("\t*)\n\t\t((CURRENT == 2)) && _describe command commands\n\t\t")
	arguments(modes[0])
	b.WriteString("\tesac\n}\n_strata \"$@\"\n")
	return b.String()
}

func fishCompletion() string {
	var b strings.Builder
	b.WriteString("# fish completion for strata\n")
	names := subcommandWords()
	for _, m := range modes {
		when := "not __fish_seen_subcommand_from " + names
		if m.name != "" {
			fmt.Fprintf(&b, "complete -c strata -n __fish_use_subcommand -a %s -d '%s'\n", m.name, firstLine(strings.SplitAfter(m.about, ".")[0]))
			when = "__fish_seen_subcommand_from " + m.name
		}
		for _, o := range flagsOf(m) {
			value := ""
			switch {
			case o.choices() != nil:
				value = " -x -a '" + strings.Join(o.choices(), " ") + "'"
			case o.takesFile():
				value = " -r"
			case o.arg != "":
				value = " -x"
			}
			fmt.Fprintf(&b, "complete -c strata -n '%s' -l %s%s -d '%s'\n", when, o.long, value, firstLine(o.help))
		}
	}
	return b.String()
}
