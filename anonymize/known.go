package anonymize

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mingle/privacy"
)

// Sensitive items that may be known (privacy.KM.SensitiveKnown).
//
// With every quasi-identifier at the root, what is known is sensitive items alone, or these and
// that there is some quasi-identifier. Where that breaks the promise, generalization does not help:
// sensitive occurrences must be suppressed (package anonymize/sensitive).

// Telling is knowledge of sensitive items, and of nodes of a transaction, that breaks the promise.
type Telling struct {
	Nodes []int32 // of the transaction, ascending; may be empty
	Known []int32 // sensitive items, ascending; may be empty
	How   Breach
	Told  int32 // the sensitive item that it tells; -1: none
	Of    int   // how many transactions, or persons, the share of Told is taken of
	// Txs are the transactions that have all of it and, if any, Told, and Among all that have it
	// and, if Told is a value, have one in its column; ascending.
	Txs, Among []int32
}

// Breach is how knowledge breaks the promise.
type Breach int8

// What is known of a person is in fewer than k transactions, or those of fewer than k persons; or
// Told is in too many of the transactions, or of too many of their persons; or one person has too
// many of the transactions.
const (
	Rare Breach = iota
	InMany
	OfMany
	OfOne
)

// Each calls do with what tells too much if the nodes of transaction i are nodes(i), and its
// sensitive items sensitive(i), both ascending, until do returns false. It looks at one or two
// nodes, or none, that at least k transactions have; beyond a rare set of sensitive items it does
// not look.
func (in Input) Each(nodes, sensitive func(i int32) []int32, do func(Telling) bool) {
	w := &knownWalk{
		in: in, nodes: nodes, sensitive: sensitive, do: do, persons: in.NewHeads(),
	}
	all := make([]int32, in.Data.Len())
	for i := range all {
		all[i] = int32(i)
	}
	if w.from(all, nil, in.Promise.M) {
		w.beside(all, nil)
	}
}

// EachAtRoot is Each with every quasi-identifier at the root.
func (in Input) EachAtRoot(sensitive func(i int32) []int32, do func(Telling) bool) {
	root := []int32{in.Tree.Root()}
	filled := make([]bool, in.Data.Len())
	for i, tx := range in.Data.All() {
		filled[i] = len(tx) > 0
	}
	in.Each(func(i int32) []int32 {
		if filled[i] {
			return root
		}
		return nil
	}, sensitive, do)
}

// knownWalk goes through what may be known.
type knownWalk struct {
	in               Input
	nodes, sensitive func(i int32) []int32
	do               func(Telling) bool
	beyond           []int32 // the nodes that are known
	persons          *Heads  // nil: transactions are counted
	levels           []*knownLevel
}

// knownLevel is the working space of sets of one size.
type knownLevel struct {
	holders [][]int32 // by sensitive item: the transactions that have it; empty between uses
	met     []int32   // those that some have, ascending
}

// level lists the transactions that have each sensitive item, until that of the same size.
func (w *knownWalk) level(size int, txs []int32) *knownLevel {
	for len(w.levels) <= size {
		w.levels = append(w.levels, &knownLevel{
			holders: make([][]int32, w.in.Sensitive.Dict().Len()),
		})
	}
	l := w.levels[size]
	for _, s := range l.met {
		l.holders[s] = l.holders[s][:0]
	}
	l.met = l.met[:0]
	for _, i := range txs {
		for _, s := range w.sensitive(i) {
			if len(l.holders[s]) == 0 {
				l.met = append(l.met, s)
			}
			l.holders[s] = append(l.holders[s], i)
		}
	}
	slices.Sort(l.met)
	return l
}

// beside goes on with one node more than those that are known, which txs have.
func (w *knownWalk) beside(txs, known []int32) bool {
	if len(known) == min(2, w.in.Promise.M) {
		return true
	}
	holders := holdersBehind(txs, known, w.nodes)
	for _, u := range slices.Sorted(maps.Keys(holders)) {
		of := holders[u]
		if w.persons.Count(of) < w.in.Promise.K {
			continue
		}
		with := append(slices.Clip(known), u)
		w.beyond = with
		if len(of) < len(txs) && !w.from(of, nil, w.in.Promise.M-len(with)) {
			return false
		}
		if !w.beside(of, with) {
			return false
		}
	}
	return true
}

// from looks at the transactions that have what is known, and at what up to room more tell.
func (w *knownWalk) from(txs, known []int32, room int) bool {
	b := Telling{Nodes: w.beyond, Known: known, Told: -1, Of: len(txs), Txs: txs, Among: txs}
	if len(known) > 0 && w.persons.Count(txs) < w.in.Promise.K {
		return w.do(b)
	}
	if b.How = OfOne; w.persons.Most(txs)*w.in.Promise.PersonShare > len(txs) && !w.do(b) {
		return false
	}
	l := w.level(len(known), txs)
	for _, s := range l.met {
		if !slices.Contains(known, s) && !w.in.isMark(s) && !w.share(b, s, l.holders) {
			return false
		}
	}
	if room == 0 {
		return true
	}
	for _, s := range l.met {
		if s < w.in.Knowable() && (len(known) == 0 || s > known[len(known)-1]) &&
			!w.from(l.holders[s], append(slices.Clip(known), s), room-1) {
			return false
		}
	}
	return true
}

// share looks at a sensitive item, given the transactions that have each.
func (w *knownWalk) share(b Telling, s int32, holders [][]int32) bool {
	b.Told = s
	if mark := w.in.mark(s); mark >= 0 {
		b.Among = holders[mark]
	}
	b.Txs = holders[s]
	b.How, b.Of = InMany, len(b.Among)
	if len(b.Txs)*w.in.Promise.L > b.Of && !w.do(b) {
		return false
	}
	if w.persons == nil {
		return true
	}
	b.How, b.Of = OfMany, w.persons.Count(b.Among)
	return w.persons.Count(b.Txs)*w.in.Promise.L <= b.Of || w.do(b)
}

// checkKnown refuses data for which not even the root keeps the promise against known sensitive
// items.
func (in Input) checkKnown() (err error) {
	if !in.Promise.SensitiveKnown {
		return nil
	}
	if in.Promise.NegativeKnowledge {
		return errors.New("known sensitive items and negative knowledge are not taken into " +
			"account together: leave one out")
	}
	in.EachAtRoot(func(i int32) []int32 { return in.Sensitive.Tx(int(i)) },
		func(b Telling) bool {
			err = privacy.Infeasiblef("%s, whatever is generalized: sensitive occurrences must "+
				"be suppressed first", in.spell(b))
			return false
		})
	return err
}

func (in Input) spell(b Telling) string {
	var known []string
	for _, s := range b.Known {
		known = append(known, fmt.Sprintf("%q", in.Sensitive.Dict().Label(s)))
	}
	who := "who knows nothing"
	if len(known) > 0 {
		who = "who knows that a person has " + strings.Join(known, " and ")
	}
	n, unit := in.NewHeads().Count(b.Txs), in.Promise.Unit()
	switch b.How {
	case Rare:
		return fmt.Sprintf("%s is left with %d %s, fewer than %d", who, n, unit, in.Promise.K)
	case OfOne:
		return fmt.Sprintf("%s is left with %d transactions, more than 1/%d of them of one person",
			who, len(b.Txs), in.Promise.PersonShare)
	case OfMany:
		return fmt.Sprintf("%s finds %s with %d of %d persons%s, more than 1/%d", who,
			in.named(b.Told), n, b.Of, in.filled(b.Told), in.Promise.L)
	}
	return fmt.Sprintf("%s finds %s in %d of %d transactions%s, more than 1/%d", who,
		in.named(b.Told), len(b.Txs), b.Of, in.filled(b.Told), in.Promise.L)
}
