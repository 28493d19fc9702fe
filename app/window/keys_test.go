package window

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestPageHasEveryKey: the table of keys and gestures in KEYS.md has each key and each gesture of the table of
// commands.
func TestPageHasEveryKey(t *testing.T) {
	data, err := os.ReadFile("KEYS.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(data), "| In the timeline |")
	if !ok {
		t.Fatal("KEYS.md has no table of keys")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var keys []string // what stands in the first column, cut at spaces and commas
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.ReplaceAll(line, "Ctrl/Cmd", shortcutName()), "|")
		if len(cells) > 2 {
			keys = append(keys, strings.FieldsFunc(strings.ToLower(cells[1]), func(r rune) bool {
				return r == ' ' || r == ','
			})...)
			keys = append(keys, strings.ToLower(strings.TrimSpace(cells[1])))
		}
	}
	has := func(name string) bool {
		for _, k := range keys {
			if k == strings.ToLower(name) || name == "," && strings.Contains(table, "| , |") {
				return true
			}
		}
		return false
	}
	arrows := map[string]bool{"←": true, "→": true, "↑": true, "↓": true}
	for i := range commands {
		c := &commands[i]
		switch {
		case c.gesture != "" && !has(c.gesture):
			t.Errorf("KEYS.md lacks the gesture %s: %s", c.gesture, c.name)
		case c.gesture == "":
			if name := c.keys[0].String(); !has(name) && !(arrows[name] && has("arrows")) {
				t.Errorf("KEYS.md lacks the key %s: %s", name, c.name)
			}
		}
	}
}

// TestPageKeysAreFree: in a page every command has a key that browsers do not keep, no two have one, and KEYS.md says
// what is another there.
func TestPageKeysAreFree(t *testing.T) {
	page := forPage(true, commands)
	if len(page) != len(commands)-1 {
		t.Errorf("%d commands of %d", len(page), len(commands))
	}
	data, err := os.ReadFile("KEYS.md")
	if err != nil {
		t.Fatal(err)
	}
	kept := strings.Fields("Ctrl+W Ctrl+T Ctrl+N Ctrl+Shift+T Ctrl+Shift+W Ctrl+Tab Ctrl+Shift+Tab Ctrl+PgDn " +
		"Ctrl+PgUp F5 F11")
	seen := map[string]string{}
	replaced := 0
	for i := range page {
		c := &page[i]
		for _, b := range c.keys {
			name := b.String()
			if slices.Contains(kept, name) {
				t.Errorf("%s of %s is the browser's", name, c.id)
			}
			if other := seen[name]; other != "" && other != c.id {
				t.Errorf("%s is of %s and of %s", name, other, c.id)
			}
			seen[name] = c.id
			if _, is := pageKeys[c.id]; is {
				replaced++
				if !strings.Contains(string(data), name) {
					t.Errorf("KEYS.md does not say %s of %s", name, c.id)
				}
			}
		}
	}
	if replaced != len(pageKeys)-1 {
		t.Errorf("%d keys are replaced, of %d", replaced, len(pageKeys))
	}
}
