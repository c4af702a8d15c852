package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"mingle/attack"
	"mingle/cluster/engine"
	"mingle/cluster/judge"
)

// NotLinked is why there are no figures of linking.
const NotLinked = "Linking is not looked at on a cluster: it is always sampled, from transactions " +
	"by their number."

// Attack tells what an adversary who knows 1 to m items of a person gains, before and after: what
// attack.Case.Run tells of the same data where it looks at all combinations, but for linking, and
// what persons lack. One job a size counts. "Under k" means matched by fewer.
func (c Compared) Attack(ctx context.Context, k, m int) (*attack.Result, error) {
	if err := (attack.Options{K: k, M: m}).Validate(); err != nil {
		return nil, err
	}
	by, err := c.begin(ctx)
	if err == nil && by.found.Local {
		err = &RecodingError{judge.Breach{
			Text: "they are a local recoding, and only global ones are attacked",
		}}
	}
	if err == nil {
		err = by.count(ctx)
	}
	if err != nil {
		return nil, err
	}
	lines := by.counts.seen.Lines
	if lines == 0 {
		return nil, fmt.Errorf("attack: there are no transactions to attack")
	}
	r := &attack.Result{
		Kind: "generalized", K: k, M: m, Persons: int(lines), Records: int(lines),
		Decided: by.decided(), Notes: []string{},
		SinglingOut: []attack.Singling{}, Inference: []attack.Inference{},
	}
	if c.Layout.Person != "" {
		r.Notes = append(r.Notes, attack.PersonsNote)
	}
	var sensitive []attack.Inference
	for size := 1; size <= m; size++ {
		g, err := by.gains(ctx, k, size)
		if err != nil {
			return nil, err
		}
		if g.singled == nil {
			r.Notes = append(r.Notes, attack.NobodyHas(size))
			break
		}
		r.SinglingOut = append(r.SinglingOut, *g.singled)
		if g.items != nil {
			r.Inference = append(r.Inference, *g.items)
		}
		if g.sensitive != nil {
			sensitive = append(sensitive, *g.sensitive)
		}
	}
	r.Inference = append(r.Inference, sensitive...)
	r.Notes = append(append(r.Notes, NotLinked), by.found.Notes...)
	return r, nil
}

// decided counts the labels that are one item only.
func (c *comparison) decided() *attack.Decided {
	out := &attack.Decided{}
	for u, n := range c.labels {
		if c.tree.IsLeaf(u) {
			continue
		}
		out.Labels += int(n)
		if c.tree.LeafCount(u) == 1 {
			out.ByLowestNode += int(n)
			out.ChildByChild += int(n)
		}
	}
	return out
}

// frequencies is what everybody is taken to know.
func (c *comparison) frequencies() *frequencies {
	n := float64(c.counts.seen.Lines)
	out := &frequencies{
		Leaves: make([]float64, c.tree.Leaves()), Chance: make([]float64, c.tree.Leaves()),
	}
	for leaf, have := range c.supports.Leaves {
		out.Leaves[leaf] = float64(have) / n
		if labels := c.labels[c.published[leaf]]; labels > 0 {
			out.Chance[leaf] = min(1, float64(have)/float64(labels))
		}
	}
	for _, x := range c.supports.Sensitive {
		out.Sensitive = append(out.Sensitive, float64(x.All)/n)
	}
	return out
}

// gains is what so many known items tell; nil: nobody has as many, or one more, or beside a
// sensitive one.
type gains struct {
	singled          *attack.Singling
	items, sensitive *attack.Inference
}

// gains counts what size known items tell.
func (c *comparison) gains(ctx context.Context, k, size int) (*gains, error) {
	c.Progress(fmt.Sprintf("attacking by %d known items", size))
	p := c.counts.plan(Plan{
		Cut: c.published, Size: size, K: int64(k), Frequencies: c.frequencies(),
	})
	d := &gainDelivery{names: map[string]*gained{}}
	_, err := c.Engine.Run(ctx, engine.Job{
		Name: fmt.Sprintf("attack by %d", size), Input: c.counts.files, Plan: p.encode(),
		By: c.counts.by(), Map: "attack", Reduce: "attack-sum",
		Each: func(line string) error { return d.line(line, c.Version) },
	})
	if err == nil {
		err = d.check(c)
	}
	if err != nil {
		return nil, err
	}
	return d.gains(size, c.Layout.Person != "")
}

// gainDelivery is what a job returned, taken apart.
type gainDelivery struct {
	total attacked
	all   total
	names map[string]*gained
}

func (d *gainDelivery) line(line, version string) error {
	name, text, ok := strings.Cut(line, "\t")
	kind, text, _ := strings.Cut(text, ":")
	var err error
	worker := ""
	switch {
	case ok && name == control && kind == "attack":
		a := &attacked{}
		if err = unseal(name, text, a); err == nil {
			d.add(a)
		}
		worker = a.Worker
	case ok && name == control && kind == "whose":
		w := &whose{}
		if json.Unmarshal([]byte(text), w) != nil {
			err = defect("a worker's record cannot be read")
		}
		worker = w.Worker
		d.all.whose.add(w.Sent)
	case ok && kind == "gained" && d.names[name] == nil:
		g := &gained{}
		err = unseal(name, text, g)
		worker, d.names[name] = g.Worker, g
	default:
		return defect("a line cannot be understood (%d bytes)", len(line))
	}
	if err != nil {
		return err
	}
	return sameVersion(worker, version)
}

func (d *gainDelivery) add(a *attacked) {
	d.all.add(&a.mapped)
	d.total.Persons += a.Persons
	d.total.Nobody += a.Nobody
	if d.total.Lengths == nil {
		d.total.Lengths, d.total.Sensitive = map[int]int64{}, map[int]int64{}
	}
	for n, lines := range a.Lengths {
		d.total.Lengths[n] += lines
	}
	for n, lines := range a.Sensitive {
		d.total.Sensitive[n] += lines
	}
}

// check refuses what is not all that was sent, or of other lines than were counted first.
func (d *gainDelivery) check(c *comparison) error {
	if err := d.all.came(); err != nil {
		return err
	}
	sets := int64(0)
	for name, g := range d.names {
		sets += g.Sets
		at, err := strconv.Atoi(name[min(1, len(name)):])
		if err != nil || at < 0 || at >= c.Buckets || d.all.Sent[name] != g.Came {
			return defect("of name %s %d blocks were sent and %d came, or others", name,
				d.all.Sent[name].Blocks, g.Came.Blocks)
		}
	}
	for name, s := range d.all.Sent {
		if d.names[name] == nil {
			return defect("name %s is missing, with %d blocks", name, s.Blocks)
		}
	}
	if sets != d.all.mapped.Sets {
		return defect("%d sets were counted and %d added up", d.all.mapped.Sets, sets)
	}
	return c.counts.same(&d.all)
}

// gains makes figures of the sums.
func (d *gainDelivery) gains(size int, persons bool) (*gains, error) {
	var before, after attack.Matched
	var items, sensitive attack.Counted
	for _, name := range slices.Sorted(maps.Keys(d.names)) {
		g := d.names[name]
		side := &after
		if strings.HasPrefix(name, ofBefore) {
			side = &before
		}
		side.Merge(g.Matched)
		items.Merge(g.Items)
		sensitive.Merge(g.Sensitive)
	}
	long, longer, beside, lines := 0, 0, 0, 0
	for n, of := range d.total.Lengths {
		lines += int(of)
		if n >= size {
			long += int(of)
		}
		if n > size {
			longer += int(of)
		}
	}
	for _, of := range d.total.Sensitive {
		beside += int(of)
	}
	for _, sum := range []struct {
		is float64
		of int
	}{
		{before.Weight, long},
		{after.Weight, long},
		{items.Before.Weight, longer},
		{items.After.Weight, longer},
		{sensitive.Before.Weight, beside},
		{sensitive.After.Weight, beside},
	} { // each person counts once, whatever is known
		if math.Abs(sum.is-float64(sum.of)) > 1e-6*float64(sum.of) {
			return nil, defect("what is known of %d persons was counted as of %.3f", sum.of, sum.is)
		}
	}
	if long == 0 {
		return &gains{}, nil
	}
	candidates := lines
	if persons {
		candidates = int(d.total.Persons + min(1, d.total.Nobody))
	}
	baseline := 1 / float64(candidates)
	return &gains{
		singled: &attack.Singling{
			Known: size, Persons: long, Exact: true, Combinations: before.Combinations,
			Baseline: baseline,
			Before:   before.Candidates(baseline), After: after.Candidates(baseline),
		},
		items:     items.Inference("item", size, longer),
		sensitive: sensitive.Inference("sensitive", size, beside),
	}, nil
}
