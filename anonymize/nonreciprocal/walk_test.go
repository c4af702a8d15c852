package nonreciprocal

import (
	"math/rand/v2"
	"testing"
)

// randomRegular is the union of degree disjoint random permutations, found by trial.
func randomRegular(rng *rand.Rand, n, degree int) *Graph {
	slots := make([]int32, n*degree)
	for j := range degree {
	again:
		perm := rng.Perm(n)
		for range 200 { // repair clashes by swaps
			clash := -1
			for u := range n {
				for i := range j {
					if slots[u*degree+i] == int32(perm[u]) {
						clash = u
					}
				}
			}
			if clash < 0 {
				break
			}
			o := rng.IntN(n)
			perm[clash], perm[o] = perm[o], perm[clash]
		}
		for u := range n {
			for i := range j {
				if slots[u*degree+i] == int32(perm[u]) {
					goto again
				}
			}
			slots[u*degree+j] = int32(perm[u])
		}
	}
	return regular(n, degree, slots)
}

// checkAssignments looks at every edge: each assignment is a permutation, and together they use
// each edge exactly once.
func checkAssignments(t *testing.T, g *Graph, assignments [][]int32) {
	t.Helper()
	if g.Len() > 0 && len(assignments) != len(g.Slots(0)) {
		t.Fatalf("%d assignments of a graph of degree %d", len(assignments), len(g.Slots(0)))
	}
	used := map[[2]int32]bool{}
	for a, assignment := range assignments {
		taken := make([]bool, g.Len())
		for u, v := range assignment {
			edge := [2]int32{int32(u), v}
			if taken[v] || used[edge] {
				t.Fatalf("assignment %d: slot %d taken twice or edge %v used before", a, v, edge)
			}
			taken[v], used[edge] = true, true
		}
	}
	for u := range int32(g.Len()) {
		for _, v := range g.Slots(u) {
			if !used[[2]int32{u, v}] {
				t.Fatalf("edge (%d, %d') is in no assignment", u, v)
			}
		}
	}
}

// extractors are all of them.
var extractors = map[string]Extractor{"closed walk": ClosedWalk, "backtracking": Backtracking}

func TestExtractorsDrawDisjointAssignments(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine: nothing for the race detector")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for name, draw := range extractors {
		t.Run(name, func(t *testing.T) {
			for range 150 {
				n := 1 + rng.IntN(40)
				degree := 1 + rng.IntN(min(n, 6))
				g := Ring(toInt32(rng.Perm(n)), degree)
				if rng.IntN(2) == 0 && degree < max(2, n/3) {
					g = randomRegular(rng, n, degree)
				}
				assignments, steps, err := draw(t.Context(), g, rng)
				if err != nil {
					t.Fatal(err)
				}
				checkAssignments(t, g, assignments)
				if steps < int64(degree) {
					t.Errorf("%d steps for %d assignments", steps, degree)
				}
			}
		})
	}
}

func toInt32(list []int) []int32 {
	out := make([]int32, len(list))
	for i, x := range list {
		out[i] = int32(x)
	}
	return out
}
