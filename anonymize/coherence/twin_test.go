package coherence

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"mingle/dataset"
	"mingle/privacy"
)

// twin is the greedy by full enumeration: it lists all moles and nuggets after every step, from
// the definitions.
type twin struct {
	in         Input
	gone       []bool
	dropped    []int32
	rounds     []twinRound
	infeasible bool
}

type twinRound struct {
	item                                int32
	moles, nuggets, itemMoles, itemNugs int
}

// supportIn counts the transactions that contain a set.
func supportIn(d *dataset.Dataset, set []int32) int {
	n := 0
	for i := range d.Len() {
		if subset(set, d.Tx(i)) {
			n++
		}
	}
	return n
}

// subsets calls f with all subsets of set, the empty one included.
func subsets(set []int32, f func(sub []int32)) {
	for mask := range 1 << len(set) {
		var sub []int32
		for i, it := range set {
			if mask>>i&1 == 1 {
				sub = append(sub, it)
			}
		}
		f(sub)
	}
}

// isMole is definition 1, for a set of public items that occurs.
func isMole(in Input, set []int32) bool {
	if supportIn(in.Data, set) < in.Promise.K {
		return true
	}
	mole := false
	share := in.Promise.Share()
	subsets(set, func(sub []int32) {
		n := int64(supportIn(in.Data, sub))
		for it, private := range in.Private {
			with := slices.Clone(sub)
			at, _ := slices.BinarySearch(with, int32(it))
			if !private {
				continue
			}
			both := int64(supportIn(in.Data, slices.Insert(with, at, int32(it))))
			if both*share.Denom().Int64() > share.Num().Int64()*n {
				mole = true
			}
		}
	})
	return mole
}

// families lists the moles and the nuggets, the empty set left out.
func (w *twin) families() (moles, nuggets [][]int32) {
	var items []int32
	for it, gone := range w.gone {
		if !gone {
			items = append(items, int32(it))
		}
	}
	subsets(items, func(set []int32) {
		if len(set) == 0 {
			return
		}
		n := supportIn(w.in.Data, set)
		public := !slices.ContainsFunc(set, func(it int32) bool { return w.in.Private[it] })
		if public && n > 0 && len(set) <= w.in.Promise.P && isMole(w.in, set) {
			moles = append(moles, set)
		}
		if n >= w.in.NuggetSupport && (w.in.NuggetLen == 0 || len(set) <= w.in.NuggetLen) {
			nuggets = append(nuggets, set)
		}
	})
	return moles, nuggets
}

func containing(sets [][]int32, it int32) int {
	n := 0
	for _, s := range sets {
		if slices.Contains(s, it) {
			n++
		}
	}
	return n
}

// run suppresses items one by one.
func (w *twin) run() {
	w.gone = make([]bool, w.in.Data.Dict().Len())
	if w.in.Data.Len() > 0 && isMole(w.in, nil) {
		w.infeasible = true
		return
	}
	for it, n := range w.in.Data.Supports() {
		if !w.in.Private[it] && n > 0 && n < max(w.in.Promise.K, w.in.NuggetSupport) {
			w.gone[it] = true
			w.dropped = append(w.dropped, int32(it))
		}
	}
	slices.SortFunc(w.dropped, func(a, b int32) int {
		return dataset.CompareLabels(w.in.Data.Dict().Label(a), w.in.Data.Dict().Label(b))
	})
	for {
		moles, nuggets := w.families()
		if len(moles) == 0 {
			return
		}
		best := twinRound{item: -1}
		for it := range int32(len(w.gone)) {
			if w.gone[it] || w.in.Private[it] {
				continue
			}
			r := twinRound{
				it, len(moles), len(nuggets), containing(moles, it), containing(nuggets, it),
			}
			if best.item < 0 || w.better(r, best) {
				best = r
			}
		}
		w.rounds = append(w.rounds, best)
		w.gone[best.item] = true
	}
}

// better compares scores as fractions; none has a zero below, since every item that remains is a
// nugget.
func (w *twin) better(a, b twinRound) bool {
	c := cmp.Compare(a.itemMoles*b.itemNugs, b.itemMoles*a.itemNugs)
	if c == 0 {
		c = cmp.Compare(a.itemMoles, b.itemMoles)
	}
	if c == 0 {
		c = dataset.CompareLabels(w.in.Data.Dict().Label(b.item), w.in.Data.Dict().Label(a.item))
	}
	return c > 0
}

// randomInput is a small instance. Labels are not in the order of the ids.
func randomInput(rng *rand.Rand) Input {
	items, rows := 2+rng.IntN(8), 6+rng.IntN(20)
	labels := make([]string, items)
	often, private := make([]float64, items), make([]bool, items)
	for i, x := range rng.Perm(items) {
		labels[i] = fmt.Sprint("i", x)
		often[i] = 0.15 + 0.6*rng.Float64()
		if private[i] = rng.IntN(4) == 0; private[i] {
			often[i] *= 0.5
		}
	}
	b := dataset.NewBuilder(dataset.MustDictionary(labels))
	for range rows {
		var tx []int32
		for i := range items {
			if rng.Float64() < often[i] {
				tx = append(tx, int32(i))
			}
		}
		b.Add(tx)
		for range rng.IntN(3) { // the same transaction again
			b.Add(tx)
		}
	}
	in := Input{
		Data: b.Build(), Private: private,
		Promise: privacy.Coherence{
			H: float64(1+rng.IntN(10)) / 10, K: 2 + rng.IntN(4), P: 1 + rng.IntN(5),
		},
		NuggetSupport: 1 + rng.IntN(5), Workers: 1 + rng.IntN(2),
	}
	if rng.IntN(2) == 0 {
		in.NuggetLen = 1 + rng.IntN(4)
	}
	return in
}

func describe(in Input) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%v, k' %d, p' %d, moles by %v, %d workers; private:",
		in.Promise, in.NuggetSupport, in.NuggetLen, in.Moles, in.Workers)
	for it, is := range in.Private {
		if is {
			fmt.Fprint(&s, " ", in.Data.Dict().Label(int32(it)))
		}
	}
	for i := range in.Data.Len() {
		fmt.Fprintf(&s, "\n%v", in.Data.Labels(i))
	}
	return s.String()
}
