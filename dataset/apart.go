package dataset

import "slices"

// Split takes the sensitive items out of a dataset: plain has the same transactions without them,
// sensitive has them alone, over a dictionary of exactly the given labels. A label that comes twice
// is an error.
func Split(d *Dataset, labels []string) (plain, sensitive *Dataset, err error) {
	dict, err := NewDictionary(labels)
	if err != nil {
		return nil, nil, err
	}
	keep, take := make([]int32, d.Dict().Len()), make([]int32, d.Dict().Len())
	for id, label := range d.Dict().Labels() {
		keep[id], take[id] = int32(id), -1
		if s, ok := dict.ID(label); ok {
			keep[id], take[id] = -1, s
		}
	}
	return d.Recode(d.Dict(), keep), d.Recode(dict, take), nil
}

// Join is the reverse of Split for published data: each transaction gets its sensitive items again.
func Join(plain, sensitive *Dataset) (*Dataset, error) {
	nodes := plain.Dict().Len()
	dict, err := NewDictionary(
		slices.Concat(plain.Dict().Labels(), sensitive.Dict().Labels()),
	)
	if err != nil {
		return nil, err
	}
	b := NewBuilder(dict)
	b.Grow(plain.Len(), plain.Occurrences()+sensitive.Occurrences())
	var tx []int32
	items, sens := plain.Cursor(), sensitive.Cursor()
	for i := range plain.Len() {
		tx = append(tx[:0], items.Tx(i)...)
		for _, s := range sens.Tx(i) {
			tx = append(tx, s+int32(nodes))
		}
		b.Add(tx)
	}
	return b.Build().WithProvenance(plain), b.Err()
}
