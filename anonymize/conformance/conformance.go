// Package conformance is the suite that every algorithm over a hierarchy passes: what it publishes
// keeps the promise by enumeration on small instances and by the verifier on larger ones, is the
// same for any number of workers, any bound on memory and, transaction by transaction, for any
// order of them, and stops when told to.
package conformance

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/brute"
	"mingle/privacy"
	"mingle/release"
	"mingle/verify"
)

// Suite says what is expected of an algorithm.
type Suite struct {
	New func() anonymize.Algorithm
	// Instances is the number of small random instances; 0 means 6,000.
	Instances int
	// NoDiversity leaves l^m-diversity out, NoNegative negative knowledge.
	NoDiversity, NoNegative bool
	// Knows is the adversary of the promises, for algorithms that are for one of them.
	Knows privacy.Knowledge
	// OrderMatters leaves out the test with shuffled transactions, for algorithms whose docs say
	// so.
	OrderMatters bool
	// MemoryMatters leaves out bounds on memory, for algorithms that do something else where there
	// is little.
	MemoryMatters bool
	// Persons gives the transactions of every instance to persons, of whom some have several: the
	// promise is of persons. Releases are judged by enumeration and by the verifier then.
	Persons bool
	// Suppresses is for algorithms that may leave out transactions or items: lines that show
	// nothing are in no share. Sensitive items are not combined with negative knowledge then.
	Suppresses bool
	// NoShare leaves the share of one person out.
	NoShare bool
	// Check, if set, is called with every instance and its release.
	Check func(t *testing.T, in anonymize.Input, g *release.Generalized)
}

// Run runs the suite.
func (s Suite) Run(t *testing.T) {
	f := s.family()
	t.Run("small", f.Enumerated)
	t.Run("uneven", s.uneven)
	t.Run("workers", f.Workers)
	if testing.Short() { // what follows says nothing more to the race detector
		t.Run("cancel", f.Cancel)
		return
	}
	t.Run("memory", s.memory)
	t.Run("shared", s.shared)
	t.Run("order", f.Order)
	t.Run("cancel", func(t *testing.T) {
		f.Cancel(t)
		in := s.medium(9)
		in.Promise.K = 300 // nearly all of it is rare
		f.Interrupt(t, in)
	})
	if !s.Persons {
		t.Run("edges", s.edges)
	}
}

// Enumerated is the part of the suite that judges small random instances, for a variant of an
// algorithm that passes all of it.
func (s Suite) Enumerated(t *testing.T) {
	t.Helper()
	s.family().Enumerated(t)
}

// Interrupt ends the context of an algorithm at its first look at it, at its second, and later: it
// must tell why, or be done.
func (s Suite) Interrupt(t *testing.T, in anonymize.Input) {
	t.Helper()
	s.family().Interrupt(t, in)
}

// enumerable is the number of transactions that releases are judged by enumeration up to.
const enumerable = 100

// family is the suite of every family, for generalization.
func (s Suite) family() Family[anonymize.Input, *release.Generalized] {
	f := Family[anonymize.Input, *release.Generalized]{
		Anonymize: func(ctx context.Context, in anonymize.Input, workers int) (*release.Generalized,
			error,
		) {
			in.Workers = workers
			return s.New().Anonymize(ctx, in)
		},
		Instances: s.Instances,
		Small:     s.random,
		Large:     s.medium,
		Verify:    s.verify,
		Refused: func(t *testing.T, in anonymize.Input, err error) {
			if in.Data.Len() >= in.Promise.K && s.rootKeeps(in) {
				t.Fatalf("refused though the root keeps the promise: %v\n%s", err, Describe(in))
			}
		},
		Published: lines,
		Permute: func(in anonymize.Input, perm []int32) anonymize.Input {
			in.Data = in.Data.Select(perm)
			in.Persons = anonymize.PersonsOf(in.Persons, perm)
			return in
		},
		Records:  func(in anonymize.Input) int { return in.Data.Len() },
		Describe: Describe,
	}
	if f.Instances == 0 {
		f.Instances = 6000
	}
	if s.OrderMatters {
		f.Permute = nil
	}
	return f
}

// rootKeeps tells whether full generalization keeps the promise of an instance, also where
// something might be left out.
func (s Suite) rootKeeps(in anonymize.Input) bool {
	return rootKeeps(in) && (!s.Suppresses || showsEvenly(in, in.Data))
}

// rootKeeps tells whether full generalization keeps the promise of an instance.
func rootKeeps(in anonymize.Input) bool {
	root := slices.Repeat([]int32{in.Tree.Root()}, in.Tree.Leaves())
	return keeps(in, in.Data.Recode(in.Tree.Dict(), root))
}

// lines says what each transaction is published as: the node of each of its items.
func lines(g *release.Generalized) []string {
	out := make([]string, g.Data.Len())
	for i := range out {
		var nodes []int32
		for pos := g.Data.Start(i); pos < g.Data.Start(i+1); pos++ {
			nodes = append(nodes, g.Node(pos))
		}
		out[i] = fmt.Sprint(nodes, g.Published().Labels(i))
	}
	return out
}

// verify judges a release: by enumeration where the instance is small, else by the verifier.
func (s Suite) verify(t *testing.T, in anonymize.Input, g *release.Generalized) {
	t.Helper()
	covers(t, in, g)
	seen := in
	if g.Withheld != nil {
		seen.Sensitive = g.Sensitive
	}
	if in.Data.Len() > enumerable || s.Persons {
		f, err := verify.KM(t.Context(), verify.KMInput{
			Tree: in.Tree, Published: g.Published(), PublishedSensitive: seen.Sensitive,
			Original: in.Data, OriginalSensitive: in.Sensitive,
			Promise: in.Promise, Persons: in.Persons, MaySuppress: s.Suppresses || suppresses(g),
		})
		if err != nil || !f.Holds {
			t.Fatalf("the verifier refuses the release: %v %+v", err, f)
		}
	}
	if in.Data.Len() > enumerable {
		return
	}
	if !keeps(seen, g.Published()) || s.Suppresses && !showsEvenly(seen, g.Published()) {
		t.Fatalf("the release does not keep %v\n%s\npublished %v", in.Promise, Describe(in),
			Spell(g.Published()))
	}
	if s.Check != nil {
		s.Check(t, in, g)
	}
}

// suppresses tells whether some occurrence is not published at all.
func suppresses(g *release.Generalized) bool {
	for pos := range g.Data.Occurrences() {
		if g.Node(pos) == release.Suppressed {
			return true
		}
	}
	return false
}

func (s Suite) random(rng *rand.Rand) anonymize.Input {
	in := brute.Random(rng)
	if s.NoDiversity {
		in.Promise.L, in.Sensitive = 0, nil
	}
	if s.NoNegative || s.Suppresses && in.Promise.Diverse() {
		in.Promise.NegativeKnowledge = false
	}
	in.Promise.Knows = s.Knows
	if s.Persons {
		in = s.persons(rng, in)
	}
	return in
}

func (s Suite) medium(seed uint64) anonymize.Input {
	in := Medium(seed)
	in.Promise.Knows = s.Knows
	if s.Persons {
		in = s.persons(rand.New(rand.NewPCG(seed, 1)), in)
	}
	return in
}

// uneven is for trees in which items stand beside groups: nothing may go by the order of numbers
// where that of the tree is meant, or the other way round.
func (s Suite) uneven(t *testing.T) {
	for seed := range uint64(7) {
		in := Uneven(seed)
		in.Promise.Knows = s.Knows
		if s.Persons {
			in = s.persons(rand.New(rand.NewPCG(seed, 1)), in)
		}
		for _, in.Promise.M = range []int{2, 3, 4} {
			g, err := s.New().Anonymize(t.Context(), in)
			var infeasible *privacy.Infeasible
			switch {
			case err == nil:
				s.verify(t, in, g)
			case !errors.As(err, &infeasible):
				t.Fatalf("seed %d, m=%d: %v", seed, in.Promise.M, err)
			}
		}
	}
}

// persons gives the transactions to persons.
func (s Suite) persons(rng *rand.Rand, in anonymize.Input) anonymize.Input {
	in = brute.RandomPersons(rng, in)
	if s.NoShare {
		in.Promise.PersonShare = 0
	}
	return in
}

// keeps judges published data by enumeration.
func keeps(in anonymize.Input, published *dataset.Dataset) bool {
	return brute.KeepsInput(in, published) &&
		(!in.Promise.NegativeKnowledge || brute.HidesAbsence(published, in.Sensitive, in.Tree,
			in.Promise))
}

// showsEvenly tells whether of the lines that show anything, and of the persons with such a line,
// at most 1/l have any sensitive item.
func showsEvenly(in anonymize.Input, published *dataset.Dataset) bool {
	if !in.Promise.Diverse() {
		return true
	}
	shown, persons := 0, map[int32]bool{}
	lines, of := map[int32]int{}, map[int32]map[int32]bool{}
	for i, tx := range published.All() {
		secret, person := in.Sensitive.Tx(i), int32(i)
		if in.Promise.Persons {
			person = in.Persons[i]
		}
		if len(tx)+len(secret) == 0 {
			continue
		}
		if shown++; person >= 0 {
			persons[person] = true
		}
		for _, s := range secret {
			if lines[s]++; of[s] == nil {
				of[s] = map[int32]bool{}
			}
			if person >= 0 {
				of[s][person] = true
			}
		}
	}
	for s, n := range lines {
		if n*in.Promise.L > shown || len(of[s])*in.Promise.L > len(persons) {
			return false
		}
	}
	return true
}

// covers checks that every occurrence is published as the lowest node of its line at or above it,
// or not at all.
func covers(t *testing.T, in anonymize.Input, g *release.Generalized) {
	t.Helper()
	line := make([]int, in.Tree.Nodes()) // the last line with this node, from 1
	for i := range in.Data.Len() {
		for pos := in.Data.Start(i); pos < in.Data.Start(i+1); pos++ {
			if u := g.Node(pos); u != release.Suppressed {
				line[u] = i + 1
			}
		}
		for j, leaf := range in.Data.Tx(i) {
			u := g.Node(in.Data.Start(i) + j)
			if u == release.Suppressed {
				continue
			}
			lowest := leaf
			for lowest >= 0 && line[lowest] != i+1 {
				lowest = in.Tree.Parent(lowest)
			}
			if u != lowest {
				t.Fatalf("%q is published as %q, which is not the lowest of %v above it",
					in.Tree.Label(leaf), in.Tree.Label(u), g.Published().Labels(i))
			}
		}
	}
}

// memory checks that a bound on memory, and packed data, change nothing.
func (s Suite) memory(t *testing.T) {
	in := s.medium(7)
	var first *release.Generalized
	bounds := []int64{0, 1, 1 << 16}
	if s.MemoryMatters {
		bounds = bounds[:1] // packed data alone is looked at
	}
	for n, bound := range bounds {
		in.Workers, in.Memory = 1+n%2, bound
		g, err := s.New().Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		s.packed(t, in, g)
		if first == nil {
			first = g
		} else if !same(first, g) {
			t.Fatalf("in %d bytes something else is published than without a bound", in.Memory)
		}
	}
}

// shared checks that a problem can be solved again, with what was made of it.
func (s Suite) shared(t *testing.T) {
	in := s.medium(7)
	want, err := s.New().Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	p, err := anonymize.NewProblem(in)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if g, err := p.Solve(t.Context(), s.New()); err != nil || !same(g, want) {
			t.Fatalf("a shared problem is solved differently (%v)", err)
		}
	}
}

// packed checks that an algorithm that works on packed data makes the same of it.
func (s Suite) packed(t *testing.T, in anonymize.Input, want *release.Generalized) {
	t.Helper()
	a := s.New()
	if !a.Traits().Packed {
		return
	}
	in.Data = in.Data.Pack()
	g, err := a.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if !same(g, want) || !slices.Equal(g.Published().Flat().Items(), want.Published().Items()) {
		t.Fatalf("with %d workers in %d bytes packed data is published differently", in.Workers,
			in.Memory)
	}
}

func same(a, b *release.Generalized) bool {
	return slices.Equal(a.Map, b.Map) && slices.Equal(a.Nodes, b.Nodes)
}

func (s Suite) edges(t *testing.T) {
	in := s.medium(10)
	in.Promise = privacy.KM{K: 1, M: 0}
	if _, err := s.New().Anonymize(t.Context(), in); err == nil {
		t.Error("k=1 and m=0 are accepted")
	}
	in.Promise = privacy.KM{K: in.Data.Len() + 1, M: 2, Knows: s.Knows}
	var out *privacy.Infeasible
	if _, err := s.New().Anonymize(t.Context(), in); !errors.As(err, &out) {
		t.Errorf("k over the number of transactions: %v", err)
	}
	in.Data = dataset.NewBuilder(in.Tree.LeafDict()).Build()
	in.Promise = privacy.KM{K: 2, M: 2, Knows: s.Knows}
	if _, err := s.New().Anonymize(t.Context(), in); !errors.As(err, &out) {
		t.Errorf("no transactions: %v", err)
	}
	b := dataset.NewBuilder(in.Tree.LeafDict())
	for range 5 {
		b.Add(nil)
	}
	in.Data = b.Build()
	g, err := s.New().Anonymize(t.Context(), in)
	if err != nil {
		t.Fatalf("empty transactions: %v", err)
	}
	if g.Published().Len() != 5 {
		t.Error("empty transactions are not kept")
	}
}
