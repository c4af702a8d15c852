package local

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/brute"
	"mingle/internal/soak"
)

// plain is a random instance without sensitive items and negative knowledge; of persons, now and
// then.
func plain(rng *rand.Rand) anonymize.Input {
	in := brute.Random(rng)
	in.Promise.L, in.Sensitive, in.Promise.NegativeKnowledge = 0, nil, false
	if rng.IntN(3) == 0 {
		return ofPersons(rng, in)
	}
	return in
}

// ofPersons gives the transactions of an instance to persons, now and then many of them to nobody.
// No shares are bounded.
func ofPersons(rng *rand.Rand, in anonymize.Input) anonymize.Input {
	in = ofPersonsWithShares(rng, in)
	in.Promise.PersonShare, in.Promise.L, in.Sensitive = 0, 0, nil
	return in
}

// ofPersonsWithShares is the same with the bounds on shares that the instance has, and now and then
// one on that of one person.
func ofPersonsWithShares(rng *rand.Rand, in anonymize.Input) anonymize.Input {
	in = brute.RandomPersons(rng, in)
	for many, i := rng.IntN(2) == 0, 0; many && i < len(in.Persons); i++ {
		if rng.IntN(4) == 0 {
			in.Persons[i] = -1
		}
	}
	return in
}

// What is refused is not published, nor anything below it, and every line stays child-closed, after
// steps and exchanges, with so many refusals that most lines have some.
func TestRefused(t *testing.T) {
	oneGoroutine(t)
	rng := rand.New(rand.NewPCG(61, 62))
	refusals := 0
	for n := range 600 {
		in := plain(rng)
		if n%2 == 0 {
			in = leveledOfPersons(t, rng)
		}
		if admit(in) != nil {
			continue
		}
		merged, div := merge(in)
		s := newSearchOf(t.Context(), in, 1)(drawFor(newDraws(in, rng, 2), merged, div))
		s.run()
		st := s.complete(t.Context(), t.Context())
		check(t, in, st)
		refusals += len(s.refused.nodes)
		for i := range int32(s.merged.Len()) {
			for _, v := range s.refused.nodes[s.refused.start[i]:s.refused.start[i+1]] {
				below := func(u int32) bool { return in.Tree.Covers(v, u) }
				if slices.ContainsFunc(st.published(i), below) {
					t.Fatalf("transaction %d publishes %v, and %q is refused it", i, st.published(i), in.Tree.Label(v))
				}
			}
			for _, x := range s.merged.Tx(int(i)) {
				if !mayBe(in, x, st.published(i)) {
					t.Fatalf("%q of transaction %d is not child-closed in %v\n%s", in.Tree.Label(x), i, st.published(i), conformance.Describe(in))
				}
			}
		}
	}
	if refusals < 1000 {
		t.Errorf("%d refusals only", refusals)
	}
}

// mayBe tells whether an item may be at the lowest label above it: nothing is at or below the child
// that leads to it.
func mayBe(in anonymize.Input, x int32, labels []int32) bool {
	path := in.Tree.Path(x)
	for n, u := range path {
		if slices.Contains(labels, u) {
			return n == 0 || !slices.ContainsFunc(labels, func(v int32) bool {
				return in.Tree.Covers(path[n-1], v)
			})
		}
	}
	return false
}

// The theorem of docs/algorithms/local.md: every original that is compatible with a release leads
// to it for some refusals, those of all nodes that the release has no label at or below. Releases
// of random originals, with and without refusals of their own, and random originals that are
// compatible with them.
func TestSoakEveryCompatibleOriginalIsPossible(t *testing.T) {
	rng := soak.Rand(63, 64)
	random := func() anonymize.Input { return plain(rng) }
	eachCompatible(t, rng, soak.Share(150, 5_000), random, reproduces)
}

// eachCompatible calls do with random originals that are compatible with releases of others.
func eachCompatible(
	t *testing.T, rng *rand.Rand, rounds int, random func() anonymize.Input,
	do func(t *testing.T, in anonymize.Input, published *dataset.Dataset),
) {
	t.Helper()
	other := 0
	for range soak.Rounds(t, rounds) {
		in := random()
		if admit(in) != nil {
			continue
		}
		if rng.IntN(2) == 0 {
			in.Seed = &[32]byte{byte(rng.Uint32())}
		}
		g, err := Algorithm{}.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		again := in
		again.Data = compatible(rng, in, g.Published())
		if !slices.Equal(again.Data.Items(), in.Data.Items()) {
			other++
		}
		do(t, again, g.Published())
	}
	if other < 20 {
		t.Errorf("%d other originals only", other)
	}
}

// linesApart makes every line a transaction of its own, and tells the line of each.
func linesApart(in anonymize.Input) (*dataset.Merged, []int32) {
	if in.Promise.Persons {
		return in.Apart()
	}
	merged, order := &dataset.Merged{Dataset: in.Data}, []int32(nil)
	for i := range int32(in.Data.Len()) {
		order = append(order, i)
		merged.Weights, merged.Of = append(merged.Weights, 1), append(merged.Of, i)
	}
	return merged, order
}

// compatible is a random original that is compatible with a release.
func compatible(rng *rand.Rand, in anonymize.Input, published *dataset.Dataset) *dataset.Dataset {
	b := dataset.NewBuilder(in.Tree.LeafDict())
	for i := range published.Len() {
		labels := published.Tx(i)
		var tx []int32
		for _, u := range labels {
			var may []int32
			lo, hi := in.Tree.Range(u)
			for x := lo; x < hi; x++ {
				lowest := x
				for !slices.Contains(labels, lowest) {
					lowest = in.Tree.Parent(lowest)
				}
				if lowest == u && mayBe(in, x, labels) {
					may = append(may, x)
				}
			}
			rng.Shuffle(len(may), func(i, j int) { may[i], may[j] = may[j], may[i] })
			tx = append(tx, may[:1+rng.IntN(len(may))]...)
		}
		b.Add(tx)
	}
	return b.Build()
}

// reproduces runs the search on an original with the refusals of the theorem, every line by itself.
func reproduces(t *testing.T, in anonymize.Input, published *dataset.Dataset) {
	t.Helper()
	merged, order := linesApart(in)
	published = published.Select(order)
	s := newSearchOf(t.Context(), in, 1)(merged, nil, refusedExactly(in.Tree, published))
	s.run()
	st := s.complete(t.Context(), t.Context())
	for i := range int32(in.Data.Len()) {
		if !slices.Equal(st.published(i), published.Tx(int(i))) {
			t.Fatalf("transaction %d is published as %v, not as %v\n%s\nreleased %s", i, st.published(i), published.Tx(int(i)), conformance.Describe(in), conformance.Spell(published))
		}
	}
}

// refusedExactly refuses every line the nodes that it publishes no label at or below.
func refusedExactly(tree *hierarchy.Tree, published *dataset.Dataset) *refusals {
	refused := &refusals{start: []int32{0}}
	for i := range published.Len() {
		for c := range tree.Root() {
			below := func(v int32) bool { return tree.Covers(c, v) }
			if !slices.ContainsFunc(published.Tx(i), below) {
				refused.nodes = append(refused.nodes, c)
			}
		}
		refused.start = append(refused.start, int32(len(refused.nodes)))
	}
	return refused
}

// Nodes are refused as often as they should be: 20,000 draws for each of 39 nodes. A false alarm
// has a chance below 10^-6: six standard deviations at every node.
func TestDraws(t *testing.T) {
	in := conformance.Medium(1)
	c := newDraws(in, rand.New(rand.NewChaCha8([32]byte{5})), 10)
	tx := make([]int32, in.Tree.Leaves())
	for i := range tx {
		tx[i] = int32(i)
	}
	counts := make([]int, in.Tree.Nodes())
	const rounds = 20_000
	for range rounds {
		for _, v := range c.draw(tx) {
			counts[v]++
		}
	}
	for v := range in.Tree.Root() {
		p := c.chance(v, len(tx))
		if d := float64(counts[v]) - rounds*p; d*d > 36*rounds*p*(1-p) {
			t.Errorf("node %d was refused %d times, %f was to be expected", v, counts[v], rounds*p)
		}
	}
	if counts[in.Tree.Root()] > 0 {
		t.Error("the root was refused")
	}
}

// The example of spec 09: a1, "a1 b1", "a2 b1", "a2 b1 b2" under *(A(a1,a2),B(b1,b2)), k=2, m=1,
// was published as a1, "a1 B", "a2 b1", "a2 b1 B", which no other original led to: b2 was the
// fourth line's. Now b2 may be the second line's.
func TestMinimalityExample(t *testing.T) {
	oneGoroutine(t)
	in := brute.Figure2()
	in.Promise.M = 1
	released, err := in.Tree.EncodePublished(dataset.FromLabels([][]string{{"a1"}, {"a1", "B"}, {"a2", "b1"}, {"a2", "b1", "B"}}))
	if err != nil {
		t.Fatal(err)
	}
	for _, second := range [][]string{{"a1", "b1"}, {"a1", "b2"}, {"a1", "b1", "b2"}} {
		in.Data, err = in.Tree.Encode(dataset.FromLabels([][]string{{"a1"}, second, {"a2", "b1"}, {"a2", "b1", "b2"}}))
		if err != nil {
			t.Fatal(err)
		}
		reproduces(t, in, released)
	}
}
