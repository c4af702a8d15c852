package local

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/brute"
	"mingle/hierarchy"
	"mingle/internal/soak"
)

// one is a step with a meter of its own that never ends.
func (s *search) one(r *recoding) *step {
	return s.step(r, &meter{ctx: s.ctx, limit: math.MaxInt64})
}

// everyNode are the nodes of a tree.
func everyNode(t *hierarchy.Tree) (out []int32) {
	for u := range int32(t.Nodes()) {
		out = append(out, u)
	}
	return out
}

// varied is an order with keys that are left to chance.
func (s *search) varied(rng *rand.Rand, t turns) *order {
	of := s.weights.order(t)
	o := &order{turns: t, keys: slices.Clone(of.keys)}
	o.vary(rng, everyNode(s.in.Tree), of)
	return o
}

// After every step of every order, examined by enumeration, no set that is published is rare, and
// the lists of who publishes a node are right: a wrong one would be corrected by nobody.
func TestSoakEveryStepKeepsThePromise(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine")
	}
	rng := rand.New(rand.NewPCG(31, 32))
	for range soak.Share(250, 2000) {
		in := brute.Random(rng)
		in.Promise.NegativeKnowledge = false
		if in.Check() != nil {
			continue
		}
		s := newSearch(t.Context(), in, 1)
		for _, turns := range []turns{allChildren, allThenEach, eachByItself} {
			if s.rule.div != nil && turns != allChildren {
				continue
			}
			o := s.varied(rng, turns)
			r := newRecoding(in.Tree, s.merged, nil)
			one := s.one(r)
			one.space.cells.most *= rng.IntN(2) // without room for pairs, too
			for _, to := range o.steps(s.weights) {
				before := r.loss
				one.specialise(to)
				check(t, in, r)
				if r.loss > before {
					t.Fatal("a step has raised the loss")
				}
			}
		}
	}
}

// What is destroyed and repaired keeps the promise, and what is undone leaves no trace.
func TestDestroyAndRepair(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	gained, undone := 0, 0
	for range 300 {
		in := plain(rng)
		if in.Check() != nil {
			continue
		}
		s := newSearch(t.Context(), in, 1)
		st := newRecoding(in.Tree, s.merged, nil)
		if st.loss == 0 {
			continue
		}
		one := s.one(st)
		steps := s.weights.order(turns(rng.IntN(int(allThenEach) + 1))).steps(s.weights)
		for _, to := range steps[:rng.IntN(len(steps)+1)] {
			one.specialise(to)
		}
		r := newNeighbourhood(one, s.weights, 1)
		for range 5 {
			r.choose()
			r.save()
			before := st.clone()
			r.destroy()
			check(t, in, st)
			r.repair()
			check(t, in, st)
			if st.loss < before.loss {
				gained++
				continue
			}
			undone++
			r.undo()
			check(t, in, st)
			if !slices.Equal(st.nodes, before.nodes) || st.loss != before.loss {
				t.Fatal("what was destroyed has not been restored")
			}
		}
	}
	if gained < 50 || undone < 50 {
		t.Errorf("%d repairs gained something, %d did not", gained, undone)
	}
}

func check(t *testing.T, in anonymize.Input, st *recoding) {
	t.Helper()
	if !brute.Keeps(st.release(in.Data).Published(), in.Sensitive, in.Promise) {
		t.Fatalf("a step has broken %v", in.Promise)
	}
	loss := int64(0)
	for i := range st.merged.Len() {
		for _, u := range st.nodes[st.merged.Start(i):st.merged.Start(i+1)] {
			loss += st.penalty(u) * int64(st.merged.Weights[i])
		}
	}
	if loss != st.loss {
		t.Fatalf("the loss is %d, and %d is kept", loss, st.loss)
	}
	used := make([][]int32, st.merged.Len())
	for i := range int32(st.merged.Len()) {
		used[i] = slices.Clone(st.nodes[st.merged.Start(int(i)):st.merged.Start(int(i)+1)])
		slices.Sort(used[i])
		if !slices.Equal(slices.Compact(used[i]), st.published(i)) {
			t.Fatalf("transaction %d publishes a node that no item is published as", i)
		}
		for u := range int32(in.Tree.Nodes()) {
			if slices.Contains(st.published(i), u) != slices.Contains(st.publishers[u], i) {
				t.Fatalf("transaction %d and node %d: published and listed differ", i, u)
			}
		}
	}
}

// An order is a permutation of what there is to specialise, parents before children.
func TestStepsAreComplete(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for range 200 {
		in := plain(rng)
		if in.Check() != nil {
			continue
		}
		s := newSearch(t.Context(), in, 1)
		w := s.weights
		for _, what := range []turns{eachByItself, allChildren, allThenEach} {
			seen := make([]bool, in.Tree.Nodes())
			seen[in.Tree.Root()] = true
			for _, to := range s.varied(rng, what).steps(w) {
				u := to.node
				if what == eachByItself {
					u = to.child
				}
				if up := in.Tree.Parent(u); up >= 0 && !seen[up] {
					t.Fatalf("node %d comes before its parent", u)
				}
				seen[u] = true
			}
			for u, n := range w.occurrences {
				if n > 0 && !seen[u] && (what == eachByItself || !in.Tree.IsLeaf(int32(u))) {
					t.Fatalf("node %d never comes", u)
				}
			}
		}
	}
}
