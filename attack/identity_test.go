package attack_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/attack"
	"mingle/dataset"
)

// Where the original itself is published, what is published tells as much as the original: with
// sensitive items inferred or known, persons, columns, and what a person does not have.
func TestTheOriginalAsReleaseTellsAsMuch(t *testing.T) {
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 40))
		tree := randomTree(t, rng)
		data := randomData(rng, tree)
		published, err := tree.EncodePublished(dataset.FromLabels(labelsOf(data)))
		if err != nil {
			t.Fatal(err)
		}
		c, err := attack.Generalized(tree, data, published)
		if err != nil {
			t.Fatal(err)
		}
		if persons := rng.IntN(2) == 0; persons {
			person := make([]int32, data.Len())
			for i := range person {
				person[i] = int32(rng.IntN(len(person)/2+1)) - 1
			}
			if err := c.ByPersons(person); err != nil {
				t.Fatal(err)
			}
		}
		o := attack.Options{M: 1 + rng.IntN(2), K: 2, Draws: 500}
		beside := cells(rng, data.Len())
		known := rng.IntN(3)
		if known > 0 {
			sensitive := dataset.FromLabels(someOf(rng, data.Len(), "S", "T"))
			if err := c.Sensitive(sensitive, sensitive); err != nil {
				t.Fatal(err)
			}
			if known > 1 && sensitive.Occurrences() > 0 {
				if c, err = c.Knowing(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if known < 2 {
			o.NegativeKnowledge = rng.IntN(2) == 0
		}
		if rng.IntN(3) > 0 {
			if err := c.Column("v", beside, beside); err != nil {
				t.Fatal(err)
			}
		}
		r, err := c.Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.SinglingOut {
			asMuch(t, seed, "singling out", s.Before, s.After)
		}
		for _, l := range r.Lacking {
			asMuch(t, seed, "lacking", l.Before, l.After)
		}
		for _, l := range r.Linking {
			asMuch(t, seed, "linking", l.Before, l.After)
		}
		for _, i := range r.Inference {
			asMuch(t, seed, "inference of "+i.Of+i.Column, i.Before, i.After)
		}
	}
}

func asMuch(t *testing.T, seed uint64, what string, before, after any) {
	t.Helper()
	if d := cmp.Diff(before, after); d != "" {
		t.Errorf("seed %d: %s: %s", seed, what, d)
	}
}

func labelsOf(d *dataset.Dataset) [][]string {
	out := make([][]string, d.Len())
	for i := range out {
		out[i] = d.Labels(i)
	}
	return out
}

// someOf gives each line each of some labels with probability 0.4.
func someOf(rng *rand.Rand, lines int, labels ...string) [][]string {
	out := make([][]string, lines)
	for i := range out {
		for _, x := range labels {
			if rng.IntN(5) < 2 {
				out[i] = append(out[i], x)
			}
		}
	}
	return out
}

func cells(rng *rand.Rand, lines int) attack.Cells {
	c := attack.Cells{Values: make([]string, lines), Has: make([]bool, lines)}
	for i := range c.Values {
		c.Values[i] = []string{"", "=u", "=v", "=w"}[rng.IntN(4)]
		c.Has[i] = c.Values[i] != ""
	}
	return c
}
