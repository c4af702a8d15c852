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

// NCPOfLabels measures a local recoding by counts alone: at are the occurrences of items by the
// node that they are published as. Nothing is suppressed.
func NCPOfLabels(t *hierarchy.Tree, at map[int32]int64) Loss {
	a := newAccount(t)
	for u, n := range at {
		a.count[u] += int(n)
	}
	return a.loss(false)
}
