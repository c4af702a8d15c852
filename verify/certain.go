package verify

import (
	"context"
	"fmt"
	"math"
	"slices"

	"mingle/dataset"
)

// An adversary who has the algorithm in mind rules out every original that it would have published
// otherwise. His candidates for knowledge J are the lines that have J in at least one of the
// originals that are left.
//
// The condition on a release alone: for every set J of at most m items and every class C of
// identical published lines that may have J,
//
//	the lines that are in C or certainly have J are at least k.
//
// A line may have J if some original of it has (see nesting), and certainly has J if every original
// of it has.
//
// It suffices. Let O be the original, J in transaction i of it, C the class of line i. An
// algorithm that treats transactions alike publishes a permutation of O as the same permutation of
// the release. Exchange transactions i and j of O, j in C: the release stays as it is. So the
// exchanged original is left, and has J in line j. Lines that certainly have J have it in O.
//
// It is needed. Let J and C break it. Give one line of C an original with J, every other line that
// may lack J one without, lines of one class the same where that is possible. The algorithm that
// publishes the permutations of this original so, and everything else as the root, treats
// transactions alike; only lines of C and those that certainly have J have it in an original that
// is left.
//
// A set within J has no fewer lines that certainly have it, and is held by all classes that hold J:
// so the largest sets decide, and smaller ones are looked at only to find a witness soon. A class
// of k lines needs no look at all.

// certainLimit bounds the sets that are looked at one by one, and coveredLimit the items that lines
// of small classes may have, as they are listed.
const (
	certainLimit = 1e11
	coveredLimit = 1 << 27
)

// certain checks that condition, where it is promised.
func (j *judgement) certain(ctx context.Context) error {
	if !j.in.Promise.AgainstAlgorithm() {
		return nil
	}
	c, err := j.classesOfLines(ctx)
	if err != nil {
		return err
	}
	if err := c.check(ctx, j.pool); err != nil {
		return err
	}
	j.f.Itemsets += c.counted
	j.f.breach(c.found.count, j.spellCertain(c)...)
	j.f.note("adversary with the algorithm in mind: %d of %d lines stand in classes of %d "+
		"and more "+
		"identical lines; the condition was checked for all that the others may have",
		c.large, j.in.Published.Len(), j.in.Promise.K)
	return nil
}

// lineClasses are the classes of identical published lines, as far as they matter for the
// condition.
type lineClasses struct {
	k, m   int
	large  int      // lines in classes of at least k
	sure   *classes // what lines certainly have; items are leaves
	single []int32  // by leaf: the lines that certainly have it
	// of fewer than k lines that hold a set of two items or more that is to be checked
	small   []inClass
	found   witnesses // beside the items: the class
	counted int64
}

// inClass is a small class as far as it is looked at: the items it may have behind those that are
// assumed known.
type inClass struct {
	class  int32 // number among the distinct lines
	weight int32
	sure   bool    // it certainly has what is assumed known
	items  []int32 // 2*leaf, plus 1 where it certainly has that; ascending
}

// classesOfLines puts identical lines together and reads what each may and certainly has. What
// single items break is found here.
func (j *judgement) classesOfLines(ctx context.Context) (*lineClasses, error) {
	c := &lineClasses{
		k: j.in.Promise.K, m: j.in.Promise.M,
		single: make([]int32, j.in.Tree.Leaves()),
	}
	lines := distinctLines(j.in.Published)
	sure := &rows{start: []uint32{0}}
	n := newNesting(j.in.Tree)
	for i := range lines.weight {
		if int(lines.weight[i]) >= c.k {
			c.large += int(lines.weight[i])
		}
		if n.arrange(lines.row(i)) {
			from := len(sure.items)
			sure.items = n.certain(sure.items)
			for _, x := range sure.items[from:] {
				c.single[x] += lines.weight[i]
			}
		}
		sure.start = append(sure.start, uint32(len(sure.items)))
		sure.weight = append(sure.weight, lines.weight[i])
	}
	covered, sets := 0, 0.0
	for i := range lines.weight {
		if i%linesPerTask == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if int(lines.weight[i]) < c.k && n.arrange(lines.row(i)) {
			if in, ok := c.openClass(n, int32(i), lines.weight[i]); ok {
				c.small = append(c.small, in)
				covered += len(in.items)
				sets += combinations(len(in.items), c.m)
			}
		}
		if covered > coveredLimit || sets > certainLimit {
			return nil, fmt.Errorf("the adversary with the algorithm in mind cannot be "+
				"checked: lines of "+
				"classes of fewer than k=%d may have more than %.2g items or %.2g sets of up "+
				"to %d; use a smaller m",
				c.k, float64(coveredLimit), certainLimit, c.m)
		}
	}
	c.sure = c.wanted(sure)
	return c, nil
}

// distinctLines are the distinct published lines with their numbers, in order of first appearance;
// empty ones are left out: they have nothing to know.
func distinctLines(published *dataset.Dataset) *rows {
	d := newDeduplicator(published.Len())
	lines := published.Cursor()
	for i := range published.Len() {
		d.add(lines.Tx(i), 1)
	}
	return &d.rows
}

// openClass checks the single items of a small class, whose line was arranged, and lists them if
// larger sets are to be checked too.
func (c *lineClasses) openClass(line *nesting, class, weight int32) (in inClass, open bool) {
	in = inClass{class: class, weight: weight, sure: true}
	sound, count := true, 0
	for _, at := range line.byNode() {
		line.eachOwn(at, func(x int32) bool {
			count++
			if n := c.with(c.single[x], weight, line.own[at] == 1); n < c.k {
				c.found.add([]int32{x}, class, n, c.k)
				sound = false
			}
			return sound
		})
		if !sound {
			break
		}
	}
	c.counted += int64(count)
	if !sound || c.m == 1 || count == 1 {
		return in, false
	}
	in.items = make([]int32, 0, count)
	for at, own := range line.own {
		line.eachOwn(at, func(x int32) bool {
			in.items = append(in.items, 2*x+int32(one(own == 1)))
			return true
		})
	}
	slices.Sort(in.items)
	return in, true
}

// with is the number of lines that are in a class or certainly have a set, of which there are n;
// sure tells whether the lines of the class are among them.
func (c *lineClasses) with(n, weight int32, sure bool) int {
	if sure {
		return int(n)
	}
	return int(n) + int(weight)
}

// wanted cuts what lines certainly have down to items that small classes may have, and merges equal
// rows.
func (c *lineClasses) wanted(sure *rows) *classes {
	want := make([]bool, len(c.single))
	for _, in := range c.small {
		for _, y := range in.items {
			want[y>>1] = true
		}
	}
	d := newDeduplicator(len(sure.weight))
	var row []int32
	for i := range sure.weight {
		row = row[:0]
		for _, x := range sure.row(i) {
			if want[x] {
				row = append(row, x)
			}
		}
		d.add(row, sure.weight[i])
	}
	out := &classes{rows: d.rows, label: make([]int32, len(c.single))}
	out.index()
	return out
}

// combinations is the number of sets of up to m of n things, about.
func combinations(n, m int) float64 {
	if m >= n {
		return math.Exp2(float64(n))
	}
	sum, term := 0.0, 1.0
	for i := range m {
		term *= float64(n-i) / float64(i+1)
		sum += term
	}
	return sum
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
