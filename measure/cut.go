package measure

import "mingle/hierarchy"

// NCPOfCut measures a global recoding by counts alone, for data that are counted elsewhere: how
// often each leaf occurs, and the published node of each that does.
func NCPOfCut(t *hierarchy.Tree, occurrences []int, published []int32) Loss {
	a := newAccount(t)
	for x, n := range occurrences {
		if n > 0 {
			a.count[published[x]] += n
		}
	}
	return a.loss(true)
}
