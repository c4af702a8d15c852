package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// check looks at the sets of two to m items that small classes may have, beginning with one first
// item after the other.
func (c *lineClasses) check(ctx context.Context, workers *pool) error {
	c.closeWhole()
	byFirst := c.byFirst()
	var firsts []int32
	for x := range byFirst {
		if len(byFirst[x]) > 0 {
			firsts = append(firsts, int32(x))
		}
	}
	searches := make([]*certainSearch, workers.workers)
	for i := range searches {
		searches[i] = &certainSearch{c: c, ctx: ctx}
	}
	err := workers.run(ctx, "classes of lines", len(firsts), func(worker, i int) {
		x := firsts[i]
		s := searches[worker]
		s.broken = map[int32]bool{}
		var open []inClass
		for _, at := range byFirst[x] {
			open = append(open, c.small[at.row].behind(int(at.next)))
		}
		s.extend([]int32{x}, c.sure.refs(x), open, c.m-1)
	})
	for _, s := range searches {
		c.found.merge(&s.found)
		c.counted += s.counted
	}
	return err
}

// closeWhole judges the classes that may have m items at most by the one set that decides: all of
// them. It leaves those for which counting is quicker: with m=2, and where there are more rows to
// compare with than sets within.
func (c *lineClasses) closeWhole() {
	if c.m < 3 {
		return
	}
	left := c.small[:0]
	for _, in := range c.small {
		if len(in.items) > c.m {
			left = append(left, in)
			continue
		}
		set := make([]int32, len(in.items))
		sure := true
		for i, y := range in.items {
			set[i], sure = y>>1, sure && y&1 == 1
		}
		c.counted++
		if len(c.sure.refs(c.sure.rarest(set))) > 1<<min(len(set), 40) {
			left = append(left, in)
		} else if n := c.with(int32(c.sure.support(set, c.k)), in.weight, sure); n < c.k {
			c.found.add(set, in.class, n, c.k)
		}
	}
	c.small = left
}

// byFirst lists, for each item, the small classes that may have it, and where it stands there.
func (c *lineClasses) byFirst() [][]ref {
	out := make([][]ref, len(c.single))
	for i, in := range c.small {
		for at, y := range in.items[:len(in.items)-1] {
			out[y>>1] = append(out[y>>1], ref{int32(i), uint32(at)})
		}
	}
	return out
}

// behind is a class when its item at a position is known, too: what it may have behind that.
func (in inClass) behind(at int) inClass {
	in.sure = in.sure && in.items[at]&1 == 1
	in.items = in.items[at+1:]
	return in
}

// certainSearch is one worker's state.
type certainSearch struct {
	c       *lineClasses
	ctx     context.Context
	found   witnesses
	counted int64
	broken  map[int32]bool // classes that a set with the first item breaks
	levels  []*certainLevel
}

// certainLevel is the working memory at one depth; counts are zero between uses.
type certainLevel struct {
	count []int32 // by leaf: lines that certainly have what is known and the leaf
	// by leaf: position among the items that open classes may have, plus one; 0: none may
	place []int32
}

// extend checks every set of the prefix and 1 to left items behind it. refs are the lines that
// certainly have the prefix, open the small classes that may.
func (s *certainSearch) extend(prefix []int32, refs []ref, open []inClass, left int) {
	if s.ctx.Err() != nil || len(open) == 0 {
		return
	}
	lv := s.level(len(prefix))
	items := lv.open(open)
	for _, at := range refs {
		for _, x := range s.behind(at) {
			if lv.place[x] > 0 {
				lv.count[x] += s.c.sure.weight[at.row]
			}
		}
	}
	s.singles(prefix, open, lv)
	for _, x := range items {
		lv.count[x] = 0
	}
	if left > 1 {
		s.deeper(prefix, refs, open, items, left)
	}
	for _, x := range items {
		lv.place[x] = 0
	}
}

// singles checks the prefix with one item more.
func (s *certainSearch) singles(prefix []int32, open []inClass, lv *certainLevel) {
	for _, in := range open {
		for _, y := range in.items {
			if s.broken[in.class] {
				break
			}
			s.counted++
			if n := s.c.with(lv.count[y>>1], in.weight, in.sure && y&1 == 1); n < s.c.k {
				s.found.add(append(prefix, y>>1), in.class, n, s.c.k)
				s.broken[in.class] = true
			}
		}
	}
}

// deeper goes on behind each item: the lines that certainly have it, and the classes that may, are
// dealt out once.
func (s *certainSearch) deeper(prefix []int32, refs []ref, open []inClass, items []int32,
	left int,
) {
	lv := s.level(len(prefix))
	known, may := make([][]ref, len(items)), make([][]inClass, len(items))
	for _, at := range refs {
		for i, x := range s.behind(at) {
			if p := lv.place[x]; p > 0 {
				known[p-1] = append(known[p-1], ref{at.row, at.next + uint32(i) + 1})
			}
		}
	}
	for _, in := range open {
		if s.broken[in.class] {
			continue
		}
		for at, y := range in.items[:max(0, len(in.items)-1)] {
			may[lv.place[y>>1]-1] = append(may[lv.place[y>>1]-1], in.behind(at))
		}
	}
	for i, x := range items {
		s.extend(append(prefix, x), known[i], may[i], left-1)
	}
}

// behind is what stands behind an occurrence in its row.
func (s *certainSearch) behind(at ref) []int32 {
	return s.c.sure.items[at.next:s.c.sure.start[at.row+1]]
}

func (s *certainSearch) level(depth int) *certainLevel {
	for len(s.levels) <= depth {
		n := len(s.c.single)
		s.levels = append(s.levels, &certainLevel{make([]int32, n), make([]int32, n)})
	}
	return s.levels[depth]
}

// open numbers the items that open classes may have, ascending.
func (lv *certainLevel) open(open []inClass) []int32 {
	var items []int32
	for _, in := range open {
		for _, y := range in.items {
			if lv.place[y>>1] == 0 {
				lv.place[y>>1] = 1
				items = append(items, y>>1)
			}
		}
	}
	slices.Sort(items)
	for i, x := range items {
		lv.place[x] = int32(i + 1)
	}
	return items
}

// spellCertain turns witnesses into breaches.
func (j *judgement) spellCertain(c *lineClasses) []Breach {
	var out []Breach
	if len(c.found.kept) == 0 {
		return nil
	}
	lines := distinctLines(j.in.Published)
	for _, w := range c.found.kept {
		b := Breach{Kind: KindCertain, Support: w.support, Needed: w.needed}
		for _, x := range w.nodes {
			b.Itemset = append(b.Itemset, j.in.Tree.Label(x))
		}
		class := lines.row(int(w.beside))
		var labels []string
		for _, u := range class {
			labels = append(labels, j.in.Tree.Label(u))
		}
		txs := j.in.Published.Cursor()
		b.Lines = firstLines(j.in.Published.Len(),
			func(i int) bool { return slices.Equal(txs.Tx(i), class) }, j.in.Published.Line)
		b.Message = fmt.Sprintf("%s {%s} and may have {%s}: with those that certainly have it "+
			"they are %d, "+
			"fewer than %d, so somebody who runs the algorithm in mind may be left with as few",
			publishing(lines.weight[w.beside]), strings.Join(labels, ", "),
			strings.Join(b.Itemset, ", "), w.support, w.needed)
		out = append(out, b)
	}
	return out
}

func publishing(lines int32) string {
	if lines == 1 {
		return "1 line publishes"
	}
	return fmt.Sprintf("%d lines publish", lines)
}
