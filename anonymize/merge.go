package anonymize

import "mingle/dataset"

// MergeSensitive makes one of transactions that agree in items and sensitive items. The merged data
// has the items alone, so its transactions need not be distinct; the second result is their
// sensitive items. In.Sensitive must not be nil.
func MergeSensitive(in Input) (merged *dataset.Merged, sensitive *dataset.Dataset) {
	items := in.Tree.Leaves()
	both := dataset.NewBuilder(dataset.Unnamed(items + in.Sensitive.Dict().Len()))
	both.Grow(in.Data.Len(), in.Data.Occurrences()+in.Sensitive.Occurrences())
	var tx []int32
	data, sens := in.Data.Cursor(), in.Sensitive.Cursor()
	for i := range in.Data.Len() {
		tx = append(tx[:0], data.Tx(i)...)
		for _, s := range sens.Tx(i) {
			tx = append(tx, s+int32(items))
		}
		both.Add(tx)
	}
	merged = dataset.Merge(both.Build())
	plain, apart := dataset.NewBuilder(in.Data.Dict()), dataset.NewBuilder(in.Sensitive.Dict())
	for i := range merged.Len() {
		tx = append(tx[:0], merged.Tx(i)...)
		n := 0
		for n < len(tx) && int(tx[n]) < items {
			n++
		}
		plain.Add(tx[:n])
		for j := range tx[n:] {
			tx[n+j] -= int32(items)
		}
		apart.Add(tx[n:])
	}
	merged.Dataset = plain.Build()
	return merged, apart.Build()
}
