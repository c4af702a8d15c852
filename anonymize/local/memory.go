package local

import (
	"unsafe"

	"mingle/anonymize"
)

// This file foretells how much memory a search holds, from the sizes of its structures.

// word is the size of an int32, of which most lists consist.
const word = 4

// Need implements anonymize.Forecaster. Beside what all share there are the recodings of the
// chains, and for each of them that is worked on the working space of a step, which is largest
// where a node with many children is specialised.
func (Algorithm) Need(in anonymize.Input) (all, alone anonymize.Need) {
	const (
		shared   = 2 * word // merged items, index
		recoding = 4 * word // nodes, sets, and publishers in lists that grow by half as a rule
		saved    = 3 * word // nodes, sets and publishers of the parts
		row      = int(unsafe.Sizeof(row{})) + 3*word + 2*int(unsafe.Sizeof(place{}))
		opened   = int(unsafe.Sizeof(descent{})) + word // and the list of rows that have it
	)
	counted := (word + int(unsafe.Sizeof(link{}))) * (1 + widest(in))
	step := saved + opened + counted + row*in.Data.Len()/max(1, in.Data.Occurrences())
	tables := 0
	if in.Promise.M > 2 {
		tables = word * maxCells
	}
	// The collector lets half as much again lie.
	garbage := func(each int) int { return each * 3 / 2 }
	all = anonymize.Need{Each: garbage(shared + chains*(recoding+step)), Tables: chains * tables}
	alone = anonymize.Need{Each: garbage(shared + chains*recoding + step), Tables: tables}
	return all, alone
}

// widest is in how many counters an occurrence is at a time, on average over all of them: one for
// each child of a node that its transaction has items below, at most.
func widest(in anonymize.Input) int {
	children := 1
	for u := range int32(in.Tree.Nodes()) {
		children = max(children, len(in.Tree.Children(u)))
	}
	sum, data := 0, in.Data.Cursor()
	for i := range in.Data.Len() {
		n := len(data.Tx(i))
		sum += n * min(n, children)
	}
	return sum / max(1, in.Data.Occurrences())
}
