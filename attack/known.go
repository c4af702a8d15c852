package attack

import (
	"errors"
	"slices"

	"mingle/dataset"
)

// Knowing is a case in which sensitive items are among what is known, of one over a hierarchy in
// which they are inferred (Sensitive). A record has a sensitive item that it publishes, and no
// other: where occurrences were left out, the right record may be missing among the candidates.
func (c *Case) Knowing() (*Case, error) {
	if c.tree == nil || c.sensitive == nil {
		return nil, errors.New("attack: sensitive items are taken as known of releases over a " +
			"hierarchy that have some")
	}
	data, err := dataset.Join(c.data, c.sensitive)
	if err != nil {
		return nil, err
	}
	k := &Case{
		kind: c.kind, data: data, before: original(data),
		after: c.after.knowing(), tree: c.tree, published: c.published, known: true,
		missing: c.missing + c.sensitive.Occurrences() - c.carried.Occurrences(),
		notes:   slices.Clone(c.notes),
	}
	k.before.person = c.before.person
	k.hidden = c.hidden + k.after.fill(data.Supports())
	k.lines = func(some, records []int32) (*Case, error) {
		sub, err := c.lines(some, records)
		if err != nil {
			return nil, err
		}
		if err := sub.Sensitive(plain(c.sensitive).Select(some),
			plain(c.carried).Select(records)); err != nil {
			return nil, err
		}
		return sub.Knowing()
	}
	k.WithKnown(c)
	return k, nil
}

// knowing is the view with the sensitive items for further items.
func (v *View) knowing() *View {
	out := *v
	out.lists, out.sensitive = slices.Clip(v.lists), nil // they are items here
	out.may, out.sure = slices.Clone(v.may), slices.Clone(v.sure)
	for _, l := range v.sensitive {
		if v.size(l) == 0 {
			l = -1
		}
		out.may, out.sure = append(out.may, l), append(out.sure, l)
	}
	return &out
}
