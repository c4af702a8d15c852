package attack

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"mingle/dataset"
	"mingle/hierarchy"
)

// Case is an original and its release, ready to be attacked. Generalized, Suppressed, Nonreciprocal
// and Ranges make one.
type Case struct {
	kind          string
	data          *dataset.Dataset // persons: what an adversary may know is a part of a transaction
	before, after *View
	sensitive     *dataset.Dataset // of the same transactions; nil: none
	carried       *dataset.Dataset // those of the records
	known         bool             // sensitive items are among the data: see Knowing
	targets       []bool           // by item: whether it is inferred; nil: all are
	missing       int              // occurrences of the original that the release does not cover
	hidden        int              // items of the original that are not published at all
	notes         []string
	columns       []column // sensitive ones
	// a case of some of the transactions and some of the records; nil: there is none
	lines func(data, published []int32) (*Case, error)

	tree       *hierarchy.Tree  // of a release over a hierarchy; nil: it is another
	published  *dataset.Dataset // the same release
	had, needs needs            // of transactions, and of records; see lacking
}

// Generalized is a release over a hierarchy, global or local: the items of original are leaf ids of
// t (see hierarchy.Tree.Encode), those of published node ids (see EncodePublished). A published
// transaction matches if it has each known item or an ancestor of it.
func Generalized(t *hierarchy.Tree, data, published *dataset.Dataset) (*Case, error) {
	err := cmp.Or(t.CheckBound(data), t.CheckBoundPublished(published))
	if err != nil {
		return nil, fmt.Errorf("attack: %w", err)
	}
	c := &Case{kind: "generalized", data: data, before: original(data)}
	c.tree, c.published = t, published
	c.lines = func(some, records []int32) (*Case, error) {
		return Generalized(t, plain(data).Select(some), plain(published).Select(records))
	}
	c.after = generalizedView(t, published)
	c.hidden = c.after.fill(data.Supports())
	c.missing = missing(t, data, published)
	return c, nil
}

// generalizedView lists, for every leaf, the transactions that publish a node at or above it.
// Leaves below the same nodes share their lists.
func generalizedView(t *hierarchy.Tree, published *dataset.Dataset) *View {
	v := newView(published.Len(), t.Leaves())
	has := postings(published)
	// list of the transactions that publish a node at or above this
	covers := slices.Repeat([]int32{-1}, t.Nodes())
	// the same as ids, for inner nodes whose children come
	records := make([][]int32, t.Nodes())
	for u := t.Root(); u >= 0; u-- {
		p := t.Parent(u)
		switch {
		case len(has[u]) == 0 && p >= 0:
			covers[u], records[u] = covers[p], records[p]
		case p < 0:
			records[u] = has[u]
		default:
			records[u] = union(records[p], has[u])
		}
		if len(has[u]) > 0 {
			covers[u] = v.add(records[u])
		}
		if t.IsLeaf(u) {
			v.may[u] = covers[u]
			records[u] = nil
		}
	}
	sure := make([][]int32, t.Leaves())
	(&own{tree: t}).each(published, 1, func(line int32, leaves []int32) {
		sure[leaves[0]] = append(sure[leaves[0]], line)
	})
	for x, ids := range sure {
		switch {
		case len(ids) == 0:
		case v.size(v.may[x]) == len(ids):
			v.sure[x] = v.may[x]
		default:
			v.sure[x] = v.add(ids)
		}
	}
	return v
}

func union(a, b []int32) []int32 {
	if len(a) == 0 {
		return b
	}
	out := make([]int32, 0, len(a)+len(b))
	out = append(append(out, a...), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

// missing counts the occurrences that line i of the release does not cover.
func missing(t *hierarchy.Tree, d, published *dataset.Dataset) int {
	if d.Len() != published.Len() {
		return max(0, d.Occurrences()-published.Occurrences())
	}
	n := 0
	for i := range d.Len() {
		tx := published.Tx(i)
		for _, u := range d.Tx(i) {
			for u >= 0 {
				if _, found := slices.BinarySearch(tx, u); found {
					break
				}
				u = t.Parent(u)
			}
			if u < 0 {
				n++
			}
		}
	}
	return n
}

// Suppressed is a release in which items were left out everywhere: both data sets are over one
// dictionary. Knowing an item that is nowhere published is of no use.
func Suppressed(data, published *dataset.Dataset) (*Case, error) {
	if data == nil || published == nil || !data.Dict().Equal(published.Dict()) {
		return nil, errors.New("attack: the data are not over the same items")
	}
	c := &Case{
		kind: "suppressed", data: data, before: original(data),
		after: original(published),
	}
	c.lines = func(some, records []int32) (*Case, error) {
		return Suppressed(plain(data).Select(some), plain(published).Select(records))
	}
	c.hidden = c.after.fill(data.Supports())
	return c, nil
}

// said are the notes of a case.
func (c *Case) said() []string {
	out := []string{}
	if c.hidden == 1 {
		out = append(out, "1 item is not published at all: knowing it is of no use, and it is "+
			"expected as often as it is frequent")
	} else if c.hidden > 1 {
		out = append(out, fmt.Sprintf("%d items are not published at all: knowing them is of no "+
			"use, and they are expected as often as they are frequent", c.hidden))
	}
	return append(out, c.notes...)
}

func (c *Case) notef(format string, args ...any) {
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

// Sensitive adds the sensitive items that the transactions of the original and the records of the
// release carry.
func (c *Case) Sensitive(data, published *dataset.Dataset) error {
	switch {
	case data.Len() != c.data.Len() || published.Len() != c.after.records:
		return errors.New("attack: the sensitive items are not of the same transactions as " +
			"the data")
	case !data.Dict().Equal(published.Dict()):
		return errors.New("attack: the sensitive items are not over the same dictionary")
	}
	c.sensitive, c.carried = data, published
	c.before.withSensitive(data)
	c.after.withSensitive(published)
	return nil
}
