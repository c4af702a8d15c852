package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	region  global.Region // the items that are counted; none: all
	// allowUnknown lets sensitive items be listed that neither the data nor the hierarchy has
	allowUnknown bool
	salt         []byte // of the names of persons

	seen     *total // of the data, when they were counted first
	supports []int  // of the leaves then
}

// Part implements global.Counts.
func (c *counts) Part(r global.Region) global.Counts {
	part := *c
	part.region = r
	return &part
}

// Supports implements global.Counts.
func (c *counts) Supports(ctx context.Context) (global.Supports, error) {
	cut := hierarchy.BottomCut(c.tree).Map()
	order := make([]int32, c.tree.Nodes()-1) // all but the root, which is the last
	for u := range order {
		order[u] = int32(u)
	}
	persons := c.layout.Person != ""
	told := persons || c.seen == nil && len(c.layout.Sensitive) > 0
	d, err := c.count(ctx, "supports", Plan{Cut: cut, Order: order, Size: 1, Told: told})
	if err != nil {
		return global.Supports{}, err
	}
	defer d.close() // what was read from it is known
	s := global.Supports{
		Transactions: int(d.total.Lines), Longest: d.total.Longest,
		Nodes: make([]int, c.tree.Nodes()),
	}
	by := slices.Repeat([]int{-1}, len(order))
	if told {
		by = append(by, slices.Repeat([]int{-1}, (&Plan{Layout: c.layout}).told(c.tree))...)
	}
	for _, r := range d.blocks {
		err := merge([]run{r}, 1, func(set []int32, n int64) error {
			if int(set[0]) >= len(by) || by[set[0]] >= 0 {
				return defect("a support came twice, or of no node")
			}
			by[set[0]] = int(n)
			return nil
		})
		if err != nil {
			return s, err
		}
	}
	for i, n := range by {
		by[i] = max(0, n)
	}
	copy(s.Nodes, by[:len(order)])
	s.Nodes[c.tree.Root()] = int(d.total.Filled)
	if s.Leaves = s.Nodes[:c.tree.Leaves()]; persons {
		own := by[len(order):]
		s.Leaves, s.Persons = own[:c.tree.Leaves()], own[c.tree.Leaves()]
		s.Filled = int(d.total.FilledLines)
		s.Most, s.MostFilled = int(d.total.Most), int(d.total.MostFilled)
		told = c.seen == nil && len(c.layout.Sensitive) > 0
		by = by[c.tree.Leaves()+1:] // what sensitive items have is behind
	}
	if err := c.agrees(&d.total, s.Leaves); err != nil || !told {
		return s, err
	}
	s.Sensitive, err = c.sensitive(by[len(order):])
	return s, err
}

// sensitive is the supports of sensitive items, in all lines and then in those that have anything
// else, and then those of persons.
func (c *counts) sensitive(supports []int) ([]global.Sensitive, error) {
	var out []global.Sensitive
	occurrences := 0
	for x, item := range c.layout.Sensitive {
		n, filled := supports[x], supports[len(c.layout.Sensitive)+x]
		of := global.Sensitive{Item: item, All: n, Filled: filled}
		if at := 2*len(c.layout.Sensitive) + x; c.layout.Person != "" {
			of.Persons, of.PersonsFilled = supports[at], supports[len(c.layout.Sensitive)+at]
		}
		out = append(out, of)
		occurrences += n
	}
	if int64(occurrences) != c.seen.Sensitive {
		return nil, defect("%d sensitive items occur, and %d were counted", c.seen.Sensitive,
			occurrences)
	}
	if c.allowUnknown {
		return out, nil
	}
	return out, c.layout.Known(func(x int) bool { return supports[x] > 0 })
}

// agrees refuses supports of the leaves that are not of as many items as there are, or of others
// than were counted first.
func (c *counts) agrees(now *total, leaves []int) error {
	if c.seen != nil {
		for leaf := c.region.From; leaf < c.region.To; leaf++ {
			if leaves[leaf] != c.supports[leaf] {
				return defect("an item was counted %d times first, and now %d times",
					c.supports[leaf], leaves[leaf])
			}
		}
		return c.same(now)
	}
	occurrences := 0
	for _, n := range leaves {
		occurrences += n
	}
	if int64(occurrences) != now.Occurrences {
		return defect("%d items occur, and %d were counted", now.Occurrences, occurrences)
	}
	c.seen, c.supports = now, leaves
	return nil
}

// same refuses data that are not those that were counted first.
func (c *counts) same(now *total) error {
	if then := c.seen; now.Lines != then.Lines || now.Sum != then.Sum ||
		now.Occurrences != then.Occurrences || now.Sensitive != then.Sensitive ||
		now.Came != then.Came {
		return defect("the data had %d lines when they were counted first, and now have %d, "+
			"or others: do they change?", then.Lines, now.Lines)
	}
	return nil
}

// Rare implements global.Counts.
func (c *counts) Rare(ctx context.Context, w global.Walked) (global.RareSets, error) {
	p := Plan{
		Cut: w.Cut, Order: w.Order, Size: w.Size, K: int64(w.K), L: int64(w.L),
		Share: int64(w.Share), With: w.With,
	}
	name := fmt.Sprintf("sets of %d", w.Size)
	if w.L > 0 {
		name += " beside sensitive items"
	}
	if w.Share > 0 {
		name += ", and lines of one person"
	}
	d, err := c.count(ctx, name, p)
	if err != nil {
		return nil, err
	}
	var sets *rareSets
	if err = c.same(&d.total); err == nil {
		sets, err = newRareSets(d.blocks, w.Size)
	}
	if err = errors.Join(err, d.close()); err != nil {
		return nil, err
	}
	return sets, nil
}

// plan completes a plan.
func (c *counts) plan(p Plan) Plan {
	p.Protocol, p.Version, p.Layout, p.Buckets = Protocol, c.version, c.layout, c.buckets
	p.From, p.To, p.Salt = c.region.From, c.region.To, c.salt
	return p
}

// by is what comes before a count.
func (c *counts) by() string {
	if c.layout.Person == "" {
		return ""
	}
	return "whose"
}

// count runs a counting job.
func (c *counts) count(ctx context.Context, name string, p Plan) (*delivery, error) {
	c.tell("counting " + name)
	p = c.plan(p)
	d := newDelivery()
	_, err := c.engine.Run(ctx, engine.Job{
		Name: "count " + name, Input: c.files, Plan: p.encode(),
		By: c.by(), Map: "map", Reduce: "merge",
		Each: func(line string) error { return d.line(line, c.version) },
	})
	if err == nil {
		err = d.check()
	}
	for name := range d.blocks {
		if b, wrong := strconv.Atoi(name); err == nil && (wrong != nil || b < 0 || b >= c.buckets) {
			err = defect("name %q is none that was asked for", name)
		}
	}
	if err != nil {
		return nil, errors.Join(err, d.close())
	}
	return d, nil
}

// Distinct implements exact.Counts.
func (c *counts) Distinct(ctx context.Context) (int, error) {
	c.tell("counting distinct lines")
	p := c.plan(Plan{Size: 1})
	told, err := c.engine.Run(ctx, engine.Job{
		Name: "count distinct", Input: c.files, Plan: p.encode(), By: c.by(), Map: "distinct",
		Below: 1 << 62,
	})
	if err != nil {
		return 0, err
	}
	groups, different, all := map[string]int64{}, int64(0), int64(0)
	for _, line := range told {
		f := strings.Split(line, "\t")
		if len(f) != 4 || groups[f[0]] != 0 {
			return 0, defect("a line cannot be understood (%d bytes)", len(line))
		}
		sum, wrong := strconv.ParseInt(f[1], 10, 64)
		names, bad := strconv.ParseInt(f[2], 10, 64)
		if wrong != nil || bad != nil || sum <= 0 {
			return 0, defect("a line cannot be understood (%d bytes)", len(line))
		}
		groups[f[0]] = sum
		if strings.HasPrefix(f[0], "<") {
			different, all = different+names, all+sum
		}
	}
	workers := groups["@version "+c.version]
	if workers == 0 || groups["@lines"]-workers != c.seen.Lines ||
		groups["@items"]-workers != c.seen.Occurrences ||
		uint64(groups["@came"]-workers) != c.seen.Came.Sum || groups["@names"]-workers != all {
		return 0, defect("of distinct lines %d items are told of, and not all came", all)
	}
	return int(different), nil
}
