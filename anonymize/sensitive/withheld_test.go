package sensitive_test

import (
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/anonymize/peel"
	"mingle/anonymize/suppress"
	"mingle/dataset"
	"mingle/internal/brute"
	"mingle/internal/soak"
	"mingle/release"
	"mingle/verify"
)

// Where transactions are left out with their values, what is published keeps what is promised of
// sensitive columns, of transactions and of persons: with empty lines for them and, where these are
// no part of the promise, without. It is judged by enumeration and by the verifier.
func TestSoakTransactionsSuppressedBesideColumns(t *testing.T) {
	rng := soak.Rand(18, 92)
	released, suppressed := map[string]int{}, map[string]int{}
	for range soak.Rounds(t, soak.Share(150, 2_500)) {
		c := random(t, rng)
		if rng.IntN(2) == 0 {
			c = randomOfPersons(t, rng)
		}
		if len(c.columns) == 0 || c.columns[0].Null && c.Promise.Persons {
			continue // such a release of persons is refused
		}
		c.Promise.SensitiveKnown, c.missing = false, true
		for _, inner := range []anonymize.Algorithm{
			global.AA{},
			exact.Algorithm{},
			partition.LRA{Parts: 2},
			partition.Algorithm{},
			local.Algorithm{},
			peel.Algorithm{},
		} {
			g, err := suppress.Transactions{Inner: inner, Max: 0.5}.Anonymize(t.Context(), c.Input)
			if err != nil {
				continue // what is refused without suppression is refused
			}
			released[inner.Name()]++
			if len(g.Withheld) > 0 {
				suppressed[inner.Name()]++
			}
			c.withheldIsKept(t, inner.Name(), g)
		}
	}
	t.Logf("releases %v, with transactions left out %v", released, suppressed)
	for name, n := range released {
		if suppressed[name] < n/50 {
			t.Errorf("%s leaves transactions out in %d of %d releases", name, suppressed[name], n)
		}
	}
}

// withheldIsKept fails where a release does not keep the promise.
func (c instance) withheldIsKept(t *testing.T, name string, g *release.Generalized) {
	t.Helper()
	empty := c.withholding(t, g.Withheld)
	fails := func(what string) {
		t.Helper()
		t.Fatalf("%s, %s\n%s\n%v\npublished %v, withheld %v", name, what,
			conformance.Describe(c.Input), c.columns, conformance.Spell(g.Published()), g.Withheld)
	}
	if len(g.Withheld) == 0 || !c.columns[0].Null {
		if !empty.enumerated(t, g.Published()) {
			fails("by enumeration")
		}
		if !empty.judged(t, c, g.Published()) {
			fails("by the verifier")
		}
	}
	if c.Promise.Persons || c.Promise.NegativeKnowledge {
		return // empty lines stay
	}
	var stay []int32
	for i := range int32(c.Data.Len()) {
		if !slices.Contains(g.Withheld, i) {
			stay = append(stay, i)
		}
	}
	if len(stay) == 0 || len(stay) < c.Promise.K {
		return // refused
	}
	if published := g.Published().Select(stay); !empty.only(t, stay).enumerated(t, published) {
		fails("without the lines, by enumeration")
	} else if !empty.only(t, stay).judged(t, c, published) {
		fails("without the lines, by the verifier")
	}
}

// withholding is what is published beside the lines where some are of suppressed transactions.
func (c instance) withholding(t *testing.T, lines []int32) instance {
	t.Helper()
	n := c.Data.Len()
	if c.items != nil {
		b := dataset.NewBuilder(c.items.Dict())
		for i := range n {
			if slices.Contains(lines, int32(i)) {
				b.Add(nil)
			} else {
				b.Add(slices.Clone(c.items.Tx(i)))
			}
		}
		c.items = b.Build()
	}
	c.columns = slices.Clone(c.columns)
	for at, col := range c.columns {
		values := slices.Clone(col.Values)
		for _, i := range lines {
			values[i] = ""
		}
		c.columns[at].Values = values
	}
	return c
}

// only is what is published beside some of the lines.
func (c instance) only(t *testing.T, lines []int32) instance {
	t.Helper()
	if c.Data = c.Data.Select(lines); c.items != nil {
		c.items = c.items.Select(lines)
	}
	c.columns = slices.Clone(c.columns)
	for at, col := range c.columns {
		c.columns[at].Values = nil
		for _, i := range lines {
			c.columns[at].Values = append(c.columns[at].Values, col.Values[i])
		}
	}
	return c
}

// enumerated tells whether published lines keep the promise with what is published beside them.
func (c instance) enumerated(t *testing.T, published *dataset.Dataset) bool {
	t.Helper()
	in := c.Input
	var err error
	in.Sensitive, in.Values, err = anonymize.WithColumns(c.items, published.Len(), c.columns)
	if err != nil {
		t.Fatal(err)
	}
	if in.Promise.Persons {
		return brute.KeepsInput(in, published)
	}
	return brute.KeepsSensitive(published, in) && ways(published, in)
}

// judged is the verifier's verdict, which compares what is published with the original.
func (c instance) judged(t *testing.T, original instance, published *dataset.Dataset) bool {
	t.Helper()
	given := verify.KMInput{
		Tree: c.Tree, Published: published, PublishedSensitive: c.items, Original: original.Data,
		OriginalSensitive: original.items, Promise: c.Promise, Persons: c.Persons,
		MaySuppress: true, NotSensitive: c.columns[0].Free,
	}
	for at, col := range c.columns {
		given.Columns = append(given.Columns, verify.SensitiveColumn{
			Name: col.Name, Published: col.Values, Original: original.columns[at].Values,
		})
	}
	f, err := verify.KM(t.Context(), given)
	if err != nil {
		t.Fatal(err)
	}
	if !f.Holds {
		t.Logf("%+v", f.Breaches)
	}
	return f.Holds
}
