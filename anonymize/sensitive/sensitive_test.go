package sensitive_test

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/anonymize/sensitive"
	"mingle/dataset"
	"mingle/internal/brute"
	"mingle/internal/soak"
	"mingle/privacy"
	"mingle/release"
	"mingle/verify"
)

// instance is a small input with known sensitive items, sensitive columns, or both.
type instance struct {
	anonymize.Input
	items   *dataset.Dataset // sensitive items as they are in the original; nil: none
	columns []anonymize.Column
	more    bool // sensitive occurrences are suppressed so that nothing need be the root
	missing bool // items may be left out
}

func random(t *testing.T, rng *rand.Rand) instance {
	t.Helper()
	c := instance{Input: brute.Random(rng)}
	n := c.Data.Len()
	c.Promise.M, c.Promise.L = 1+rng.IntN(3), 2+rng.IntN(2)
	c.Promise.NegativeKnowledge = false
	kind := rng.IntN(3)
	if c.Sensitive = nil; kind < 2 {
		c.items = items(rng, n)
		c.Promise.SensitiveKnown = kind == 0 || rng.IntN(2) == 0
		c.Sensitive = c.items
	}
	if kind == 0 {
		return c
	}
	if c.Promise.ColumnsOnly = kind == 2; kind == 2 {
		c.Promise.NegativeKnowledge = rng.IntN(4) == 0
	}
	for at := range 1 + rng.IntN(2) {
		col := anonymize.Column{Name: string(rune('A' + at)), Null: rng.IntN(3) == 0}
		values, empty := c.Promise.L+rng.IntN(6), rng.IntN(2)
		for range n {
			v := string(rune('a' + rng.IntN(values)))
			if empty > 0 && rng.IntN(4) == 0 {
				v = ""
			}
			col.Values = append(col.Values, v)
		}
		if rng.IntN(3) == 0 {
			col.Free = []string{"a", ""}
		}
		if at > 0 {
			col.Null, col.Free = c.columns[0].Null, c.columns[0].Free
		}
		c.columns = append(c.columns, col)
		c.Promise.Columns = append(c.Promise.Columns, col.Name)
	}
	c.Promise.NullIsValue = c.columns[0].Null
	var err error
	if c.Sensitive, c.Values, err = anonymize.WithColumns(c.items, n, c.columns); err != nil {
		t.Fatal(err)
	}
	return c
}

func items(rng *rand.Rand, n int) *dataset.Dataset {
	labels := []string{"s1", "s2", "s3", "s4"}[:1+rng.IntN(4)]
	b := dataset.NewBuilder(dataset.MustDictionary(labels))
	share := 0.05 + 0.4*rng.Float64()
	for range n {
		var tx []int32
		for s := range int32(len(labels)) {
			if rng.Float64() < share {
				tx = append(tx, s)
			}
		}
		b.Add(tx)
	}
	return b.Build()
}

// left is the input with the sensitive occurrences that stay.
func (c instance) left(t *testing.T) (anonymize.Input, error) {
	t.Helper()
	in := c.Input
	if !in.Promise.SensitiveKnown {
		return in, nil
	}
	suppress := sensitive.Suppress
	if c.more {
		suppress = sensitive.SuppressMore
	}
	left, err := suppress(t.Context(), in)
	if err == nil {
		in.Sensitive = left
	}
	return in, err
}

// verified judges a release by the verifier, which compares it with the original.
func (c instance) verified(t *testing.T, in anonymize.Input, g *release.Generalized) bool {
	t.Helper()
	given := verify.KMInput{
		Tree: in.Tree, Published: g.Published(), Original: in.Data,
		OriginalSensitive: c.items, Promise: in.Promise, Persons: in.Persons,
		MaySuppress: c.missing,
	}
	if c.items != nil {
		keep := make([]int32, in.Sensitive.Dict().Len())
		for s := range keep {
			if keep[s] = int32(s); s >= c.items.Dict().Len() {
				keep[s] = -1
			}
		}
		given.PublishedSensitive = in.Sensitive.Recode(c.items.Dict(), keep)
	}
	for _, col := range c.columns {
		given.Columns = append(given.Columns, verify.SensitiveColumn{
			Name: col.Name, Published: col.Values, Original: col.Values,
		})
		given.NotSensitive = col.Free
	}
	f, err := verify.KM(t.Context(), given)
	if err != nil {
		t.Fatal(err)
	}
	return f.Holds
}

// ways tells whether, in unions of ways to publish a set of items, sensitive items are hidden, too:
// for all sets of items, and of sensitive items that are known.
func ways(published *dataset.Dataset, in anonymize.Input) bool {
	leaves := make([]int32, in.Tree.Leaves())
	for x := range leaves {
		leaves[x] = int32(x)
	}
	known := make([]int32, in.Knowable())
	for s := range known {
		known[s] = int32(s)
	}
	shares := in.NewShares(in.Sensitive)
	ok := true
	brute.Sets(leaves, in.Promise.M, func(set []int32) {
		brute.Sets(known, in.Promise.M-len(set), func(told []int32) {
			var match []int32
			for i := range int32(published.Len()) {
				if shares.Has(i, told) && !slices.ContainsFunc(set, func(x int32) bool {
					return !slices.ContainsFunc(published.Tx(int(i)),
						func(u int32) bool { return in.Tree.Covers(u, x) })
				}) {
					match = append(match, i)
				}
			}
			of := map[int32]int{}
			for _, i := range match {
				for _, s := range in.Sensitive.Tx(int(i)) {
					of[s]++
				}
			}
			for s, n := range of {
				total, mark := len(match), int32(-1)
				if in.Values != nil {
					mark = in.Values.Among[s]
				}
				if mark >= 0 {
					total = of[mark]
				}
				ok = ok && (mark == s || slices.Contains(told, s) || n*in.Promise.L <= total)
			}
			ok = ok && (len(match) == 0 || len(match) >= in.Promise.K)
		})
	})
	return ok
}

func algorithms() []anonymize.Algorithm {
	return []anonymize.Algorithm{
		global.AA{},
		global.DA{},
		global.OA{},
		global.VPA{Parts: 2},
		exact.Algorithm{},
		partition.Algorithm{},
		partition.LRA{Parts: 2},
		local.Algorithm{},
	}
}

// bare is the input with no sensitive item that may be known.
func (c instance) bare() anonymize.Input {
	in := c.Input
	if in.Sensitive == nil || in.Knowable() == 0 {
		return in
	}
	keep := make([]int32, in.Sensitive.Dict().Len())
	for s := range keep {
		if keep[s] = int32(s); int32(s) < in.Knowable() {
			keep[s] = -1
		}
	}
	in.Sensitive = in.Sensitive.Recode(in.Sensitive.Dict(), keep)
	return in
}

// Every algorithm that takes known sensitive items and sensitive columns keeps the promise, and
// refuses only what not even the root keeps.
func TestSoakAlgorithms(t *testing.T) {
	rng := soak.Rand(18, 3)
	released, refused, suppressed := 0, 0, 0
	for range soak.Rounds(t, soak.Share(400, 20_000)) {
		c := random(t, rng)
		c.more = rng.IntN(4) == 0
		in, err := c.left(t)
		for _, a := range algorithms() {
			if anonymize.Keeps(a, in.Promise) != nil {
				continue // it refuses
			}
			var g *release.Generalized
			if err == nil {
				g, err = a.Anonymize(t.Context(), in)
			}
			if err != nil {
				bare := c.bare()
				if verified(c, t, in, root(in)) || verified(c, t, bare, root(bare)) {
					t.Fatalf("%s: refused though the root keeps it: %v\n%s\n%v", a.Name(), err,
						conformance.Describe(in), in.Values)
				}
				refused++
				err = nil
				continue
			}
			released++
			if !brute.KeepsSensitive(g.Published(), in) || !ways(g.Published(), in) {
				t.Fatalf("%s does not keep %+v\n%s\n%v\npublished %v", a.Name(), in.Promise,
					conformance.Describe(in), in.Values, conformance.Spell(g.Published()))
			}
			if !c.verified(t, in, g) {
				t.Fatalf("the verifier refuses %s\n%s\npublished %v", a.Name(),
					conformance.Describe(in), conformance.Spell(g.Published()))
			}
		}
		if in.Promise.SensitiveKnown &&
			in.Sensitive.Occurrences() < c.Input.Sensitive.Occurrences() {
			suppressed++
		}
	}
	t.Logf("%d releases, %d refusals; suppressed in %d instances", released, refused, suppressed)
	if released < refused/4 || suppressed == 0 {
		t.Error("the random instances are one-sided")
	}
}

func verified(c instance, t *testing.T, in anonymize.Input, g *release.Generalized) bool {
	t.Helper()
	return in.Data.Len() >= in.Promise.K && c.verified(t, in, g)
}

func root(in anonymize.Input) *release.Generalized {
	to := slices.Repeat([]int32{in.Tree.Root()}, in.Tree.Leaves())
	return &release.Generalized{Tree: in.Tree, Data: in.Data, Map: to}
}

// What cannot be taken into account is refused.
func TestLocalRefuses(t *testing.T) {
	in := conformance.Medium(1)
	in.Sensitive = dataset.FromLabels(make([][]string, in.Data.Len()))
	in.Promise.L, in.Promise.SensitiveKnown = 2, true
	if _, err := (local.Algorithm{}).Anonymize(t.Context(), in); err == nil {
		t.Error("known sensitive items are taken")
	}
	in.Promise.NegativeKnowledge = true
	if _, err := (global.AA{}).Anonymize(t.Context(), in); err == nil ||
		errors.As(err, new(*privacy.Infeasible)) {
		t.Errorf("known sensitive items and negative knowledge: %v", err)
	}
}

// What is suppressed is what must be, and hardly more than the least that suffices, found by
// enumeration.
func TestSoakSuppressesLittle(t *testing.T) {
	rng := soak.Rand(18, 4)
	least, taken, cases := 0, 0, 0
	for range soak.Rounds(t, soak.Share(1500, 20_000)) {
		c := random(t, rng)
		if !c.Promise.SensitiveKnown || c.items.Occurrences() > 12 || c.Data.Len() < c.Promise.K {
			continue
		}
		in, err := c.left(t)
		if err != nil {
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
	if taken*100 > least*110 {
		t.Errorf("%d occurrences are suppressed where %d would do", taken, least)
	}
}

// fewest is the least number of occurrences of sensitive items that must go for the root to keep
// the promise.
func (c instance) fewest(occurrences int) int {
	best := occurrences
	for gone := range 1 << occurrences {
		if bits.OnesCount(uint(gone)) >= best && gone != 1<<occurrences-1 {
			continue
		}
		b := dataset.NewBuilder(c.Input.Sensitive.Dict())
		n := 0
		for i := range c.Data.Len() {
			var tx []int32
			for _, s := range c.Input.Sensitive.Tx(i) {
				if s >= c.Knowable() {
					tx = append(tx, s)
					continue
				}
				if gone>>n&1 == 0 {
					tx = append(tx, s)
				}
				n++
			}
			b.Add(tx)
		}
		in := c.Input
		in.Sensitive = b.Build()
		keeps := true
		in.EachAtRoot(func(i int32) []int32 { return in.Sensitive.Tx(int(i)) },
			func(anonymize.Telling) bool { keeps = false; return false })
		if keeps {
			best = min(best, bits.OnesCount(uint(gone)))
		}
	}
	return best
}

// What goes does not depend on the order of the transactions: of equal ones, as many go.
func TestSuppressionDoesNotDependOnOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(18, 5))
	suppressed := 0
	for range 2000 {
		c := random(t, rng)
		c.more = rng.IntN(2) == 0
		in, err := c.left(t)
		if !c.Promise.SensitiveKnown || err != nil {
			continue
		}
		perm := make([]int32, c.Data.Len())
		for i, j := range rng.Perm(len(perm)) {
			perm[i] = int32(j)
		}
		other := c
		other.Data, other.Input.Sensitive = c.Data.Select(perm), c.Input.Sensitive.Select(perm)
		again, err := other.left(t)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := spelled(again), spelled(in); !slices.Equal(got, want) {
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

// spelled are the transactions with the sensitive items that are left, sorted.
func spelled(in anonymize.Input) []string {
	var out []string
	for i := range in.Data.Len() {
		out = append(out, fmt.Sprint(in.Data.Tx(i), in.Sensitive.Tx(i)))
	}
	slices.Sort(out)
	return out
}
