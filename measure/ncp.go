package measure

import (
	"cmp"
	"context"
	"fmt"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/par"
	"mingle/release"
)

// Normalized Certainty Penalty (terrovitis-2008, section 3.3; terrovitis-2011, section 3.3): an
// occurrence of an item published as node u has the penalty 0 if u is a leaf, else leaves(u)/|I|;
// one that is not published has 1. NCP is the average over all item occurrences of the original
// data, before duplicates collapse:
//
//	NCP = sum over occurrences of penalty / (|I| · occurrences)
//
// where the penalty is 0, leaves(u) or |I|. It is 0 for data without items.

// Loss is the NCP of a release (terrovitis-2008, section 3.3) and what it is made of. NCP is
// Penalty/(Domain·Occurrences), from 0 to 1: the mean over the item occurrences of the original of
// leaves(u)/|I| for the node u that stands for it, 0 for the item itself, 1 where it is suppressed.
type Loss struct {
	NCP float64 `json:"ncp"`
	// sum over occurrences, in leaves; below 2^63 for any dataset
	Penalty     int64   `json:"penalty"`
	Domain      int     `json:"domain"` // |I|
	Occurrences int     `json:"occurrences"`
	Suppressed  int     `json:"suppressed"` // occurrences that are not published
	Levels      []Level `json:"levels"`     // ascending, those in use
	Rules       []Rule  `json:"rules,omitempty"`
}

// Level is how much is published at one height of the hierarchy.
type Level struct {
	// edges from the node down to its deepest leaf; 0: published as itself
	Height      int `json:"height"`
	Nodes       int `json:"nodes"` // different nodes in use
	Occurrences int `json:"occurrences"`
	// sum over the occurrences, in leaves
	Penalty int64 `json:"penalty"`
}

// Rule is a generalization of a global recoding: each of the items is published as the node. Only
// rules that some occurrence uses are listed, in leaf order; items that do not occur are in them
// too, so that a rule says nothing about the data.
type Rule struct {
	Node  string   `json:"node"`
	Items []string `json:"items"`
}

// NCP measures a release.
func NCP(g *release.Generalized) Loss {
	a := newAccount(g.Tree)
	g.Each(func(_, u int32) { a.add(u) })
	return a.loss(g.IsGlobal())
}

// NCPOf measures published data against the original: line i of one is line i of the other. The
// original is bound to the leaves of the hierarchy, the published data to its nodes. An occurrence
// is taken to be published as the lowest node of its line that covers it, and to be suppressed
// where there is none. Lines are measured on at most so many goroutines.
func NCPOf(
	ctx context.Context, t *hierarchy.Tree, original, published *dataset.Dataset, workers int,
) (Loss, error) {
	if err := cmp.Or(bound(t, original, published), par.CheckWorkers(workers)); err != nil {
		return Loss{}, err
	}
	if original.Len() != published.Len() {
		return Loss{}, fmt.Errorf("NCP needs line i of the published data to be line i of the "+
			"original, but there are %d lines and %d", published.Len(), original.Len())
	}
	n := max(1, min(workers, original.Len()/fewLines, original.Occurrences()/(8*t.Nodes())))
	shares := make([]*measured, n)
	err := par.Each(ctx, n, n, func(ctx context.Context, w int) error {
		m := &measured{account: newAccount(t), global: true, of: make([]int32, t.Leaves())}
		from, to := original.Len()*w/n, original.Len()*(w+1)/n
		shares[w] = m
		return m.lines(ctx, original, published, from, to)
	})
	if err != nil {
		return Loss{}, err
	}
	all := shares[0]
	for _, m := range shares[1:] {
		all.join(m)
	}
	return all.loss(all.global && all.antichain()), nil
}

// bound refuses data that is not bound to the hierarchy: what is measured would be other data.
func bound(t *hierarchy.Tree, original, published *dataset.Dataset) error {
	return cmp.Or(t.CheckBound(original), t.CheckBoundPublished(published))
}

// fewLines are measured by one goroutine: to start another takes as long. What it keeps by node is
// to take no more room than the lines.
const fewLines = 1 << 13

// measured is what is known of some lines.
type measured struct {
	*account
	global bool    // every item is published as one node
	of     []int32 // node+1 of each item met so far
}

// lines adds a range of lines: each item occurrence of the original is published as the lowest node
// of its published line that covers it, or as release.Suppressed.
func (m *measured) lines(
	ctx context.Context, original, published *dataset.Dataset, from, to int,
) error {
	line := make([]int, m.tree.Nodes()) // the last line with this node, from 1
	before, after := original.Cursor(), published.Cursor()
	for i := from; i < to; i++ {
		if i%fewLines == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for _, u := range after.Tx(i) {
			line[u] = i + 1
		}
		for _, x := range before.Tx(i) {
			u := x
			for u >= 0 && line[u] != i+1 {
				u = m.tree.Parent(u)
			}
			m.add(x, u)
		}
	}
	return nil
}

// add counts an item that is published as a node.
func (m *measured) add(x, u int32) {
	m.account.add(u)
	m.global = m.global && u >= 0 && (m.of[x] == 0 || m.of[x] == u+1)
	m.of[x] = u + 1
}

// join adds what is known of other lines.
func (m *measured) join(o *measured) {
	for u, n := range o.count {
		m.count[u] += n
	}
	m.suppressed += o.suppressed
	m.global = m.global && o.global
	for x, u := range o.of {
		m.global = m.global && (u == 0 || m.of[x] == 0 || m.of[x] == u)
		m.of[x] = max(m.of[x], u)
	}
}

// account counts the occurrences of every node.
type account struct {
	tree       *hierarchy.Tree
	count      []int
	suppressed int
}

func newAccount(t *hierarchy.Tree) *account {
	return &account{
		tree:  t,
		count: make([]int, t.Nodes()),
	}
}

func (a *account) add(u int32) {
	if u == release.Suppressed {
		a.suppressed++
		return
	}
	a.count[u]++
}

// antichain tells whether no node in use is above another.
func (a *account) antichain() bool {
	for u, n := range a.count {
		if n == 0 {
			continue
		}
		for v := a.tree.Parent(int32(u)); v >= 0; v = a.tree.Parent(v) {
			if a.count[v] > 0 {
				return false
			}
		}
	}
	return true
}

func (a *account) loss(global bool) Loss {
	l := Loss{Domain: a.tree.Leaves(), Occurrences: a.suppressed, Suppressed: a.suppressed}
	l.Penalty = int64(a.suppressed) * int64(l.Domain)
	levels := make([]Level, a.tree.Height(a.tree.Root())+1)
	for u, n := range a.count {
		if n == 0 {
			continue
		}
		node := int32(u)
		penalty := int64(n) * a.tree.Penalty(node)
		l.Occurrences += n
		l.Penalty += penalty
		lv := &levels[a.tree.Height(node)]
		lv.Nodes++
		lv.Occurrences += n
		lv.Penalty += penalty
	}
	for h, lv := range levels {
		if lv.Nodes > 0 {
			lv.Height = h
			l.Levels = append(l.Levels, lv)
		}
	}
	l.NCP = ratio(l.Penalty, int64(l.Domain), int64(l.Occurrences))
	if global {
		l.Rules = a.rules()
	}
	return l
}

// ratio is a/(b·c), or 0 where that is 0/0.
func ratio(a, b, c int64) float64 {
	if a == 0 {
		return 0
	}
	return float64(a) / (float64(b) * float64(c))
}

func (a *account) rules() []Rule {
	var rules []Rule
	for x := int32(0); int(x) < a.tree.Leaves(); x++ {
		for u := a.tree.Parent(x); u >= 0; u = a.tree.Parent(u) {
			lo, hi := a.tree.Range(u)
			if a.count[u] == 0 || lo != x {
				continue
			}
			r := Rule{Node: a.tree.Label(u)}
			for ; lo < hi; lo++ {
				r.Items = append(r.Items, a.tree.Label(lo))
			}
			rules = append(rules, r)
			x = hi - 1
			break
		}
	}
	return rules
}

// Gap is how far a loss is above a proven lower bound, as a share of the bound: (loss -
// bound)/bound. It is 0 where they are equal; ok is false where the bound is 0 and the
// loss is not, because then there is no such share.
func Gap(loss, bound float64) (gap float64, ok bool) {
	switch {
	case loss == bound:
		return 0, true
	case bound <= 0:
		return 0, false
	}
	return (loss - bound) / bound, true
}
