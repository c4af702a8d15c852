// Package levels is local recoding from the top down, one level of the hierarchy after the other:
// for more transactions than local can hold. It is not in the papers.
//
// All transactions start at the root. A step takes a node u, and every transaction that publishes u
// publishes the children of u that its items are below, all of them or none. Then transactions go
// back to u until every set of at most m published nodes is in k transactions or in none (see
// step). The nodes of a level come by the number of transactions that publish them, the most
// frequent first, and all of a level come before the next. So no published label of a line is above
// another, and condition (c) of k^m-anonymity follows from the published labels.
//
// With l^m-diversity the share of each sensitive item is at most 1/l in every set of at most m
// published nodes, too (see shares). As no label is above another, so it is among the lines that a
// set of items leaves, in either way of reading them.
//
// It is for m of 1 and 2. Each node is opened once, and only those that publish it are looked at,
// so a level takes about one look at every occurrence and what is beside it. Memory: the
// transactions as they come, packed or plain, and beside them a byte an occurrence, two tables of
// the children of a node by all nodes for each worker, and a sixteenth of the bound each for lists
// of lines, rows, and the rows of sets in few lines.
package levels

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"mingle/anonymize"
	"mingle/hierarchy"
	"mingle/privacy"
	"mingle/release"
)

// Algorithm is local recoding level by level. The release keeps the promise after every step, so it
// ends with what is reached when its time is over. Effort changes nothing.
type Algorithm struct {
	anonymize.Budget
	// Chance is the probability that a node is refused a line of so many items, where there is a
	// seed: more than 0, less than 1, and for no other number of items more than for one.
	Chance func(node int32, items int) float64
}

// Name is "local": it is what local does where the transactions do not fit.
func (Algorithm) Name() string { return "local" }

// Traits implements anonymize.Algorithm. What is left to chance is in refused.
func (Algorithm) Traits() anonymize.Traits {
	return anonymize.Traits{Packed: true, Randomized: true}
}

// Bounds: a row has the position of an occurrence in 32 bits, a depth is a byte, and a table of
// more cells than this is not made (256 MB).
const (
	maxOccurrences = math.MaxUint32
	maxDepth       = math.MaxUint8
	maxCells       = 1 << 26
)

// Keeps tells whether a promise is one for this package: no persons, no negative knowledge, nobody
// who runs the algorithm in mind, and at most two items known, none of them sensitive.
func Keeps(p privacy.KM) bool {
	return p.M <= 2 && !p.SensitiveKnown && !p.Persons &&
		!p.NegativeKnowledge && !p.AgainstAlgorithm()
}

// Takes tells whether an input is one for this package: its promise, few enough occurrences, and a
// hierarchy whose groups have few enough children.
func Takes(in anonymize.Input) bool {
	return Keeps(in.Promise) && (!in.Promise.Diverse() || in.Sensitive != nil) &&
		in.Data.Len() <= math.MaxInt32 && in.Data.Occurrences() <= maxOccurrences &&
		cellsOf(in.Tree) <= maxCells && heightOf(in.Tree) <= maxDepth
}

// cellsOf is how many cells the largest table has: of the children of a node by all nodes.
func cellsOf(t *hierarchy.Tree) int {
	most := 0
	for u := int32(t.Leaves()); int(u) < t.Nodes(); u++ {
		most = max(most, len(t.Children(u)))
	}
	return most * t.Nodes()
}

func heightOf(t *hierarchy.Tree) int { return t.Height(t.Root()) }

// Least is about how many bytes it holds beside the input: a byte an occurrence; for each worker a
// table of the children of a node by all nodes, and one more with a byte a cell, and lists by the
// cells; the numbers of the lines that publish one node, and a bit for each; lists of lines, rows,
// and the rows of sets in few lines; and, where shares are bounded, two more tables, a number for
// each line, a list of who has which sensitive item and, of the lines that stay, how many have it
// beside each node.
func Least(in anonymize.Input) int64 {
	cells, workers := int64(cellsOf(in.Tree)), int64(in.WorkerCount())
	tables := (8*workers+1)*cells + 4*int64(heightOf(in.Tree)+1)*int64(in.Tree.Leaves())
	if in.Promise.Diverse() {
		tables += 8*cells + 2*int64(rowBytes(in.Memory)) + 4*int64(in.Data.Len())
	}
	return int64(in.Data.Occurrences()) + 5*int64(in.Data.Len()) + tables +
		3*int64(rowBytes(in.Memory))
}

// Anonymize implements anonymize.Algorithm.
func (a Algorithm) Anonymize(
	ctx context.Context, in anonymize.Input,
) (*release.Generalized, error) {
	if err := in.CheckFor(a); err != nil {
		return nil, err
	}
	if !Takes(in) {
		return nil, errors.New("levels: not for this promise, or not for this hierarchy")
	}
	within, cancel := a.Within(ctx)
	defer cancel()
	refusals := refuse(in, a.Chance)
	r := newRun(in, refusals)
	r.ctx = ctx
	if a.KeepBest {
		r.ctx = context.WithoutCancel(ctx) // what is published early must be whole
	}
	r.open(within, refusals)
	if ctx.Err() != nil && !a.KeepBest {
		return nil, context.Cause(ctx)
	}
	g := release.ByDepth(in.Tree, in.Data, r.depths)
	if within.Err() != nil {
		g.Warnings = append(g.Warnings, fmt.Sprintf(
			"The specialisation was ended early: %v.", context.Cause(within)))
	}
	return g, nil
}

// run is what is published so far: of each occurrence, the depth of the node it is published as.
type run struct {
	ctx     context.Context // at its end everything ends, and nothing is published
	in      anonymize.Input
	tree    *hierarchy.Tree
	k       int32
	pairs   bool // m is 2: sets of two are counted
	workers int
	room    int // bytes of lists, and of rows (see rowBytes)
	deepest int
	above   [][]int32 // above[d][leaf]: the node at depth d at or above it, or the leaf
	place   []int32   // of each node among its parent's children
	depths  []uint8
	refused map[int32][]int32 // by node: the lines, ascending, that a child of it is refused
	tables  [][]int32         // of each worker, for the step at hand
	few     few               // working space of the step at hand
	shares  *shares           // the same; nil: no share is bounded
	texts   [][]int32         // of rows, by worker: the same
	ends    [][]int32
	taken   []int32 // by node: in how many of the lines that stay at the node of the step it is
}

func newRun(in anonymize.Input, refusals []refusal) *run {
	t := in.Tree
	r := &run{
		ctx: context.Background(), in: in, tree: t,
		k: int32(in.Promise.K), pairs: in.MostAtOnce() > 1,
		workers: in.WorkerCount(), room: rowBytes(in.Memory), deepest: heightOf(t),
		few:   newFew(in.WorkerCount(), cellsOf(t)/t.Nodes(), cellsOf(t)),
		place: make([]int32, t.Nodes()), taken: make([]int32, t.Nodes()),
		depths: make([]uint8, in.Data.Occurrences()), refused: map[int32][]int32{},
	}
	for _, c := range refusals {
		u := t.Parent(c.node)
		r.refused[u] = append(r.refused[u], c.line)
	}
	for u := int32(t.Leaves()); int(u) < t.Nodes(); u++ {
		for i, c := range t.Children(u) {
			r.place[c] = int32(i)
		}
	}
	r.above = ancestors(t)
	r.tables, r.texts = make([][]int32, r.workers), make([][]int32, r.workers)
	r.ends = make([][]int32, r.workers)
	if told := newTold(in); told != nil {
		r.shares = newShares(told, in.Seed, t.Nodes(), r.workers, r.room)
	}
	return r
}

// ancestors has for each depth and leaf the node at the depth at or above the leaf; the leaf itself
// where that is less deep.
func ancestors(t *hierarchy.Tree) [][]int32 {
	out := make([][]int32, heightOf(t)+1)
	for d := range out {
		out[d] = make([]int32, t.Leaves())
		for leaf := range int32(t.Leaves()) {
			out[d][leaf] = t.Above(leaf, d)
		}
	}
	return out
}

// open opens all nodes, level after level, until the context ends.
func (r *run) open(ctx context.Context, refusals []refusal) {
	if r.shares != nil && r.asRefused(ctx, refusals) {
		return
	}
	for d := range r.deepest {
		if err := r.level(ctx, d); err != nil {
			return
		}
	}
}

// level opens all nodes at depth d, the most frequent first.
func (r *run) level(ctx context.Context, d int) error {
	lines := r.publishing(d)
	var nodes []int32
	total := int64(0)
	for u, n := range lines.all {
		if n > 0 {
			nodes = append(nodes, int32(u))
			total += int64(n)
		}
	}
	slices.SortStableFunc(nodes, func(a, b int32) int { return int(lines.all[b] - lines.all[a]) })
	stage, done := fmt.Sprintf("specialising level %d of %d", d+1, r.deepest), int64(0)
	for len(nodes) > 0 {
		group := r.group(nodes, lines.all)
		nodes = nodes[len(group):]
		lists := r.listed(d, group, lines)
		for i, u := range group {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			r.in.Report(stage, done, total)
			newStep(r, u, d, lists[i], lines.rowsOf(u)).run()
			done += int64(len(lists[i]))
			lists[i] = nil
		}
	}
	return nil
}
