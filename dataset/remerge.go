package dataset

import (
	"context"
	"slices"

	"mingle/internal/par"
)

// Recode recodes merged data (see [Dataset.Recode]) and merges what became identical.
func (m *Merged) Recode(dict *Dictionary, to []int32) *Merged { return m.RecodeBy(dict, to, 1) }

// RecodeBy is Recode on at most so many goroutines; the result is the same.
func (m *Merged) RecodeBy(dict *Dictionary, to []int32, workers int) *Merged {
	if m.Units != nil {
		return m.recodeUnits(dict, to)
	}
	out := MergeBy(m.Dataset.recodeBy(dict, to, workers), workers)
	weights, of := make([]int32, out.Len()), make([]int32, m.originals())
	for i, at := range out.Of {
		weights[at] += m.Weight(i)
	}
	for i := range of {
		at := int32(i)
		if m.Of != nil {
			at = m.Of[i]
		}
		of[i] = out.Of[at]
	}
	out.Weights, out.Of = weights, of
	return out
}

// recodeUnits is Recode where units are counted.
func (m *Merged) recodeUnits(dict *Dictionary, to []int32) *Merged {
	out := mergeUnits(m.Dataset.Recode(dict, to), m.Units, m.Weights)
	if m.Of == nil {
		return out
	}
	of := make([]int32, len(m.Of))
	for i, at := range m.Of {
		of[i] = out.Of[at]
	}
	out.Of = of
	return out
}

// originals is the number of original transactions.
func (m *Merged) originals() int {
	if m.Of == nil {
		return m.Len()
	}
	return len(m.Of)
}

// fewTransactions are recoded by one goroutine: to start others takes as long.
const fewTransactions = 4096

// recodeBy is Recode without columns and lines, on at most so many goroutines.
func (d *Dataset) recodeBy(dict *Dictionary, to []int32, workers int) *Dataset {
	if workers < 2 || d.packed != nil || d.Len() < fewTransactions || unchanged(to) {
		return d.Recode(dict, to)
	}
	parts := make([]*Dataset, workers)
	par.Each(context.Background(), workers, workers, func(_ context.Context, i int) error {
		own := slices.Clone(d.offsets[d.Len()*i/workers : d.Len()*(i+1)/workers+1])
		begin, end := own[0], own[len(own)-1]
		for at := range own {
			own[at] -= begin
		}
		part := &Dataset{dict: d.dict, items: d.items[begin:end], offsets: own, counted: &counted{}}
		parts[i] = part.Recode(dict, to)
		return nil
	})
	out := parts[0]
	for _, p := range parts[1:] {
		before := uint32(len(out.items))
		out.items = append(out.items, p.items...)
		for _, end := range p.offsets[1:] {
			out.offsets = append(out.offsets, before+end)
		}
	}
	return out
}
