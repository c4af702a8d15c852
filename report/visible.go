package report

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible is text for people as it may be shown, on a terminal or on a page: labels and file names
// come from anybody, and a control character among them could clear the screen, overwrite a verdict
// or change the order of letters. They are written as Go writes them in a string, such as \x1b.
// Line ends and tabs stay, and a backslash is not doubled.
func Visible(text string) string {
	if strings.IndexFunc(text, hidden) < 0 {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		char := text[i : i+size]
		if r == utf8.RuneError && size == 1 || r != utf8.RuneError && hidden(r) {
			char = strings.Trim(strconv.QuoteToASCII(char), `"`)
		}
		out.WriteString(char)
		i += size
	}
	return out.String()
}

// hidden tells whether a character may do something else than be shown: control characters, those
// that change the direction of writing, and the replacement character, which may stand for bytes
// that are no text.
func hidden(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) ||
		r == '\u2028' || r == '\u2029'
}
