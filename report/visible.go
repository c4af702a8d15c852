package report

import (
	"regexp"
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

// Lines are the lines of an error, as they may be shown. A label that it quotes may have megabytes:
// of one of more than 300 characters the first 100 are shown.
func Lines(err error) []string {
	const most, shown = 300, 100
	text := quotation.ReplaceAllStringFunc(err.Error(), func(quoted string) string {
		label, err := strconv.Unquote(quoted)
		if letters := []rune(label); err == nil && len(letters) > most {
			return strconv.Quote(string(letters[:shown])) + "..."
		}
		return quoted
	})
	return strings.Split(text, "\n")
}

// quotation is a text as %q writes it.
var quotation = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"`)

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
