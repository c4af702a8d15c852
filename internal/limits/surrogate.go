package limits

import "bytes"

// LoneSurrogate tells whether JSON text escapes one half of a surrogate pair without the other, as
// in "\ud800". That is no character: what it stands for depends on the reader.
func LoneSurrogate(text []byte) bool {
	const high, low, end = 0xd800, 0xdc00, 0xe000
	for i := 0; i < len(text); i++ {
		next := bytes.IndexByte(text[i:], '\\')
		if next < 0 {
			return false
		}
		i += next + 1 // what is escaped, itself a backslash maybe
		unit := utf16Unit(text, i)
		switch {
		case high <= unit && unit < low:
			second := 0
			if i += 5; i < len(text) && text[i] == '\\' {
				i++
				second = utf16Unit(text, i)
			}
			if second < low || second >= end {
				return true
			}
		case low <= unit && unit < end:
			return true
		}
	}
	return false
}

// utf16Unit is what "uXXXX" at i stands for; -1: it is of another form.
func utf16Unit(text []byte, i int) int {
	if i+5 > len(text) || text[i] != 'u' {
		return -1
	}
	unit := 0
	for _, c := range text[i+1 : i+5] {
		switch {
		case '0' <= c && c <= '9':
			unit = unit<<4 | int(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			unit = unit<<4 | int(c|0x20-'a'+10)
		default:
			return -1
		}
	}
	return unit
}
