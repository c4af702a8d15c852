package pipeline

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/limits"
)

// ReadItems reads a list of items, one a line, of at most 64 MiB. Blank lines and repeats do no
// harm.
func ReadItems(r io.Reader, name string) ([]string, error) {
	text, err := limits.All(r, limits.MaxList, "a list of items")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	bad := dataset.Faults{Name: name}
	seen := map[string]bool{}
	for line := 1; len(text) > 0; line++ {
		var item []byte
		item, text, _ = bytes.Cut(text, []byte("\n"))
		if item = bytes.TrimSpace(item); !utf8.Valid(item) {
			noteFault(&bad, line, "broken UTF-8: save the file as UTF-8")
		} else if len(item) > 0 && !seen[string(item)] {
			seen[string(item)] = true
		}
	}
	if len(bad.List) > 0 {
		return nil, &bad
	}
	if len(seen) == 0 {
		return nil, fmt.Errorf("%s: the list of items is empty: give one item a line", name)
	}
	return slices.SortedFunc(maps.Keys(seen), dataset.CompareLabels), nil
}

// noteFault adds a fault, of which the first 20 are told.
func noteFault(bad *dataset.Faults, line int, why string) {
	if len(bad.List) == 20 {
		bad.More++
		return
	}
	bad.List = append(bad.List, dataset.Fault{Line: line, Text: why})
}

// someFaults joins the first 20 faults and counts the rest.
func someFaults(faults []error) error {
	const shown = 20
	if more := len(faults) - shown; more > 0 {
		faults = append(faults[:shown:shown], fmt.Errorf("... and %d more", more))
	}
	return errors.Join(faults...)
}

// Split takes the sensitive items out of a dataset: plain has the same transactions without them,
// sensitive has them alone, over a dictionary of exactly the given labels.
func Split(d *dataset.Dataset, labels []string) (plain, sensitive *dataset.Dataset, err error) {
	dict, err := dataset.NewDictionary(labels)
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
func Join(plain, sensitive *dataset.Dataset) (*dataset.Dataset, error) {
	nodes := plain.Dict().Len()
	dict, err := dataset.NewDictionary(
		slices.Concat(plain.Dict().Labels(), sensitive.Dict().Labels()),
	)
	if err != nil {
		return nil, err
	}
	b := dataset.NewBuilder(dict)
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

// withoutSensitive takes sensitive items out of the hierarchy. One that is the label of a group
// cannot be: in the published file it could not be told from the group.
func withoutSensitive(t *hierarchy.Tree, labels []string) (*hierarchy.Tree, error) {
	var faults []error
	for _, l := range labels {
		if u, ok := t.Node(l); ok && !t.IsLeaf(u) {
			faults = append(faults, fmt.Errorf("sensitive item %q is a group of the hierarchy: list the items themselves", l))
		}
	}
	if len(faults) > 0 {
		return nil, someFaults(faults)
	}
	return t.Without(labels)
}
