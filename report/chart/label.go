package chart

import (
	"strconv"
	"strings"
	"unicode"
)

// Shorten keeps a label's beginning; control characters are shown as \x1b and the like.
func Shorten(label string) string {
	if strings.ContainsFunc(label, unicode.IsControl) {
		label = strings.Trim(strconv.QuoteToASCII(label), `"`)
	}
	if r := []rune(label); len(r) > longest {
		return strings.TrimSpace(string(r[:longest-1])) + "…"
	}
	return label
}
