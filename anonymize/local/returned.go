package local

// returned are the rows that have taken the node back since a look began, by short numbers of what
// they publish besides it: most sets that the look finds rare they have repaired already.
type returned struct {
	all []int32
	by  [][]int32 // by short number; a row may have lost the node since
	has []int32   // the short numbers that some have
}

// begin forgets all, and makes room for so many short numbers.
func (b *returned) begin(numbers int) {
	for _, y := range b.has {
		b.by[y] = b.by[y][:0]
	}
	b.all, b.has = b.all[:0], b.has[:0]
	for len(b.by) < numbers {
		b.by = append(b.by, nil)
	}
}

// add adds a row that publishes nodes with such short numbers.
func (b *returned) add(n int32, numbers []int32) {
	b.all = append(b.all, n)
	for _, y := range numbers {
		if len(b.by[y]) == 0 {
			b.has = append(b.has, y)
		}
		b.by[y] = append(b.by[y], n)
	}
}

// with are the rows that may publish all nodes of a set.
func (b *returned) with(number, set []int32) []int32 {
	least := b.all
	for _, v := range set {
		if by := b.by[number[v]]; len(by) < len(least) {
			least = by
		}
	}
	return least
}
