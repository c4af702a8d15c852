package cluster

import (
	"container/heap"
	"slices"
)

// run is ascending sets in blocks one after another.
type run []blob

// cursor goes through a run.
type cursor struct {
	rest run
	size int
	*sets
}

// next goes to the next set; false at the end.
func (c *cursor) next() (bool, error) {
	if c.sets != nil {
		if more, err := c.sets.next(); more || err != nil {
			return more, err
		}
	}
	if len(c.rest) == 0 {
		return false, nil
	}
	before := c.sets
	block, err := c.rest[0].load()
	if err == nil {
		c.sets, err = open(block, c.size)
	}
	if err != nil {
		return false, err
	}
	c.rest = c.rest[1:]
	more, err := c.sets.next()
	if err == nil && (!more || before != nil && slices.Compare(before.set, c.set) >= 0) {
		err = errBlock
	}
	return more, err
}

// merge goes through several runs at once: do gets each set once, ascending, with the sum of its
// counts, and must not keep it.
func merge(runs []run, size int, do func(set []int32, n int64) error) error {
	h := &cursors{}
	for _, r := range runs {
		c := &cursor{rest: r, size: size}
		more, err := c.next()
		if err != nil {
			return err
		}
		if more {
			h.list = append(h.list, c)
		}
	}
	heap.Init(h)
	set, n, any := make([]int32, size), int64(0), false
	for len(h.list) > 0 {
		c := h.list[0]
		if any && !slices.Equal(set, c.set) {
			if err := do(set, n); err != nil {
				return err
			}
			n = 0
		}
		copy(set, c.set)
		n, any = n+c.n, true
		more, err := c.next()
		if err != nil {
			return err
		}
		if more {
			heap.Fix(h, 0)
		} else {
			heap.Pop(h)
		}
	}
	if any {
		return do(set, n)
	}
	return nil
}

// cursors is a priority queue.
type cursors struct{ list []*cursor }

func (h *cursors) Len() int           { return len(h.list) }
func (h *cursors) Swap(i, j int)      { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *cursors) Push(x any)         { h.list = append(h.list, x.(*cursor)) }
func (h *cursors) Less(i, j int) bool { return slices.Compare(h.list[i].set, h.list[j].set) < 0 }

func (h *cursors) Pop() any {
	x := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return x
}

// fan is how many runs are merged at once: as many blocks are unpacked at a time.
const fan = 64

// gather holds runs, and makes one of many of them.
type gather struct {
	size int
	runs [][]run // by how often they were merged
}

// add takes one more run.
func (g *gather) add(r run) error {
	return g.at(0, r)
}

func (g *gather) at(level int, r run) error {
	if level == len(g.runs) {
		g.runs = append(g.runs, nil)
	}
	g.runs[level] = append(g.runs[level], r)
	if len(g.runs[level]) < fan {
		return nil
	}
	var one run
	w := newWriter(g.size, func(block []byte) error {
		one = append(one, blob{raw: block})
		return nil
	})
	if err := merge(g.runs[level], g.size, w.add); err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	g.runs[level] = nil
	return g.at(level+1, one)
}

// each goes through all that was added.
func (g *gather) each(do func(set []int32, n int64) error) error {
	return merge(slices.Concat(g.runs...), g.size, do)
}

// blocks makes one run of all that was added.
func (g *gather) blocks(put func(block []byte) error) error {
	if all := slices.Concat(g.runs...); len(all) == 1 {
		for _, b := range all[0] {
			block, err := b.load()
			if err == nil {
				err = put(block)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	w := newWriter(g.size, put)
	if err := g.each(w.add); err != nil {
		return err
	}
	return w.flush()
}
