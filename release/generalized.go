// Package release holds what may be published, before it is written: the recoding and nothing else.
// A release knows neither how it was found nor whether it keeps a promise; package verify judges
// it.
package release

import (
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// Suppressed stands in place of a node for an item, or an occurrence of one, that is not published
// at all.
const Suppressed int32 = -1

// Generalized is data whose items are published as nodes of a hierarchy.
//
// Exactly one of Map, Nodes and Depths is set. Map is a global recoding: the node of every leaf.
// Nodes is a local recoding: the node of every occurrence of Data, in the order of Data.Items(). So
// is Depths, in a byte each: how deep the node is, or the leaf itself where that is less deep.
type Generalized struct {
	Tree *hierarchy.Tree
	Data *dataset.Dataset // the original: items are leaf ids of Tree
	// sensitive items of the same transactions, published as they are; nil: none
	Sensitive *dataset.Dataset

	Map    []int32
	Nodes  []int32
	Depths []uint8

	// Parts is the part each transaction was in, for algorithms that work on parts; nil otherwise.
	// It is secret: only the audit file may hold it.
	Parts []int32
	// Withheld are the transactions of Data that are not published at all, ascending: Published has
	// empty lines for them.
	Withheld []int32
	// Bound, if set, is a proven lower bound on the NCP of every global recoding that keeps the
	// promise.
	Bound *Bound
	// Tried is what was tried before this release was chosen, this one included; nil: nothing else
	// was.
	Tried []Trial
	// Warnings are footnotes for the person who signs.
	Warnings []string
}

// Trial is an algorithm that was tried.
type Trial struct {
	Name    string
	Done    bool    // it made a release
	NCP     float64 // of that release
	Seconds float64 // of wall-clock time; differs from run to run
	Note    string  // why it made none, or what else is to be said
}

// Bound is a proven lower bound on the loss, and the clauses that prove it.
type Bound struct {
	NCP     float64
	Optimal bool // the release reaches the bound
	Clauses []Clause

	Certificate *Certificate // proves the bound; nil: none
}

// Clause is an itemset of nodes that is rare in the data: in more than 0 and fewer than k
// transactions. Every global recoding that keeps k^m-anonymity publishes at least one of them
// higher.
type Clause struct {
	Nodes   []int32
	Support int
}

// Global makes the release of one cut, of data that is bound to its tree. Nothing is checked here:
// packages verify, measure and attack refuse what is not bound.
func Global(data *dataset.Dataset, cut *hierarchy.Cut) *Generalized {
	return &Generalized{Tree: cut.Tree(), Data: data, Map: slices.Clone(cut.Map())}
}

// Local makes a release with a node of its own for every occurrence of data that is bound to t.
func Local(t *hierarchy.Tree, data *dataset.Dataset, nodes []int32) *Generalized {
	return &Generalized{Tree: t, Data: data, Nodes: nodes}
}

// ByDepth is Local in a byte an occurrence: the depth of its node, or more where that is the item.
func ByDepth(t *hierarchy.Tree, data *dataset.Dataset, depths []uint8) *Generalized {
	return &Generalized{Tree: t, Data: data, Depths: depths}
}

// IsGlobal tells whether every item is published the same way everywhere.
func (g *Generalized) IsGlobal() bool { return g.Map != nil }

// Node is what the occurrence at position pos of Data is published as.
func (g *Generalized) Node(pos int) int32 {
	if g.Nodes != nil {
		return g.Nodes[pos]
	}
	return g.at(g.Data.Item(pos), pos)
}

// at is Node where the item is known.
func (g *Generalized) at(item int32, pos int) int32 {
	switch {
	case g.Map != nil:
		return g.Map[item]
	case g.Depths != nil:
		return g.Tree.Above(item, int(g.Depths[pos]))
	}
	return g.Nodes[pos]
}

// Each calls do with every item occurrence and the node it is published as, in the order of the
// transactions.
func (g *Generalized) Each(do func(item, node int32)) {
	pos := 0
	for _, tx := range g.Data.All() {
		for _, it := range tx {
			do(it, g.at(it, pos))
			pos++
		}
	}
}

// Penalty is NCP times |I| times all occurrences: a whole number, so that losses compare exactly.
func (g *Generalized) Penalty() (sum int64) {
	g.Each(func(_, u int32) { sum += g.Tree.Penalty(u) })
	return sum
}

// Published spells out the release: transaction i is the set of nodes that transaction i of Data is
// published as. Its dictionary is that of the hierarchy's nodes. Sensitive items are not in it.
func (g *Generalized) Published() *dataset.Dataset {
	if g.Map != nil {
		return g.Data.Recode(g.Tree.Dict(), g.Map)
	}
	b := g.Data.Builder(g.Tree.Dict())
	b.Grow(g.Data.Len(), g.Data.Occurrences())
	var line []int32
	pos := 0
	for _, tx := range g.Data.All() {
		line = line[:0]
		for _, it := range tx {
			if u := g.at(it, pos); u != Suppressed {
				line = append(line, u)
			}
			pos++
		}
		b.Add(line)
	}
	return b.Build().WithProvenance(g.Data)
}
