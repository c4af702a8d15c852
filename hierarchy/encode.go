package hierarchy

import (
	"errors"
	"fmt"
	"strings"

	"mingle/dataset"
)

// MissingItem is an item of the data that the hierarchy does not know.
type MissingItem struct {
	Label     string `json:"label"`
	Count     int    `json:"count"`           // transactions that contain it
	FirstLine int    `json:"first_line"`      // source line of the first of them
	Group     bool   `json:"group,omitempty"` // the hierarchy has it, but as a group
}

// MissingItemsError lists every item of the data that the hierarchy does not know, in order of
// their ids.
type MissingItemsError struct {
	Items []MissingItem
	// Hint says in which other spelling most of them would be there; "": in none that is known.
	Hint string
}

func (e *MissingItemsError) Error() string {
	const shown = 20
	var s strings.Builder
	for i, m := range e.Items {
		if i == shown {
			fmt.Fprintf(&s, "\n... and %d more", len(e.Items)-shown)
			break
		}
		if i > 0 {
			s.WriteByte('\n')
		}
		transactions := "transactions"
		if m.Count == 1 {
			transactions = "transaction"
		}
		fmt.Fprintf(&s, "item %q (first on line %d, in %d %s) is not a leaf of the "+
			"hierarchy", m.Label, m.FirstLine, m.Count, transactions)
		if m.Group {
			s.WriteString(" but a group: rename the group, or the item")
		}
	}
	if e.Hint != "" {
		s.WriteString("\n" + e.Hint)
	}
	return s.String()
}

// Encode binds data to the hierarchy: item ids become leaf ids. An item that is not a leaf is a
// *MissingItemsError.
func (t *Tree) Encode(d *dataset.Dataset) (*dataset.Dataset, error) {
	return t.encode(d, t.leaves, t.Leaves())
}

// EncodePublished binds published data: item ids become node ids, leaves and inner nodes alike. A
// label that no node has is a *MissingItemsError.
func (t *Tree) EncodePublished(d *dataset.Dataset) (*dataset.Dataset, error) {
	bound, err := t.encode(d, t.dict, t.Nodes())
	if err == nil {
		// which tell of the persons, and are judged or told of
		bound.Repeats, bound.Surplus = d.Repeats, d.Surplus
	}
	return bound, err
}

// CheckBound refuses data that is not bound to the hierarchy: its ids name other items, or none.
func (t *Tree) CheckBound(d *dataset.Dataset) error {
	switch {
	case t == nil:
		return errNoTree
	case d == nil:
		return errors.New("no data is given")
	case !d.Dict().Equal(t.leaves):
		return errors.New("the data is not bound to the leaves of the hierarchy: " +
			"call Tree.Encode")
	}
	return nil
}

// CheckBoundPublished refuses published data that is not bound to the hierarchy.
func (t *Tree) CheckBoundPublished(d *dataset.Dataset) error {
	switch {
	case t == nil:
		return errNoTree
	case d == nil:
		return errors.New("no published data is given")
	case !d.Dict().Equal(t.dict):
		return errors.New("the published data is not bound to the nodes of the hierarchy: " +
			"call Tree.EncodePublished")
	}
	return nil
}

var errNoTree = errors.New("no hierarchy is given")

func (t *Tree) encode(
	d *dataset.Dataset, dict *dataset.Dictionary, limit int,
) (*dataset.Dataset, error) {
	to, whole := t.nodesOf(d, limit)
	if !whole {
		if missing := t.missingItems(d, to); len(missing) > 0 {
			return nil, &MissingItemsError{missing, t.hint(missing)}
		}
	}
	return d.Recode(dict, to), nil
}

// nodesOf is the node of every item of the dictionary, -1 where there is none below limit.
func (t *Tree) nodesOf(d *dataset.Dataset, limit int) (to []int32, whole bool) {
	to, whole = make([]int32, d.Dict().Len()), true
	for id, label := range d.Dict().Labels() {
		u, ok := t.Node(label)
		if !ok || int(u) >= limit {
			u, whole = -1, false
		}
		to[id] = u
	}
	return to, whole
}

// missingItems counts what has no node. Labels of the dictionary that no transaction uses do no
// harm.
func (t *Tree) missingItems(d *dataset.Dataset, to []int32) []MissingItem {
	count := make([]int, len(to))
	first := make([]int, len(to))
	for i, tx := range d.All() {
		for _, it := range tx {
			if to[it] < 0 {
				if count[it] == 0 {
					first[it] = d.Line(i)
				}
				count[it]++
			}
		}
	}
	var missing []MissingItem
	for id, n := range count {
		if n > 0 {
			label := d.Dict().Label(int32(id))
			_, group := t.Node(label)
			missing = append(missing, MissingItem{label, n, first[id], group})
		}
	}
	return missing
}
