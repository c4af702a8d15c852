// Package pbproof writes the proof of a certificate so that an outside checker of pseudo-Boolean
// proofs, VeriPB, can check it: cutting planes in its format 3.0, of the program that
// release.NewProgram spells out.
//
// The proof is the search's own. A bound by multipliers is one sum: of clauses and cliques, each
// times its multiplier, and of what the hierarchy says, times the multipliers of the dual solution,
// which is read off the same pass over the hierarchy that computes the bound. Nodes that are fixed,
// branches and sums of parts are proofs by contradiction, nested as the search's steps are.
// Everything is in integers; nothing is left to the checker's own search.
//
// docs/algorithms/exact.md explains the proof step by step.
package pbproof

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mingle/hierarchy"
	"mingle/release"
)

// Bounds is what a proof concludes, in the program's objective.
type Bounds struct {
	Lower  int64 `json:"lower"` // no global recoding loses less
	Upper  int64 `json:"upper"` // that of the cut that is published
	Solved bool  `json:"cut"`   // what is published is a cut, so that there is an upper bound
}

// ErrUnproven says that a certificate's own proof does not hold.
var ErrUnproven = errors.New("the certificate does not prove its bound")

// Write writes the proof of a certificate for VeriPB, given the program made of it and the
// release's cut, the node of every leaf; a release that is none has only a lower bound. The error
// is one of writing, ctx's cause, or [ErrUnproven] with the reason.
func Write(ctx context.Context, w io.Writer, t *hierarchy.Tree, p *release.Program,
	c *release.Certificate, cut []int32,
) (Bounds, error) {
	b := &writer{
		ctx: ctx, out: bufio.NewWriter(w), tree: t, program: p, cert: c,
		next: p.Constraints() + 1, below: make([]int, len(p.Nodes)),
	}
	for v := range p.Nodes {
		b.parent = append(b.parent, max(-1, t.Parent(p.Nodes[v])-int32(t.Leaves())))
	}
	for i, pair := range p.Below {
		b.below[pair[0]] = i + 1
	}
	b.weigh()
	bounds := Bounds{Lower: b.lower()}
	lifted, loss, ok := p.Lifted(t, cut)
	bounds.Upper, bounds.Solved = loss, ok
	fmt.Fprintf(b.out, "pseudo-Boolean proof version 3.0\nf %d;\n", p.Constraints())
	id, err := b.whole(bounds.Lower)
	if ctx.Err() != nil {
		return bounds, context.Cause(ctx)
	}
	if err != nil {
		return bounds, fmt.Errorf("%w: %w", ErrUnproven, err)
	}
	fmt.Fprintf(b.out, "output NONE;\nconclusion BOUNDS %d : %d ", bounds.Lower, id)
	if ok {
		fmt.Fprintf(b.out, "%d :", loss)
		for v, yes := range lifted {
			fmt.Fprintf(b.out, " %s", literal(v, yes))
		}
	} else {
		b.out.WriteString("INF")
	}
	b.out.WriteString(";\nend pseudo-Boolean proof;\n")
	return bounds, b.out.Flush()
}

// literal is a variable or its negation.
func literal(v int, positive bool) string {
	if positive {
		return fmt.Sprintf("x%d", v+1)
	}
	return fmt.Sprintf("~x%d", v+1)
}

// writer writes one proof. Variables are numbered from 0, constraints by the checker from 1.
type writer struct {
	ctx     context.Context
	out     *bufio.Writer
	tree    *hierarchy.Tree
	program *release.Program
	cert    *release.Certificate
	next    int // the number of the next constraint

	parent []int32
	below  []int   // the constraint that a variable is 1 where its parent is; 0: it has none
	own    []int64 // leaves right below a node: what the scaled loss has beside the loss
	weight []int64 // the scaled loss, which is what the certificate bounds
}

// weigh computes the certificate's own weights from the objective.
func (w *writer) weigh() {
	t := w.tree
	for v, u := range w.program.Nodes {
		leaves := int64(0)
		for _, child := range t.Children(u) {
			if t.IsLeaf(child) && w.cert.Scale > 1 {
				leaves++
			}
		}
		w.own = append(w.own, leaves)
		w.weight = append(w.weight, w.cert.Scale*w.program.Loss[v]+leaves)
	}
}

// lower is the bound on the objective that follows from the certificate's: the scale is more than
// all leaves together, so that what they add is less than a unit of the loss.
func (w *writer) lower() int64 {
	least := w.cert.Bound
	for _, n := range w.own {
		least -= n
	}
	if least <= 0 {
		return 0
	}
	return (least + w.cert.Scale - 1) / w.cert.Scale
}

// whole proves the bound on the objective: were it less, the scaled loss would be less than the
// certificate's bound.
func (w *writer) whole(lower int64) (int, error) {
	if lower <= 0 { // no factor is negative
		return w.sum(terms{}.literal(0, true, 1)), nil
	}
	n := w.suppose(w.program.Loss, func(int) bool { return true }, lower)
	s := newSituation(len(w.parent), len(w.program.Clauses))
	bound, err := w.step(w.cert.Proof, s, w.cert.Bound)
	if err != nil {
		return 0, err
	}
	sum := terms{{id: n, factor: w.cert.Scale}, {id: bound, factor: 1}}
	for v, leaves := range w.own {
		sum = sum.literal(v, false, leaves)
	}
	return w.contradicted(w.sum(sum)), nil
}

// term is a constraint, or, where it has no number, a literal of at least 0, times a factor.
type term struct {
	id       int
	v        int
	positive bool
	factor   int64
}

type terms []term

// literal adds that a literal is at least 0.
func (ts terms) literal(v int, positive bool, factor int64) terms {
	if factor == 0 {
		return ts
	}
	return append(ts, term{v: v, positive: positive, factor: factor})
}

// constraint adds a constraint.
func (ts terms) constraint(id int, factor int64) terms {
	if id == 0 || factor == 0 {
		return ts
	}
	return append(ts, term{id: id, factor: factor})
}

// sum derives the sum of some constraints; the sum of one is that constraint.
func (w *writer) sum(ts terms) int { return w.divided(ts, 1) }

// divided derives a sum, divided and rounded up.
func (w *writer) divided(ts terms, by int64) int {
	constraints := slices.DeleteFunc(slices.Clone(ts), func(t term) bool { return t.id == 0 })
	if len(ts) == 1 && len(constraints) == 1 && ts[0].factor == 1 && by == 1 {
		return ts[0].id
	}
	w.out.WriteString("pol")
	first := len(constraints) == 0 // then the first literal starts the sum
	w.balanced(constraints)
	for _, t := range ts {
		if t.id == 0 {
			fmt.Fprintf(w.out, " %s", literal(t.v, t.positive))
			w.times(t.factor)
			if !first {
				w.out.WriteString(" +")
			}
			first = false
		}
	}
	if by > 1 {
		fmt.Fprintf(w.out, " %d d", by)
	}
	w.out.WriteString(";\n")
	w.next++
	return w.next - 1
}

// balanced writes a sum half by half, so that no long sum is carried through all of it.
func (w *writer) balanced(ts terms) {
	switch n := len(ts); n {
	case 0:
	case 1:
		fmt.Fprintf(w.out, " %d", ts[0].id)
		w.times(ts[0].factor)
	default:
		w.balanced(ts[:n/2])
		w.balanced(ts[n/2:])
		w.out.WriteString(" +")
	}
}

func (w *writer) times(factor int64) {
	if factor > 1 {
		fmt.Fprintf(w.out, " %d *", factor)
	}
}

// suppose begins a proof by contradiction that some variables weigh at least target, and is the
// number of the opposite, which may be used in it.
func (w *writer) suppose(weight []int64, counts func(v int) bool, target int64) int {
	w.out.WriteString("pbc")
	for v, n := range weight {
		if n > 0 && counts(v) {
			fmt.Fprintf(w.out, " %d x%d", n, v+1)
		}
	}
	fmt.Fprintf(w.out, " >= %d : subproof\n", target)
	w.next++
	return w.next - 1
}

// supposeLifted begins a proof by contradiction that a variable is 0, and is the number of the
// constraint that it is 1.
func (w *writer) supposeLifted(v int32) int {
	fmt.Fprintf(w.out, "pbc 1 ~x%d >= 1 : subproof\n", v+1)
	w.next++
	return w.next - 1
}

// contradicted ends a proof by contradiction, given what cannot be, and is the number of what was
// to be proven.
func (w *writer) contradicted(id int) int {
	fmt.Fprintf(w.out, "qed pbc : %d;\n", id)
	w.next++
	return w.next - 1
}

// Claimed is the lower bound that a proof concludes, which it may not prove; -1: it concludes none.
func Claimed(r io.Reader) (int64, error) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadSlice('\n')
		if words := strings.Fields(string(line[:min(len(line), 200)])); len(words) > 2 &&
			words[0] == "conclusion" && words[1] == "BOUNDS" {
			if n, err := strconv.ParseInt(strings.TrimSuffix(words[2], ";"), 10, 64); err == nil {
				return n, nil
			}
		}
		if errors.Is(err, io.EOF) {
			return -1, nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return -1, err
		}
	}
}
