// AA on ranges: apriori anonymization of bags over a given hierarchy of ranges.
//
// Paper: gkountouna-2014, section 4, which compares acd with the AA of Terrovitis, Mamoulis,
// Kalnis, VLDB 2008 (algorithm 4), "slightly modified to accommodate duplicate values".
// Deviations: the count tree is walked (see sweep); the lift of least loss is found best-first
// instead of by listing all.
//
// Complexity: sizes i = 1..m, each one counting pass plus repairs. A repair looks at combinations
// of ancestors in the order of their loss until one is in k records: at most (h+1)^i of them, h
// the height of the hierarchy.

package continuous

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math/big"
	"slices"

	"mingle/dataset/bag"
	"mingle/hierarchy"
	"mingle/release"
)

// aa is the apriori algorithm on a hierarchy of ranges.
func (in Input) aa(ctx context.Context) (*release.Ranges, error) {
	if len(in.Data.Terms()) == 0 {
		return release.GlobalRanges(in.Data, nil), nil
	}
	seg, post := newSegments(in.Data), newPostings(in.Data)
	l, err := newLifter(in, seg, post)
	if err != nil {
		return nil, err
	}
	for size := 1; size <= in.size(); size++ {
		if err := in.sweep(ctx, seg, post, size, l); err != nil {
			return nil, err
		}
	}
	return release.GlobalRanges(in.Data, l.terms()), nil
}

// lifter repairs rare bags by lifting values to ancestors.
type lifter struct {
	seg  *segments
	post *postings
	k    int

	// nodes are the ranges of the hierarchy that hold values of the data, as spans of these. Nodes
	// with the same span are one, published as the narrowest of them: it says as much.
	term  map[span]bag.Term
	above map[span]span
	width map[span]float64
}

func newLifter(in Input, seg *segments, post *postings) (*lifter, error) {
	l := &lifter{
		seg: seg, post: post, k: in.Promise.K,
		term: map[span]bag.Term{}, above: map[span]span{}, width: map[span]float64{},
	}
	spans, terms, err := readRanges(in)
	if err != nil {
		return nil, err
	}
	domain := new(big.Rat)
	if lowest, highest, ok := in.Data.ActiveDomain(); ok {
		domain = highest.Sub(lowest)
	}
	for u := range int32(in.Tree.Nodes()) { // children before parents
		sp := spans[u]
		if sp.lo > sp.hi {
			continue
		}
		if _, ok := l.term[sp]; !ok {
			l.term[sp] = terms[u]
			if domain.Sign() > 0 {
				l.width[sp], _ = new(big.Rat).Quo(terms[u].Width(), domain).Float64()
			}
		}
		if p := in.Tree.Parent(u); p >= 0 && spans[p] != sp {
			l.above[sp] = spans[p]
		}
	}
	seg.width = func(sp span) float64 { return l.width[sp] }
	return l, nil
}

// readRanges reads every node of the hierarchy as a range and as the span of data values below it
// (lo > hi: none).
func readRanges(in Input) ([]span, []bag.Term, error) {
	t := in.Tree
	terms, spans := make([]bag.Term, t.Nodes()), make([]span, t.Nodes())
	values := in.Data.Terms()
	isLeaf := make([]bool, len(values))
	for u := range int32(t.Nodes()) {
		term, err := in.Kind.ParseTerm(t.Label(u))
		switch {
		case err != nil && u == t.Root() && t.Nodes() > 1:
			term = bag.Term{Lo: terms[t.Children(u)[0]].Lo, Hi: terms[t.Children(u)[0]].Hi}
			for _, c := range t.Children(u) {
				term = hullOf(term, terms[c])
			}
		case err != nil:
			return nil, nil, fmt.Errorf("hierarchy of ranges: %w", err)
		}
		terms[u] = term
		lo, _ := slices.BinarySearchFunc(values, term.Lo, func(v bag.Term, n bag.Number) int {
			return v.Lo.Compare(n)
		})
		hi, exact := slices.BinarySearchFunc(values, term.Hi, func(v bag.Term, n bag.Number) int {
			return v.Lo.Compare(n)
		})
		if !exact {
			hi--
		}
		spans[u] = span{int32(lo), int32(hi)}
		if t.IsLeaf(u) {
			if !term.IsPoint() {
				return nil, nil, fmt.Errorf("hierarchy of ranges: leaf %s is not a value", term)
			}
			if lo == hi {
				isLeaf[lo] = true
			}
			continue
		}
		for _, c := range t.Children(u) {
			if terms[c].Lo.Compare(term.Lo) < 0 || terms[c].Hi.Compare(term.Hi) > 0 {
				return nil, nil, fmt.Errorf(
					"hierarchy of ranges: %s is not inside %s above it", terms[c], term,
				)
			}
		}
	}
	for i := range in.Data.Len() {
		for _, v := range in.Data.Record(i) {
			if !isLeaf[v] {
				return nil, nil, fmt.Errorf("the hierarchy of ranges has no leaf for %s "+
					"(line %d of the data); make one for this file with 'mingle hierarchy ranges'",
					values[v].Lo, in.Data.Line(i))
			}
		}
	}
	return spans, terms, overlapping(t, terms)
}

func hullOf(a, b bag.Term) bag.Term {
	if b.Lo.Compare(a.Lo) < 0 {
		a.Lo = b.Lo
	}
	if b.Hi.Compare(a.Hi) > 0 {
		a.Hi = b.Hi
	}
	return a
}

// overlapping refuses ranges side by side that share values.
func overlapping(t *hierarchy.Tree, terms []bag.Term) error {
	for u := range int32(t.Nodes()) {
		sorted := slices.Clone(t.Children(u))
		slices.SortFunc(sorted, func(a, b int32) int { return terms[a].Compare(terms[b]) })
		for i := 1; i < len(sorted); i++ {
			if a, b := terms[sorted[i-1]], terms[sorted[i]]; a.Hi.Compare(b.Lo) >= 0 {
				return fmt.Errorf(
					"hierarchy of ranges: %s and %s, both below %s, overlap", a, b, t.Label(u),
				)
			}
		}
	}
	return nil
}

// terms are what every value is published as.
func (l *lifter) terms() []bag.Term {
	out := make([]bag.Term, l.seg.values())
	for _, sp := range l.seg.all() {
		for v := sp.lo; v <= sp.hi; v++ {
			out[v] = l.term[sp]
		}
	}
	return out
}

// lift is a choice of ancestors for a rare bag.
type lift struct {
	loss  float64
	steps []int // how far each span of the bag is lifted
	box   []span
}

// repair implements repairer: of all lifts of the spans to ancestors that are in k records,
// the one of least loss, of these the one with the fewest steps.
func (l *lifter) repair(box []span, _ int) []span {
	queue := &liftQueue{{box: slices.Clone(box), steps: make([]int, len(box))}}
	tried := map[string]bool{}
	for queue.Len() > 0 {
		best := heap.Pop(queue).(lift)
		if l.post.support(best.box, l.k) >= l.k {
			return best.box
		}
		for i := range box {
			next := lift{steps: slices.Clone(best.steps)}
			next.steps[i]++
			if key := fmt.Sprint(next.steps); tried[key] {
				continue
			} else {
				tried[key] = true
			}
			if next.box = l.lifted(box, next.steps); next.box != nil {
				next.loss = l.seg.extra(next.box)
				heap.Push(queue, next)
			}
		}
	}
	// The root for every value is in all records that are long enough: Input.feasible saw k of
	// them.
	top := span{0, l.seg.values() - 1}
	return slices.Repeat([]span{top}, len(box))
}

// lifted is a box with each span so many steps higher, widened to whole segments; nil where there
// is no such ancestor.
func (l *lifter) lifted(box []span, steps []int) []span {
	out := slices.Clone(box)
	for i, n := range steps {
		for range n {
			up, ok := l.above[out[i]]
			if !ok {
				return nil
			}
			out[i] = up
		}
	}
	l.seg.widen(out)
	return out
}

// liftQueue is a heap of lifts, that of least loss on top.
type liftQueue []lift

func (q liftQueue) Len() int { return len(q) }
func (q liftQueue) Less(i, j int) bool {
	total := func(s []int) (n int) {
		for _, x := range s {
			n += x
		}
		return n
	}
	return cmp.Or(
		cmp.Compare(q[i].loss, q[j].loss), cmp.Compare(total(q[i].steps), total(q[j].steps)),
		slices.Compare(q[i].steps, q[j].steps),
	) < 0
}
func (q liftQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *liftQueue) Push(x any)   { *q = append(*q, x.(lift)) }
func (q *liftQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}
