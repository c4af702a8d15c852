package local

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/verify"
)

// bounded is a random instance in which shares are bounded: of sensitive items, of values, or of
// one person.
func bounded(t *testing.T, rng *rand.Rand) anonymize.Input {
	t.Helper()
	kinds := []func(*testing.T, *rand.Rand) anonymize.Input{
		leveledDiverse, leveledOfPersons, leveledValued, leveledValuedOfPersons,
	}
	for {
		in := kinds[rng.IntN(len(kinds))](t, rng)
		in.Promise.NegativeKnowledge = false
		if _, div := merge(in); div != nil && admit(in) == nil {
			return in
		}
	}
}

// What is published as it is, but for what is refused, is found to keep the promise exactly if the
// verifier finds so: where refusals were drawn, for transactions that are merged, and near releases
// that keep it.
func TestSoakAsRefused(t *testing.T) {
	rng := soak.Rand(18, 91)
	keep, rounds := 0, 0
	for range soak.Rounds(t, soak.Share(2_000, 60_000)) {
		rounds++
		in := bounded(t, rng)
		s := refusedAtRandom(t, in, rng)
		if rng.IntN(2) == 0 {
			s = nearARelease(t, in, rng)
		}
		f, err := verify.KM(t.Context(), toVerify(t, in, s.onlyRefused().release(in)))
		if err != nil {
			t.Fatal(err)
		}
		st := s.asRefused(t.Context())
		if st != nil {
			keep++
			check(t, in, st)
		}
		if (st != nil) != f.Holds {
			t.Fatalf("found to keep the promise: %v, by the verifier: %+v\n%s", st != nil, f,
				conformance.Describe(in))
		}
	}
	t.Logf("%d of %d keep the promise", keep, rounds)
	if keep < rounds/10 || keep > rounds/2 {
		t.Errorf("the random instances are one-sided: %d of %d keep the promise", keep, rounds)
	}
}

func refusedAtRandom(t *testing.T, in anonymize.Input, rng *rand.Rand) *search {
	draws := newDraws(in, rng, 4*rng.Float64())
	merged, div := merge(in)
	return newSearchOf(t.Context(), in, 1)(drawFor(draws, merged, div))
}

// nearARelease is a search that is refused exactly what a release has no label at or below, or in
// one line something else, now and then.
func nearARelease(t *testing.T, in anonymize.Input, rng *rand.Rand) *search {
	g, err := Algorithm{}.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	s, _ := refusedBy(t, in, g.Published())
	if r := s.refused; rng.IntN(2) == 0 && len(r.nodes) > 0 {
		r.nodes[rng.IntN(len(r.nodes))] = int32(rng.IntN(int(in.Tree.Root())))
	}
	return s
}

// The theorem of docs/algorithms/local.md where shares are bounded: every original that is
// compatible with a release leads to it if exactly those nodes are refused that the release has no
// label at or below.
func TestSoakEveryCompatibleOriginalIsPossibleWithShares(t *testing.T) {
	rng := soak.Rand(18, 92)
	random := func() anonymize.Input { return bounded(t, rng) }
	eachCompatible(t, rng, soak.Share(300, 10_000), random,
		func(t *testing.T, in anonymize.Input, published *dataset.Dataset) {
			s, order := refusedBy(t, in, published)
			st := s.asRefused(t.Context())
			for at, i := range order {
				want := published.Tx(int(i))
				if st == nil || !slices.Equal(st.published(int32(at)), want) {
					t.Fatalf("transaction %d is not published as %v\n%s\nreleased %s", i, want,
						conformance.Describe(in), conformance.Spell(published))
				}
			}
		})
}

// refusedBy is a search with every line by itself, which is refused exactly what a release has no
// label at or below; and the line of each transaction.
func refusedBy(
	t *testing.T, in anonymize.Input, published *dataset.Dataset,
) (*search, []int32) {
	t.Helper()
	merged, order := linesApart(in)
	sensitive := dataset.FromLabels(make([][]string, len(order)))
	if in.Promise.Diverse() {
		sensitive = in.Sensitive.Select(order)
	}
	refused := refusedExactly(in.Tree, published.Select(order))
	div := newDiversity(in, merged, sensitive)
	return newSearchOf(t.Context(), in, 1)(merged, div, refused), order
}
