package measure

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
)

// What is not bound to the hierarchy is refused by all that measure it: the ids would be those of
// other items.
func TestMeasureNeedsBoundData(t *testing.T) {
	h := figure1(t)
	data := lines(t, h.LeafDict(), "a1 b1", "a1 b1")
	published := lines(t, h.Dict(), "a1 b1", "a1 b1")
	turned := func(d *dataset.Dataset) *dataset.Dataset {
		labels := slices.Clone(d.Dict().Labels())
		slices.Reverse(labels)
		same := make([]int32, len(labels))
		for id := range same {
			same[id] = int32(id)
		}
		return d.Recode(dataset.MustDictionary(labels), same)
	}
	for name, c := range map[string]struct {
		tree                *hierarchy.Tree
		original, published *dataset.Dataset
		fine                bool
	}{
		"bound":           {h, data, published, true},
		"no hierarchy":    {nil, data, published, false},
		"no original":     {h, nil, published, false},
		"no release":      {h, data, nil, false},
		"other leaves":    {h, turned(data), published, false},
		"other nodes":     {h, data, turned(published), false},
		"never encoded":   {h, dataset.FromLabels([][]string{{"a1"}, {"z"}}), published, false},
		"leaves as nodes": {h, data, data, false},
	} {
		for what, measure := range map[string]func() error{
			"NCP": func() error {
				_, err := NCPOf(t.Context(), c.tree, c.original, c.published, 1)
				return err
			},
			"ML2": func() error {
				_, err := ML2(t.Context(), c.tree, c.original, c.published, MiningOptions{})
				return err
			},
			"query error": func() error {
				_, err := QueryError(t.Context(), rand.New(rand.NewPCG(1, 1)), c.tree, c.original,
					c.published, QueryOptions{Queries: 1, Size: 1})
				return err
			},
		} {
			if err := measure(); (err == nil) != c.fine {
				t.Errorf("%s of %s: %v", what, name, err)
			}
		}
	}
	if _, err := PublishedNCP(h, turned(published)); err == nil {
		t.Error("the NCP of a release of another hierarchy is told")
	}
}
