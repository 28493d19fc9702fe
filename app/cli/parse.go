package cli

import (
	"slices"
	"strings"

	"strata/app/options"
	"strata/layout"
)

// Parse reads the arguments after the program's name. The error is a
// *UsageError. Flags may stand before and after file names; "--" ends them.
func Parse(args []string) (Command, error) {
	mode := modeOf(Window)
	if len(args) > 0 {
		switch m := modeNamed(args[0]); {
		case args[0] == "help":
			return parseHelp(args[1:])
		case m != nil:
			mode, args = m, args[1:]
		}
	}
	p := parser{mode: mode, args: args, c: Command{
		Kind:    mode.kind,
		Options: options.Options{Device: options.AnyDevice, Axis: layout.Events},
		Image:   Image{Width: defaultWidth, Height: defaultHeight},
	}}
	if err := p.run(); err != nil {
		return Command{}, err
	}
	if p.c.Kind != mode.kind { // -h or --version
		return p.c, nil
	}
	if err := mode.check(&p.c); err != nil {
		return Command{}, err
	}
	return p.c, nil
}

// parseHelp reads what follows "strata help".
func parseHelp(args []string) (Command, error) {
	c := Command{Kind: Help, Topic: Window}
	if len(args) > 1 {
		return Command{}, usageErrorf(Window, "strata help takes one subcommand, not %d arguments", len(args))
	}
	if len(args) == 1 {
		m := modeNamed(args[0])
		if m == nil {
			return Command{}, usageErrorf(Window, "there is no subcommand %q; there are %s", args[0],
				strings.Join(subcommandNames(), ", "))
		}
		c.Topic = m.kind
	}
	return c, nil
}

// parser walks the arguments of one mode.
type parser struct {
	mode *mode
	args []string
	c    Command
}

// run sorts the arguments into flags and files. It stops early, with another
// Kind in p.c, at a flag that asks for help.
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
	return nil
}

// isSQL reports whether an argument is SQL that begins with a comment.
func (p *parser) isSQL(arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	return p.mode.kind == Query && strings.HasPrefix(arg, "--") && strings.ContainsAny(arg, " \t\r\n") &&
		p.mode.find(name) == nil
}

// file takes a file name. A subcommand's name is none unless it comes first or
// is meant by "--" or "./": the person has put flags before the subcommand.
func (p *parser) file(name string, meant bool) error {
	if name == "" {
		if p.mode.kind == Query && len(p.c.Files) > 0 {
			return usageErrorf(Query, "the SQL is empty")
		}
		return usageErrorf(p.mode.kind, "a file name is empty")
	}
	if p.mode.kind == Window && !meant && len(p.c.Files) == 0 && modeNamed(name) != nil {
		return usageErrorf(Window, "%s must come before its flags, as in: strata %s … (a file of that name opens "+
			"as ./%s)", name, name, name)
	}
	p.c.Files = append(p.c.Files, name)
	return nil
}

// flag takes one flag, and its value from the same or the next argument.
func (p *parser) flag(arg string) error {
	name, value, hasValue := strings.Cut(arg, "=")
	o := p.mode.find(name)
	if o == nil && !strings.HasPrefix(arg, "--") {
		if short := p.mode.find(arg[:2]); short != nil && short.arg != "" { // -oOUT.png
			o, name, value, hasValue = short, arg[:2], arg[2:], true
		}
	}
	switch {
	case o == nil:
		return p.unknown(name)
	case o.arg == "" && hasValue:
		return usageErrorf(p.mode.kind, "%s takes no value", name)
	case o.arg != "" && !hasValue:
		if len(p.args) == 0 {
			return usageErrorf(p.mode.kind, "%s needs a value: %s %s", name, name, o.arg)
		}
		value, p.args = p.args[0], p.args[1:]
	}
	if err := o.read(&p.c, value); err != nil {
		return usageErrorf(p.mode.kind, "%s %q cannot be: %s", name, value, err)
	}
	return nil
}

// unknown says so, and where such a flag exists.
func (p *parser) unknown(name string) error {
	for i := range modes {
		if m := &modes[i]; m != p.mode && m.find(name) != nil {
			return usageErrorf(p.mode.kind, "%s has no flag %s; %s has", p.mode.call(), name, m.call())
		}
	}
	return usageErrorf(p.mode.kind, "%s has no flag %s", p.mode.call(), name)
}

// find returns the option that a flag names, nil if there is none. A long
// name with one dash is taken too, as Go's own tools do.
func (m *mode) find(flag string) *option {
	name := strings.TrimPrefix(strings.TrimPrefix(flag, "-"), "-")
	flags := m.flags()
	i := slices.IndexFunc(flags, func(o option) bool {
		return name != "" && (name == o.long || name == o.short && !strings.HasPrefix(flag, "--"))
	})
	if i < 0 {
		return nil
	}
	return &flags[i]
}
