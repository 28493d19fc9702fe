package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"strata/app/options"
	"strata/layout"
)

// Parse reads the arguments after the program's name. The error is a
// *UsageError. Flags may stand before and after file names; "--" ends them.
func Parse(args []string) (Command, error) {
	p := parser{mode: modeOf(Window), args: args, c: Command{
		Options: options.Options{Device: options.AnyDevice, Axis: layout.Events},
		Image:   Image{Width: defaultWidth, Height: defaultHeight},
	}}
	parse := p.run
	if len(args) > 0 {
		switch m := modeNamed(args[0]); {
		case args[0] == "help":
			p.args, parse = args[1:], p.help
		case m != nil:
			p.mode, p.args = m, args[1:]
		}
	}
	p.c.Kind = p.mode.kind
	if err := parse(); err != nil {
		return Command{}, &UsageError{Topic: p.mode.kind, What: err.Error()}
	}
	return p.c, nil
}

// help reads what follows "strata help".
func (p *parser) help() error {
	p.c = Command{Kind: Help, Topic: Window}
	if len(p.args) > 1 {
		return fmt.Errorf("strata help takes one subcommand, not %d arguments", len(p.args))
	}
	if len(p.args) == 0 {
		return nil
	}
	m := modeNamed(p.args[0])
	if m == nil {
		if near := nearest(p.args[0], subcommandNames()); near != "" {
			return fmt.Errorf("no command %s; did you mean %s?", p.args[0], near)
		}
		return fmt.Errorf("no command %s; there are %s", p.args[0], strings.Join(subcommandNames(), ", "))
	}
	p.c.Topic = m.kind
	return nil
}

// parser walks the arguments of one mode.
type parser struct {
	mode *mode
	args []string
	c    Command
}

// run sorts the arguments into flags and files, and checks the whole. It stops early, with another Kind in p.c, at a
// flag that asks for help or the version.
func (p *parser) run() error {
	filesOnly := false
	for len(p.args) > 0 && p.c.Kind == p.mode.kind {
		a := p.args[0]
		p.args = p.args[1:]
		switch {
		case !filesOnly && a == "--":
			filesOnly = true
		case !filesOnly && len(a) > 1 && a[0] == '-' && !p.isSQL(a):
			if err := p.flag(a); err != nil {
				return err
			}
		default:
			if err := p.file(a, filesOnly); err != nil {
				return err
			}
		}
	}
	switch {
	case p.c.Kind != p.mode.kind:
		return nil
	case p.mode.files == noFile && len(p.c.Files) > 0:
		return fmt.Errorf("%s takes no files", p.mode.Call())
	case (p.mode.files == needsFile || p.mode.files == oneFile) && len(p.c.Files) == 0:
		return fmt.Errorf("%s needs a FILE", p.mode.Call())
	case p.mode.files == oneFile && len(p.c.Files) > 1:
		return fmt.Errorf("%s takes one FILE", p.mode.Call())
	case p.mode.check != nil:
		return p.mode.check(&p.c)
	}
	return nil
}

// isSQL reports whether an argument is SQL that begins with a comment.
func (p *parser) isSQL(arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	return p.mode.kind == Query && strings.HasPrefix(arg, "--") && strings.ContainsAny(arg, " \t\r\n") &&
		p.mode.find(name) == nil
}

// file takes a file name. A subcommand's name is none unless it comes first or is meant by "--" or "./": the person
// has put flags before the subcommand.
func (p *parser) file(name string, meant bool) error {
	if name == "" {
		if p.mode.kind == Query && len(p.c.Files) > 0 {
			return errors.New("the SQL is empty")
		}
		return errors.New("a file name is empty")
	}
	first := p.mode.kind == Window && !meant && len(p.c.Files) == 0
	if first && modeNamed(name) != nil {
		return fmt.Errorf("%[1]s must come before its flags, as in: strata %[1]s … (a file of that name opens "+
			"as ./%[1]s)", name)
	}
	if near := nearest(name, append(subcommandNames(), "help")); first && near != "" && !strings.ContainsAny(name,
		`./\`) && !exists(name) {
		return fmt.Errorf("no command %s; did you mean %s?", name, near)
	}
	p.c.Files = append(p.c.Files, name)
	return nil
}

// flag takes one flag, and its value from the same or the next argument.
func (p *parser) flag(arg string) error {
	name, value, hasValue := strings.Cut(arg, "=")
	o := p.mode.find(name)
	if o == nil && !strings.HasPrefix(arg, "--") {
		if short := p.mode.find(arg[:2]); short != nil && short.Arg != "" { // -oOUT.png
			o, name, value, hasValue = short, arg[:2], arg[2:], true
		}
	}
	switch {
	case o == nil:
		return p.unknown(name)
	case o.Arg == "" && hasValue:
		return fmt.Errorf("%s takes no value", name)
	case o.Arg != "" && !hasValue:
		if len(p.args) == 0 {
			return fmt.Errorf("%s needs a value: %s %s", name, name, o.Arg)
		}
		value, p.args = p.args[0], p.args[1:]
	}
	if err := o.read(&p.c, value); err != nil {
		return fmt.Errorf("%s %q cannot be: %s", name, value, err)
	}
	return nil
}

// unknown says so, and where such a flag exists.
func (p *parser) unknown(name string) error {
	for i := range modes {
		if m := &modes[i]; m != p.mode && m.find(name) != nil {
			return fmt.Errorf("%s has no flag %s; %s has", p.mode.Call(), name, m.Call())
		}
	}
	var all []string
	for _, o := range p.mode.Flags() {
		all = append(all, "--"+o.Long)
	}
	if near := nearest(name, all); near != "" {
		return fmt.Errorf("%s has no flag %s; did you mean %s?", p.mode.Call(), name, near)
	}
	return fmt.Errorf("%s has no flag %s", p.mode.Call(), name)
}

// nearest returns the word that another is a misspelling of by one letter, or of a longer word by two, "" for none.
func nearest(word string, words []string) string {
	for k := 1; k <= min(2, (len(word)+1)/3); k++ {
		for _, w := range words {
			if within(word, w, k) {
				return w
			}
		}
	}
	return ""
}

// within reports whether at most k letters must be added, left out, replaced or swapped with the next to make b of a.
func within(a, b string, k int) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	switch {
	case len(a) == 0 || len(b) == 0:
		return len(a)+len(b) <= k
	case k == 0:
		return false
	}
	swapped := len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0]
	return within(a[1:], b, k-1) || within(a, b[1:], k-1) || within(a[1:], b[1:], k-1) ||
		swapped && within(a[2:], b[2:], k-1)
}

// exists reports whether a name is that of a file or folder here.
func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// find returns the option that a flag names, nil if there is none. A long name with one dash is taken too, as Go's
// own tools do.
func (m *mode) find(flag string) *option {
	name := strings.TrimPrefix(strings.TrimPrefix(flag, "-"), "-")
	if name == "color" {
		name = "colour"
	}
	flags := m.Flags()
	i := slices.IndexFunc(flags, func(o option) bool {
		return name != "" && (name == o.Long || name == o.Short && !strings.HasPrefix(flag, "--"))
	})
	if i < 0 {
		return nil
	}
	return &flags[i]
}
