package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Completion writes what makes a shell complete the command line: bash, zsh or fish. The error says that there is
// nothing for another shell, or is that of w.
func Completion(w io.Writer, shell string) error {
	write := map[string]func() string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[shell]
	if write == nil {
		return fmt.Errorf("there is no completion for %q; there are bash, zsh and fish", shell)
	}
	_, err := io.WriteString(w, write())
	return err
}

// takesFile reports whether an option's value is a file to write or read.
func (o option) takesFile() bool { return o.long == "out" || o.long == "file" }

// flags returns the flags of a mode with those of every mode.
func (m *mode) flags() []option { return slices.Concat(m.options, everywhere) }

// summary is the first sentence about a mode.
func (m *mode) summary() string { return plain(strings.SplitAfter(m.about, ".")[0]) }

// plain is a help text in one line, without what shells treat specially.
func plain(help string) string {
	return strings.NewReplacer("\n", " ", "'", "", "[", "(", "]", ")", ":", " -").Replace(help)
}

func bashCompletion() string {
	var words strings.Builder
	lines := make([]string, len(modes)) // of case: the flags of each mode
	known := map[string]bool{}
	for i := range modes {
		m := &modes[i]
		var all []string
		for _, o := range m.flags() {
			all = append(all, "--"+o.long)
			// The window comes first. A flag of the same name has no more words elsewhere.
			if o.choices() != nil && !known[o.long] {
				known[o.long] = true
				fmt.Fprintf(&words, "\t--%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n",
					o.long, strings.Join(o.choices(), " "))
			}
		}
		pattern := m.name
		if m.kind == Window {
			pattern = "*" // it has no word of its own
		}
		lines[i] = fmt.Sprintf("\t%s) flags='%s' words='%s' ;;\n", pattern, strings.Join(all, " "),
			strings.Join(m.words, " "))
	}
	cases := strings.Join(append(lines[1:], lines[0]), "")
	return `# bash completion for strata
_strata() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} flags words
	COMPREPLY=()
	case $prev in
` + words.String() + `	esac
	case ${COMP_WORDS[1]} in
` + cases + `	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$flags" -- "$cur"))
		return
	fi
	if [[ $words && $COMP_CWORD != 1 ]]; then
		COMPREPLY=($(compgen -W "$words" -- "$cur"))
		return
	fi
	local IFS=$'\n'
	COMPREPLY=($(compgen -f -- "$cur"))
	if [[ $COMP_CWORD == 1 ]]; then
		IFS=$' \n'
		COMPREPLY+=($(compgen -W '` + strings.Join(subcommandNames(), " ") + ` help' -- "$cur"))
	fi
}
complete -o filenames -F _strata strata
`
}

func zshCompletion() string {
	var b strings.Builder
	b.WriteString(`#compdef strata
# zsh completion for strata
_strata() {
	local -a commands
	commands=(
`)
	for _, m := range modes[1:] {
		fmt.Fprintf(&b, "\t\t'%s:%s'\n", m.name, m.summary())
	}
	b.WriteString("\t)\n\tcase $words[2] in\n")
	for _, m := range modes[1:] {
		fmt.Fprintf(&b, "\t%s) shift words; ((CURRENT--)); %s", m.name, m.zshArguments())
	}
	b.WriteString("\t*)\n\t\t((CURRENT == 2)) && _describe command commands\n\t\t" + modes[0].zshArguments())
	b.WriteString("\tesac\n}\n_strata \"$@\"\n")
	return b.String()
}

// zshArguments makes zsh complete the flags and files of a mode.
func (m *mode) zshArguments() string {
	s := "_arguments"
	for _, o := range m.flags() {
		value := ""
		switch {
		case o.choices() != nil:
			value = ":" + o.long + ":(" + strings.Join(o.choices(), " ") + ")"
		case o.takesFile():
			value = ":file:_files"
		case o.arg != "":
			value = ":" + plain(o.arg) + ": "
		}
		s += fmt.Sprintf(" \\\n\t\t\t'--%s[%s]%s'", o.long, plain(o.help), value)
	}
	if m.words != nil {
		return s + " '*:" + m.name + ":(" + strings.Join(m.words, " ") + ")' ;;\n"
	}
	return s + " '*:file:_files' ;;\n"
}

func fishCompletion() string {
	var b strings.Builder
	b.WriteString("# fish completion for strata\n")
	for _, m := range modes {
		when := "not __fish_seen_subcommand_from " + strings.Join(subcommandNames(), " ")
		if m.name != "" {
			fmt.Fprintf(&b, "complete -c strata -n __fish_use_subcommand -a %s -d '%s'\n", m.name, m.summary())
			when = "__fish_seen_subcommand_from " + m.name
		}
		if m.words != nil {
			fmt.Fprintf(&b, "complete -c strata -n '%s' -f -a '%s'\n", when, strings.Join(m.words, " "))
		}
		for _, o := range m.flags() {
			value := ""
			switch {
			case o.choices() != nil:
				value = " -x -a '" + strings.Join(o.choices(), " ") + "'"
			case o.takesFile():
				value = " -r"
			case o.arg != "":
				value = " -x"
			}
			fmt.Fprintf(&b, "complete -c strata -n '%s' -l %s%s -d '%s'\n", when, o.long, value, plain(o.help))
		}
	}
	return b.String()
}
