package suppress

import (
	"slices"

	"mingle/anonymize"
	"mingle/privacy"
	"mingle/release"
)

// hides tells whether what is left out has not laid open what is sensitive. That sets of published
// nodes hide it, the algorithm that anonymizes what is left has seen to.
func hides(in anonymize.Input, g *release.Generalized) bool {
	if !in.Promise.Diverse() {
		return true
	}
	empty := publishNone(in, g)
	return hidesEmptied(in, g, empty) && hidesShown(in, g.Withheld, empty)
}

// publishNone tells of each transaction whether it publishes no item.
func publishNone(in anonymize.Input, g *release.Generalized) []bool {
	empty, pos := make([]bool, in.Data.Len()), 0
	for i, tx := range in.Data.All() {
		empty[i] = true
		for range tx {
			empty[i] = empty[i] && g.Node(pos) == release.Suppressed
			pos++
		}
	}
	return empty
}

// hidesEmptied tells whether the lines that publish no item hide their sensitive items, where
// suppressed items have emptied one of them. Its sensitive items stay beside it. Somebody who knows
// an item of the person, and finds it published nowhere, looks for the person among these lines,
// for all others have something else. A suppressed transaction has nothing beside it.
func hidesEmptied(in anonymize.Input, g *release.Generalized, empty []bool) bool {
	stays := slices.Clone(empty)
	for _, i := range g.Withheld {
		stays[i] = false
	}
	emptied := false
	for i, tx := range in.Data.All() {
		emptied = emptied || stays[i] && len(tx) > 0
	}
	return !emptied || in.HideAmong(func(i int) bool { return stays[i] })
}

// hidesShown tells whether the lines that show anything hide their sensitive items from somebody
// who knows nothing of a person. One that shows nothing may be that of a suppressed transaction,
// and does not say that the person has no sensitive item. A cell is never nothing where an empty
// one is a value.
func hidesShown(in anonymize.Input, withheld []int32, empty []bool) bool {
	if in.Promise.NullIsValue || !in.Promise.HasSensitiveItems() || everywhereAValue(in) {
		return true
	}
	shown := make([]bool, len(empty))
	for i, none := range empty {
		shown[i] = !none || len(in.Sensitive.Tx(i)) > 0
	}
	for _, i := range withheld {
		shown[i] = false
	}
	return in.HideAmong(func(i int) bool { return shown[i] })
}

// everywhereAValue tells whether some sensitive column has a value in every transaction.
func everywhereAValue(in anonymize.Input) bool {
	return in.Values != nil && slices.Contains(in.Values.Among[in.Values.Items:], -1)
}

// MayHide refuses data of which not even the whole, generalized, would keep the promise where
// lines may be left out. Whoever chooses between suppression and what leaves nothing out asks
// it first, for a release that leaves nothing out is read as one that may have.
func MayHide(in anonymize.Input) error {
	empty := make([]bool, in.Data.Len())
	for i, tx := range in.Data.All() {
		empty[i] = len(tx) == 0
	}
	if hidesShown(in, nil, empty) {
		return nil
	}
	return privacy.Infeasiblef("where transactions or items may be suppressed, a line that shows " +
		"nothing may be a suppressed one, and hides no sensitive item of the others: more than 1/l " +
		"of the others have one; leave out --suppress, use a smaller l, or leave out the empty " +
		"transactions of the original")
}
