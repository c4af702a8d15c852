package attack

import (
	"errors"
	"fmt"
	"slices"

	"mingle/dataset"
	"mingle/release"
)

// Nonreciprocal is a release by base sets, uncertain items and thresholds (xue-2012). A record
// matches if one of its possible worlds holds all known items: each is in its base or uncertain,
// and no more of them are outside the base than its threshold.
func Nonreciprocal(data *dataset.Dataset, r *release.Nonreciprocal) (*Case, error) {
	if data == nil {
		return nil, errors.New("attack: no data is given")
	}
	if err := r.Check(); err != nil {
		return nil, fmt.Errorf("attack: %w", err)
	}
	// the release may have items of its own, behind those of the original
	own, theirs := data.Dict(), r.Dict()
	if own != theirs && (theirs.Len() < own.Len() ||
		!slices.Equal(own.Labels(), theirs.Labels()[:own.Len()])) {
		return nil, errors.New("attack: the release is not over the items of the original: " +
			"read it with the dictionary of the original")
	}
	c := &Case{kind: "nonreciprocal", data: data, before: original(data)}
	c.after = nonreciprocalView(r, data.Dict().Len())
	c.hidden = c.after.fill(data.Supports())
	return c, nil
}

func nonreciprocalView(r *release.Nonreciprocal, items int) *View {
	v := newView(r.Len(), items)
	base, uncertain := postings(r.Base), postings(r.Uncertain)
	outside := make([]list, items) // records that may have an item which is not in their base
	for x := range items {
		outside[x] = newList(minus(uncertain[x], base[x]), r.Len())
		may := union(base[x], uncertain[x])
		if len(may) > 0 {
			v.may[x] = v.add(may)
		}
		if sure := minus(base[x], uncertain[x]); len(sure) > 0 {
			v.sure[x] = v.add(sure)
		}
	}
	v.byLists = true
	v.fits = func(items []int32) func(record int32) bool {
		var beyond []seeker // for the records in turn, which ascend
		hidden := int32(0)
		for _, x := range items {
			if len(base[x])+len(uncertain[x]) == 0 {
				hidden++
			} else if outside[x].n > 0 {
				beyond = append(beyond, seeker{list: &outside[x]})
			}
		}
		return func(record int32) bool {
			left := r.Threshold[record] - hidden
			if left >= int32(len(beyond)) {
				return true
			}
			for i := range beyond {
				if beyond[i].has(record) {
					left--
				}
			}
			return left >= 0
		}
	}
	return v
}

// minus is the part of a, ascending, that is not in b.
func minus(a, b []int32) []int32 {
	var out []int32
	for _, r := range a {
		if _, in := slices.BinarySearch(b, r); !in {
			out = append(out, r)
		}
	}
	return out
}

// Labels adds the sensitive labels of the original transactions; the release must carry labels of
// its own.
func (c *Case) Labels(data, published []string) error {
	all := slices.Concat(data, published)
	slices.Sort(all)
	dict := dataset.MustDictionary(slices.Compact(all))
	sets := func(labels []string) *dataset.Dataset {
		b := dataset.NewBuilder(dict)
		for _, l := range labels {
			id, _ := dict.ID(l)
			b.Add([]int32{id})
		}
		return b.Build()
	}
	return c.Sensitive(sets(data), sets(published))
}
