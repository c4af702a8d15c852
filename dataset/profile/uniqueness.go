package profile

import (
	"context"
	"slices"

	"mingle/dataset"
)

// uniqueness finds the transactions that a combination of few items singles out. Sizes are looked
// at in turn: a transaction that is singled out by fewer items need not be looked for again, and a
// combination that only such transactions contain need not be extended. Equal transactions are one
// of a weight.
type uniqueness struct {
	d     *dataset.Merged
	post  [][]int32 // for each item, the merged transactions that contain it
	found []bool    // of merged transactions
	count int

	counts []int32 // working space of extensions, by item; all zero between uses
	ctx    context.Context
	steps  int
}

func newUniqueness(d *dataset.Dataset) *uniqueness {
	u := &uniqueness{
		d: dataset.Merge(d), post: make([][]int32, d.Dict().Len()),
		counts: make([]int32, d.Dict().Len()),
	}
	for i := range u.d.Len() {
		for _, it := range u.d.Tx(i) {
			u.post[it] = append(u.post[it], int32(i))
		}
	}
	u.found = make([]bool, u.d.Len())
	return u
}

// level looks at combinations of exactly size items.
func (u *uniqueness) level(ctx context.Context, size int) error {
	u.ctx = ctx
	for it, txs := range u.post {
		if size == 1 {
			u.single(txs)
			continue
		}
		u.extend(int32(it), txs, size-1)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// single marks the only transaction of a list.
func (u *uniqueness) single(txs []int32) {
	if len(txs) == 1 && u.d.Weights[txs[0]] == 1 && !u.found[txs[0]] {
		u.found[txs[0]] = true
		u.count++
	}
}

// extend adds depth items behind last to a combination that the transactions txs contain.
func (u *uniqueness) extend(last int32, txs []int32, depth int) {
	if u.steps++; u.steps%1024 == 0 && u.ctx.Err() != nil || !slices.ContainsFunc(txs, u.open) {
		return
	}
	if depth == 1 {
		u.mark(last, txs)
		return
	}
	var next []int32
	for _, i := range txs {
		if u.open(i) {
			next = append(next, behind(u.d.Tx(int(i)), last)...)
		}
	}
	slices.Sort(next)
	for _, it := range slices.Compact(next) {
		u.extend(it, u.with(txs, it), depth-1)
	}
}

// mark finds the transactions of a list that are alone in it with some item behind last.
func (u *uniqueness) mark(last int32, txs []int32) {
	for _, i := range txs {
		for _, it := range behind(u.d.Tx(int(i)), last) {
			u.counts[it]++
		}
	}
	for _, i := range txs {
		alone := false
		for _, it := range behind(u.d.Tx(int(i)), last) {
			alone = alone || u.counts[it] == 1
		}
		if alone && u.open(i) {
			u.found[i] = true
			u.count++
		}
	}
	for _, i := range txs {
		for _, it := range behind(u.d.Tx(int(i)), last) {
			u.counts[it] = 0
		}
	}
}

// open tells whether a transaction is still looked for. One that stands for several persons is
// never singled out.
func (u *uniqueness) open(i int32) bool { return !u.found[i] && u.d.Weights[i] == 1 }

func (u *uniqueness) with(txs []int32, it int32) []int32 {
	var out []int32
	for _, i := range txs {
		if _, ok := slices.BinarySearch(u.d.Tx(int(i)), it); ok {
			out = append(out, i)
		}
	}
	return out
}

func behind(tx []int32, last int32) []int32 {
	at, _ := slices.BinarySearch(tx, last+1)
	return tx[at:]
}

// whole counts the transactions that no other transaction contains, empty ones left out.
func (u *uniqueness) whole() int {
	n := 0
	for i := range u.d.Len() {
		if tx := u.d.Tx(i); len(tx) > 0 && (u.found[i] || u.d.Weights[i] == 1 && u.alone(tx)) {
			n++
		}
	}
	return n
}

func (u *uniqueness) alone(tx []int32) bool {
	rarest := tx[0]
	for _, it := range tx {
		if len(u.post[it]) < len(u.post[rarest]) {
			rarest = it
		}
	}
	containing := 0
	for _, i := range u.post[rarest] {
		if containsAll(u.d.Tx(int(i)), tx) {
			if containing++; containing > 1 {
				return false
			}
		}
	}
	return true
}

func containsAll(tx, set []int32) bool {
	if len(tx) < len(set) {
		return false
	}
	for _, it := range tx {
		if len(set) > 0 && it == set[0] {
			set = set[1:]
		}
	}
	return len(set) == 0
}
