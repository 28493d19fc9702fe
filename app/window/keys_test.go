package window

import (
	"os"
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
