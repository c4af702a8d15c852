package report

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

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

// A label in an error is shown in part where it is long, and nothing else is cut.
func TestLinesOfErrors(t *testing.T) {
	long := strings.Repeat("\"\u00e9", 1_500_000)
	for text, want := range map[string]string{
		"item " + strconv.Quote(long) + " is bad\nnext": "item " +
			strconv.Quote(long[:150]) + "... is bad\nnext",
		`"a" ` + strings.Repeat("long ", 100) + `"b"`: `"a" ` + strings.Repeat("long ", 100) + `"b"`,
		strconv.Quote(strings.Repeat("x", 300)):       strconv.Quote(strings.Repeat("x", 300)),
		`5" pipe`:                                     `5" pipe`,
	} {
		if got := strings.Join(Lines(errors.New(text)), "\n"); got != want {
			t.Errorf("%.400q, want %.400q", got, want)
		}
	}
}
