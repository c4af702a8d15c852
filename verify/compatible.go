package verify

import (
	"context"
	"fmt"
	"slices"
)

// compatible checks condition (c) of docs/definitions.md. An item x may be at a published node u of
// a line only if the child of u above x has no published label at or below it in that line (x
// itself, if u is x). Every original line obeys that, and every set J of at most m leaves is
// compatible with no line or with at least k: each of its items may be at some node.
//
// Where no line has a node and an ancestor of it there is nothing to check. Proof. No label is
// below another, so every item under a label is compatible. A line that J is compatible with has a
// label above each item of J; at least k lines have all of these labels (itemsets.go), and J is
// compatible with each of them.
//
// Else most J are safe by the same argument. Call a child c of u torn if some line publishes u and
// labels at or below c that do not cover c, where a line covers a node if all leaves below it are
// compatible with it. Let J be compatible with a line without the line's having an item of J at u
// under a torn child of u. At least k lines publish the labels that the items of J are at. Each of
// them has nothing at or below the child that leads to the item, or covers it: J is compatible with
// all. So what is looked at are the sets of at most m labels and torn children that a line has
// nothing at or below, one of these at least. J is below such a set: each item below one of the
// nodes, one or more below each. If k lines cover all of its nodes, every J below it is safe, with
// however many items below each. Else nodes are replaced by children, a node by several where more
// items may be below it, down to the leaves, where to cover is to be compatible.
//
// Against an adversary with the algorithm in mind nothing is to be checked either: lines are read
// by the lowest node there, and the original need not obey more. What certain checks holds for
// every closer reading that reads identical lines alike. Proof. Let J be compatible with a line of
// class C in the closer reading. Then C may have J. So C and the lines that certainly have J are at
// least k; the lines of C are compatible with J in the closer reading as they are identical, and
// the others as all their originals have J.
func (j *judgement) compatible(ctx context.Context) error {
	if !j.nested || j.in.Promise.AgainstAlgorithm() {
		return nil
	}
	count, spelled := j.f.BreachCount, len(j.f.Breaches)
	if err := j.childByChild(ctx); err != nil || j.f.BreachCount == count {
		return err
	}
	stronger, err := j.meetsCertain(ctx)
	if stronger {
		j.f.BreachCount, j.f.Breaches = count, j.f.Breaches[:spelled]
		j.f.note("local recoding: read child by child some items would be left with fewer " +
			"lines, but this release " +
			"keeps the stronger condition against whoever runs any algorithm in mind, which " +
			"implies k lines (see core)")
	}
	return err
}

// meetsCertain tells whether the release keeps the condition against any algorithm, which implies
// that of compatible (see there). It is not defined where items may be missing or are sensitive,
// and counts lines, not persons.
func (j *judgement) meetsCertain(ctx context.Context) (bool, error) {
	if j.in.MaySuppress || j.in.PublishedSensitive != nil || j.in.OriginalSensitive != nil ||
		j.in.Promise.Diverse() || j.in.Promise.Persons {
		return false, nil
	}
	c, err := j.classesOfLines(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return false, err
		}
		return false, nil // too large to be decided: then it is not known to be met
	}
	err = c.check(ctx, j.pool)
	return err == nil && c.found.count == 0, err
}

// childByChild is compatible where lines have a node and an ancestor of it.
func (j *judgement) childByChild(ctx context.Context) error {
	if o := j.in.Original; o != nil && (j.of != nil || o.Len() == j.in.Published.Len()) {
		if err := j.obeyed(ctx); err != nil {
			return err
		}
	}
	v := newReading(j.in.Tree, j.in.Published)
	if j.person != nil {
		v.byPersons(j.in.Published, j.person)
	}
	if j.in.Original == nil {
		j.readable(v)
	}
	found, err := v.check(ctx, j.pool, j.in.Promise.K, j.in.Promise.M)
	if err != nil {
		return err
	}
	j.f.Itemsets += v.counted
	var spelled []Breach
	for _, w := range found.kept {
		spelled = append(spelled, j.incompatible(v, w))
	}
	j.f.breach(found.count, spelled...)
	j.f.note("local recoding: what an item below a node may be was read child by child: " +
		"nothing below a child of the node that has a label of its own in the line")
	return nil
}

// readable checks, where the original is not given, that every label of a line has a compatible
// item.
func (j *judgement) readable(v *reading) {
	for i := range v.sets {
		u := v.impossible(i)
		if u < 0 {
			continue
		}
		published := j.in.Published.Cursor()
		b := Breach{Kind: KindCompatible, Itemset: []string{j.in.Tree.Label(u)}, Needed: 1}
		b.Lines = firstLines(j.in.Published.Len(), func(n int) bool {
			return slices.Equal(v.arrange(published.Tx(n)), v.sets[i])
		}, j.in.Published.Line)
		b.Message = fmt.Sprintf("no item can be %q where it is published beside labels at or "+
			"below each of "+
			"its children", j.in.Tree.Label(u))
		j.f.breach(1, b)
	}
}

// obeyed checks that the items of every original line are compatible with its published line. Where
// lines are missing, each published line takes the first original line behind the last one taken
// that it recodes, whose sensitive items and values it carries, and that obeys (see inOrder).
func (j *judgement) obeyed(ctx context.Context) error {
	v := newReading(j.in.Tree, nil)
	if j.of != nil {
		l := newLiner(j.in.Tree, j.in.MaySuppress)
		of, err := j.inOrder(ctx, func(original, published []int32) bool {
			return l.line(original, published) == nil && v.outside(original, published) == nil
		})
		if err != nil || len(of) == j.in.Published.Len() {
			return err
		}
		line := j.in.Published.Line(len(of))
		j.f.breach(1, Breach{
			Kind: KindCompatible, Itemset: j.in.Published.Labels(len(of)), Lines: []int{line},
			Needed: 1,
			Message: fmt.Sprintf("line %d of the published file is a recoding of no line of "+
				"the original behind "+
				"those of the lines before it whose items are below no other label of the "+
				"child they are at", line),
		})
		return nil
	}
	original, published := j.in.Original.Cursor(), j.in.Published.Cursor()
	for i := range j.in.Published.Len() {
		for _, x := range v.outside(original.Tx(i), published.Tx(i)) {
			line, t := j.in.Published.Line(i), j.in.Tree
			u, c := v.place(0, x)
			j.f.breach(1, Breach{
				Kind: KindCompatible, Itemset: []string{t.Label(x)}, Lines: []int{line}, Needed: 1,
				Message: fmt.Sprintf("line %d publishes %q as %q beside another label at or "+
					"below %q: whoever "+
					"reads that would take the item out of the line", line, t.Label(x), t.Label(u),
					t.Label(c)),
			})
		}
	}
	return nil
}

// incompatible spells out that J is compatible with too few lines.
func (j *judgement) incompatible(v *reading, w witness) Breach {
	b := Breach{Kind: KindCompatible, Support: w.support, Needed: w.needed, Itemset: []string{}}
	for _, x := range w.nodes {
		b.Itemset = append(b.Itemset, j.in.Tree.Label(x))
	}
	published := j.in.Published.Cursor()
	b.Lines = firstLines(j.in.Published.Len(), func(i int) bool {
		v.sets = [][]int32{v.arrange(published.Tx(i))}
		return !slices.ContainsFunc(w.nodes, func(x int32) bool { return !v.mayHave(0, x) })
	}, j.in.Published.Line)
	in := "lines only"
	if j.person != nil {
		in = "lines of persons only"
	}
	b.Message = fmt.Sprintf("a person with %q can be in %d "+in+", fewer than %d, for "+
		"whoever reads a node "+
		"beside a label below it as other than that", b.Itemset, w.support, w.needed)
	return b
}
