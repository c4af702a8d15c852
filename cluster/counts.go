package cluster

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"mingle/anonymize/global"
	"mingle/cluster/engine"
	"mingle/cluster/split"
	"mingle/hierarchy"
)

// counts has an engine count what the driver asks for.
type counts struct {
	engine  engine.Engine
	version string
	layout  split.Layout
	tree    *hierarchy.Tree
	files   []string
	buckets int
	tell    func(stage string)

	seen *total // of the data, when they were counted first
}

// Supports implements global.Counts.
func (c *counts) Supports(ctx context.Context) (global.Supports, error) {
	cut := hierarchy.BottomCut(c.tree).Map()
	order := make([]int32, c.tree.Nodes()-1) // all but the root, which is the last
	for u := range order {
		order[u] = int32(u)
	}
	d, err := c.count(ctx, "supports", Plan{Cut: cut, Order: order, Size: 1})
	if err != nil {
		return global.Supports{}, err
	}
	c.seen = &d.total
	s := global.Supports{
		Transactions: int(d.total.Lines), Longest: d.total.Longest,
		Nodes: make([]int, c.tree.Nodes()),
	}
	for _, r := range d.blocks {
		err := merge([]run{r}, 1, func(set []int32, n int64) error {
			if int(set[0]) >= len(order) || s.Nodes[set[0]] != 0 {
				return defect("a support came twice, or of no node")
			}
			s.Nodes[set[0]] = int(n)
			return nil
		})
		if err != nil {
			return s, err
		}
	}
	s.Nodes[c.tree.Root()] = int(d.total.Filled)
	s.Leaves = s.Nodes[:c.tree.Leaves()]
	occurrences := 0
	for _, n := range s.Leaves {
		occurrences += n
	}
	if int64(occurrences) != d.total.Occurrences {
		return s, defect("%d items occur, and %d were counted", d.total.Occurrences, occurrences)
	}
	return s, nil
}

// Rare implements global.Counts.
func (c *counts) Rare(ctx context.Context, w global.Walked) (global.RareSets, error) {
	p := Plan{Cut: w.Cut, Order: w.Order, Size: w.Size, K: int64(w.K)}
	d, err := c.count(ctx, fmt.Sprintf("sets of %d", w.Size), p)
	if err != nil {
		return nil, err
	}
	now, then := d.total, c.seen
	if now.Lines != then.Lines || now.Sum != then.Sum || now.Occurrences != then.Occurrences {
		return nil, defect("the data had %d lines when they were counted first, and now have %d, "+
			"or others: do they change?", then.Lines, now.Lines)
	}
	return newRareSets(d.blocks, w.Size)
}

// count runs a counting job.
func (c *counts) count(ctx context.Context, name string, p Plan) (*delivery, error) {
	c.tell("counting " + name)
	p.Protocol, p.Version, p.Layout, p.Buckets = Protocol, c.version, c.layout, c.buckets
	lines, err := c.engine.Run(ctx, engine.Job{
		Name: "count " + name, Input: c.files, Plan: p.encode(), Map: "map", Reduce: "merge",
	})
	if err != nil {
		return nil, err
	}
	d, err := take(lines, c.version)
	if err != nil {
		return nil, err
	}
	for name := range d.blocks {
		if b, err := strconv.Atoi(name); err != nil || b < 0 || b >= c.buckets {
			return nil, defect("name %q is none that was asked for", name)
		}
	}
	return d, nil
}

// rareSets is rare sets in ascending blocks. Compressed, they take some bytes each.
type rareSets struct {
	size   int
	blocks run
	first  [][]int32 // of each block

	at   int // the block that is unpacked
	list []int32
}

// newRareSets brings the blocks of all names into one order.
func newRareSets(blocks map[string]run, size int) (*rareSets, error) {
	g := &gather{size: size}
	for _, r := range blocks {
		if err := g.add(r); err != nil {
			return nil, err
		}
	}
	s := &rareSets{size: size, at: -1}
	w := newWriter(size, func(block []byte) error {
		s.blocks = append(s.blocks, block)
		return nil
	})
	err := g.each(func(set []int32, n int64) error {
		if len(s.first) == len(s.blocks) {
			s.first = append(s.first, slices.Clone(set))
		}
		return w.add(set, n)
	})
	if err == nil {
		err = w.flush()
	}
	return s, err
}

// Each implements global.RareSets.
func (s *rareSets) Each(do func(ranks []int32) bool) error {
	for _, b := range s.blocks {
		in, err := open(b, s.size)
		if err != nil {
			return err
		}
		for {
			more, err := in.next()
			if err != nil {
				return err
			}
			if !more {
				break
			}
			if !do(in.set) {
				return nil
			}
		}
	}
	return nil
}

// Has implements global.RareSets.
func (s *rareSets) Has(ranks []int32) (bool, error) {
	at, exact := slices.BinarySearchFunc(s.first, ranks, slices.Compare)
	if exact {
		return true, nil
	}
	if at == 0 {
		return false, nil
	}
	if err := s.unpack(at - 1); err != nil {
		return false, err
	}
	lo, hi := 0, len(s.list)/s.size
	for lo < hi {
		mid := (lo + hi) / 2
		switch c := slices.Compare(s.list[mid*s.size:(mid+1)*s.size], ranks); {
		case c == 0:
			return true, nil
		case c < 0:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return false, nil
}

// unpack lists the sets of a block.
func (s *rareSets) unpack(at int) error {
	if s.at == at {
		return nil
	}
	in, err := open(s.blocks[at], s.size)
	if err != nil {
		return err
	}
	s.at, s.list = at, s.list[:0]
	for {
		more, err := in.next()
		if err != nil || !more {
			return err
		}
		s.list = append(s.list, in.set...)
	}
}

// Close implements global.RareSets.
func (s *rareSets) Close() error { return nil }
