package pipeline

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/hierarchy"
)

// Sides are an original and its release beside each other, line by line: for the custodian's eyes.
type Sides struct {
	mu            sync.Mutex // of the sides, whose cursors are for one at a time
	before, after side
	task          task
}

// side is one of the two files: how many lines it has, the labels of one, and a function that tells
// which lines have one of some labels.
type side struct {
	lines  int
	labels func(i int) []string
	having func(wanted func(label string) bool) (has func(i int) bool)
}

// sided is a task whose files can be laid beside each other.
type sided interface {
	sides() (before, after side)
}

// Sides reads both files. Each line of the published one must be of one of the original.
func (p Pair) Sides(ctx context.Context) (*Sides, error) {
	t, err := p.both(ctx)
	if err != nil {
		return nil, err
	}
	s, is := t.(sided)
	if !is {
		return nil, errors.New("releases of this family have no line for each of the original")
	}
	out := &Sides{task: t}
	if out.before, out.after = s.sides(); out.before.lines != out.after.lines {
		return nil, errors.New("lines were left out of the published file, and it does not say " +
			"which: the two cannot be laid beside each other")
	}
	return out, nil
}

func (t *kmTask) sides() (before, after side) {
	return sideOf(t.input.Data, t.items), sideOf(t.published, t.hidden)
}

func (t *coherenceTask) sides() (before, after side) {
	return sideOf(t.raw), sideOf(t.published)
}

func (t *continuousTask) sides() (before, after side) {
	original := t.original()
	return sideOfBags(original), sideOfBags(t.published)
}

func sideOfBags(b *bag.Bags) side {
	return side{b.Len(), b.Texts, func(wanted func(string) bool) func(int) bool {
		var terms []bool
		for _, term := range b.Terms() {
			terms = append(terms, wanted(term.String()))
		}
		return func(i int) bool { return anyOf(b.Record(i), terms) }
	}}
}

// anyOf tells whether one of the ids is marked.
func anyOf(ids []int32, marked []bool) bool {
	return slices.ContainsFunc(ids, func(id int32) bool { return marked[id] })
}

// sideOf is sets, sensitive ones apart: nil where there are none.
func sideOf(all ...*dataset.Dataset) side {
	var cursors []*dataset.Cursor
	var dicts []*dataset.Dictionary
	for _, d := range all {
		if d != nil {
			cursors, dicts = append(cursors, d.Cursor()), append(dicts, d.Dict())
		}
	}
	return side{all[0].Len(), func(i int) []string {
		var out []string
		for n, c := range cursors {
			for _, it := range c.Tx(i) {
				out = append(out, dicts[n].Label(it))
			}
		}
		slices.SortFunc(out, dataset.CompareLabels)
		return out
	}, func(wanted func(string) bool) func(int) bool { return having(all, wanted) }}
}

// having tells which lines of sets have one of some labels. It has cursors of its own.
func having(all []*dataset.Dataset, wanted func(label string) bool) func(i int) bool {
	var cursors []*dataset.Cursor
	var items [][]bool
	for _, d := range all {
		if d == nil {
			continue
		}
		var marked []bool
		for _, label := range d.Dict().Labels() {
			marked = append(marked, wanted(label))
		}
		cursors, items = append(cursors, d.Cursor()), append(items, marked)
	}
	return func(i int) bool {
		for n, c := range cursors {
			if anyOf(c.Tx(i), items[n]) {
				return true
			}
		}
		return false
	}
}

// Len is the number of lines.
func (s *Sides) Len() int { return s.before.lines }

// Line is one line: the number of the transaction in the original, counted from 1, and the labels
// of both sides in their natural order.
type Line struct {
	Of            int
	Before, After []string
}

// Line is line i of the published file, counted from 0.
func (s *Sides) Line(i int) Line {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Line{s.task.placeOf(i) + 1, s.before.labels(i), s.after.labels(i)}
}

// Find is the first lines, at most so many, that have a wanted label on either side, counted from
// 0. It looks at each label once, and at each line until there are so many.
func (s *Sides) Find(
	ctx context.Context, wanted func(label string) bool, most int,
) (found []int, err error) {
	before, after := s.before.having(wanted), s.after.having(wanted)
	for i := 0; i < s.Len() && len(found) < most; i++ {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if before(i) || after(i) {
			found = append(found, i)
		}
	}
	return found, nil
}

// Became says what became of the occurrences of an item.
type Became struct {
	Item        string
	Occurrences int
	As          []As // most frequent first
}

// As is a label that occurrences are published as; Height 0 is the item itself. A suppressed
// occurrence has no label and the height -1.
type As struct {
	Label  string
	Height int
	Count  int
}

// Items tells of every item of the original what became of it, the rarest last.
func (s *Sides) Items(ctx context.Context) ([]Became, error) {
	t, is := s.task.(*kmTask)
	if !is {
		return nil, errors.New("items are generalized by releases over a hierarchy alone")
	}
	return t.became(ctx)
}

func (t *kmTask) became(ctx context.Context) ([]Became, error) {
	counts := make([]map[int32]int, t.tree.Leaves())
	after := t.published.Cursor()
	for i, tx := range t.input.Data.All() {
		if i%4096 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		published := after.Tx(i)
		for _, leaf := range tx {
			if counts[leaf] == nil {
				counts[leaf] = map[int32]int{}
			}
			counts[leaf][nearest(t.tree, leaf, published)]++
		}
	}
	var out []Became
	for leaf, as := range counts {
		if as == nil {
			continue
		}
		b := Became{Item: t.tree.Label(int32(leaf))}
		for node, n := range as {
			b.Occurrences += n
			if node < 0 {
				b.As = append(b.As, As{"", -1, n})
			} else {
				b.As = append(b.As, As{t.tree.Label(node), t.tree.Height(node), n})
			}
		}
		slices.SortFunc(b.As, func(x, y As) int {
			return cmp.Or(y.Count-x.Count, dataset.CompareLabels(x.Label, y.Label))
		})
		out = append(out, b)
	}
	slices.SortFunc(out, func(x, y Became) int {
		return cmp.Or(y.Occurrences-x.Occurrences, dataset.CompareLabels(x.Item, y.Item))
	})
	return out, nil
}

// nearest is the lowest published node that stands for a leaf, -1 where there is none.
func nearest(t *hierarchy.Tree, leaf int32, published []int32) int32 {
	best := int32(-1)
	for _, u := range published {
		if t.Covers(u, leaf) && (best < 0 || t.Covers(best, u)) {
			best = u
		}
	}
	return best
}
