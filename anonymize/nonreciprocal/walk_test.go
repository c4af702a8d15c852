package nonreciprocal

import (
	"math/rand/v2"
	"slices"
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

// checkAssignments looks at every edge: each assignment is a permutation, and together they use each edge exactly once.
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

func TestExtractorsDrawDisjointAssignments(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for name, draw := range map[string]Extractor{"closed walk": ClosedWalk, "as printed": ClosedWalkAsPrinted, "backtracking": Backtracking} {
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

// Figure 3 of xue-2012: the walk r4 r5 r1 r3 r2 r1 r4 revisits r1, forgets the
// deviant cycle r1→r3→r2→r1, and closes r4→r5→r1→r4 in 6 steps.
func TestClosedWalkOfFigure3(t *testing.T) {
	// Edges that figure 3 and its text name: r4→r5, r5→r1, r1→{r3, r4}, r3→{r2, r5}, r2→{r1, r3}; r4's and r5's other edges,
	// which the walk does not take, are r4→r2 and r5→r4: then every record has two edges in and two out.
	const r1, r2, r3, r4, r5 = 0, 1, 2, 3, 4
	g := regular(5, 2, []int32{r3, r4, r1, r3, r2, r5, r5, r2, r1, r4})
	w := newWalker(t.Context(), g, nil)
	for u := range int32(5) {
		w.slot[u], w.holder[u] = u, u
	}
	w.walk = 1
	u := int32(r4)
	var steps int
	for _, next := range []int32{r5, r1, r3, r2, r1, r4} {
		steps++
		j := slices.Index(w.options(u, r4), next)
		if j < 0 {
			t.Fatalf("step %d: the hop from r%d to r%d is not among those the walk may take", steps, u+1, next+1)
		}
		u = w.holder[w.take(u, j)]
	}
	if steps != 6 || u != r4 {
		t.Fatalf("%d steps to r%d, figure 3 says 6 to r4", steps, u+1)
	}
	w.settle(r4)
	for u, want := range map[int32]int32{r4: r5, r5: r1, r1: r4} {
		if !w.settled[u] || w.slot[u] != want {
			t.Errorf("r%d is matched with r%d', figure 3 says r%d'", u+1, w.slot[u]+1, want+1)
		}
	}
	if w.settled[r2] || w.settled[r3] {
		t.Error("r2 and r3 are of the deviant cycle and must not be settled")
	}
}
