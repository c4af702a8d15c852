package report

import (
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/release"
)

// Count counts what anyone can count in published data. Sensitive are the items of the same lines
// that were told apart from the others, and that the file has among them; nil: none.
func Count(published, sensitive *dataset.Dataset) Published {
	p := Published{
		Transactions: published.Len(), Empty: published.Empty(),
		Occurrences: published.Occurrences(), Longest: published.MaxLen(),
		Items: len(published.Occurring()),
	}
	if sensitive == nil {
		return p
	}
	p.Occurrences += sensitive.Occurrences()
	p.Items += len(sensitive.Occurring())
	p.Empty, p.Longest = 0, 0
	beside := sensitive.Cursor()
	for i, tx := range published.All() {
		n := len(tx) + len(beside.Tx(i))
		if n == 0 {
			p.Empty++
		}
		p.Longest = max(p.Longest, n)
	}
	return p
}

// Recoding lists the groups that occur in published data, whose items are node ids of t, each with
// all items of the hierarchy below it: whether the original has them is not told.
func Recoding(t *hierarchy.Tree, published *dataset.Dataset) []Rule {
	rules := []Rule{}
	for u, n := range published.Supports() {
		if u := int32(u); n > 0 && !t.IsLeaf(u) {
			lo, hi := t.Range(u)
			rules = append(rules, Rule{t.Label(u), slices.Clone(t.LeafDict().Labels()[lo:hi])})
		}
	}
	return rules
}

// AuditItems lists the items of the original that occur, by label, with all that they are published
// as. "" stands for a suppressed occurrence.
func AuditItems(g *release.Generalized) []AuditItem {
	type use struct{ item, node int32 }
	seen := map[use]bool{}
	var uses []use
	g.Each(func(item, node int32) {
		if u := (use{item, node}); !seen[u] {
			seen[u] = true
			uses = append(uses, u)
		}
	})
	slices.SortFunc(uses, func(a, b use) int {
		if a.item != b.item {
			return int(a.item - b.item)
		}
		return int(a.node - b.node)
	})
	supports := g.Data.Supports()
	var out []AuditItem
	for i, u := range uses {
		if i == 0 || uses[i-1].item != u.item {
			out = append(out, AuditItem{Item: g.Tree.Label(u.item), Support: supports[u.item]})
		}
		as := ""
		if u.node != release.Suppressed {
			as = g.Tree.Label(u.node)
		}
		last := &out[len(out)-1]
		last.PublishedAs = append(last.PublishedAs, as)
	}
	return out
}

// SensitiveItems lists the sensitive items that occur; they are published as they are.
func SensitiveItems(d *dataset.Dataset) []AuditItem {
	var out []AuditItem
	for _, s := range d.Occurring() {
		label := d.Dict().Label(s)
		out = append(out, AuditItem{
			Item: label, Support: d.Supports()[s], PublishedAs: []string{label},
		})
	}
	return out
}

// NotPublished lists the items of the hierarchy that no published label stands for, by label.
// Whether the original has them is not told.
func NotPublished(t *hierarchy.Tree, published *dataset.Dataset) []string {
	used := published.Supports()
	var out []string
	for x := range int32(t.Leaves()) {
		u := x
		for u >= 0 && used[u] == 0 {
			u = t.Parent(u)
		}
		if u < 0 {
			out = append(out, t.Label(x))
		}
	}
	return out
}

// RecodingKind is "global" where no published label is above another, so that every item has one
// label only, and "local" otherwise.
func RecodingKind(t *hierarchy.Tree, published *dataset.Dataset) string {
	if t.Antichain(published.Supports()) {
		return "global"
	}
	return "local"
}
