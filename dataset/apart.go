package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// Split takes the sensitive items out of a dataset: plain has the same transactions without them,
// sensitive has them alone, over a dictionary of exactly the given labels. Both have the repeats
// and the surplus of d. A label that comes twice is an error.
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
	return d.Recode(d.Dict(), keep).asRead(d), d.Recode(dict, take).asRead(d), nil
}

// Join is the reverse of Split for published data: each transaction gets its sensitive items again,
// as items behind all others. Both must have the same transactions, and no label in common.
func Join(plain, sensitive *Dataset) (*Dataset, error) {
	if plain.Len() != sensitive.Len() {
		return nil, fmt.Errorf("%d transactions and the sensitive items of %d do not belong together",
			plain.Len(), sensitive.Len())
	}
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
	out, err := b.Finish()
	if err != nil {
		return nil, err
	}
	return out.WithProvenance(plain), nil
}

// Misspelt are the items that differ from a listed one only in the blanks around them: they would
// be no sensitive items, and nobody would notice.
func Misspelt(d *Dictionary, list []string) (faults Faults) {
	listed, trimmed := map[string]bool{}, map[string]string{}
	for _, item := range list {
		listed[item] = true
		trimmed[strings.TrimSpace(item)] = item
	}
	for _, item := range d.Labels() {
		near, is := trimmed[strings.TrimSpace(item)]
		if is && !listed[item] {
			faults.Addf(0, "lists %q, and the data has %q, which is another item: list it as it "+
				"is in the data, with its blanks", near, item)
		}
	}
	return faults
}
