package chart

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shorten keeps a label's beginning, as much as has room beside the bars; control characters are
// shown as \x1b and the like. Of marks that take no room there are mostRunes at most, too: a label
// of them alone would be of any size.
func Shorten(label string) string {
	if strings.ContainsFunc(label, unicode.IsControl) {
		label = strings.Trim(strconv.QuoteToASCII(label), `"`)
	}
	if wide(label) <= labelRoom && utf8.RuneCountInString(label) <= mostRunes {
		return label
	}
	at, end, n := runeWidth('…'), 0, 0
	for i, r := range label {
		n++
		if at += runeWidth(r); at > labelRoom || n > mostRunes {
			break
		}
		end = i + len(string(r))
	}
	return strings.TrimSpace(label[:end]) + "…"
}

// mostRunes is four for each of the narrowest letters that have room: a letter and three marks.
const mostRunes = 4 * labelRoom / 5

// wide is about the width of words.
func wide(words string) float64 {
	sum := 0.0
	for _, r := range words {
		sum += runeWidth(r)
	}
	return sum
}

// runeWidth is about the width of a character at the size in which charts are labelled. Without a
// font's measures it is on the safe side: the widest of Arial, Segoe UI and DejaVu Sans.
func runeWidth(r rune) float64 {
	switch {
	case strings.ContainsRune("ijl.,:;'|!Ift()[]/ -", r):
		return 5
	case r >= 'a' && r <= 'z' && r != 'm' && r != 'w', r >= '0' && r <= '9':
		return 7.7
	case unicode.In(r, unicode.Mn, unicode.Me): // on the letter before
		return 0
	case strings.ContainsRune("mMW@%…—", r), unicode.In(r, fullWidth...):
		return 12.2
	case unicode.Is(unicode.So, r), r > 0xffff:
		return 16
	case unicode.IsUpper(r), r < unicode.MaxASCII:
		return 10.1
	}
	return 9
}

// fullWidth are scripts in which a character is as wide as it is high, with their punctuation.
var fullWidth = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi,
	{R16: []unicode.Range16{
		{Lo: 0x3000, Hi: 0x303f, Stride: 1}, {Lo: 0xff00, Hi: 0xff60, Stride: 1},
	}},
}
