package anonymize

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"mingle/privacy"
)

// Sensitive items that may be known (privacy.KM.SensitiveKnown).
//
// With every quasi-identifier at the root, what is known is sensitive items alone, or these and
// that there is some quasi-identifier. Where that breaks the promise, generalization does not help:
// sensitive occurrences must be suppressed (package anonymize/sensitive).

// AtRoot is a set of sensitive items that may be known and breaks the promise though every
// quasi-identifier is at the root.
type AtRoot struct {
	Known []int32 // what is known, ascending; may be empty
	Told  int32   // the sensitive item that it tells; -1: fewer than k transactions have Known
	// Of is how many transactions the share of Told is taken of.
	Of  int
	Txs []int32 // the transactions that have Known and, if any, Told; ascending
}

// EachAtRoot calls do with all that breaks the promise at the root, small sets first along each
// branch, until do returns false. sensitive are the sensitive items of transaction i, ascending.
// What is beyond a rare set is not looked at.
func (in Input) EachAtRoot(sensitive func(i int32) []int32, do func(AtRoot) bool) {
	w := &rootWalk{in: in, sensitive: sensitive, do: do}
	all, filled := []int32{}, []int32{}
	for i, tx := range in.Data.All() {
		all = append(all, int32(i))
		if len(tx) > 0 {
			filled = append(filled, int32(i))
		}
	}
	if w.from(all, nil, in.Promise.M) && 0 < len(filled) && len(filled) < len(all) {
		w.from(filled, nil, in.Promise.M-1)
	}
}

// rootWalk goes through the sets of sensitive items that may be known.
type rootWalk struct {
	in        Input
	sensitive func(i int32) []int32
	do        func(AtRoot) bool
}

// from looks at the transactions that have what is known, and at what up to room more tell.
func (w *rootWalk) from(txs, known []int32, room int) bool {
	if len(known) > 0 && len(txs) < w.in.Promise.K {
		return w.do(AtRoot{known, -1, len(txs), txs})
	}
	holders := make([][]int32, w.in.Sensitive.Dict().Len())
	counts := make([]int, len(holders))
	for _, i := range txs {
		for _, s := range w.sensitive(i) {
			holders[s] = append(holders[s], i)
			counts[s]++
		}
	}
	for s := range int32(len(holders)) {
		of := w.in.shareOf(s, len(txs), counts)
		if slices.Contains(known, s) || w.in.isMark(s) || counts[s]*w.in.Promise.L <= of {
			continue
		}
		if !w.do(AtRoot{known, s, of, holders[s]}) {
			return false
		}
	}
	if room == 0 {
		return true
	}
	first := int32(0)
	if len(known) > 0 {
		first = known[len(known)-1] + 1
	}
	for s := first; s < w.in.Knowable(); s++ {
		if counts[s] > 0 && !w.from(holders[s], append(slices.Clip(known), s), room-1) {
			return false
		}
	}
	return true
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
		func(b AtRoot) bool {
			err = privacy.Infeasiblef("%s, whatever is generalized: sensitive occurrences must "+
				"be suppressed first", in.spell(b))
			return false
		})
	return err
}

func (in Input) spell(b AtRoot) string {
	var known []string
	for _, s := range b.Known {
		known = append(known, fmt.Sprintf("%q", in.Sensitive.Dict().Label(s)))
	}
	who := "who knows nothing"
	if len(known) > 0 {
		who = "who knows that a person has " + strings.Join(known, " and ")
	}
	if b.Told < 0 {
		return fmt.Sprintf("%s is left with %d transactions, fewer than %d", who, len(b.Txs),
			in.Promise.K)
	}
	return fmt.Sprintf("%s finds %s in %d of %d transactions%s, more than 1/%d", who,
		in.named(b.Told), len(b.Txs), b.Of, in.filled(b.Told), in.Promise.L)
}

// NotAlone refuses, for an algorithm that looks at sensitive items as at what nobody knows, what
// asks for more: sensitive items that are known, and columns with empty values.
func (in Input) NotAlone(name string) error {
	const choose = "choose aa, da, oa, exact, vpa, lra, partition or auto"
	switch {
	case in.Promise.SensitiveKnown:
		return fmt.Errorf("%s does not take known sensitive items into account: %s", name, choose)
	case in.Values.partial():
		return fmt.Errorf("%s does not take sensitive columns with empty values into account: %s",
			name, choose)
	}
	return nil
}
