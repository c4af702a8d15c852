package sensitive_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/auto"
	"mingle/anonymize/conformance"
	"mingle/anonymize/peel"
	"mingle/internal/brute"
	"mingle/internal/soak"
	"mingle/release"
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
	rng := soak.Rand(18, 27)
	all := append(algorithms(), peel.Algorithm{}, auto.Algorithm{})
	released, refused, partial, low := map[string]int{}, 0, 0, map[string]int{}
	for range soak.Rounds(t, soak.Share(80, 2_500)) {
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

// randomKnownOfPersons is a small input with sensitive items that may be known, now and then with
// sensitive columns too, whose lines are of persons.
func randomKnownOfPersons(t *testing.T, rng *rand.Rand) instance {
	t.Helper()
	for {
		c := random(t, rng)
		if c.items == nil {
			continue
		}
		c.Promise.SensitiveKnown = true
		if rng.IntN(3) > 0 {
			c.Promise.K, c.Promise.L = 2, 2
		}
		c = c.repeated(t, 1+rng.IntN(3))
		if c.Input = brute.RandomPersons(rng, c.Input); rng.IntN(2) > 0 {
			among := max(1, len(c.Persons)/2+rng.IntN(len(c.Persons)/2+1))
			for i := range c.Persons {
				c.Persons[i] = int32(rng.IntN(among))
			}
		}
		c.more = rng.IntN(4) == 0
		return c
	}
}

// Every algorithm that takes persons and known sensitive items keeps the promise, with what had to
// go suppressed, judged by enumeration and by the verifier, and refuses only what not even the root
// keeps.
func TestSoakKnownOfPersons(t *testing.T) {
	rng := soak.Rand(18, 33)
	all := append(algorithms(), peel.Algorithm{}, auto.Algorithm{})
	released, refused, low, suppressed := map[string]int{}, 0, map[string]int{}, 0
	for range soak.Rounds(t, soak.Share(60, 2_500)) {
		c := randomKnownOfPersons(t, rng)
		in, gone := c.left(t)
		if gone == nil && in.Sensitive.Occurrences() < c.Sensitive.Occurrences() {
			suppressed++
		}
		for _, a := range all {
			g, err := (*release.Generalized)(nil), gone
			if err == nil {
				g, err = a.Anonymize(t.Context(), in)
			}
			if a.Name() == "local" {
				if err == nil {
					t.Fatal("local takes known sensitive items")
				}
				continue
			}
			if err != nil {
				bare := c.bare()
				if verified(c, t, in, root(in)) || verified(c, t, bare, root(bare)) {
					t.Fatalf("%s: refused though the root keeps it: %v\n%s\n%v", a.Name(), err,
						conformance.Describe(in), in.Values)
				}
				refused++
				continue
			}
			released[a.Name()]++
			if !slices.Equal(g.Published().Items(), root(in).Published().Items()) {
				low[a.Name()]++
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
	t.Logf("releases: %v, of these below the root: %v; %d refusals; suppressed in %d instances",
		released, low, refused, suppressed)
	for _, a := range all {
		if n := a.Name(); n != "local" && (released[n] < refused/20 || low[n] < released[n]/20) {
			t.Errorf("the random instances are one-sided: %s", n)
		}
	}
	if suppressed == 0 {
		t.Error("nothing was suppressed")
	}
}

// Of persons, too, what is suppressed is what must be, and hardly more than the least that
// suffices, found by enumeration.
func TestSoakSuppressesLittleOfPersons(t *testing.T) {
	rng := soak.Rand(18, 34)
	least, taken, cases := 0, 0, 0
	for range soak.Rounds(t, soak.Share(400, 20_000)) {
		c := randomKnownOfPersons(t, rng)
		c.more = false
		if c.items.Occurrences() > 12 || c.Input.Check() == nil {
			continue
		}
		in, err := c.left(t)
		if err != nil || in.Check() != nil {
			continue
		}
		few := c.fewest(c.items.Occurrences())
		n := c.Input.Sensitive.Occurrences() - in.Sensitive.Occurrences()
		if n < few || few == 0 && n > 0 {
			t.Fatalf("%d are suppressed, and the fewest are %d\n%s", n, few,
				conformance.Describe(c.Input))
		}
		if few > 0 {
			least, taken, cases = least+few, taken+n, cases+1
		}
	}
	t.Logf("%d occurrences suppressed in %d instances, %d would do", taken, cases, least)
	if cases == 0 || taken*100 > least*110 {
		t.Errorf("%d occurrences are suppressed where %d would do", taken, least)
	}
}

// What goes depends on the order neither of the transactions nor of the persons.
func TestSuppressionOfPersonsDoesNotDependOnOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 35))
	suppressed := 0
	for range 1000 {
		c := randomKnownOfPersons(t, rng)
		in, err := c.left(t)
		if err != nil {
			continue
		}
		perm := make([]int32, c.Data.Len())
		for i, j := range rng.Perm(len(perm)) {
			perm[i] = int32(j)
		}
		other, name := c, rng.Perm(len(perm))
		other.Data, other.Input.Sensitive = c.Data.Select(perm), c.Input.Sensitive.Select(perm)
		other.Persons = anonymize.PersonsOf(c.Persons, perm)
		for i, p := range other.Persons {
			if p >= 0 {
				other.Persons[i] = int32(name[p])
			}
		}
		again, err := other.left(t)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := ofEach(again), ofEach(in); !slices.Equal(got, want) {
			t.Fatalf("%v\nin another order %v\n%s", want, got, conformance.Describe(c.Input))
		}
		if in.Sensitive.Occurrences() < c.Input.Sensitive.Occurrences() {
			suppressed++
		}
	}
	if suppressed < 100 {
		t.Errorf("only %d instances have anything suppressed", suppressed)
	}
}

// ofEach are the transactions of each person with the sensitive items that are left, sorted.
func ofEach(in anonymize.Input) (out []string) {
	of := map[int32][]string{}
	for i, p := range in.Persons {
		line := fmt.Sprint(in.Data.Tx(i), in.Sensitive.Tx(i))
		if p < 0 {
			out = append(out, "nobody "+line)
			continue
		}
		of[p] = append(of[p], line)
	}
	for _, lines := range of {
		slices.Sort(lines)
		out = append(out, strings.Join(lines, "; "))
	}
	slices.Sort(out)
	return out
}
