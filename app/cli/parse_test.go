package cli

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"strata/app/options"
	"strata/layout"
	"strata/layout/capacity"
	"strata/render/colour"
	"strata/snapshot"
)

// words splits a command line at single spaces; "”" is an empty argument.
func words(line string) []string {
	if line == "" {
		return nil
	}
	w := strings.Split(line, " ")
	for i := range w {
		if w[i] == "''" {
			w[i] = ""
		}
	}
	return w
}

// A parseCase is a command line and what it is parsed into.
type parseCase struct {
	line string
	want Command
}

// checkParse parses lines, and leaves what means nothing to a kind of command out of the comparison.
func checkParse(t *testing.T, cases []parseCase) {
	for _, c := range cases {
		t.Run(c.line, func(t *testing.T) {
			got, err := Parse(words(c.line))
			if err != nil {
				t.Fatal(err)
			}
			got.Image.from, got.Image.to = "", ""
			switch got.Kind {
			case Summary:
				got.Device, got.Image = 0, Image{}
			case Associate, Version, Help:
				got.Options, got.Image = options.Options{}, Image{}
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func capacityOf(t *testing.T, name string) capacity.Capacity {
	c, err := capacity.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestParse(t *testing.T) {
	window := func(opt options.Options, files ...string) Command {
		opt.Files = files
		return Command{Kind: Window, Options: opt, Image: Image{Width: 1600, Height: 900}}
	}
	plain := options.Options{Device: options.AnyDevice}
	checkParse(t, []parseCase{
		{"", window(plain)},
		{"a b", window(plain, "a", "b")},
		{"run", window(plain, "run")},
		{"quer.pickle", window(plain, "quer.pickle")},
		{"-- sumary", window(plain, "sumary")},
		{"--color=size", window(options.Options{Device: options.AnyDevice, Colour: colour.BySize, ColourGiven: true})},
		{"a --device 1 b --axis=time --max-entries 100 --theme system",
			window(options.Options{Device: 1, Axis: layout.Time, AxisGiven: true, MaxEntries: 100, Theme: "system"},
				"a", "b")},
		{"--device=host", window(options.Options{Device: options.HostMemory})},
		{"--all-annotations --annotation-filter /step\\d/ a",
			window(options.Options{Device: options.AnyDevice, AllAnnotations: true, AnnotationFilter: `/step\d/`},
				"a")},
		{"-device 2 -theme=light a", window(options.Options{Device: 2, Theme: "light"}, "a")},
		{"--axis time --axis events a", window(options.Options{Device: options.AnyDevice, AxisGiven: true}, "a")},
		{"-- --device summary", window(plain, "--device", "summary")},
		{"-- summary", window(plain, "summary")},
		{"./summary", window(plain, "./summary")},
		{"a summary", window(plain, "a", "summary")},
		{"-", window(plain, "-")},
		{"a --gpu a100-80 --offset 1024.5",
			window(options.Options{Device: options.AnyDevice, GPU: capacityOf(t, "A100 80GB"),
				Offset: 1024<<20 + 1<<19}, "a")},
		{"--gpu=79.1GiB --offset 0", window(options.Options{Device: options.AnyDevice, GPU: capacityOf(t, "79.1GiB")})},
		{"--model org/name --vocab-size 128256 --quantized a",
			window(options.Options{Device: options.AnyDevice, Model: "org/name", VocabSize: 128256, Quantized: true},
				"a")},
		{"--model ./here/config.json", window(options.Options{Device: options.AnyDevice, Model: "./here/config.json"})},
		{"a --no-cache", window(options.Options{Device: options.AnyDevice, NoCache: true}, "a")},
		{"-v a --trace-frames f.csv", window(options.Options{Device: options.AnyDevice, Verbose: true,
			TraceFrames: "f.csv"}, "a")},
	})
}

func TestParseSubcommands(t *testing.T) {
	drawn := func(opt options.Options, im Image) Command {
		opt.Files = []string{"a"}
		return Command{Kind: Render, Options: opt, Image: im}
	}
	plain := options.Options{Device: options.AnyDevice}
	out := Image{Out: "o.png", Width: 1600, Height: 900}
	ranged := func(from, to Bound) Image {
		im := out
		im.From, im.To = from, to
		return im
	}
	onTime := options.Options{Device: options.AnyDevice, Axis: layout.Time, AxisGiven: true}
	checkParse(t, []parseCase{
		{"summary a", Command{Kind: Summary, Options: options.Options{Files: []string{"a"}}}},
		{"summary a --memory-limit 2GiB", Command{Kind: Summary, Options: options.Options{Files: []string{"a"},
			Limits: snapshot.Limits{Memory: 2 << 30, Raw: 32 << 30}}}},
		{"summary a -v", Command{Kind: Summary, Options: options.Options{Files: []string{"a"}, Verbose: true}}},
		{"summary a --no-cache", Command{Kind: Summary, Options: options.Options{Files: []string{"a"}, NoCache: true}}},
		{"render a -o o.png --no-cache", drawn(options.Options{Device: options.AnyDevice, NoCache: true}, out)},
		{"summary a --json", Command{Kind: Summary, Options: options.Options{Files: []string{"a"}}, JSON: true}},
		{"summary --json a b", Command{Kind: Summary, Options: options.Options{Files: []string{"a", "b"}}, JSON: true}},
		{"summary -- --json", Command{Kind: Summary, Options: options.Options{Files: []string{"--json"}}}},
		{"summary summary", Command{Kind: Summary, Options: options.Options{Files: []string{"summary"}}}},
		{"summary summary -- -h", Command{Kind: Summary, Options: options.Options{Files: []string{"summary", "-h"}}}},

		{"render a -o o.png", drawn(plain, out)},
		{"render -oo.png a", drawn(plain, out)},
		{"render a -o o.png --gpu h100", drawn(options.Options{Device: options.AnyDevice, GPU: capacityOf(t, "H100")},
			out)},
		{"render --out=o.png a", drawn(plain, out)},
		{"render -o=o.png a", drawn(plain, out)},
		{"render a -o - --size 800x600", drawn(plain, Image{Out: "-", Width: 800, Height: 600})},
		{"render a -o o.png --device 3 --axis time --max-entries 0 --theme light",
			drawn(options.Options{Device: 3, Axis: layout.Time, AxisGiven: true, Theme: "light"}, out)},
		{"render a -o o.png --from 100 --to 1e3", drawn(plain, ranged(Bound{true, 100}, Bound{true, 1000}))},
		{"render a -o o.png --from 0", drawn(plain, ranged(Bound{true, 0}, Bound{}))},
		{"render a -o o.png --from 300ms --to 1.5s --axis time",
			drawn(onTime, ranged(Bound{true, 300e3}, Bound{true, 1.5e6}))},
		{"render a -o o.png --axis time --from 20us --to 2", drawn(onTime, ranged(Bound{true, 20}, Bound{true, 2e6}))},
		{"render a -o o.png --axis time --to 1m0.5s", drawn(onTime, ranged(Bound{}, Bound{true, 60.5e6}))},

		{"associate", Command{Kind: Associate}},
		{"associate --undo", Command{Kind: Associate, Undo: true}},
		{"version", Command{Kind: Version}},
		{"--version", Command{Kind: Version}},
		{"-h", Command{Kind: Help, Topic: Window}},
		{"a --help --nonsense", Command{Kind: Help, Topic: Window}},
		{"summary -h", Command{Kind: Help, Topic: Summary}},
		{"render --help", Command{Kind: Help, Topic: Render}},
		{"render a b -h", Command{Kind: Help, Topic: Render}},
		{"version -h", Command{Kind: Help, Topic: Version}},
		{"help", Command{Kind: Help, Topic: Window}},
		{"help render", Command{Kind: Help, Topic: Render}},
	})
}

// refused are command lines, whose usage the error names, and a part of what it says.
var refused = []struct {
	line  string
	topic Kind
	says  string
}{
	{"--nonsense", Window, "no flag --nonsense"},
	{"--backend mir", Window, "x11 or wayland"},
	{"associate a", Associate, "no files"},
	{"-x", Window, "no flag -x"},
	{"---axis time", Window, "no flag"},
	{"--json a", Window, "strata summary has"},
	{"summary a --axis time", Summary, "strata has"},
	{"--theme light summary a", Window, "summary must come before its flags"},
	{"a ''", Window, "file name is empty"},
	{"--device", Window, "--device needs a value"},
	{"--device -1", Window, "number from 0 up"},
	{"--device 0x1", Window, "number from 0 up"},
	{"--device 99999999999", Window, "number from 0 up"},
	{"--axis sideways", Window, "events or time"},
	{"--max-entries -5", Window, "number of allocations"},
	{"--max-entries=", Window, "number of allocations"},
	{"--theme pink", Window, "dark, light or system"},
	{"--gpu Voodoo2", Window, "known are B300, B200, H200, H100"},
	{"--gpu V10", Window, "no such GPU"},
	{"sumary a", Window, "no command sumary; did you mean summary?"},
	{"exprot a", Window, "did you mean export?"},
	{"hepl", Window, "did you mean help?"},
	{"help sumary", Window, "did you mean summary?"},
	{"render a --szie 4x4", Render, "no flag --szie; did you mean --size?"},
	{"record tpu", Record, "cuda, rocm, xpu, npu"},
	{"query - -", Query, "either the snapshot or the SQL"},
	{"query - -f -", Query, "either the snapshot or the SQL"},
	{"--gpu 80G", Window, "80GiB or 80GB"},
	{"--gpu ''", Window, "a name such as H100"},
	{"--offset -1", Window, "number of MiB"},
	{"--offset nan", Window, "number of MiB"},
	{"--offset 1e99", Window, "number of MiB"},
	{"--offset 1GiB", Window, "number of MiB"},
	{"--model ''", Window, "hub ID such as org/name"},
	{"--model a/b/c/d", Window, "hub ID such as org/name"},
	{"--vocab-size 0", Window, "number of tokens"},
	{"--vocab-size many", Window, "number of tokens"},
	{"--quantized=yes", Window, "takes no value"},
	{"render a -o o.png --model org/name", Render, "strata has"},
	{"summary", Summary, "needs a FILE"},
	{"summary --json", Summary, "needs a FILE"},
	{"summary --json=yes a", Summary, "takes no value"},
	{"render", Render, "needs a FILE"},
	{"render a", Render, "-o OUT.png"},
	{"render a b -o o.png", Render, "one FILE at a time"},
	{"render a -o", Render, "-o needs a value"},
	{"render a -o ''", Render, "empty"},
	{"render a -o o.JPG", Render, "o.png"},
	{"render a -o o.png --size 800", Render, "1600x900"},
	{"render a -o o.png --size 800x600x2", Render, "1600x900"},
	{"render a -o o.png --size 0x600", Render, "64 to 16384"},
	{"render a -o o.png --size 99999x600", Render, "64 to 16384"},
	{"render a -o o.png --size 16384x16384", Render, "100 million"},
	{"render a -o o.png --theme system", Render, "dark or light"},
	{"render a -o o.png --from 1.5s", Render, "add --axis time"},
	{"render a -o o.png --from soon", Render, "no number of steps"},
	{"render a -o o.png --axis time --from soon", Render, "plain seconds"},
	{"render a -o o.png --from nan", Render, "out of range"},
	{"render a -o o.png --to inf", Render, "out of range"},
	{"render a -o o.png --from -4", Render, "out of range"},
	{"render a -o o.png --to 0", Render, "nothing to draw"},
	{"render a -o o.png --from 7 --to 7", Render, "not before"},
	{"render a -o o.png --from 1s --to 900ms --axis time", Render, "--from 1s is not before --to 900ms"},
	{"version a", Version, "no files"},
	{"help nonsense", Window,
		"summary, top, growth, compare, ranks, state, explain, render, query, export, report, web, record, associate," +
			" version"},
	{"help a b", Window, "one subcommand"},
}

func TestParseRefuses(t *testing.T) {
	for _, c := range refused {
		t.Run(c.line, func(t *testing.T) {
			_, err := Parse(words(c.line))
			var u *UsageError
			if !errors.As(err, &u) {
				t.Fatalf("got %v, want a usage error", err)
			}
			if u.Topic != c.topic || !strings.Contains(u.What, c.says) || strings.Contains(u.What, "\n") {
				t.Errorf("topic %d, %q; want topic %d and %q", u.Topic, u.What, c.topic, c.says)
			}
			var stderr bytes.Buffer
			if code := Fail(&stderr, err); code != ExitUsage || !strings.Contains(stderr.String(), "See: strata") {
				t.Errorf("exit %d, %q", code, stderr.String())
			}
		})
	}
}

// FuzzParse: no command line makes the parser fail in another way than by a usage error of one line.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "summary --json a", "render a -o o.png --from 1s --axis time", "-", "--=", "-o=",
		"-- -h", "help x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		_, err := Parse(words(line))
		var u *UsageError
		if err != nil && !errors.As(err, &u) {
			t.Errorf("%q: %v", line, err)
		}
		var stderr bytes.Buffer
		if Fail(&stderr, err); err != nil && strings.Count(stderr.String(), "\n") != 2 {
			t.Errorf("%q: not one sentence and a hint: %q", line, stderr.String())
		}
	})
}

// TestUsage: every flag the parser takes is in the usage, which fits 80 columns and goes to standard output.
func TestUsage(t *testing.T) {
	for i := range modes {
		m := &modes[i]
		var stdout, stderr bytes.Buffer
		c, err := Parse(words(strings.TrimSpace(m.Name + " -h")))
		if err != nil {
			t.Fatal(err)
		}
		if code := c.Run(context.Background(), &stdout, &stderr); code != ExitGood || stderr.Len() > 0 {
			t.Errorf("%s: exit %d, stderr %q", m.Call(), code, &stderr)
		}
		text := stdout.String()
		if !strings.Contains(text, m.Synopsis) || m.kind == Window && !strings.Contains(text, "strata render FILE") {
			t.Errorf("%s: no synopsis in\n%s", m.Call(), text)
		}
		for _, o := range m.Flags() {
			if !strings.Contains(text, "--"+o.Long+" "+o.Arg) && o.Arg != "" || !strings.Contains(text, "--"+o.Long) {
				t.Errorf("%s: no --%s in\n%s", m.Call(), o.Long, text)
			}
		}
		for _, line := range strings.Split(text, "\n") {
			if len([]rune(line)) > 80 {
				t.Errorf("%s: too wide: %q", m.Call(), line)
			}
		}
	}
}
