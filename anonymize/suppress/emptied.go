package suppress

import (
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
	empty, emptied, withheld, pos := make([]bool, in.Data.Len()), false, g.Withheld, 0
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
		empty[i] = items == 0
		emptied = emptied || empty[i] && len(tx) > 0
	}
	return !emptied || in.HideAmong(func(i int) bool { return empty[i] })
}
