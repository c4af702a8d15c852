package dataset

import (
	"fmt"
	"slices"
	"strings"
)

// This file looks for items that were hardly meant to be items. Nothing is changed: it is for the
// user to say, by the notes, how the file is to be read.

// suspicions are notes about such items.
func (d *Dataset) suspicions(format Format) []string {
	out := d.missingValues()
	if format == Fimi || format == Basket {
		if note := d.identifiers(); note != "" {
			out = append(out, note)
		}
	}
	if format == Basket {
		if note := d.header(); note != "" {
			out = append(out, note)
		}
	}
	return out
}

// missingValues notes items that stand for no value, and pieces of arrays as databases write them.
func (d *Dataset) missingValues() []string {
	var texts, pieces []int32
	for it, label := range d.dict.labels {
		switch {
		case MeansNothing(label):
			texts = append(texts, int32(it))
		case strings.HasPrefix(label, "{") || strings.HasSuffix(label, "}") ||
			strings.HasPrefix(label, "[") != strings.HasSuffix(label, "]"):
			pieces = append(pieces, int32(it))
		}
	}
	if len(texts)+len(pieces) == 0 {
		return nil
	}
	supports := d.Supports()
	named := func(items []int32) string {
		var out []string
		for _, it := range items[:min(3, len(items))] {
			out = append(out, fmt.Sprintf("%s (%d)", shown(d.dict.Label(it)), supports[it]))
		}
		if len(items) > 3 {
			out = append(out, "...")
		}
		return strings.Join(out, ", ")
	}
	var notes []string
	if len(texts) > 0 {
		notes = append(notes, "taken as items, though they look as if they stand for no value "+
			"(in so many transactions): "+named(texts)+". If so, take them out of the data")
	}
	if len(pieces) > 0 {
		notes = append(notes, "taken as items, though they look like pieces of an array, {a,b} or "+
			"[a,b] (in so many transactions): "+named(pieces)+". If so, take the brackets off")
	}
	return notes
}

// leastLines is how many lines are needed for a field that differs on all of them to be no chance.
const leastLines = 10

// identifiers notes that every line has an item that no other line has: the first field of a line
// is then often its number.
func (d *Dataset) identifiers() string {
	lines, alone := 0, 0
	supports := d.Supports()
	for _, tx := range d.All() {
		if len(tx) > 0 {
			lines++
		}
		if slices.ContainsFunc(tx, func(it int32) bool { return supports[it] == 1 }) {
			alone++
		}
	}
	if lines < leastLines || 50*alone < 49*lines {
		return ""
	}
	return fmt.Sprintf("%d of %d transactions have an item that no other has, so that one known "+
		"item singles them out: is a field of each line the number or the name of the transaction? "+
		"Take it out, or give the file as a table (--input-format table, --set-column)", alone, lines)
}

// header notes that the first line seems to name columns.
func (d *Dataset) header() string {
	if d.Len() < 2 || d.Line(0) != 1 || len(d.Tx(0)) == 0 {
		return ""
	}
	supports, names := d.Supports(), false
	for _, it := range d.Tx(0) {
		if supports[it] > 1 {
			return ""
		}
		names = names || isColumnName(d.dict.Label(it))
	}
	if !names {
		return ""
	}
	return fmt.Sprintf("line 1 is taken as a transaction, though its items are on no other line and "+
		"look like names of columns, such as %s: if so, say --header yes",
		shown(d.dict.Label(d.Tx(0)[0])))
}

// isColumnName tells whether a label is a word for a column, perhaps with a number: item_1.
func isColumnName(label string) bool {
	word := strings.TrimRight(strings.ToLower(label), "0123456789")
	word = strings.TrimRight(word, " _-.")
	return slices.Contains([]string{
		"id", "item", "items", "item(s)", "itemset", "product", "products", "transaction",
		"transaction_id", "transactionid", "tid", "customer", "customer_id", "patient", "date", "set",
		"invoice", "invoiceno", "basket", "order", "order_id", "code", "codes", "diagnosis",
	}, word)
}
