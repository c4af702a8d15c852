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
	node  int32 // else a node that is the lowest above none of the items
	items int   // items at or below node; -1: the original line was not looked at
}

// liner judges lines, one at a time.
type liner struct {
	*nesting
	suppress bool
	kept     []bool // by place in the nesting: the node is the lowest above an item

	nested bool // some line had a node and an ancestor of it
	// by item: it was published in some line, left out of some non-empty line
	published, missing []bool
}

func newLiner(t *hierarchy.Tree, suppress bool) *liner {
	return &liner{
		nesting: newNesting(t), suppress: suppress,
		published: make([]bool, t.Leaves()), missing: make([]bool, t.Leaves()),
	}
}

// line tells whether a published line comes from an original one. Every item is published as the
// lowest published node at or above it, and every published node is that of an item. Where items
// may be missing, the rule holds for those that are not: an item above which nothing is published
// is missing.
func (l *liner) line(original, published []int32) []lineFault {
	l.arrange(published)
	l.nested = l.nested || l.nests
	l.kept = append(l.kept[:0], make([]bool, len(published))...)
	var faults []lineFault
	l.eachLowest(original, func(x int32, at int) {
		switch {
		case at >= 0:
			l.kept[at], l.published[x] = true, true
		case !l.suppress:
			faults = append(faults, lineFault{item: x})
		case len(published) > 0:
			l.missing[x] = true
		}
	})
	for at, u := range l.nodes {
		if !l.kept[at] {
			lo, hi := l.tree.Range(u)
			from, _ := slices.BinarySearch(original, lo)
			to, _ := slices.BinarySearch(original, hi)
			faults = append(faults, lineFault{-1, u, to - from})
		}
	}
	return faults
}

// alone tells whether some original line could be published so: every node has a leaf that is under
// no lower node of the line.
func (l *liner) alone(published []int32) []lineFault {
	l.arrange(published)
	l.nested = l.nested || l.nests
	var faults []lineFault
	for at, u := range l.nodes {
		if l.own[at] == 0 {
			faults = append(faults, lineFault{-1, u, -1})
		}
	}
	return faults
}

// recoding checks that the published lines come from the original ones, and tells global from local
// recoding.
func (j *judgement) recoding(ctx context.Context) error {
	judges := make([]*liner, j.pool.workers)
	for i := range judges {
		judges[i] = newLiner(j.in.Tree, j.in.MaySuppress)
	}
	matched := false
	var err error
	if j.in.Original == nil {
		j.f.note("verified without the original: what the published file shows was checked, " +
			"not that it is a recoding of the original")
	} else if matched, err = j.align(ctx, newLiner(j.in.Tree, j.in.MaySuppress)); err != nil {
		return err
	}
	if err := j.lines(ctx, judges, matched); err != nil {
		return err
	}
	j.f.Recoding = "global"
	if why := localBecause(j.in.Tree, j.in.Published, judges); why != "" {
		j.f.Recoding = "local"
		j.f.note("local recoding: %s", why)
	}
	j.nested = slices.ContainsFunc(judges, func(l *liner) bool { return l.nested })
	return nil
}

// lines judges all lines: against their original ones where these were matched, else by themselves.
func (j *judgement) lines(ctx context.Context, judges []*liner, matched bool) error {
	n := j.in.Published.Len()
	tasks := (n + linesPerTask - 1) / linesPerTask
	spelled := make([][]Breach, tasks)
	counts := make([]int64, tasks)
	lacking := make([]bool, tasks)
	err := j.pool.run(ctx, "lines", tasks, func(worker, task int) {
		published := j.in.Published.Cursor()
		judge := func(i int) []lineFault { return judges[worker].alone(published.Tx(i)) }
		if matched {
			original := j.in.Original.Cursor()
			judge = func(i int) []lineFault {
				return judges[worker].line(original.Tx(j.originalOf(i)), published.Tx(i))
			}
		}
		for i := task * linesPerTask; i < min(n, (task+1)*linesPerTask); i++ {
			for _, fault := range judge(i) {
				lacking[task] = lacking[task] || fault.item >= 0
				if counts[task]++; len(spelled[task]) < maxBreaches {
					spelled[task] = append(spelled[task], j.lineBreach(i, fault))
				}
			}
		}
	})
	for i := range tasks {
		j.f.breach(counts[i], spelled[i]...)
		j.f.Lacking = j.f.Lacking || lacking[i]
	}
	return err
}

func (j *judgement) lineBreach(i int, f lineFault) Breach {
	line := j.in.Published.Line(i)
	b := Breach{Kind: KindRecoding, Lines: []int{line}, Needed: 1}
	if f.item >= 0 {
		label := j.in.Tree.Label(f.item)
		b.Itemset = []string{label}
		b.Message = fmt.Sprintf("line %d of the published file has neither %q nor anything "+
			"above it, but "+
			"line %d of the original has %q", line, label, j.originalLine(i), label)
		return b
	}
	label := j.in.Tree.Label(f.node)
	b.Itemset = []string{label}
	switch {
	case f.items < 0:
		b.Message = fmt.Sprintf("no original could be published as line %d of the published file: "+
			"everything below %q is below a more detailed item of the line", line, label)
	case f.items == 0:
		b.Message = fmt.Sprintf("line %d of the published file has %q, but line %d of the "+
			"original has no "+
			"such item", line, label, j.originalLine(i))
	default:
		b.Message = fmt.Sprintf("line %d of the published file has %q, but all %d items of "+
			"line %d of the "+
			"original below it are below a more detailed item of the line",
			line, label, f.items, j.originalLine(i))
	}
	return b
}

// localBecause says why a recoding is not global, or nothing when it is: in a global recoding the
// nodes in use are an antichain, so that each item has one node only, and an item is left out
// everywhere or nowhere (whole lines aside).
func localBecause(t *hierarchy.Tree, published *dataset.Dataset, judges []*liner) string {
	used := published.Supports()
	for u, n := range used {
		if n == 0 {
			continue
		}
		for a := t.Parent(int32(u)); a >= 0; a = t.Parent(a) {
			if used[a] > 0 {
				return fmt.Sprintf("both %q and %q above it are published", t.Label(int32(u)),
					t.Label(a))
			}
		}
	}
	for x := range t.Leaves() {
		is := func(flags func(*liner) []bool) bool {
			return slices.ContainsFunc(judges, func(l *liner) bool { return flags(l)[x] })
		}
		if is(func(l *liner) []bool { return l.published }) &&
			is(func(l *liner) []bool { return l.missing }) {
			return fmt.Sprintf("%q is published in some lines and left out of others",
				t.Label(int32(x)))
		}
	}
	return ""
}
