// Package nearest finds the name that somebody may have meant who typed another.
package nearest

import "strings"

// mostApart is how many bytes to insert, delete or replace may be between what was typed and what
// was meant.
const mostApart = 2

// Name is the name that may be meant, "" where there is none: that which the fewest changes lead
// to, or one that begins so.
func Name(typed string, names []string) string {
	best, distance := "", mostApart+1
	if typed == "" {
		return ""
	}
	for _, name := range names {
		d := changes(typed, name)
		if d < distance || strings.HasPrefix(name, typed) && best == "" {
			best, distance = name, min(d, distance)
		}
	}
	return best
}

// changes counts the bytes to insert, delete or replace.
func changes(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
