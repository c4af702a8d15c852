package exact_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/global/exact"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/brute"
	"mingle/internal/itemset"
	"mingle/internal/naive"
	"mingle/privacy"
	"mingle/verify/bound"
)

// The cut and the certificate of counts made elsewhere are those of the data, and where there is
// none both say why.
func TestCutOfCountsIsTheOptimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 31))
	lifted, further := 0, 0
	for range 3000 {
		in := brute.Random(rng)
		in.Promise = privacy.KM{K: 2 + rng.IntN(4), M: 1 + rng.IntN(4), L: in.Promise.L}
		in = ofPersons(rng, in)
		want, wrong := exact.Algorithm{}.Anonymize(t.Context(), in)
		cut, proven, err := exact.CutOf(t.Context(), in.Tree, in.Promise,
			naive.Counts{In: in, Parts: 1 + rng.IntN(3)}, nil)
		if wrong != nil || err != nil {
			if fmt.Sprint(wrong) != fmt.Sprint(err) {
				t.Fatalf("the data say %v, the counts %v", wrong, err)
			}
			continue
		}
		if !slices.Equal(want.Map, cut.Map()) {
			t.Fatalf("the data have the cut %v, the counts %v", want.Map, cut.Map())
		}
		if !reflect.DeepEqual(want.Bound, proven) {
			t.Fatalf("the data have the bound %+v, the counts %+v", want.Bound, proven)
		}
		lifted += len(proven.Clauses)
		if !proven.Optimal {
			further++
		}
	}
	if lifted < 1000 || further < 50 {
		t.Errorf("only %d clauses were found, and %d cuts lifted further: the test tests little",
			lifted, further)
	}
}

// ofPersons gives the transactions of half of the inputs to persons; no share of theirs is bounded.
func ofPersons(rng *rand.Rand, in anonymize.Input) anonymize.Input {
	if rng.IntN(2) == 0 || in.Promise.Diverse() || in.Data.Len() == 0 {
		return in
	}
	in = brute.RandomPersons(rng, in)
	in.Promise.PersonShare = 0
	return in
}

// At any cuts, in any order, the rare sets of counts made elsewhere are those of a view, in its
// order and within its limit.
func TestRareSetsOfCountsAreThoseOfAView(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 32))
	for range 300 {
		in := brute.Random(rng)
		in.Promise = privacy.KM{K: 2 + rng.IntN(4), M: 1 + rng.IntN(4)}
		in = ofPersons(rng, in)
		limit := 1 + rng.IntN(3)
		var cuts [][]int32
		for range 4 {
			cut := hierarchy.BottomCut(in.Tree)
			for range rng.IntN(4) {
				if u := rng.Int32N(int32(in.Tree.Nodes())); cut.Alive(u) {
					cut.Lift(u)
				}
			}
			cuts = append(cuts, cut.Map())
		}
		got, err := exact.RareByCounts(t.Context(), in, naive.Counts{In: in, Parts: 2}, limit, cuts)
		if err != nil {
			t.Fatal(err)
		}
		merged := dataset.Merge(in.Data)
		if in.Promise.Persons {
			merged = dataset.MergeUnits(in.Data, in.Persons)
		}
		index := anonymize.NewIndex(merged, in.Tree, 0, 1)
		for i, cut := range cuts {
			v, want := itemset.NewView(index, cut, 1), &itemset.Rare{}
			for size := 1; size <= in.MostAtOnce() && want.Len() == 0; size++ {
				want, err = v.Rare(t.Context(), itemset.Search{
					Size: size, K: in.Promise.K, Limit: limit,
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(got[i].Sets, want.Sets) {
				t.Fatalf("cut %v: %v by counts, %v in a view", cut, got[i].Sets, want.Sets)
			}
		}
	}
}

// Where there are so many nodes that sets have no cells, the first parts of them are looked through
// first, in the data as in counts made elsewhere: both find the same clauses.
func TestCutOfCountsOfManyItems(t *testing.T) {
	const items, paired = 3000, 50
	rng := rand.New(rand.NewPCG(28, 11))
	var lines [][]string // pairs are rare, those of groups of five are not
	name := func(i int) string { return fmt.Sprintf("%04d", i) }
	for i := range items {
		for range 5 + rng.IntN(100) {
			lines = append(lines, []string{name(i)})
		}
	}
	for range 600 {
		a, b := rng.IntN(paired), rng.IntN(paired)
		lines = append(lines, []string{name(a), name(b)})
	}
	data := dataset.FromLabels(lines)
	tree := fanout(t, data)
	data, err := tree.Encode(data)
	if err != nil {
		t.Fatal(err)
	}
	in := anonymize.Input{Data: data, Tree: tree, Promise: privacy.KM{K: 5, M: 2}}
	want, err := exact.Algorithm{}.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	cut, proven, err := exact.CutOf(
		t.Context(), in.Tree, in.Promise, naive.Counts{In: in, Parts: 2}, nil,
	)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(want.Map, cut.Map()) || !reflect.DeepEqual(want.Bound, proven) {
		t.Fatal("another cut, or another bound")
	}
	finding, err := bound.Certificate(t.Context(), boundInput(in), proven.Certificate)
	if err != nil || !finding.Holds || !proven.Optimal || len(proven.Clauses) == 0 {
		t.Errorf("%+v %v", finding, err)
	}
	bottom := hierarchy.BottomCut(tree).Map()
	counts := naive.Counts{In: in, Parts: 2}
	got, err := exact.RareByCounts(t.Context(), in, counts, 7, [][]int32{bottom})
	if err != nil {
		t.Fatal(err)
	}
	merged := dataset.Merge(data)
	index := anonymize.NewIndex(merged, tree, 0, 1)
	cuts := itemset.NewCuts(anonymize.Rows(merged), index, 5, 1)
	listed, err := cuts.Smallest(t.Context(), bottom, 2, func(int) int { return 7 })
	if err != nil || listed.Len() == 0 {
		t.Fatal(listed.Len(), err)
	}
	if !slices.Equal(got[0].Sets, listed.Sets) {
		t.Errorf("the data list %d rare sets, the counts %d", listed.Len(), got[0].Len())
	}
}

// On a public data set the counts find the cut and the certificate of the data in a few counts, and
// the certificate is that of the data for who checks it.
func TestCutOfCountsOfRealData(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	for m := 1; m <= 3; m++ {
		in := load(t, "groceries/groceries.dat.gz", m)
		want, err := exact.Algorithm{}.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		jobs := 0
		counts := naive.Counts{In: in, Parts: 2, Jobs: &jobs}
		cut, proven, err := exact.CutOf(t.Context(), in.Tree, in.Promise, counts, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("m=%d: %d counts, %d clauses", m, jobs, len(proven.Clauses))
		if !slices.Equal(want.Map, cut.Map()) || !reflect.DeepEqual(want.Bound, proven) {
			t.Fatalf("m=%d: another cut, or another bound", m)
		}
		finding, err := bound.Certificate(t.Context(), boundInput(in), proven.Certificate)
		if err != nil || !finding.Holds {
			t.Errorf("m=%d: %+v %v", m, finding, err)
		}
	}
}
