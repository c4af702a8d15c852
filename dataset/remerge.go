package dataset

// Recode recodes merged data (see [Dataset.Recode]) and merges what became identical.
func (m *Merged) Recode(dict *Dictionary, to []int32) *Merged {
	out := Merge(m.Dataset.Recode(dict, to))
	weights, of := make([]int32, out.Len()), make([]int32, len(m.Of))
	for i, at := range out.Of {
		weights[at] += m.Weights[i]
	}
	for i, at := range m.Of {
		of[i] = out.Of[at]
	}
	out.Weights, out.Of = weights, of
	return out
}
