// Package sensitive suppresses occurrences of sensitive items where these may be known
// (privacy.KM.SensitiveKnown) and generalizing the other items cannot keep the promise. It is not
// in the papers.
//
// Sensitive items are never generalized. What sets of them tell by themselves, and beside the
// knowledge that there is some other item, no generalization changes: it is the same at the root.
// What breaks the promise there is repaired in rounds until nothing does.
//
//   - A set that occurs in fewer than k transactions, or in those of fewer than k persons, must go
//     from each of them: suppression only takes away. In each transaction the items that are in
//     most such sets go, until none is left (greedy hitting set); of equals the most frequent one,
//     which can best do without.
//   - Where an item s is in too many of the transactions with a set J, it goes from as many of them
//     as needed, those with the most sensitive items first. Where it is a value of a column, which
//     stays, an item of J goes.
//
// Where the unit is a person, the same of persons, in persons.go.
//
// At last each suppressed occurrence comes back, one after the other, if nothing breaks by it.
//
// What is chosen depends on the transactions' content, not on their order. Each round suppresses
// something, so there are at most as many as occurrences; in practice a handful. A round looks at
// the sets of at most m sensitive items that occur, and at their transactions.
package sensitive

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"mingle/anonymize"
	"mingle/dataset"
)

// restoring bounds the last step: suppressed occurrences times transactions with sensitive items.
const restoring = 20_000_000

// Suppress returns the sensitive items of an input without the occurrences that have to go for
// generalization to be able to keep the promise; in.Sensitive itself where none has to. The error
// is a *privacy.Infeasible where a value of a sensitive column is too frequent, whatever goes.
func Suppress(ctx context.Context, in anonymize.Input) (*dataset.Dataset, error) {
	if in.Sensitive == nil || !in.Promise.SensitiveKnown {
		return nil, errors.New("there are no sensitive items that may be known")
	}
	return newSuppression(in).run(ctx)
}

// SuppressMore is Suppress where it should do to generalize to the nodes below the root. At the
// root itself nothing is left of the data: a few sensitive occurrences may be the lesser loss.
func SuppressMore(ctx context.Context, in anonymize.Input) (*dataset.Dataset, error) {
	left, err := Suppress(ctx, in)
	if err != nil {
		return nil, err
	}
	s := newSuppression(in)
	s.txs, s.left = make([][]int32, left.Len()), 0
	for i, tx := range left.All() {
		s.txs[i] = slices.Clone(tx)
		s.left += len(tx)
	}
	s.nodes = topNodes(in)
	s.gone = missing(in.Sensitive, left)
	return s.run(ctx)
}

// missing are the occurrences that one dataset has and the other has not.
func missing(d, left *dataset.Dataset) (out []occurrence) {
	for i, tx := range d.All() {
		for _, x := range tx {
			if _, has := slices.BinarySearch(left.Tx(i), x); !has {
				out = append(out, occurrence{int32(i), x})
			}
		}
	}
	return out
}

// topNodes are, of each transaction, the nodes below the root, or below what has one child only.
func topNodes(in anonymize.Input) [][]int32 {
	t := in.Tree
	root := t.Root()
	for len(t.Children(root)) == 1 {
		root = t.Children(root)[0]
	}
	top := make([]int32, t.Leaves())
	for _, u := range t.Children(root) {
		for lo, hi := t.Range(u); lo < hi; lo++ {
			top[lo] = u
		}
	}
	out := make([][]int32, in.Data.Len())
	for i, tx := range in.Data.All() {
		for _, leaf := range tx {
			out[i] = append(out[i], top[leaf])
		}
		slices.Sort(out[i])
		out[i] = slices.Compact(out[i])
	}
	return out
}

func (s *suppression) run(ctx context.Context) (*dataset.Dataset, error) {
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if s.left == 0 {
			break
		}
		found, err := s.look()
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			break
		}
		s.repair(found)
	}
	if len(s.gone) == 0 {
		return s.in.Sensitive, nil
	}
	if err := s.restore(ctx); err != nil {
		return nil, err
	}
	return s.data(), nil
}

// suppression is the sensitive items as they are left.
type suppression struct {
	in   anonymize.Input
	txs  [][]int32 // sensitive items of each transaction, ascending
	rank []int32   // place of each transaction in an order by content; the most sensitive first
	left int       // occurrences that may still go
	gone []occurrence
	// support of each item, before anything went
	support []int
	heads   *anonymize.Heads
	nodes   [][]int32 // of each transaction; nil: the root
}

type occurrence struct{ tx, item int32 }

func newSuppression(in anonymize.Input) *suppression {
	n := in.Data.Len()
	s := &suppression{
		in: in, txs: make([][]int32, n), rank: make([]int32, n), support: in.Sensitive.Supports(),
		heads: in.NewHeads(),
	}
	order := make([]int32, n)
	for i, tx := range in.Sensitive.All() {
		s.txs[i] = slices.Clone(tx)
		order[i] = int32(i)
		for _, x := range tx {
			if x < in.Knowable() {
				s.left++
			}
		}
	}
	data := in.Data.Flat()
	content := func(a, b int32) int {
		return cmp.Or(len(s.txs[b])-len(s.txs[a]), slices.Compare(s.txs[a], s.txs[b]),
			slices.Compare(data.Tx(int(a)), data.Tx(int(b))))
	}
	slices.SortStableFunc(order, content)
	if in.Promise.Persons {
		sortEqual(order, in.Persons, content)
	}
	for place, i := range order {
		s.rank[i] = int32(place)
	}
	return s
}

// look lists what breaks the promise with every quasi-identifier at the root, or at the nodes.
// Where nothing does at the nodes, what is known may be that there is some of them.
func (s *suppression) look() ([]anonymize.Telling, error) {
	if s.nodes == nil {
		return s.told(s.in.EachAtRoot)
	}
	found, err := s.told(func(of func(int32) []int32, do func(anonymize.Telling) bool) {
		s.in.Each(func(i int32) []int32 { return s.nodes[i] }, of, do)
	})
	if err == nil && len(found) == 0 {
		return s.told(s.in.EachAtRoot)
	}
	return found, err
}

// told lists what each comes by.
func (s *suppression) told(
	each func(of func(int32) []int32, do func(anonymize.Telling) bool),
) (found []anonymize.Telling, err error) {
	each(s.of, func(b anonymize.Telling) bool {
		switch {
		case b.How == anonymize.OfOne && len(b.Known) == 0:
			return true // that is for generalization, or there is no release
		case b.Told < s.in.Knowable() || len(b.Known) > 0:
		case s.nodes != nil:
			return true // that is for generalization
		default:
			err = s.in.TooFrequent(b.Told, unit(b), s.units(b), b.Of)
			return false
		}
		b.Known, b.Txs, b.Among = slices.Clone(b.Known), slices.Clone(b.Txs), slices.Clone(b.Among)
		found = append(found, b)
		return true
	})
	return found, err
}

func (s *suppression) of(i int32) []int32 { return s.txs[i] }

// repair takes the rare sets away, or, where there are none, what makes shares too large.
func (s *suppression) repair(found []anonymize.Telling) {
	rare := map[int32][][]int32{} // of each transaction: the rare sets that it has
	for _, b := range found {
		if b.How == anonymize.Rare {
			for _, i := range b.Txs {
				rare[i] = append(rare[i], b.Known)
			}
		}
	}
	if len(rare) > 0 {
		for i, sets := range rare {
			s.hit(i, sets)
		}
		return
	}
	// large sets first: what goes for their sake is not in the smaller ones' way any more
	slices.SortStableFunc(found, func(a, b anonymize.Telling) int {
		return len(b.Known) + len(b.Nodes) - len(a.Known) - len(a.Nodes)
	})
	for _, b := range found {
		switch b.How {
		case anonymize.OfMany:
			s.thinPersons(b)
		case anonymize.OfOne:
			s.thinOne(b)
		default:
			s.thin(b)
		}
	}
}

// hit suppresses items of a transaction until it has none of the sets.
func (s *suppression) hit(i int32, sets [][]int32) {
	for len(sets) > 0 {
		in := map[int32]int{}
		for _, set := range sets {
			for _, x := range set {
				in[x]++
			}
		}
		best := int32(-1)
		for _, x := range s.txs[i] {
			if in[x] > 0 && (best < 0 || s.rather(x, best, in)) {
				best = x
			}
		}
		s.take(i, best)
		sets = slices.DeleteFunc(sets, func(set []int32) bool { return slices.Contains(set, best) })
	}
}

// rather tells whether item x should go rather than y, which are in so many sets.
func (s *suppression) rather(x, y int32, in map[int32]int) bool {
	return cmp.Or(in[x]-in[y], s.support[x]-s.support[y]) > 0
}

// thin suppresses occurrences until what is known tells no item with more than 1/l. What went for
// the sake of another set since it was found counts.
func (s *suppression) thin(b anonymize.Telling) {
	l, of := s.in.Promise.L, b.Of
	item, valued := s.goes(b)
	var holders []int32
	for _, i := range b.Txs {
		switch lost := slices.ContainsFunc(b.Known, func(x int32) bool { return !s.has(i, x) }); {
		case lost:
			of--
		case s.has(i, b.Told):
			holders = append(holders, i)
		}
	}
	slices.SortFunc(holders, func(x, y int32) int { return int(s.rank[x] - s.rank[y]) })
	for n := len(holders); n*l > of; n-- {
		s.take(holders[len(holders)-n], item)
		if valued {
			of-- // it is no longer among those with what is known
		}
	}
}

// goes is the item that goes for the sake of what is known, and whether that is known itself: then
// a transaction without it is no longer among those with what is known.
func (s *suppression) goes(b anonymize.Telling) (item int32, known bool) {
	if 0 <= b.Told && b.Told < s.in.Knowable() {
		return b.Told, false
	}
	often := func(x, y int32) int { return s.support[x] - s.support[y] }
	return slices.MaxFunc(b.Known, often), true
}

func (s *suppression) has(i, x int32) bool {
	_, is := slices.BinarySearch(s.txs[i], x)
	return is
}

func (s *suppression) take(i, x int32) {
	at, _ := slices.BinarySearch(s.txs[i], x)
	s.txs[i] = slices.Delete(s.txs[i], at, at+1)
	s.gone = append(s.gone, occurrence{i, x})
	s.left--
}

func (s *suppression) put(o occurrence) {
	at, _ := slices.BinarySearch(s.txs[o.tx], o.item)
	s.txs[o.tx] = slices.Insert(s.txs[o.tx], at, o.item)
	s.left++
}

// restore puts suppressed occurrences back as long as nothing breaks by that. It is left out where
// it would take long.
func (s *suppression) restore(ctx context.Context) error {
	holders := 0
	for _, tx := range s.txs {
		if len(tx) > 0 {
			holders++
		}
	}
	if s.nodes != nil {
		holders *= 16 // a few nodes, and pairs of them
	}
	if len(s.gone)*(holders+len(s.txs)/16) > restoring {
		return nil
	}
	gone := s.gone
	slices.SortFunc(gone, func(a, b occurrence) int {
		return cmp.Or(cmp.Compare(s.rank[a.tx], s.rank[b.tx]), cmp.Compare(a.item, b.item))
	})
	s.gone = nil
	for _, o := range gone {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.put(o)
		if found, err := s.look(); err != nil || len(found) > 0 {
			s.take(o.tx, o.item)
		}
	}
	return nil
}

// data is what is left.
func (s *suppression) data() *dataset.Dataset {
	b := dataset.NewBuilder(s.in.Sensitive.Dict())
	b.Grow(len(s.txs), s.in.Sensitive.Occurrences())
	for _, tx := range s.txs {
		b.Add(slices.Clone(tx))
	}
	return b.Build().WithProvenance(s.in.Sensitive)
}
