package verify

import (
	"context"
	"fmt"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// linesPerTask is how many lines are judged in one go.
const linesPerTask = 4096

// lineFault is what is wrong with one published line.
type lineFault struct {
	item  int32 // an item that nothing stands for, or -1
	node  int32 // else a node that too few items stand under
	items int   // items at or below node
	nodes int   // published nodes at or below node
}

// liner judges lines, one at a time. Its arrays are by node; entries of another epoch count as zero.
type liner struct {
	tree         *hierarchy.Tree
	suppress     bool
	epoch        []int32
	items, nodes []int32
	now          int32

	nested             bool   // some line had a node and an ancestor of it
	published, missing []bool // by item: it was published in some line, left out of some non-empty line
}

func newLiner(t *hierarchy.Tree, suppress bool) *liner {
	n := t.Nodes()
	return &liner{
		tree: t, suppress: suppress,
		epoch: make([]int32, n), items: make([]int32, n), nodes: make([]int32, n),
		published: make([]bool, t.Leaves()), missing: make([]bool, t.Leaves()),
	}
}

// line tells whether a published line is a recoding of an original one: there is a way to publish each item as itself
// or as an ancestor (or, only if that is allowed, not at all) such that exactly the published nodes come out.
//
// So every item needs a published node at or above it, and every node an item of its own at or below it. The latter
// is a system of distinct representatives. By Hall's theorem it exists when every set of nodes has at least as many
// items below it; since the nodes' ranges are nested or disjoint, it is enough that each node has at least as many
// items at or below it as there are published nodes at or below it.
func (l *liner) line(original, published []int32) []lineFault {
	l.mark(published)
	var faults []lineFault
	for _, x := range original {
		covered := false
		for a := x; a >= 0; a = l.tree.Parent(a) {
			if l.epoch[a] == l.now {
				l.items[a]++
				covered = true
			}
		}
		switch {
		case covered:
			l.published[x] = true
		case !l.suppress:
			faults = append(faults, lineFault{item: x})
		case len(published) > 0:
			l.missing[x] = true
		}
	}
	for _, u := range published {
		if l.items[u] < l.nodes[u] {
			faults = append(faults, lineFault{-1, u, int(l.items[u]), int(l.nodes[u])})
		}
	}
	return faults
}

// mark counts the published nodes at or below each published node.
func (l *liner) mark(published []int32) {
	l.now++
	for _, u := range published {
		l.epoch[u], l.items[u], l.nodes[u] = l.now, 0, 0
	}
	for _, u := range published {
		for a := u; a >= 0; a = l.tree.Parent(a) {
			if l.epoch[a] == l.now {
				l.nodes[a]++
				l.nested = l.nested || a != u
			}
		}
	}
}

// recoding checks that the published lines are a recoding of the original ones, and tells global from local recoding.
func (j *judgement) recoding(ctx context.Context) error {
	judges := make([]*liner, j.crew.workers)
	for i := range judges {
		judges[i] = newLiner(j.in.Tree, j.in.MaySuppress)
	}
	matched := false
	var err error
	if j.in.Original == nil {
		j.note("verified without the original: what the published file shows was checked, not that it is a recoding of the original")
	} else if matched, err = j.align(ctx, newLiner(j.in.Tree, j.in.MaySuppress)); err != nil {
		return err
	}
	if matched {
		if err := j.lines(ctx, judges); err != nil {
			return err
		}
	} else {
		published := j.in.Published.Cursor()
		for i := range j.in.Published.Len() {
			judges[0].mark(published.Tx(i))
		}
	}
	j.f.Recoding = "global"
	if why := localBecause(j.in.Tree, j.in.Published, judges); why != "" {
		j.f.Recoding = "local"
		j.note("local recoding: %s", why)
	}
	for _, l := range judges {
		j.nested = j.nested || l.nested
	}
	return nil
}

// align matches the published lines with original ones, in order. A different number of lines is a breach, unless lines may be
// missing: then each published line takes the first original line behind the last one taken of which it can be a
// recoding. If any order-keeping match exists this finds one: a later choice only leaves fewer lines for the rest.
func (j *judgement) align(ctx context.Context, l *liner) (matched bool, err error) {
	n, p := j.in.Original.Len(), j.in.Published.Len()
	if n == p {
		return true, nil
	}
	if !j.in.MaySuppress || p > n {
		j.breach(1, j.countBreach(l))
		return false, nil
	}
	at := 0
	original, published := j.in.Original.Cursor(), j.in.Published.Cursor()
	for i := range p {
		for at < n && l.line(original.Tx(at), published.Tx(i)) != nil {
			if at++; at%linesPerTask == 0 && ctx.Err() != nil {
				return false, context.Cause(ctx)
			}
		}
		if at == n {
			line := j.in.Published.Line(i)
			j.breach(1, Breach{
				Kind: KindRecoding, Itemset: j.in.Published.Labels(i), Lines: []int{line},
				Message: fmt.Sprintf("line %d of the published file is not a recoding of any line of the original behind those of the lines before it", line),
			})
			return false, nil
		}
		j.of = append(j.of, int32(at))
		at++
	}
	j.note("%d transactions of the original are missing from the published file", n-p)
	return true, nil
}

// countBreach says that lines are missing or too many, and where the files part.
func (j *judgement) countBreach(l *liner) Breach {
	n, p := j.in.Original.Len(), j.in.Published.Len()
	i := 0
	original, published := j.in.Original.Cursor(), j.in.Published.Cursor()
	for i < min(n, p) && l.line(original.Tx(i), published.Tx(i)) == nil {
		i++
	}
	b := Breach{Kind: KindCount, Itemset: []string{}, Support: p, Needed: n}
	where := fmt.Sprintf("all %d lines of the published file agree with the first of the original", i)
	switch {
	case i < min(n, p):
		b.Itemset = j.in.Published.Labels(i)
		b.Lines = []int{j.in.Published.Line(i)}
		where = fmt.Sprintf("they first part at line %d of the published file, which is not a recoding of line %d of the original", j.in.Published.Line(i), j.in.Original.Line(i))
	case i < p:
		b.Lines = []int{j.in.Published.Line(i)}
		where = fmt.Sprintf("line %d of the published file has no counterpart", j.in.Published.Line(i))
	}
	b.Message = fmt.Sprintf("the published file has %d transactions, the original %d: %s", p, n, where)
	return b
}

// lines judges all lines.
func (j *judgement) lines(ctx context.Context, judges []*liner) error {
	n := j.in.Published.Len()
	tasks := (n + linesPerTask - 1) / linesPerTask
	spelled := make([][]Breach, tasks)
	counts := make([]int64, tasks)
	err := j.crew.run(ctx, "lines", tasks, func(worker, task int) {
		original, published := j.in.Original.Cursor(), j.in.Published.Cursor()
		for i := task * linesPerTask; i < min(n, (task+1)*linesPerTask); i++ {
			for _, fault := range judges[worker].line(original.Tx(j.originalOf(i)), published.Tx(i)) {
				if counts[task]++; len(spelled[task]) < maxBreaches {
					spelled[task] = append(spelled[task], j.lineBreach(i, fault))
				}
			}
		}
	})
	for i := range tasks {
		j.breach(counts[i], spelled[i]...)
	}
	return err
}

func (j *judgement) originalOf(i int) int {
	if j.of == nil {
		return i
	}
	return int(j.of[i])
}

func (j *judgement) lineBreach(i int, f lineFault) Breach {
	line, was := j.in.Published.Line(i), j.in.Original.Line(j.originalOf(i))
	b := Breach{Kind: KindRecoding, Lines: []int{line}}
	switch {
	case f.item >= 0:
		label := j.in.Tree.Label(f.item)
		b.Itemset, b.Needed = []string{label}, 1
		b.Message = fmt.Sprintf("line %d of the published file has neither %q nor anything above it, but line %d of the original has %q", line, label, was, label)
	case f.items == 0:
		label := j.in.Tree.Label(f.node)
		b.Itemset, b.Needed = []string{label}, 1
		b.Message = fmt.Sprintf("line %d of the published file has %q, but line %d of the original has no such item", line, label, was)
	default:
		label := j.in.Tree.Label(f.node)
		b.Itemset, b.Support, b.Needed = []string{label}, f.items, f.nodes
		b.Message = fmt.Sprintf("line %d of the published file has %d nodes at or below %q, but line %d of the original has only %d items there", line, f.nodes, label, was, f.items)
	}
	return b
}

// localBecause says why a recoding is not global, or nothing when it is: in a global recoding the nodes in use are an
// antichain, so that each item has one node only, and an item is left out everywhere or nowhere (whole lines aside).
func localBecause(t *hierarchy.Tree, published *dataset.Dataset, judges []*liner) string {
	used := published.Supports()
	for u, n := range used {
		if n == 0 {
			continue
		}
		for a := t.Parent(int32(u)); a >= 0; a = t.Parent(a) {
			if used[a] > 0 {
				return fmt.Sprintf("both %q and %q above it are published", t.Label(int32(u)), t.Label(a))
			}
		}
	}
	for x := range t.Leaves() {
		is := func(flags func(*liner) []bool) bool {
			return slices.ContainsFunc(judges, func(l *liner) bool { return flags(l)[x] })
		}
		if is(func(l *liner) []bool { return l.published }) && is(func(l *liner) []bool { return l.missing }) {
			return fmt.Sprintf("%q is published in some lines and left out of others", t.Label(int32(x)))
		}
	}
	return ""
}
