package suppress

import (
	"mingle/release"
)

// readable tells whether whoever reads a line child by child (docs/definitions.md, condition (c))
// takes no item out of a line that has it. An item that was left out is read as standing at the
// lowest label above it, and cannot stand there beside a label at or below the child of it that
// leads to the item. The verifier refuses such a line.
func readable(g *release.Generalized) bool {
	if g.IsGlobal() {
		return true // no label is above another
	}
	t := g.Tree
	at := make([]int, t.Nodes())    // the line in which a node is a label, from 1
	below := make([]int, t.Nodes()) // the line in which a label is at or below it, from 1
	pos := 0
	for i, tx := range g.Data.All() {
		line, from := i+1, pos
		missing := false
		for range tx {
			u := g.Node(pos)
			if pos++; u == release.Suppressed {
				missing = true
				continue
			}
			at[u] = line
			for ; u >= 0 && below[u] != line; u = t.Parent(u) {
				below[u] = line
			}
		}
		for j := 0; missing && j < len(tx); j++ {
			if g.Node(from+j) != release.Suppressed {
				continue
			}
			child := tx[j]
			u := t.Parent(child)
			for ; u >= 0 && at[u] != line; u = t.Parent(u) {
				child = u
			}
			if u >= 0 && below[child] == line {
				return false
			}
		}
	}
	return true
}
