package report

import "testing"

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"milk\tand\nbread \\x1b": "milk\tand\nbread \\x1b",
		"\x1b[2Jholds":           `\x1b[2Jholds`,
		"a\rb\x00\x7f":           `a\rb\x00\x7f`,
		"\u009b31m":              `\u009b31m`, // the control sequence introducer in one character
		"\x9b31m \xff":           `\x9b31m \xff`,
		"abc\u202edef\u2066":     `abc\u202edef\u2066`,
		"Käse 牛乳 \ufffd 🍞":       "Käse 牛乳 \ufffd 🍞",
		"\u2028":                 `\u2028`,
	} {
		if got := Visible(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
