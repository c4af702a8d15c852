package local

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/internal/brute"
	"mingle/internal/soak"
)

// After every step of every order, looked at by enumeration, no set that is published is rare,
// and the lists of who publishes a node are right: a wrong one would be repaired by nobody.
func TestSoakEveryStepKeepsThePromise(t *testing.T) {
	oneGoroutine(t)
	rng := soak.Rand(31, 32)
	for range soak.Rounds(t, soak.Share(800, 3000)) {
		in := brute.Random(rng)
		in.Promise.NegativeKnowledge = false
		switch rng.IntN(6) {
		case 0, 1:
			in = ofPersons(rng, in)
		case 2, 3:
			in = ofPersonsWithShares(rng, in)
		}
		if admit(in) != nil {
			continue
		}
		s := newSearch(t.Context(), in, 1)
		for _, w := range []*order{
			s.byGain(both, 2), s.byGain(each, 2),
			s.byGain(falling, 2), s.byGain(falling, 0.5),
		} {
			w = w.vary(s.rng, variations[1])
			st := newState(in, s.merged, s.div.clone(), s.index)
			st.begin(in.Tree.Root())
			one := newStep(st)
			one.cells.most *= rng.IntN(2) // without room for pairs, too
			steps := w.steps(s.weights)
			steps = slices.Concat(steps[:len(steps)/2], steps, s.byGain(each, 2).steps(s.weights))
			for _, step := range steps {
				one.refine(t.Context(), step)
				check(t, in, st)
			}
			before := st.loss
			st.exchanges(t.Context(), func(_, _ int64) {})
			check(t, in, st)
			if st.loss > before {
				t.Fatal("exchanges have raised the loss")
			}
		}
	}
}

// Exchanges keep the promise node by node, and lessen the loss by what they say. In the end a plain
// trial of every other one breaks the promise.
func TestExchange(t *testing.T) {
	oneGoroutine(t)
	made := 0
	for seed := range uint64(30) {
		in := conformance.Medium(seed)
		in.Promise.M = 1 + int(seed%3)
		st := halfway(t, in)
		x := newExchange(t.Context(), st)
		for c := in.Tree.Root() - 1; c >= 0; c-- {
			before := st.loss
			if x.into(c); st.loss < before {
				made++
				check(t, in, st)
			}
		}
		st.exchanges(t.Context(), func(_, _ int64) {})
		check(t, in, st)
	}
	if made < 10 {
		t.Errorf("%d nodes with exchanges only", made)
	}
}

// halfway is what two thirds of an order have published.
func halfway(t *testing.T, in anonymize.Input) *state {
	s := newSearch(t.Context(), in, 1)
	st := newState(in, s.merged, nil, s.index)
	st.begin(in.Tree.Root())
	steps := s.byGain(each, 0.5).vary(s.rng, variations[1]).steps(s.weights)
	s.pass(t.Context(), st, "", steps[:len(steps)*2/3])
	return st
}

// What a row publishes is ascending, also where items stand beside groups: pairs are counted by it.
func TestRowsAreAscending(t *testing.T) {
	mixed := 0
	for seed := range uint64(20) {
		st := halfway(t, conformance.Uneven(seed))
		for u := range int32(st.tree.Nodes()) {
			if st.tree.IsLeaf(u) || len(st.who[u]) == 0 {
				continue
			}
			one := newStep(st)
			one.begin(t.Context(), target{u, -1})
			one.gather()
			if children := st.tree.Children(u); !slices.IsSorted(children) {
				mixed++
			}
			for n := range one.rows {
				if now := one.now(&one.rows[n]); !slices.IsSorted(now) {
					t.Fatalf("seed %d, node %d: %v", seed, u, now)
				}
			}
		}
	}
	if mixed == 0 {
		t.Error("no node has items and groups in another order than numbers")
	}
}

// After exchanges on small random instances no other one would keep the promise.
func TestNoExchangeIsLeft(t *testing.T) {
	oneGoroutine(t)
	rng := rand.New(rand.NewPCG(35, 36))
	for range 300 {
		in := brute.Random(rng)
		in.Promise.NegativeKnowledge, in.Promise.L = false, 0
		if admit(in) != nil || in.MostAtOnce() > 3 {
			continue
		}
		s := newSearch(t.Context(), in, 1)
		st := newState(in, s.merged, nil, s.index)
		st.begin(in.Tree.Root())
		steps := s.byGain(each, 2).vary(s.rng, variations[1]).steps(s.weights)
		s.pass(t.Context(), st, "", steps[:rng.IntN(len(steps)+1)])
		st.exchanges(t.Context(), func(_, _ int64) {})
		check(t, in, st)
		for i := range int32(st.merged.Len()) {
			for c := range in.Tree.Root() {
				noExchange(t, in, st, i, c)
			}
		}
	}
}

// noExchange fails if transaction i could take c, by itself, for what it has below it.
func noExchange(t *testing.T, in anonymize.Input, st *state, i, c int32) {
	t.Helper()
	items, at := st.below(i, c)
	if len(items) == 0 || at[0] >= st.depthOf(c) {
		return
	}
	x := newExchange(t.Context(), st.clone())
	u, n := st.nodeAt(c, at[0]), int32(len(items))
	if x.leavesBehind(i, u, c, n) {
		return
	}
	stays := x.items(i, u, u) > n
	x.besides(i, u, stays)
	x.replace(i, u, c, stays)
	if brute.KeepsInput(in, x.release(in).Published()) {
		t.Fatalf("transaction %d could take %d\n%s", i, c, conformance.Describe(in))
	}
}

// nodesOf is what each item of transaction i is published as.
func (s *state) nodesOf(i int) []int32 {
	var out []int32
	at := s.at[s.merged.Start(i):]
	for j, item := range s.merged.Tx(i) {
		out = append(out, s.nodeAt(item, at[j]))
	}
	return out
}

func check(t *testing.T, in anonymize.Input, st *state) {
	t.Helper()
	published := st.release(in).Published()
	if in.Promise.Persons && !brute.KeepsLabels(in, published) ||
		!in.Promise.Persons && !brute.KeepsInput(in, published) {
		t.Fatalf("a step has broken %v\n%s", in.Promise, conformance.Describe(in))
	}
	loss := int64(0)
	for i := range st.merged.Len() {
		for _, u := range st.nodesOf(i) {
			loss += st.tree.Penalty(u) * int64(st.lines[i])
		}
	}
	if loss != st.loss {
		t.Fatalf("the loss is %d, and %d is reckoned", loss, st.loss)
	}
	for _, txs := range st.who {
		if st.ofPersons() && !slices.IsSorted(txs) {
			t.Fatal("transactions of a person do not follow each other")
		}
	}
	used := make([][]int32, st.merged.Len())
	for i := range int32(st.merged.Len()) {
		used[i] = st.nodesOf(int(i))
		slices.Sort(used[i])
		if !slices.Equal(slices.Compact(used[i]), st.published(i)) {
			t.Fatalf("transaction %d publishes a node that no item is published as", i)
		}
		for u := range int32(in.Tree.Nodes()) {
			if slices.Contains(st.published(i), u) != slices.Contains(st.who[u], i) {
				t.Fatalf("transaction %d and node %d: published and listed differ", i, u)
			}
		}
	}
}

// An order is a permutation of what there is to specialise, parents before children.
func TestStepsAreComplete(t *testing.T) {
	oneGoroutine(t)
	rng := rand.New(rand.NewPCG(33, 34))
	for range 200 {
		in := brute.Random(rng)
		w := newWeights(in.Tree, in.Data)
		for _, what := range []kind{each, both, falling} {
			seen := make([]bool, in.Tree.Nodes())
			seen[in.Tree.Root()] = true
			for _, s := range w.byGain(what, 2).vary(rng, variations[1]).steps(w) {
				u := s.node
				if what == each {
					u = s.only
				}
				if up := in.Tree.Parent(u); up >= 0 && !seen[up] {
					t.Fatalf("node %d has its turn before its parent", u)
				}
				seen[u] = true
			}
			for u, has := range w.has {
				if has > 0 && !seen[u] && (what == each || !in.Tree.IsLeaf(int32(u))) {
					t.Fatalf("node %d never has its turn", u)
				}
			}
		}
	}
}

// oneGoroutine skips what works in one goroutine under the race detector (-short), where it takes
// minutes and finds nothing.
func oneGoroutine(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("it works in one goroutine: nothing for the race detector")
	}
}
