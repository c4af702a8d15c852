package dataset

import "slices"

// Merged is a dataset with identical transactions folded into one of a weight. Its transactions are distinct and in
// lexicographic order of ids, so it does not depend on the order of the original.
type Merged struct {
	*Dataset
	Weights []int32 // how many original transactions each stands for
	Of      []int32 // original transaction -> merged transaction
}

// Merge folds identical transactions. Counting on the result and multiplying by the weights is counting on the
// original; on click-streams that alone halves the work.
func Merge(d *Dataset) *Merged { return merge(d, nil) }

// Recode recodes merged data (see [Dataset.Recode]) and merges what became identical.
func (m *Merged) Recode(dict *Dictionary, to []int32) *Merged {
	out := merge(m.Dataset.Recode(dict, to), m.Weights)
	of := out.Of
	out.Of = make([]int32, len(m.Of))
	for i, at := range m.Of {
		out.Of[i] = of[at]
	}
	return out
}

// merge folds identical transactions of the given weights; nil: each weighs 1.
func merge(d *Dataset, weights []int32) *Merged {
	order := make([]int32, d.Len())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return slices.Compare(d.Tx(int(a)), d.Tx(int(b))) })
	m := &Merged{Of: make([]int32, d.Len())}
	b := NewBuilder(d.dict)
	for n, i := range order {
		if n == 0 || !slices.Equal(d.Tx(int(order[n-1])), d.Tx(int(i))) {
			b.add(d.Tx(int(i)))
			m.Weights = append(m.Weights, 0)
		}
		m.Weights[len(m.Weights)-1] += weightOf(weights, i)
		m.Of[i] = int32(len(m.Weights) - 1)
	}
	m.Dataset = b.Build()
	return m
}

func weightOf(weights []int32, i int32) int32 {
	if weights == nil {
		return 1
	}
	return weights[i]
}
