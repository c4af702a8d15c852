package suppress

import (
	"slices"

	"mingle/anonymize"
	"mingle/release"
)

// hidesEmptied tells whether the lines that publish nothing hide their sensitive items, where
// suppressed items have emptied one of them. Its sensitive items stay beside it. Somebody who knows
// an item of the person, and finds it published nowhere, looks for the person among these lines,
// for all others have something else. A suppressed transaction has nothing beside it.
func hidesEmptied(in anonymize.Input, g *release.Generalized) bool {
	if !in.Promise.Diverse() {
		return true
	}
	var empty []int32
	emptied, withheld, pos := false, g.Withheld, 0
	for i, tx := range in.Data.All() {
		items := 0
		for range tx {
			if g.Node(pos) != release.Suppressed {
				items++
			}
			pos++
		}
		if len(withheld) > 0 && withheld[0] == int32(i) {
			withheld = withheld[1:]
			continue
		}
		if items == 0 {
			empty = append(empty, int32(i))
			emptied = emptied || len(tx) > 0
		}
	}
	return !emptied || hide(in, empty)
}

// hide tells whether some lines hide their sensitive items, and their persons.
func hide(in anonymize.Input, lines []int32) bool {
	if !in.NewShares(in.Sensitive).Hide(lines, nil, nil) {
		return false
	}
	heads := in.NewHeads()
	if heads == nil {
		return true
	}
	with := func(s int32) int {
		return heads.Count(slices.DeleteFunc(slices.Clone(lines), func(i int32) bool {
			return !slices.Contains(in.Sensitive.Tx(int(i)), s)
		}))
	}
	all := heads.Count(lines)
	for s := range int32(in.Sensitive.Dict().Len()) {
		if n := with(s); n > 0 && !in.Hidden(s, n, all, with) {
			return false
		}
	}
	return true
}
