package mingle

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"mingle/dataset"
	"mingle/hierarchy"
)

// ReadItems reads a list of items, one a line. Blank lines and repeats do no harm.
func ReadItems(r io.Reader, name string) ([]string, error) {
	var items []string
	var faults []error
	in := bufio.NewReader(r)
	for line, more := 1, true; more; line++ {
		text, err := in.ReadString('\n')
		if more = err == nil; err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if line == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if !utf8.ValidString(text) {
			faults = append(faults, fmt.Errorf("%s:%d: broken UTF-8: save the file as UTF-8", name, line))
		}
		if item := strings.TrimSpace(text); item != "" {
			items = append(items, item)
		}
	}
	if len(faults) > 0 {
		return nil, someFaults(faults)
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("%s: the list of items is empty: give one item a line", name)
	}
	slices.SortFunc(items, dataset.CompareLabels)
	return slices.Compact(items), nil
}

// someFaults joins the first 20 faults and counts the rest.
func someFaults(faults []error) error {
	const shown = 20
	if more := len(faults) - shown; more > 0 {
		faults = append(faults[:shown:shown], fmt.Errorf("... and %d more", more))
	}
	return errors.Join(faults...)
}

// Split takes the sensitive items out of a dataset: plain has the same transactions without them, sensitive has them
// alone, over a dictionary of exactly the given labels.
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
	dict, err := dataset.NewDictionary(slices.Concat(plain.Dict().Labels(), sensitive.Dict().Labels()))
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

// withoutSensitive takes sensitive items out of the hierarchy. One that is the label of a group cannot be: in the
// published file it could not be told from the group.
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
