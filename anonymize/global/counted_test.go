package global_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/brute"
	"mingle/internal/naive"
	"mingle/privacy"
)

// The cut of counts made elsewhere is the cut of aa, and where there is none both say why.
func TestCutOfCountsIsThatOfAA(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 23))
	for range 1500 {
		in := brute.Random(rng)
		in.Promise = privacy.KM{K: 2 + rng.IntN(4), M: 1 + rng.IntN(4), L: in.Promise.L}
		in = ofPersons(rng, in)
		want, wrong := global.AA{}.Anonymize(t.Context(), in)
		cut, err := global.CutOf(t.Context(), in.Tree, in.Promise,
			naive.Counts{In: in, Parts: 1 + rng.IntN(3)}, nil)
		if wrong != nil || err != nil {
			if fmt.Sprint(wrong) != fmt.Sprint(err) {
				t.Fatalf("aa says %v, the counts %v", wrong, err)
			}
			continue
		}
		if !slices.Equal(want.Map, cut.Map()) {
			t.Fatalf("aa has the cut %v, the counts %v", want.Map, cut.Map())
		}
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

// skewed is data of some tens of items, of which few are frequent.
func skewed(t *testing.T, rng *rand.Rand) anonymize.Input {
	t.Helper()
	labels := make([]string, 10+rng.IntN(30))
	for i := range labels {
		labels[i] = fmt.Sprint("i", i)
	}
	tree, err := hierarchy.Fanout(labels, 2+rng.IntN(4))
	if err != nil {
		t.Fatal(err)
	}
	share := make([]float64, tree.Leaves())
	for i := range share {
		share[i] = 0.5 * rng.Float64() * rng.Float64() * rng.Float64()
	}
	b := dataset.NewBuilder(tree.LeafDict())
	for range 100 + rng.IntN(300) {
		var tx []int32
		for i, s := range share {
			if rng.Float64() < s {
				tx = append(tx, int32(i))
			}
		}
		b.Add(tx)
	}
	return anonymize.Input{Data: b.Build(), Tree: tree}
}

// sensitive has every transaction have some of a few sensitive items, the more often the more items
// of the first half it has.
func sensitive(rng *rand.Rand, d *dataset.Dataset) *dataset.Dataset {
	b := dataset.NewBuilder(dataset.MustDictionary([]string{"s1", "s2", "s3", "s4"}))
	for _, tx := range d.All() {
		share := 0.02
		for _, x := range tx {
			if int(x) < d.Dict().Len()/2 {
				share += 0.08
			}
		}
		var own []int32
		for x := range int32(4) {
			if rng.Float64() < share {
				own = append(own, x)
			}
		}
		b.Add(own)
	}
	return b.Build()
}

// With l-diversity, too, the cut of counts made elsewhere is that of aa, and of vpa; it often is
// another one than without.
func TestCutOfCountsHidesSensitiveItems(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine has nothing for the race detector")
	}
	rng := rand.New(rand.NewPCG(20, 40))
	lifted, infeasible := map[bool]int{}, 0
	for i := range 1200 {
		in := skewed(t, rng)
		in.Promise = privacy.KM{K: 3 + rng.IntN(10), M: 1 + rng.IntN(3), L: 2 + rng.IntN(8)}
		in.Sensitive = sensitive(rng, in.Data)
		jobs, vertical := 0, i%2 == 0
		counts := naive.Counts{In: in, Parts: 1 + rng.IntN(3), Jobs: &jobs}
		var a anonymize.Algorithm = global.AA{}
		cutOf := global.CutOf
		if vertical {
			v := global.VPA{Parts: rng.IntN(5)}
			a, cutOf = v, v.CutOf
		}
		want, wrong := a.Anonymize(t.Context(), in)
		cut, err := cutOf(t.Context(), in.Tree, in.Promise, counts, nil)
		if wrong != nil || err != nil {
			if fmt.Sprint(wrong) != fmt.Sprint(err) {
				t.Fatalf("%s says %v, the counts %v", a.Name(), wrong, err)
			}
			infeasible++
			continue
		}
		if !slices.Equal(want.Map, cut.Map()) {
			t.Fatalf("%s has the cut %v, the counts %v", a.Name(), want.Map, cut.Map())
		}
		if most := 2 * in.Promise.M; !vertical && jobs > most {
			t.Fatalf("%d jobs, more than %d", jobs, most)
		}
		in.Promise.L, in.Sensitive = 0, nil
		plain, err := a.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(plain.Map, want.Map) {
			lifted[vertical]++
		}
	}
	if lifted[true] < 50 || lifted[false] < 50 || infeasible < 20 {
		t.Errorf("the cut was lifted %v times, and %d times there was none", lifted, infeasible)
	}
}

// The cut of counts made elsewhere is that of vpa, whatever the parts.
func TestCutOfCountsIsThatOfVPA(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine has nothing for the race detector")
	}
	rng := rand.New(rand.NewPCG(20, 34))
	inParts, lowered := 0, 0
	for range 2000 {
		in := skewed(t, rng)
		in.Promise = privacy.KM{K: 3 + rng.IntN(10), M: 1 + rng.IntN(3)}
		in = ofPersons(rng, in)
		a := global.VPA{
			Parts: rng.IntN(5), PartitionLevel: rng.IntN(in.Tree.Height(in.Tree.Root()) + 1),
		}
		want, wrong := a.Anonymize(t.Context(), in)
		cut, err := a.CutOf(t.Context(), in.Tree, in.Promise,
			naive.Counts{In: in, Parts: 1 + rng.IntN(3)}, nil)
		if wrong != nil || err != nil {
			if fmt.Sprint(wrong) != fmt.Sprint(err) {
				t.Fatalf("vpa says %v, the counts %v", wrong, err)
			}
			continue
		}
		if !slices.Equal(want.Map, cut.Map()) {
			t.Fatalf("%+v: vpa has the cut %v, the counts %v", a, want.Map, cut.Map())
		}
		plain, err := global.AA{}.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(plain.Map, want.Map) {
			if a.Parts == 1 {
				lowered++
			} else {
				inParts++
			}
		}
	}
	if inParts < 20 || lowered < 5 {
		t.Errorf("vpa was aa but for %d and %d times: the test tests little", inParts, lowered)
	}
}
