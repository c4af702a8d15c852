package hierarchy

import (
	"cmp"
	"slices"
)

// Span is the leaves from From on, up to and without To.
type Span struct{ From, To int32 }

// Own appends the own leaves of node u in a line of a release: those below u and below no lower
// node of the line. Child by child, also all below a child of u are taken from it if the line has
// a node at or below that child. The nodes of the line may be in any order; out may be nil. Time:
// that of sorting those below u, and of walking up from them.
func (t *Tree) Own(line []int32, u int32, childByChild bool, out []Span) []Span {
	start := len(out)
	for _, v := range line {
		if v == u || !t.Covers(u, v) {
			continue
		}
		for childByChild && t.parent[v] != u {
			v = t.parent[v]
		}
		out = append(out, Span{t.lo[v], t.hi[v]})
	}
	taken := out[start:]
	slices.SortFunc(taken, func(a, b Span) int { return cmp.Compare(a.From, b.From) })
	// a gap is written where a span that has been read stood
	free, next := 0, t.lo[u]
	for _, span := range taken {
		if next < span.From {
			taken[free], free = Span{next, span.From}, free+1
		}
		next = max(next, span.To)
	}
	out = out[:start+free]
	if next < t.hi[u] {
		out = append(out, Span{next, t.hi[u]})
	}
	return out
}

// Likely appends the leaves one of which node u of a line most likely stands for: its own leaves
// child by child; where none is left, its own leaves; and where none is left of these either, all
// below it. The algorithm local moves what is below a child together; others need not.
func (t *Tree) Likely(line []int32, u int32, out []Span) []Span {
	start := len(out)
	for _, childByChild := range []bool{true, false} {
		if out = t.Own(line, u, childByChild, out); len(out) > start {
			return out
		}
	}
	return append(out, Span{t.lo[u], t.hi[u]})
}
