package itemset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// What two lists have in common is found, and no further than is asked.
func TestEachCommon(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 2_000 {
		long := ascending(rng, 1+rng.IntN(400), 1000)
		short := ascending(rng, rng.IntN(len(long)+1), 1000)
		var want, got []int32
		for _, i := range short {
			if slices.Contains(long, i) {
				want = append(want, i)
			}
		}
		want = want[:rng.IntN(len(want)+1)]
		eachCommon(short, long, func(i int32) bool {
			if len(got) < len(want) {
				got = append(got, i)
				return true
			}
			return false
		})
		if !slices.Equal(got, want) {
			t.Fatalf("%v and %v have %v in common, want %v", short, long, got, want)
		}
	}
	last := []int32{0, math.MaxInt32}
	n := 0
	eachCommon(last, last, func(int32) bool { n++; return true })
	if n != 2 {
		t.Errorf("%d in common at the ends, want 2", n)
	}
}

// ascending is n different numbers below a limit, ascending.
func ascending(rng *rand.Rand, n, limit int) []int32 {
	var out []int32
	for _, i := range rng.Perm(limit)[:n] {
		out = append(out, int32(i))
	}
	slices.Sort(out)
	return out
}

// An index is the same for any number of goroutines, and so is what it answers for many sets at
// once, whatever its bound lets it keep.
func TestIndexOfSeveralGoroutines(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	const leaves = 40
	parent := make([]int32, 0, leaves+9)
	for leaf := range int32(leaves) {
		parent = append(parent, leaves+leaf/5)
	}
	for range leaves / 5 {
		parent = append(parent, leaves+leaves/5)
	}
	tree := NewTree(leaves, append(parent, -1))
	var txs [][]int32
	var weights []int32
	for range 3*fewToIndex + 77 {
		var tx []int32
		for leaf := range int32(leaves) {
			if rng.IntN(1+int(leaf)*int(leaf)) < 5 {
				tx = append(tx, leaf)
			}
		}
		txs, weights = append(txs, tx), append(weights, 1+int32(rng.IntN(3)))
	}
	d := Data{Len: len(txs), Items: leaves, Weights: weights}
	for _, tx := range txs {
		d.Occurrences += len(tx)
	}
	d.Tx = func(i int) []int32 { return txs[i] }
	d.Reader = func() func(i int) []int32 { return d.Tx }
	one := NewIndex(d, tree, 0, 1)
	var sets [][]int32
	for range 500 {
		sets = append(sets, ascending(rng, 2+rng.IntN(3), tree.nodes()))
	}
	for workers := 2; workers <= 4; workers++ {
		for _, bound := range []int64{0, 1, 50_000} {
			several := NewIndex(d, tree, bound, workers)
			for u := range int32(tree.nodes()) {
				if several.NodeSupport(u) != one.NodeSupport(u) ||
					several.Occurs(u) != one.Occurs(u) ||
					!slices.Equal(several.Tids(u), one.Tids(u)) {
					t.Fatalf("%d goroutines: node %d is in other transactions", workers, u)
				}
			}
			for at := 0; at < len(sets); {
				most := bound
				for _, u := range sets[at] {
					most += 8 * int64(several.words()+int(several.size[u]))
				}
				got := several.upToEach(t.Context(), sets[at:], 1_000, workers)
				if bound > 0 && several.bytes > most {
					t.Fatalf("%d bytes are kept, bound %d", several.bytes, bound)
				}
				if len(got) == 0 {
					t.Fatal("no set was looked up")
				}
				for n, support := range got {
					if want := one.upTo(sets[at+n], 1_000); support != want {
						t.Fatalf("%v has %d, want %d", sets[at+n], support, want)
					}
				}
				at += len(got)
			}
		}
	}
}
