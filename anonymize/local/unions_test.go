package local

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/verify"
)

// leveledDiverse is a random instance with sensitive items, to be solved in no time.
func leveledDiverse(t *testing.T, rng *rand.Rand) anonymize.Input {
	in := leveled(t, rng)
	in.Promise.L = 2 + rng.IntN(2)
	b := dataset.NewBuilder(dataset.MustDictionary([]string{"s", "t"}))
	for range in.Data.Len() {
		var tx []int32
		for x := range int32(2) {
			if rng.IntN(5) == 0 {
				tx = append(tx, x)
			}
		}
		b.Add(tx)
	}
	in.Sensitive = b.Build()
	return in
}

// small is a search with next to no work in it, and with many refusals, so that transactions
// publish nodes at several levels.
func small(ctx context.Context, in anonymize.Input, rng *rand.Rand) *search {
	merged, div := merge(in)
	draws := newDraws(in, rng, rng.Float64()*rng.Float64())
	s := newSearchOf(ctx, in, 1)(drawFor(draws, merged, div))
	s.budget = budget{search: 1, polish: 5000}
	return s
}

// unionsByDefinition tells whether for every set of at most m items the shares are in order among
// the transactions that somebody is left with who knows it: those of sensitive items and of one
// person.
func unionsByDefinition(in anonymize.Input, st *state, plainly bool) bool {
	may := func(x, i int32) bool {
		if plainly {
			return slices.ContainsFunc(in.Tree.Path(x), func(u int32) bool {
				return slices.Contains(st.published(i), u)
			})
		}
		return mayBe(in, x, st.published(i))
	}
	var known []int32
	holds := func() bool {
		all, with, whose := &lineTally{}, map[int32]*lineTally{}, map[int32]*lineTally{}
		for j, i := range st.merged.Of { // every line by itself
			if slices.ContainsFunc(known, func(x int32) bool { return !may(x, i) }) {
				continue
			}
			person := int32(-1)
			if in.Promise.Persons {
				person = in.Persons[j]
			}
			all.add(person)
			for _, x := range st.div.sensitive.Tx(int(i)) {
				if with[x] == nil {
					with[x] = &lineTally{}
				}
				with[x].add(person)
			}
			if person >= 0 {
				if whose[person] == nil {
					whose[person] = &lineTally{}
				}
				whose[person].add(person)
			}
		}
		for x, n := range with {
			of, mark := all, int32(-1)
			if in.Values != nil {
				mark = in.Values.Among[x]
			}
			if mark >= 0 {
				of = with[mark]
			}
			if mark != x && (n.lines*in.Promise.L > of.lines ||
				len(n.persons)*in.Promise.L > len(of.persons)) {
				return false
			}
		}
		for _, n := range whose {
			if n.lines*in.Promise.PersonShare > all.lines {
				return false
			}
		}
		return true
	}
	var from func(x int32) bool
	from = func(x int32) bool {
		if len(known) > 0 && !holds() {
			return false
		}
		for ; x < int32(in.Tree.Leaves()) && len(known) < in.Promise.M; x++ {
			known = append(known, x)
			fine := from(x + 1)
			known = known[:len(known)-1]
			if !fine {
				return false
			}
		}
		return true
	}
	return from(0)
}

// lineTally counts lines and their persons.
type lineTally struct {
	lines   int
	persons map[int32]bool
}

func (c *lineTally) add(person int32) {
	c.lines++
	if person < 0 {
		return
	}
	if c.persons == nil {
		c.persons = map[int32]bool{}
	}
	c.persons[person] = true
}

// leveledOfPersons is leveledDiverse where the transactions are of persons, and now and then the
// share of one is bounded.
func leveledOfPersons(t *testing.T, rng *rand.Rand) anonymize.Input {
	in := ofPersonsWithShares(rng, leveledDiverse(t, rng))
	if in.Promise.PersonShare > 0 && rng.IntN(3) == 0 {
		in.Promise.L, in.Sensitive = 0, nil
	}
	return in
}

// faultsIn are those of one way to read.
func (s *search) faultsIn(t *testing.T, st *state, plainly bool, workers int) faults {
	on := watched{workers: workers}
	f := st.newUnions(plainly).look(t.Context(), on)
	if f.none() && st.ofPersons() {
		f = st.newUnionsOfPersons(plainly).look(t.Context(), on)
	}
	return f
}

// What is looked for in unions is what is said of them word by word, in both ways of reading; and
// nothing is left of it, nor of what breaks condition (c), when the release is complete.
func TestSoakUnions(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	soakUnions(t, rng, soak.Share(6_000, 30_000), leveledDiverse)
}

// The same where persons are counted.
func TestSoakUnionsOfPersons(t *testing.T) {
	soakUnions(t, rand.New(rand.NewPCG(75, 76)), soak.Share(6_000, 60_000), leveledOfPersons)
}

func soakUnions(
	t *testing.T, rng *rand.Rand, most int,
	random func(t *testing.T, rng *rand.Rand) anonymize.Input,
) {
	t.Helper()
	fails, held, mended := map[bool]int{}, 0, 0
	rounds := 0
	for range soak.Rounds(t, most) {
		rounds++
		in := random(t, rng)
		if admit(in) != nil {
			continue
		}
		s := small(t.Context(), in, rng)
		st := s.walk(s.byGain(both, 2))
		check(t, in, st)
		for _, plainly := range []bool{false, true} {
			want := unionsByDefinition(in, st, plainly)
			faults := s.faultsIn(t, st, plainly, 1+rng.IntN(2))
			if want != faults.none() {
				t.Fatalf("plainly %v: by definition %v, found %v\n%s", plainly, want, faults,
					conformance.Describe(in))
			}
			if !want {
				fails[plainly]++
			}
		}
		if s.faults(t.Context(), st).none() {
			held++
			continue
		}
		mended++
		early := st.clone()
		s.flatten(early)
		check(t, in, early)
		if early.nested() || slices.Contains(early.inTwoWays(), true) ||
			!compatibleByDefinition(in, early) ||
			!unionsByDefinition(in, early, false) || !unionsByDefinition(in, early, true) {
			t.Fatalf("not complete when the time is over\n%s", conformance.Describe(in))
		}
		if !s.mend(t.Context(), st, nil) {
			t.Fatal("not complete")
		}
		check(t, in, st)
		if !compatibleByDefinition(in, st) || !unionsByDefinition(in, st, false) ||
			!unionsByDefinition(in, st, true) {
			t.Fatalf("not complete\n%s", conformance.Describe(in))
		}
	}
	t.Logf("%d held, %d mended, %v failed in unions", held, mended, fails)
	if least := rounds / 120; held < least || mended < least || fails[true] < least/10 ||
		fails[false] < least {
		t.Errorf("the random instances are one-sided: %d held, %d mended, %v", held, mended, fails)
	}
}

// Every release is accepted by the verifier, keeps the promise word by word, and is the same for
// any number of workers.
func TestSoakDiverse(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 74))
	soakDiverse(t, rng, soak.Share(2_000, 30_000), leveledDiverse)
}

// The same where persons are counted.
func TestSoakDiverseOfPersons(t *testing.T) {
	soakDiverse(t, rand.New(rand.NewPCG(77, 78)), soak.Share(2_000, 60_000), leveledOfPersons)
}

func soakDiverse(
	t *testing.T, rng *rand.Rand, most int,
	random func(t *testing.T, rng *rand.Rand) anonymize.Input,
) {
	t.Helper()
	nested := 0
	rounds := 0
	for range soak.Rounds(t, most) {
		rounds++
		in := random(t, rng)
		if admit(in) != nil {
			continue
		}
		seed := rng.Uint64()
		again := func(workers int) *search {
			in.Workers = workers
			return small(t.Context(), in, rand.New(rand.NewPCG(seed, 1)))
		}
		solve := func(workers int) *state {
			s := again(workers)
			s.run()
			st := s.complete(t.Context(), t.Context())
			return st
		}
		st := solve(1)
		if st.nested() {
			nested++
		}
		if other := solve(3); !slices.Equal(st.at, other.at) {
			t.Fatalf("three workers publish something else\n%s", conformance.Describe(in))
		}
		check(t, in, st)
		if !compatibleByDefinition(in, st) || !unionsByDefinition(in, st, false) ||
			!unionsByDefinition(in, st, true) {
			t.Fatalf("the promise is not kept\n%s", conformance.Describe(in))
		}
		f, err := verify.KM(t.Context(), toVerify(t, in, st.release(in)))
		if err != nil || !f.Holds {
			t.Fatalf("the verifier refuses it: %v %+v\n%s", err, f, conformance.Describe(in))
		}
	}
	t.Logf("%d have a node published above another", nested)
	if nested < rounds/20 {
		t.Errorf("only %d have a node published above another", nested)
	}
}

// nested tells whether some transaction publishes a node and one below it.
func (s *state) nested() bool {
	for i := range int32(s.merged.Len()) {
		for _, v := range s.published(i) {
			if !s.topmost(i, v) {
				return true
			}
		}
	}
	return false
}
