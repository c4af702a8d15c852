package dataset

import (
	"cmp"
	"slices"
)

// MergeUnits is Merge where a unit, such as a person, may have several transactions. of has the
// unit of every transaction, numbered from 0; -1: none. Then what counts is the number of distinct
// units with a transaction, so that
//
//   - equal transactions of a unit are one;
//   - units of one transaction that is not empty are merged by it, as transactions are, and
//     Weights has their number;
//   - a transaction of no unit is merged with these, too, and adds nothing to the weight;
//   - the transactions of other units come behind all these, those of a unit one after the other,
//     each with a weight of 1 and its unit in Units.
func MergeUnits(d *Dataset, of []int32) *Merged {
	weights := make([]int32, d.Len()) // -1 stands for no unit, which weighs nothing
	return mergeUnits(d, of, weights)
}

// mergeUnits merges transactions of units. Those of no unit (-1) have weights.
func mergeUnits(d *Dataset, of, weights []int32) *Merged {
	plain := Merge(d)
	several := pairsOf(plain, of)
	shared := slices.Repeat([]int32{-1}, plain.Len()) // class -> weight; -1: there is none
	for i, class := range plain.Of {
		if of[i] < 0 || !several.has(of[i]) {
			shared[class] = max(0, shared[class]) + weightOf(of, weights, i)
		}
	}
	for _, p := range several.alone {
		shared[p.class] = max(0, shared[p.class]) + 1
	}
	out := &Merged{Units: []int32{}, Of: make([]int32, len(plain.Of))}
	b := NewBuilder(d.dict)
	at := make([]int32, plain.Len())
	add := func(class, weight, unit int32) int32 {
		b.Add(slices.Clone(plain.Tx(int(class))))
		out.Weights, out.Units = append(out.Weights, weight), append(out.Units, unit)
		return int32(len(out.Weights) - 1)
	}
	for class, weight := range shared {
		if weight >= 0 {
			at[class] = add(int32(class), weight, -1)
		}
	}
	for i, class := range plain.Of {
		if of[i] < 0 || !several.has(of[i]) {
			out.Of[i] = at[class]
		}
	}
	for n, p := range several.pairs {
		if n == 0 || p.unit != several.pairs[n-1].unit || p.class != several.pairs[n-1].class {
			at[p.class] = add(p.class, 1, p.unit)
		}
		out.Of[p.tx] = at[p.class]
	}
	out.Dataset = b.Build()
	return out
}

// weightOf is what a transaction adds to the weight of its class by itself: its unit is counted
// once, elsewhere.
func weightOf(of, weights []int32, i int) int32 {
	if of[i] >= 0 {
		return 0
	}
	return weights[i]
}

// unitPair is a transaction of a unit, and the class of equal ones that it is in.
type unitPair struct{ unit, class, tx int32 }

// unitPairs are the transactions of units that have several classes, and the one class of those
// that have one.
type unitPairs struct {
	several []bool // by unit
	pairs   []unitPair
	alone   []unitPair
}

func (u *unitPairs) has(unit int32) bool { return u.several[unit] }

// pairsOf finds them. Empty transactions do not count, and are of no unit that is left.
func pairsOf(plain *Merged, of []int32) *unitPairs {
	u := &unitPairs{several: make([]bool, 1+max(0, slices.Max(append([]int32{0}, of...))))}
	var all []unitPair
	for i, class := range plain.Of {
		if of[i] >= 0 {
			all = append(all, unitPair{of[i], class, int32(i)})
		}
	}
	slices.SortFunc(all, func(a, b unitPair) int {
		return cmp.Or(cmp.Compare(a.unit, b.unit), cmp.Compare(a.class, b.class),
			cmp.Compare(a.tx, b.tx))
	})
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].unit == all[0].unit {
			n++
		}
		u.add(plain, all[:n])
		all = all[n:]
	}
	return u
}

// add takes in the transactions of one unit. The empty class, if there is one, is the first.
func (u *unitPairs) add(plain *Merged, own []unitPair) {
	filled := own
	for len(filled) > 0 && len(plain.Tx(int(filled[0].class))) == 0 {
		filled = filled[1:]
	}
	if len(filled) == 0 || filled[0].class == filled[len(filled)-1].class {
		if len(filled) > 0 {
			u.alone = append(u.alone, filled[0])
		}
		return
	}
	u.several[own[0].unit] = true
	u.pairs = append(u.pairs, own...)
}

// Counted is how many transactions, or distinct units, all of it stands for.
func (m *Merged) Counted() int {
	total, last := 0, int32(-1)
	for i := range m.Len() {
		unit := int32(-1)
		if m.Units != nil {
			unit = m.Units[i]
		}
		if unit < 0 || unit != last {
			total += int(m.Weight(i))
		}
		last = unit
	}
	return total
}
