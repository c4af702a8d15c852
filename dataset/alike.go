package dataset

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// absent are texts by which programs and people write that there is no value, in small letters.
var absent = map[string]bool{
	`\n`: true, "null": true, "na": true, "n/a": true, "#n/a": true, "nan": true, "none": true,
	"nil": true, "-": true, "--": true, "?": true, "unknown": true,
}

// MeansNothing tells whether a text is one that often stands for no value, such as NULL or "-".
func MeansNothing(text string) bool { return absent[strings.ToLower(strings.TrimSpace(text))] }

// Folded is the same of texts that a reader may take for one: in small or capital letters, with
// characters that are not seen, composed or not, and plain numbers of one value. What is judged is
// never folded: it is for notes.
func Folded(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, norm.NFKC.String(text))
	text = strings.ToLower(strings.TrimSpace(text))
	const exact = 15 // digits that a float64 has room for
	if len(text) <= exact && strings.Trim(text, "+-0123456789.e") == "" {
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return strconv.FormatFloat(x+0, 'g', -1, 64) // -0 is 0
		}
	}
	return text
}

// Apart quotes two texts such that they can be told apart, in ASCII where they look the same.
func Apart(a, b string) (quotedA, quotedB string) {
	if norm.NFC.String(a) == norm.NFC.String(b) {
		return strconv.QuoteToASCII(a), strconv.QuoteToASCII(b)
	}
	return strconv.Quote(a), strconv.Quote(b)
}
