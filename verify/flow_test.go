package verify

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// graph is what units may be placed on, with what there is of both.
type graph struct {
	adj          [][]int32
	supply, room []int32
}

func randomGraph(r *rand.Rand) graph {
	g := graph{adj: make([][]int32, 1+r.IntN(6))}
	for range 1 + r.IntN(6) {
		g.room = append(g.room, int32(r.IntN(4)))
	}
	for s := range g.adj {
		g.supply = append(g.supply, int32(r.IntN(4)))
		for t := range g.room {
			if r.IntN(3) == 0 {
				g.adj[s] = append(g.adj[s], int32(t))
			}
		}
	}
	return g
}

// lack is by how many units some sources have more than all targets of theirs can take (Hall): the
// most of all sets of sources.
func (g graph) lack(sources []int32) (units int, targets []int32) {
	for _, s := range sources {
		units += int(g.supply[s])
		targets = append(targets, g.adj[s]...)
	}
	slices.Sort(targets)
	targets = slices.Compact(targets)
	for _, t := range targets {
		units -= int(g.room[t])
	}
	return units, targets
}

func (g graph) most() (units int) {
	for set := range 1 << len(g.adj) {
		n, _ := g.lack(itemsOf(set))
		units = max(units, n)
	}
	return units
}

// As much is placed as can be, no target takes more than it can or what it may not, and what is
// left is shown by sources that have more than their targets can take.
func TestAssignmentsPlaceTheMost(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 3))
	for range 3000 {
		g := randomGraph(r)
		a := newAssignment(g.adj, slices.Clone(g.supply), slices.Clone(g.room))
		if r.IntN(2) == 0 { // something is placed, not well
			for s, targets := range g.adj {
				for _, t := range targets {
					if a.supply[s] > 0 && a.room[t] > 0 {
						a.supply[s] -= a.take(int32(s), t, 1)
					}
				}
			}
		}
		left, err := a.complete(t.Context())
		if err != nil || left != g.most() {
			t.Fatalf("%v, %d are left of %+v, and %d must be", err, left, g, g.most())
		}
		g.checkPlaced(t, a)
		sources, targets := a.crowded()
		lack, want := g.lack(sources)
		slices.Sort(targets)
		if lack != left || !slices.Equal(targets, want) {
			t.Fatalf("%+v: %v have %d more than %v, want %d more than %v", g, sources, lack,
				targets, left, want)
		}
	}
	ctx := endingAfter(t.Context(), 0)
	g := graph{adj: [][]int32{{0, 1}, {0}}, supply: []int32{1, 1}, room: []int32{1, 1}}
	a := newAssignment(g.adj, g.supply, g.room)
	a.supply[0] -= a.take(0, 0, 1) // the other must move it
	if left, err := a.complete(ctx); err != ctx.why || left != 0 {
		t.Errorf("%d, %v", left, err)
	}
}

func (g graph) checkPlaced(t *testing.T, a *assignment) {
	t.Helper()
	supply, room := slices.Clone(a.supply), slices.Clone(a.room)
	for at, on := range a.placed {
		for _, u := range on {
			if u.n <= 0 || !slices.Contains(g.adj[u.source], int32(at)) {
				t.Fatalf("%d of source %d on target %d of %+v", u.n, u.source, at, g)
			}
			supply[u.source] += u.n
			room[at] += u.n
		}
	}
	if !slices.Equal(supply, g.supply) || !slices.Equal(room, g.room) || slices.Min(a.supply) < 0 ||
		slices.Min(a.room) < 0 {
		t.Fatalf("%v and %v of %+v", supply, room, g)
	}
}

// Two nodes are in one component where each leads to the other.
func TestComponents(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 4))
	for range 2000 {
		n := 1 + r.IntN(8)
		to := make([][]int32, n)
		leads := make([][]bool, n)
		for v := range to {
			leads[v] = make([]bool, n)
			leads[v][v] = true
			for w := range int32(n) {
				if r.IntN(4) == 0 {
					to[v] = append(to[v], w)
					leads[v][w] = true
				}
			}
		}
		for over := range n {
			for v := range n {
				for w := range n {
					leads[v][w] = leads[v][w] || leads[v][over] && leads[over][w]
				}
			}
		}
		c := &tarjan{
			degree: func(v int32) int { return len(to[v]) },
			to:     func(v int32, i int) int32 { return to[v][i] },
		}
		of := c.components(n)
		for v := range n {
			if of[v] < 0 || int(of[v]) >= n {
				t.Fatalf("%v: component %d", to, of[v])
			}
			for w := range n {
				if (of[v] == of[w]) != (leads[v][w] && leads[w][v]) {
					t.Fatalf("%v: %v", to, of)
				}
			}
		}
	}
}
