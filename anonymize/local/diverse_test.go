package local

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/brute"
	"mingle/anonymize/conformance"
	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/verify"
)

// diverseInstance is a random instance with sensitive items.
func diverseInstance(rng *rand.Rand) (anonymize.Input, bool) {
	in := brute.Random(rng)
	in.Promise.NegativeKnowledge = false
	return in, in.Promise.Diverse() && in.Check() == nil
}

// quick is a search with a thirtieth of the work that small data are given.
func quick(t *testing.T, in anonymize.Input) *search {
	s := newSearch(t.Context(), in, 1)
	s.budget = budgetOf(in).times(few / 30)
	return s
}

// matches tells whether a published line has each of some items, or a node above it.
func matches(in anonymize.Input, line, items []int32) bool {
	for _, x := range items {
		if !slices.ContainsFunc(line, func(u int32) bool { return in.Tree.Covers(u, x) }) {
			return false
		}
	}
	return true
}

// bounded tells by enumeration whether a sensitive item is in at most 1/l of the lines that hold
// each set of nodes, and of those that match each set of items.
func bounded(in anonymize.Input, published *dataset.Dataset) bool {
	var leaves []int32
	for x := range int32(in.Tree.Leaves()) {
		leaves = append(leaves, x)
	}
	holds := brute.Keeps(published, in.Sensitive, in.Promise)
	brute.Sets(leaves, in.Promise.M, func(known []int32) {
		all, with := 0, make([]int, in.Sensitive.Dict().Len())
		for i := range published.Len() {
			if matches(in, published.Tx(i), known) {
				all++
				for _, x := range in.Sensitive.Tx(i) {
					with[x]++
				}
			}
		}
		holds = holds && slices.Max(append(with, 0))*in.Promise.L <= all
	})
	return holds
}

// Every release with l-diversity keeps it against known nodes and known items, and the verifier
// says so.
func TestSoakDiverse(t *testing.T) {
	oneGoroutine(t)
	rng := rand.New(rand.NewPCG(71, 72))
	nested := 0
	for tried := 0; tried < soak.Share(150, 20_000); {
		in, is := diverseInstance(rng)
		if !is {
			continue
		}
		tried++
		s := quick(t, in)
		st := s.diverse(s.run())
		s.complete(t.Context(), st)
		published := st.release(in).Published()
		if !bounded(in, published) {
			t.Fatalf("not kept\n%s\npublished %v", conformance.Describe(in),
				conformance.Spell(published))
		}
		f, err := verify.KM(t.Context(), verify.KMInput{
			Tree: in.Tree, Published: published, PublishedSensitive: in.Sensitive,
			Original: in.Data, OriginalSensitive: in.Sensitive, Promise: in.Promise,
		})
		if err != nil || !f.Holds {
			t.Fatalf("the verifier refuses: %v %+v\n%s", err, f, conformance.Describe(in))
		}
		if f.Recoding == "local" {
			nested++
		}
	}
	t.Logf("%d local recodings", nested)
}

// The finder finds what enumeration finds, in releases without diversity.
func TestSoakFinder(t *testing.T) {
	oneGoroutine(t)
	rng := rand.New(rand.NewPCG(73, 74))
	broken := 0
	for tried := 0; tried < soak.Share(150, 20_000); {
		in, is := diverseInstance(rng)
		if !is {
			continue
		}
		tried++
		s := quick(t, in)
		st := s.run()
		open := newFinder(st, newDiversity(in.Promise.L, s.sensitive)).all()
		published := st.release(in).Published()
		if len(open) == 0 && !bounded(in, published) {
			t.Fatalf("nothing is found\n%s\npublished %v", conformance.Describe(in),
				conformance.Spell(published))
		}
		shown := slices.ContainsFunc(open, func(b breach) bool { return !b.topmost })
		if shown == brute.Keeps(published, in.Sensitive, in.Promise) {
			t.Fatalf("of published sets %v is found\n%s", shown, conformance.Describe(in))
		}
		if shown {
			broken++
		}
	}
	t.Logf("%d releases without diversity break it", broken)
}

// Lifts keep k-anonymity, add no breach, and are taken back as they were.
func TestLifts(t *testing.T) {
	oneGoroutine(t)
	rng := rand.New(rand.NewPCG(75, 76))
	made := 0
	for range 1500 {
		in, is := diverseInstance(rng)
		if !is {
			continue
		}
		s := quick(t, in)
		st := s.run()
		u := s.newUpholder(st, newDiversity(in.Promise.L, s.sensitive))
		st.limit = 1 << 60
		u.refresh()
		before, loss, at := excessOf(u.open), st.loss, slices.Clone(st.at)
		u.liftAll()
		plain := in
		plain.Promise.L, plain.Sensitive = 0, nil
		check(t, plain, st)
		u.refresh()
		if excessOf(u.open) > before || st.loss < loss {
			t.Fatalf("%d are too many, before %d", excessOf(u.open), before)
		}
		made += len(u.journal)
		u.undo(0)
		check(t, plain, st)
		if !slices.Equal(at, st.at) || st.loss != loss {
			t.Fatal("lifts taken back have left something behind")
		}
	}
	if made < 5 {
		t.Errorf("%d lifts were made", made)
	}
}
