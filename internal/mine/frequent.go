package mine

import (
	"context"
	"slices"
)

// Frequent visits every itemset that at least in.MinSupport transactions contain, the empty one excepted.
//
// Cost: an intersection of bitmaps for each candidate, that is for each frequent itemset and each item that is frequent
// with its prefix. Memory: the data twice, and a projection for each item of the longest itemset, for each worker.
func Frequent(ctx context.Context, in Input, visit Visit) error {
	if err := in.check(); err != nil {
		return err
	}
	t := newTable(&in, func(_ int32, n int) bool { return n >= in.MinSupport })
	all := identity(t.items())
	searches := make([]*frequent, in.workers())
	work := func(worker, task int, out *output) {
		if searches[worker] == nil {
			searches[worker] = &frequent{t: t, scan: newScanner(t), min: int32(in.MinSupport), longest: in.maxLen()}
		}
		searches[worker].run(int32(task), all[task+1:], out)
	}
	return in.stream(ctx, t.items(), work, visit)
}

func identity(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}

// frequent is one worker's search.
type frequent struct {
	t       *table
	scan    *scanner
	min     int32
	longest int

	out    *output
	prefix []int32 // item ids
	buf    []int32
	levels []*level
}

// level is the working memory at one depth.
type level struct {
	v    vertical
	rows []int32
}

func (f *frequent) level(depth int) *level {
	for len(f.levels) <= depth {
		f.levels = append(f.levels, &level{})
	}
	return f.levels[depth]
}

func (f *frequent) enough(n int32) bool { return n >= f.min }

// run finds the itemsets whose first rank is the task's.
func (f *frequent) run(task int32, behind []int32, out *output) {
	f.out = out
	f.prefix = append(f.prefix[:0], f.t.item[task])
	f.emit(f.t.support[task])
	if f.longest > 1 {
		v := &f.level(0).v
		f.scan.project(v, f.t.rowsOf(task), task, behind, f.enough)
		f.grow(v, 1)
	}
	f.out = nil
}

// grow visits the extensions of the prefix by items of v.
func (f *frequent) grow(v *vertical, depth int) {
	for i := range v.items {
		if f.out.stopped() {
			return
		}
		f.prefix = append(f.prefix, f.t.item[v.items[i]])
		f.emit(v.count[i])
		if len(f.prefix) < f.longest && i+1 < len(v.items) {
			if child := f.child(v, i, depth); len(child.items) > 0 {
				f.grow(child, depth+1)
			}
		}
		f.prefix = f.prefix[:len(f.prefix)-1]
	}
}

// child projects v on its i-th item.
func (f *frequent) child(v *vertical, i, depth int) *vertical {
	lv := f.level(depth)
	child := &lv.v
	if f.t.cheaper(v.count[i], len(v.items)-i, v.words) {
		lv.rows = v.members(v.bitmap(i), lv.rows[:0])
		f.scan.project(child, lv.rows, v.items[i], v.items[i+1:], f.enough)
		return child
	}
	child.reset(v.rows)
	own := v.bitmap(i)
	for j := i + 1; j < len(v.items); j++ {
		if n := intersect(child.spare(), own, v.bitmap(j)); n >= f.min {
			child.add(v.items[j], n)
		}
	}
	return child
}

func (f *frequent) emit(support int32) {
	f.buf = append(f.buf[:0], f.prefix...)
	slices.Sort(f.buf)
	f.out.emit(f.buf, support)
}
