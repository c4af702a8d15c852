package local

// arena hands out lists that live as long as a step, without an allocation each.
type arena struct {
	nodes []int32
	used  int
	more  []element
	given int
}

// arenaChunk is how many nodes, and a quarter as many elements, are allocated at a time.
const arenaChunk = 1 << 16

// take is a list of n nodes whose content is not defined.
func (a *arena) take(n int) []int32 {
	if a.used+n > len(a.nodes) {
		a.nodes, a.used = make([]int32, max(arenaChunk, n)), 0
	}
	a.used += n
	return a.nodes[a.used-n : a.used : a.used]
}

// element is a new element.
func (a *arena) element() *element {
	if a.given == len(a.more) {
		a.more, a.given = make([]element, arenaChunk/64), 0
	}
	a.given++
	return &a.more[a.given-1]
}
