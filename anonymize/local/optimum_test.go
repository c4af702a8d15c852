package local_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/local"
	"mingle/dataset"
	"mingle/internal/brute"
	"mingle/release"
)

// How far local is from the optimum of local recoding, found by trying every level of every
// occurrence.
func TestAgainstTheOptimumOfLocalRecoding(t *testing.T) {
	if testing.Short() {
		t.Skip("it works in one goroutine: nothing for the race detector")
	}
	rng := rand.New(rand.NewPCG(21, 22))
	instances, equal := 0, 0
	worst, total, least := 1.0, int64(0), int64(0)
	for instances < 150 {
		in, ok := tiny(rng)
		if !ok {
			continue
		}
		best := optimum(in)
		g, err := local.Algorithm{}.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		got := lossOf(g)
		if got < best {
			t.Fatalf("loss %d is below the optimum %d\n%s", got, best, conformance.Describe(in))
		}
		instances++
		total, least = total+got, least+best
		if got == best {
			equal++
		} else if best > 0 {
			worst = max(worst, float64(got)/float64(best))
		}
	}
	t.Logf("optimal in %d of %d instances; all together %.3f times the optimum, at worst %.2f times", equal, instances, float64(total)/float64(least), worst)
	if equal*5 < instances*3 {
		t.Errorf("optimal in only %d of %d instances", equal, instances)
	}
}

// tiny is an instance with at most 20,000 local recodings.
func tiny(rng *rand.Rand) (anonymize.Input, bool) {
	in := brute.Random(rng)
	in.Promise.L, in.Sensitive, in.Promise.NegativeKnowledge = 0, nil, false
	in.Promise.K, in.Promise.M = 2, 1+rng.IntN(3)
	recodings := 1
	for _, leaf := range in.Data.Items() {
		if recodings *= in.Tree.Depth(leaf) + 1; recodings > 20_000 {
			return in, false
		}
	}
	return in, in.CheckFor(local.Algorithm{}) == nil && recodings > 100
}

// optimum is the least loss of a local recoding that keeps the promise.
func optimum(in anonymize.Input) int64 {
	best := int64(-1)
	nodes := make([]int32, in.Data.Occurrences())
	var try func(pos int, sum int64)
	try = func(pos int, sum int64) {
		if best >= 0 && sum >= best {
			return
		}
		if pos == len(nodes) {
			if brute.Keeps(release.Local(in.Tree, in.Data, nodes).Published(), nil, in.Promise) {
				best = sum
			}
			return
		}
		leaf := in.Data.Items()[pos]
		for _, u := range in.Tree.Path(leaf) {
			nodes[pos] = u
			step := int64(0)
			if u != leaf {
				step = int64(in.Tree.LeafCount(u))
			}
			try(pos+1, sum+step)
		}
	}
	try(0, 0)
	return best
}

func lossOf(g *release.Generalized) int64 {
	total := int64(0)
	for pos, leaf := range g.Data.Items() {
		if u := g.Node(pos); u != leaf {
			total += int64(g.Tree.LeafCount(u))
		}
	}
	return total
}

// An adversary who knows that all items below a node move together reads u beside c as "not
// below c". Known items then match a transaction only by the lowest published node above each.
// At least k transactions must match all the same, and at least k must publish the very
// combination that the person's transaction does: decoys do not count.
func TestCandidates(t *testing.T) {
	if testing.Short() {
		t.Skip("it works in one goroutine: nothing for the race detector")
	}
	rng := rand.New(rand.NewPCG(23, 24))
	for range 400 {
		in := brute.Random(rng)
		in.Promise.L, in.Sensitive, in.Promise.NegativeKnowledge = 0, nil, false
		g, err := local.Algorithm{}.Anonymize(t.Context(), in)
		if err != nil {
			continue // infeasible
		}
		published := g.Published()
		for i := range in.Data.Len() {
			brute.Sets(in.Data.Tx(i), in.Promise.M, func(known []int32) {
				if len(known) == 0 {
					return
				}
				match, same := 0, 0
				for j := range published.Len() {
					a, b := lowest(in, published, i, known), lowest(in, published, j, known)
					if !slices.Contains(b, -1) {
						match++
					}
					if contains(published.Tx(j), a) {
						same++
					}
				}
				if match < in.Promise.K || same < in.Promise.K {
					t.Fatalf("transaction %d: %d candidates, %d publish what it publishes\n%s\npublished %s", i, match, same, conformance.Describe(in), conformance.Spell(published))
				}
			})
		}
	}
}

// lowest is the lowest node that transaction i publishes above each item, -1 for none.
func lowest(in anonymize.Input, published *dataset.Dataset, i int, items []int32) []int32 {
	out := make([]int32, len(items))
	for n, leaf := range items {
		out[n] = -1
		for _, u := range in.Tree.Path(leaf) {
			if slices.Contains(published.Tx(i), u) {
				out[n] = u
				break
			}
		}
	}
	return out
}

func contains(tx, set []int32) bool {
	for _, u := range set {
		if !slices.Contains(tx, u) {
			return false
		}
	}
	return true
}
