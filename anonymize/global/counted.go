package global

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mingle/anonymize"
	"mingle/hierarchy"
	"mingle/internal/itemset"
	"mingle/privacy"
)

// Apriori-based anonymization of data that lie elsewhere and are counted there, one job a size.
//
// A walk to a depth goes through the rare sets of that size only: of the sets of nodes at or above
// the cut, those of fewer nodes are frequent, for the walks before saw to it. So the rare sets of a
// size, in the order of the count tree, are all there is to know: a lifting of full size is
// frequent exactly when it is not among them, a smaller one always. Repairs are those of AA, and
// the cut is AA's.

// Counts is data that are counted elsewhere.
type Counts interface {
	// Part is the counts of the same transactions without the items outside a region.
	Part(r Region) Counts
	// Supports are those of all nodes; the root's is the number of transactions that are not empty,
	// or of persons with one.
	Supports(ctx context.Context) (Supports, error)
	// Rare finds the sets of exactly so many pairwise unrelated nodes that occur and have a support
	// below k, and with L also those that tell a sensitive item: it is in more than 1/l of the
	// transactions with the set, or of their persons. With Share also those of which one person has
	// more than 1/share of the transactions. The nodes are those of order, by rank.
	Rare(ctx context.Context, w Walked) (RareSets, error)
}

// Supports is what one count of all items tells.
type Supports struct {
	Transactions, Longest int
	Persons               int   // with a transaction, where the unit is a person
	Nodes                 []int // by node; of persons: 0 where a node is in transactions of nobody
	Leaves                []int // by leaf: the transactions with it
	Sensitive             []Sensitive
	// of persons: the transactions that are not empty, and how many transactions one of them has,
	// and not empty ones
	Filled, Most, MostFilled int
}

// Sensitive is in how many transactions a sensitive item is, and in how many of those that are not
// empty; and how many persons have such transactions.
type Sensitive struct {
	Item                   string
	All, Filled            int
	Persons, PersonsFilled int
}

// Walked is a walk over the count tree.
type Walked struct {
	Cut   []int32 // the node at the cut for every leaf
	Order []int32 // nodes at and above it that occur, without the root: rank -> node
	Size  int     // at least 2; with L at least 1
	K     int
	L     int     // 0: sets that are rare alone
	Share int     // of persons; 0: it is not bounded
	With  []int32 // nodes of Order; only sets with one of them are asked for; none: all
}

// RareSets is sets of ranks, each ascending.
type RareSets interface {
	// Each goes through them in lexicographic order until do returns false.
	Each(do func(ranks []int32) bool) error
	// Support is that of a set; -1: it is not among them.
	Support(ranks []int32) (int, error)
	Close() error
}

// CutOf finds the cut that AA finds for the same data.
func CutOf(
	ctx context.Context, t *hierarchy.Tree, p privacy.KM, c Counts,
	progress func(anonymize.Progress),
) (*hierarchy.Cut, error) {
	w, err := newCountedWalk(ctx, t, p, c, progress)
	if err != nil {
		return nil, err
	}
	if err := w.walks(ctx); err != nil || !p.BeyondSupports() {
		return w.cut, err
	}
	return w.cut, w.hideAll(ctx)
}

// Check refuses, as Input.Check does, data for which no generalization keeps the promise.
func (s Supports) Check(t *hierarchy.Tree, p privacy.KM) error {
	filled := s.Nodes[t.Root()]
	if p.Persons {
		empty := !slices.ContainsFunc(s.Leaves, func(n int) bool { return n > 0 })
		err := anonymize.EnoughPersons(s.Transactions, s.Persons, filled, empty, p.K)
		if err != nil || s.Transactions == 0 {
			return err
		}
		return s.checkPersons(p, filled)
	}
	if err := anonymize.Enough(s.Transactions, filled, p.K); err != nil || !p.Diverse() {
		return err
	}
	for _, x := range s.Sensitive {
		if x.All*p.L > s.Transactions {
			return anonymize.TooFrequent(p.L, x.named(), "transactions", x.All, s.Transactions)
		}
	}
	for _, x := range s.Sensitive {
		if x.Filled*p.L > filled {
			return anonymize.TooFrequent(p.L, x.named(), "transactions with a quasi-identifier",
				x.Filled, filled)
		}
	}
	return nil
}

// checkPersons is the rest of Check where the unit is a person, of whom so many have a transaction
// that is not empty.
func (s Supports) checkPersons(p privacy.KM, filled int) error {
	const of, like = " that contain anything", " with a quasi-identifier"
	err := errors.Join(anonymize.ShareOfOne(p.PersonShare, s.Most, s.Transactions, ""),
		anonymize.ShareOfOne(p.PersonShare, s.MostFilled, s.Filled, of))
	if err != nil || !p.Diverse() {
		return err
	}
	var first, second error
	for _, x := range s.Sensitive {
		if first == nil {
			first = anonymize.ShareOfItem{
				Name: x.named(), Lines: s.Transactions, With: x.All, Persons: s.Persons,
				PersonsWith: x.Persons,
			}.Check(p.L)
		}
		if second == nil {
			second = anonymize.ShareOfItem{
				Name: x.named(), Lines: s.Filled, With: x.Filled, Persons: filled,
				PersonsWith: x.PersonsFilled, Like: like,
			}.Check(p.L)
		}
	}
	return errors.Join(first, second)
}

// Occur tells of each node whether a transaction has it, also one of nobody.
func (s Supports) Occur(t *hierarchy.Tree) []bool {
	out := make([]bool, t.Nodes())
	for leaf, n := range s.Leaves {
		for u := int32(leaf); n > 0 && u >= 0 && !out[u]; u = t.Parent(u) {
			out[u] = true
		}
	}
	return out
}

func (x Sensitive) named() string { return fmt.Sprintf("sensitive item %q", x.Item) }

// countedWalk is the walks over data that are counted elsewhere.
type countedWalk struct {
	*state
	support  []int  // by node
	leaves   []int  // see Supports
	occurs   []bool // by node
	longest  int
	counts   Counts
	promise  privacy.KM
	progress func(anonymize.Progress)
}

// newCountedWalk counts the supports; the cut generalizes nothing yet.
func newCountedWalk(
	ctx context.Context, t *hierarchy.Tree, p privacy.KM, c Counts,
	progress func(anonymize.Progress),
) (*countedWalk, error) {
	s, err := c.Supports(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.Check(t, p); err != nil {
		return nil, err
	}
	return walkOf(t, p, c, s, progress), nil
}

// walkOf is newCountedWalk where the supports are known.
func walkOf(
	t *hierarchy.Tree, p privacy.KM, c Counts, s Supports, progress func(anonymize.Progress),
) *countedWalk {
	if progress == nil {
		progress = func(anonymize.Progress) {}
	}
	return &countedWalk{
		state: newCut(t, anonymize.LossesOf(t, s.Leaves)), support: s.Nodes, leaves: s.Leaves,
		occurs: s.Occur(t), longest: s.Longest, counts: c, promise: p, progress: progress,
	}
}

// walks makes the walks of all sizes.
func (w *countedWalk) walks(ctx context.Context) error {
	for size := 1; size <= min(w.promise.M, max(1, w.longest)); size++ {
		w.progress(anonymize.Progress{Stage: fmt.Sprintf("itemsets of %d", size)})
		if err := w.walk(ctx, size); err != nil {
			return err
		}
	}
	return nil
}

// walk makes the walk of one size.
func (w *countedWalk) walk(ctx context.Context, size int) error {
	order := w.occurring(w.cut.Alive)
	if size == 1 {
		w.singles(order)
		return nil
	}
	rare, err := w.counts.Rare(ctx, Walked{
		Cut: w.cut.Map(), Order: order, Size: size, K: w.promise.K,
	})
	if err != nil {
		return err
	}
	defer rare.Close()
	return w.repairAll(ctx, rare, order, size)
}

// occurring is some nodes that occur, without the root, in the order of the count tree.
func (w *countedWalk) occurring(is func(u int32) bool) []int32 {
	var out []int32
	for u := range w.tree.Root() {
		if w.occurs[u] && is(u) {
			out = append(out, u)
		}
	}
	itemset.TreeOrder(out, w.support, anonymize.NodeOrder(w.tree))
	return out
}

// singles is the walk of size 1, for which the supports are all there is to know.
func (w *countedWalk) singles(order []int32) {
	frequent := func(l *lifting) bool { return w.support[l.set[0]] >= w.promise.K }
	for _, u := range order {
		if path := []int32{u}; !w.inactive[u] && w.support[u] < w.promise.K {
			if l := w.repair(path, frequent); l != nil {
				w.commit(l, path, func(int32) {})
			}
		}
	}
}

// repairAll repairs the rare sets of one size.
func (w *countedWalk) repairAll(
	ctx context.Context, rare RareSets, order []int32, size int,
) error {
	rank := ranking(order, w.tree.Nodes())
	var fault error
	frequent := func(l *lifting) bool {
		if len(l.set) < size || fault != nil {
			return true
		}
		n, err := rare.Support(ranksOf(rank, l.set))
		fault = err
		return n < 0
	}
	path := make([]int32, size)
	err := rare.Each(func(ranks []int32) bool {
		for i, r := range ranks {
			path[i] = order[r]
		}
		if w.anyInactive(path) {
			return true
		}
		l := w.repair(path, frequent)
		if fault != nil || ctx.Err() != nil {
			return false
		}
		if l == nil {
			fault = fmt.Errorf("no lifting of a rare set of %d nodes is frequent: the counts "+
				"contradict each other", size)
			return false
		}
		w.commit(l, path, func(int32) {})
		return true
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if fault != nil {
		return fault
	}
	return err
}

// ranksOf is a set of nodes as ranks, ascending.
func ranksOf(rank, set []int32) []int32 {
	out := make([]int32, len(set))
	for i, u := range set {
		out[i] = rank[u]
	}
	slices.Sort(out)
	return out
}
