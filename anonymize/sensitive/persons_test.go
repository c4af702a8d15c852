package sensitive_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/auto"
	"mingle/anonymize/brute"
	"mingle/anonymize/conformance"
	"mingle/anonymize/peel"
	"mingle/internal/soak"
)

// randomOfPersons is a small input with sensitive columns, whose lines are of persons.
func randomOfPersons(t *testing.T, rng *rand.Rand) instance {
	t.Helper()
	for {
		c := random(t, rng)
		if len(c.columns) == 0 {
			continue
		}
		c.Promise.SensitiveKnown = false
		if rng.IntN(3) > 0 {
			c.Promise.K, c.Promise.L = 2, 2
		}
		if c = c.repeated(t, 1+rng.IntN(2)); rng.IntN(2) == 0 { // each person has a line or two
			c.Input = brute.RandomPersons(rng, c.Input)
		} else {
			c.Input = brute.RandomPersons(rng, c.Input)
			among := max(1, len(c.Persons)/2+rng.IntN(len(c.Persons)/2+1))
			for i := range c.Persons {
				c.Persons[i] = int32(rng.IntN(among))
			}
		}
		if rng.IntN(4) == 0 || brute.KeepsInput(c.Input, root(c.Input).Published()) {
			return c
		}
	}
}

// repeated has each line so often, with other values in the columns.
func (c instance) repeated(t *testing.T, times int) instance {
	t.Helper()
	n := c.Data.Len()
	var lines []int32
	for i := range n * times {
		lines = append(lines, int32(i%n))
	}
	c.Data = c.Data.Select(lines)
	if c.items != nil {
		c.items = c.items.Select(lines)
	}
	columns := slices.Clone(c.columns)
	for at := range columns {
		values := columns[at].Values
		columns[at].Values = nil
		for i := range lines {
			columns[at].Values = append(columns[at].Values, values[(i+i/n)%n])
		}
	}
	c.columns = columns
	var err error
	c.Sensitive, c.Values, err = anonymize.WithColumns(c.items, len(lines), columns)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Every algorithm that takes persons and sensitive columns keeps the promise, judged by enumeration
// and by the verifier, and refuses only what not even the root keeps.
func TestSoakColumnsOfPersons(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 27+uint64(soak.Turn())))
	all := append(algorithms(), peel.Algorithm{}, auto.Algorithm{})
	released, refused, partial, low := map[string]int{}, 0, 0, map[string]int{}
	for range soak.Share(150, 5_000) {
		c := randomOfPersons(t, rng)
		in := c.Input
		for _, a := range all {
			g, err := a.Anonymize(t.Context(), in)
			if err != nil {
				if verified(c, t, in, root(in)) {
					t.Fatalf("%s: refused though the root keeps it: %v\n%s\n%v", a.Name(), err,
						conformance.Describe(in), in.Values)
				}
				refused++
				continue
			}
			released[a.Name()]++
			if len(in.Marks()) > 0 {
				partial++
				if !slices.Equal(g.Published().Items(), root(in).Published().Items()) {
					low[a.Name()]++
				}
			}
			if !brute.KeepsInput(in, g.Published()) {
				t.Fatalf("%s does not keep %+v\n%s\n%v\npublished %v", a.Name(), in.Promise,
					conformance.Describe(in), in.Values, conformance.Spell(g.Published()))
			}
			if !c.verified(t, in, g) {
				t.Fatalf("the verifier refuses %s\n%s\npublished %v", a.Name(),
					conformance.Describe(in), conformance.Spell(g.Published()))
			}
		}
	}
	t.Logf("releases: %v, %d with empty values, of these below the root: %v; %d refusals", released,
		partial, low, refused)
	for _, a := range all {
		if n := a.Name(); released[n] < refused/20 || low[n] < refused/200 {
			t.Errorf("the random instances are one-sided: %s", n)
		}
	}
}
