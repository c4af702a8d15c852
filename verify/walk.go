package verify

import (
	"context"
	"slices"
)

// walk judges every combination of at most most items that occurs in records, sets or bags, the
// empty one included: it must be in at least k of them. [Coherence] and [Continuous] are checked
// so.
//
// Combinations are gone through by their items in ascending order, each by reading the records that
// contain the one it extends. A bag extends another by an item that is not lower, so that each is
// counted once. What extends a breach is not looked at: it is a breach already.
type walk struct {
	ids     int // items are below
	records int
	record  func(i int) []int32 // ascending; in bags with repeats
	k, most int
	// look makes, for one worker, a look at a combination that is in k records and more; it files
	// what it finds, and tells whether to go on with what extends it. nil: support is all that
	// matters.
	look func() look
}

type look func(found *witnesses, set []int32, in []holder) bool

// holder is a record that has a combination, and where in the record the rest begins: what is not
// lower than the combination's last item, without that itself.
type holder struct{ record, rest int32 }

// run judges all combinations. It returns how many it counted, the empty one aside.
func (w *walk) run(ctx context.Context, p *pool, stage string) (*witnesses, int64, error) {
	all := make([]holder, w.records)
	for i := range all {
		all[i].record = int32(i)
	}
	first := w.walker(ctx)
	switch {
	case w.records == 0:
	case w.records < w.k:
		first.found.add(nil, -1, w.records, w.k)
	case first.look != nil:
		first.look(&first.found, nil, all)
	}
	if w.most == 0 {
		return &first.found, 0, context.Cause(ctx)
	}
	items, in := first.extensions(all)
	walkers := []*walker{first}
	for range p.workers {
		walkers = append(walkers, w.walker(ctx))
	}
	err := p.run(ctx, stage, len(items), func(worker, i int) {
		s := walkers[worker+1]
		s.taskStart = s.found.count
		s.with(items[i], in[i])
	})
	if err != nil {
		return nil, 0, err
	}
	found, counted := &witnesses{}, int64(0)
	for _, s := range walkers {
		found.merge(&s.found)
		counted += s.counted
	}
	return found, counted, nil
}

// walker is one worker's state.
type walker struct {
	*walk
	ctx       context.Context
	look      look
	found     witnesses
	counted   int64
	taskStart int64 // breaches found before the task
	set       []int32
	count     []int32 // by item; zero between uses
	items     []int32 // of longest
}

func (w *walk) walker(ctx context.Context) *walker {
	s := &walker{walk: w, ctx: ctx, count: make([]int32, w.ids)}
	if w.look != nil {
		s.look = w.look()
	}
	return s
}

// with judges the current combination with one item more, which is in the given records, and what
// extends that.
func (s *walker) with(item int32, in []holder) {
	if s.ctx.Err() != nil || s.found.count-s.taskStart >= maxPerTask {
		return
	}
	s.set = append(s.set, item)
	switch {
	case s.look == nil && len(s.set)+1 == s.most:
		s.longest(in)
	case (s.look == nil || s.look(&s.found, s.set, in)) && len(s.set) < s.most:
		items, in := s.extensions(in)
		for i, item := range items {
			s.with(item, in[i])
		}
	}
	s.set = s.set[:len(s.set)-1]
}

// extensions judges, by support, the current combination with one item more, and returns the items
// to go on with, ascending, and the records that have each.
func (s *walker) extensions(holders []holder) (items []int32, in [][]holder) {
	s.each(holders, func(item int32, _ holder) {
		if s.count[item] == 0 {
			items = append(items, item)
		}
		s.count[item]++
	})
	slices.Sort(items)
	s.counted += int64(len(items))
	total, further := 0, items[:0]
	for _, item := range items {
		n := int(s.count[item])
		switch {
		case n < s.k:
			s.found.add(append(s.set, item), -1, n, s.k)
		case s.look != nil || len(s.set)+1 < s.most:
			further = append(further, item)
			total += n
			continue
		}
		s.count[item] = 0
	}
	room := make([]holder, 0, total)
	for i, item := range further {
		from := len(room)
		room = room[:from+int(s.count[item])]
		in = append(in, room[from:from])
		s.count[item] = int32(i + 1)
	}
	if total > 0 {
		s.each(holders, func(item int32, h holder) {
			if at := s.count[item]; at > 0 {
				in[at-1] = append(in[at-1], h)
			}
		})
	}
	for _, item := range further {
		s.count[item] = 0
	}
	return further, in
}

// longest judges, by support, the current combination with one item more, where nothing is to
// extend that.
func (s *walker) longest(holders []holder) {
	items := s.items[:0]
	for _, h := range holders {
		last := int32(-1)
		for _, item := range s.record(int(h.record))[h.rest:] {
			if item == last {
				continue
			}
			last = item
			if s.count[item] == 0 {
				items = append(items, item)
			}
			s.count[item]++
		}
	}
	s.counted += int64(len(items))
	for _, item := range items {
		if n := int(s.count[item]); n < s.k {
			s.found.add(append(s.set, item), -1, n, s.k)
		}
		s.count[item] = 0
	}
	s.items = items
}

// each calls do once for each record and each distinct item in its rest.
func (s *walker) each(holders []holder, do func(item int32, h holder)) {
	for _, h := range holders {
		r := s.record(int(h.record))
		for at := int(h.rest); at < len(r); at++ {
			if at == int(h.rest) || r[at] != r[at-1] {
				do(r[at], holder{h.record, int32(at + 1)})
			}
		}
	}
}
