package dataset

import (
	"slices"
	"strings"

	"mingle/dataset/column"
)

// columnFinder looks up columns that have types.
type columnFinder struct {
	finder
	fields []column.Field
	opts   Options
}

// isLong tells whether a row is an item: by the columns that are named, else by their usual names.
func (f columnFinder) isLong() bool {
	o := f.opts
	if o.TransactionColumn != "" || o.ItemColumn != "" {
		return true
	}
	if o.SetColumn != "" {
		return false
	}
	_, transaction := guess(f.names, o.usual.Transaction)
	item, named := guess(f.names, o.usual.Item)
	set, table := guess(f.names, o.usual.Set)
	long := transaction && named && !f.fields[item].List
	return long && !(table && (f.fields[set].List || !slices.Contains(o.usual.Item, f.names[set])))
}

// text notes that a column cannot be used as one of texts.
func (f columnFinder) text(i int, what string) {
	if i < 0 {
		return
	}
	if c := f.fields[i]; c.Unusable != "" {
		f.bad.Addf(0, "column %q cannot be the column of %s: %s", c.Name, what, c.Unusable)
	} else if c.List {
		f.bad.Addf(0, "column %q cannot be the column of %s: it holds lists. Is it that of the sets "+
			"(--set-column)?", c.Name, what)
	}
}

// long finds the columns of a file with a row an item.
func (p *columnParser) long(find columnFinder) {
	o := find.opts
	tx, item := find.pair(o)
	find.text(tx, "transactions")
	find.text(item, "items")
	p.layout = layout{long: true, labels: map[string]bool{}}
	p.chosen = []int{tx, item}
	p.tx, p.item = 0, 1
	for _, name := range slices.Concat(o.textColumns(), o.Keep) {
		i := find.column(name)
		switch {
		case i == item && i >= 0, i == tx && i >= 0 && !slices.Contains(o.Keep, name):
			find.bad.Addf(0, "column %q cannot be a label: it is the transaction or the item", name)
		case i >= 0 && i != tx && !slices.Contains(p.chosen[2:], i):
			find.text(i, "values")
			p.chosen = append(p.chosen, i)
		}
	}
	slices.Sort(p.chosen[2:])
	p.keep(find, 2)
	if tx >= 0 && item >= 0 {
		p.layout.transaction, p.layout.item = find.names[tx], find.names[item]
	}
}

// keep notes which of the chosen columns are kept.
func (p *columnParser) keep(find columnFinder, from int) {
	for at := from; at < len(p.chosen); at++ {
		name := find.names[p.chosen[at]]
		p.kept, p.names = append(p.kept, at), append(p.names, name)
	}
	p.layout.labels = stringSet(p.names)
}

// table finds the columns of a file with a row a transaction. All others are read that can be.
func (p *columnParser) table(find columnFinder) {
	set := find.set()
	if set >= 0 && find.fields[set].Unusable != "" {
		find.bad.Addf(0, "column %q cannot be the column of the sets: %s", find.names[set],
			find.fields[set].Unusable)
	}
	named := slices.Concat(find.opts.textColumns(), find.opts.Keep)
	for _, name := range named {
		if i := find.column(name); i >= 0 && i == set {
			find.bad.Addf(0, "column %q cannot be a label: it holds the set", name)
		} else {
			find.text(i, "values")
		}
	}
	if find.bad.Any() || set < 0 {
		return
	}
	p.chosen, p.set, p.list = []int{set}, 0, find.fields[set].List
	for i, f := range find.fields {
		switch {
		case i == set:
			p.layout.at = len(p.chosen) - 1
		case f.List:
			p.passed = append(p.passed, f.Name+" (lists)")
		case f.Unusable != "":
			p.passed = append(p.passed, f.Name+" ("+strings.TrimPrefix(f.Unusable, "it holds ")+")")
		default:
			p.chosen = append(p.chosen, i)
		}
	}
	p.keep(find, 1)
	p.layout.set = find.names[set]
}

// set finds the column of the sets: as it is named, by the usual names, or the only one of lists.
func (f columnFinder) set() int {
	if f.opts.SetColumn != "" {
		return f.column(f.opts.SetColumn)
	}
	if i, ok := guess(f.names, f.opts.usual.Set); ok {
		return i
	}
	only := -1
	for i, c := range f.fields {
		if c.List && c.Unusable == "" {
			if only >= 0 {
				only = -1
				break
			}
			only = i
		}
	}
	if only < 0 {
		f.bad.Addf(0, "which column holds the sets? Name it with --set-column, or the two columns of "+
			"a file with an item a row with --transaction-column and --item-column: %s", f.columns())
	}
	return only
}
