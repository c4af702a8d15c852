package dataset

// Recode recodes merged data (see [Dataset.Recode]) and merges what became identical.
func (m *Merged) Recode(dict *Dictionary, to []int32) *Merged {
	if m.Units != nil {
		return m.recodeUnits(dict, to)
	}
	out := Merge(m.Dataset.Recode(dict, to))
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
