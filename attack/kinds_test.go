package attack_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/attack"
	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/release"
)

// Random records with random bases, uncertain items and thresholds, against their possible worlds,
// one by one.
func TestNonreciprocalAgainstPossibleWorlds(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for round := range 100 {
		dict := dataset.MustDictionary([]string{"a", "b", "c", "d", "e"})
		data, rel := randomNonreciprocal(rng, dict)
		c, err := attack.Nonreciprocal(data, rel)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Run(t.Context(), attack.Options{M: 3, K: 3, Draws: 200})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.SinglingOut {
			want := naiveCount(data, s.Known, 3, func(known []int32) int {
				n := 0
				for i := range rel.Len() {
					if worldWith(rel, i, known) {
						n++
					}
				}
				return n
			})
			if d := cmp.Diff(want, brief(s.After), approx); d != "" {
				t.Fatalf("round %d, %d known: %s", round, s.Known, d)
			}
		}
	}
}

func randomNonreciprocal(rng *rand.Rand, dict *dataset.Dictionary) (*dataset.Dataset,
	*release.Nonreciprocal,
) {
	random := func(p float64) []int32 {
		var tx []int32
		for x := range int32(dict.Len()) {
			if rng.Float64() < p {
				tx = append(tx, x)
			}
		}
		return tx
	}
	data, base, uncertain := dataset.NewBuilder(dict), dataset.NewBuilder(dict),
		dataset.NewBuilder(dict)
	rel := &release.Nonreciprocal{}
	for range 12 {
		data.Add(append(random(0.4), int32(rng.IntN(dict.Len()))))
		base.Add(random(0.4))
		uncertain.Add(random(0.7))
		rel.Threshold = append(rel.Threshold, int32(rng.IntN(3)))
	}
	base.Add([]int32{0, 1, 2, 3, 4}) // no item is nowhere
	uncertain.Add(nil)
	rel.Threshold = append(rel.Threshold, 0)
	rel.Base, rel.Uncertain = base.Build(), uncertain.Build()
	return data.Build(), rel
}

// worldWith tells whether some possible world of record i holds all known items.
func worldWith(r *release.Nonreciprocal, i int, known []int32) bool {
	for world := range 1 << r.Dict().Len() {
		var tx []int32
		for x := range int32(r.Dict().Len()) {
			if world>>x&1 != 0 {
				tx = append(tx, x)
			}
		}
		missing := slices.ContainsFunc(known, func(x int32) bool { return !slices.Contains(tx, x) })
		if !missing && r.Matches(i, tx) {
			return true
		}
	}
	return false
}

// naiveCount is the figures of persons whose known items match so many records.
func naiveCount(data *dataset.Dataset, size, k int, matches func(known []int32) int) figures {
	var f figures
	persons := 0.0
	for i := range data.Len() {
		sets := subsets(data.Tx(i), size)
		if len(sets) > 0 {
			persons++
		}
		for _, known := range sets {
			f.add(matches(known), 1/float64(len(sets)), k)
		}
	}
	f.Unique /= persons
	f.Under /= persons
	f.Success /= persons
	f.None /= persons
	return f
}

// Bags with equal values and overlapping ranges, against trying every way to give values terms of
// their own.
func TestRangesAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for round := range 150 {
		values, published := randomRanges(rng, []int{3, 6, 15}[round%3])
		c, err := attack.Ranges(values, published)
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Run(t.Context(), attack.Options{M: 3, K: 3, Draws: 200})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range r.SinglingOut {
			before, after := naiveBags(values, values, s.Known),
				naiveBags(values, published, s.Known)
			if d := cmp.Diff(before, brief(s.Before), approx); d != "" {
				t.Fatalf("round %d, %d known, before: %s", round, s.Known, d)
			}
			if d := cmp.Diff(after, brief(s.After), approx); d != "" {
				t.Fatalf("round %d, %d known, after: %s", round, s.Known, d)
			}
		}
	}
}

func randomRanges(rng *rand.Rand, domain int) (values, published *bag.Bags) {
	var records [][]int64
	for range 2 + rng.IntN(12) {
		var r []int64
		for range 1 + rng.IntN(4) {
			r = append(r, int64(rng.IntN(domain)))
		}
		records = append(records, r)
	}
	values = bag.FromInts(records)
	ranges := make([][]string, values.Len())
	for i := range ranges {
		for _, v := range values.Record(i) {
			at := values.Terms()[v].Lo
			lo, hi := bag.Int(int64(-rng.IntN(2))), bag.Int(int64(rng.IntN(3)))
			ranges[i] = append(ranges[i], bag.Term{Lo: plus(at, lo), Hi: plus(at, hi)}.String())
		}
	}
	published, err := bag.FromFields(bag.Numbers(), ranges)
	if err != nil {
		panic(err)
	}
	return values, published
}

func plus(a, b bag.Number) bag.Number {
	x, _ := a.Coef(0)
	y, _ := b.Coef(0)
	return bag.Int(x.Int64() + y.Int64())
}

func naiveBags(values, published *bag.Bags, size int) figures {
	var f figures
	persons := 0.0
	for i := range values.Len() {
		places := make([]int32, len(values.Record(i)))
		for at := range places {
			places[at] = int32(at)
		}
		sets := subsets(places, size)
		if len(sets) > 0 {
			persons++
		}
		for _, set := range sets {
			n := 0
			for j := range published.Len() {
				if assignable(values, published, i, j, set, 0) {
					n++
				}
			}
			f.add(n, 1/float64(len(sets)), 3)
		}
	}
	f.Unique /= persons
	f.Under /= persons
	f.Success /= persons
	f.None /= persons
	return f
}

// assignable tells whether the known values of record i can be given terms of record j, none of
// them in taken.
func assignable(values, published *bag.Bags, i, j int, places []int32, taken uint) bool {
	if len(places) == 0 {
		return true
	}
	v := values.Terms()[values.Record(i)[places[0]]].Lo
	for at, id := range published.Record(j) {
		if taken>>at&1 == 0 && published.Terms()[id].Contains(v) &&
			assignable(values, published, i, j, places[1:], taken|1<<at) {
			return true
		}
	}
	return false
}
