package levels

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/dataset"
	"mingle/internal/brute"
	"mingle/internal/soak"
	"mingle/release"
)

// plain is a random instance of a promise that levels are for.
func plain(rng *rand.Rand) anonymize.Input {
	for {
		in := brute.Random(rng)
		in.Promise.L, in.Sensitive, in.Promise.NegativeKnowledge = 0, nil, false
		in.Promise.M = 1 + rng.IntN(2)
		if in.CheckFor(Algorithm{}) == nil && Takes(in) {
			return in
		}
	}
}

// often refuses every tenth node.
func often(int32, int) float64 { return 0.1 }

// No label of a line is above another; what is refused a line is not published there, nor anything
// below it; packed data and any number of workers publish the same.
func TestLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	refusals := 0
	for range soak.Share(1_000, 10_000) {
		in := plain(rng)
		in.Seed = &[32]byte{byte(rng.Uint32())}
		refused := refuse(in, often)
		refusals += len(refused)
		g, err := Algorithm{Chance: often}.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		published := g.Published()
		for i, line := range published.All() {
			for _, u := range line {
				for _, v := range line {
					if u != v && in.Tree.Covers(u, v) {
						t.Fatalf("line %d is %v\n%s", i, published.Labels(i), conformance.Describe(in))
					}
				}
			}
		}
		for _, c := range refused {
			below := func(u int32) bool { return in.Tree.Covers(c.node, u) }
			if slices.ContainsFunc(published.Tx(int(c.line)), below) {
				t.Fatalf("line %d is %v, and %q is refused it", c.line,
					published.Labels(int(c.line)), in.Tree.Label(c.node))
			}
		}
		in.Data, in.Workers, in.Memory = in.Data.Pack(), 1+rng.IntN(4), 1
		again, err := Algorithm{Chance: often}.Anonymize(t.Context(), in)
		if err != nil || !slices.Equal(again.Depths, g.Depths) {
			t.Fatalf("packed data is published otherwise: %v\n%s", err, conformance.Describe(in))
		}
	}
	if refusals < 1_000 {
		t.Errorf("%d refusals only", refusals)
	}
}

// The theorem of docs/algorithms/local.md holds level by level, too: every original that is
// compatible with a release leads to it if exactly those nodes are refused that the release has no
// label at or below.
func TestSoakEveryCompatibleOriginalIsPossible(t *testing.T) {
	rng := soak.Rand(73, 74)
	for _, random := range []func() anonymize.Input{
		func() anonymize.Input { return plain(rng) },
		func() anonymize.Input { return bounded(t, rng) },
	} {
		other := 0
		for range soak.Rounds(t, soak.Share(1_000, 20_000)) {
			in := random()
			in.Seed = &[32]byte{byte(rng.Uint32())}
			g, err := Algorithm{Chance: often}.Anonymize(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			again := in
			again.Data = compatible(rng, in, g.Published())
			if !slices.Equal(again.Data.Items(), in.Data.Items()) {
				other++
			}
			leadsTo(t, again, g.Published())
		}
		if other < 100 {
			t.Errorf("%d other originals only", other)
		}
	}
}

// leadsTo fails if an original does not lead to a release that it is compatible with.
func leadsTo(t *testing.T, in anonymize.Input, published *dataset.Dataset) {
	t.Helper()
	refusals := refusedBy(in, published)
	g := release.ByDepth(in.Tree, in.Data, depthsOf(t, newRun(in, refusals), refusals))
	for i, line := range g.Published().All() {
		if !slices.Equal(line, published.Tx(i)) {
			t.Fatalf("line %d is published as %v, not as %v\n%s\nreleased %s", i, line,
				published.Tx(i), conformance.Describe(in), conformance.Spell(published))
		}
	}
}

// compatible is a random original that is compatible with a release without nested labels.
func compatible(rng *rand.Rand, in anonymize.Input, published *dataset.Dataset) *dataset.Dataset {
	b := dataset.NewBuilder(in.Tree.LeafDict())
	for _, labels := range published.All() {
		var tx []int32
		for _, u := range labels {
			lo, hi := in.Tree.Range(u)
			n := int(hi - lo)
			for _, x := range rng.Perm(n)[:1+rng.IntN(n)] {
				tx = append(tx, lo+int32(x))
			}
		}
		b.Add(tx)
	}
	return b.Build()
}

// refusedBy is all nodes above items of each line that a release has no label at or below.
func refusedBy(in anonymize.Input, published *dataset.Dataset) []refusal {
	var out []refusal
	for i, tx := range in.Data.All() {
		for v := range in.Tree.Root() {
			isAbove := func(x int32) bool { return in.Tree.Covers(v, x) }
			if slices.ContainsFunc(tx, isAbove) &&
				!slices.ContainsFunc(published.Tx(i), isAbove) {
				out = append(out, refusal{int32(i), v})
			}
		}
	}
	return out
}

// Nodes are refused as often as they should be: a false alarm has a chance below 10^-6, six
// standard deviations at every node.
func TestDraws(t *testing.T) {
	in := conformance.Medium(1)
	b := dataset.NewBuilder(in.Tree.LeafDict())
	const lines = 20_000
	for range lines {
		tx := make([]int32, in.Tree.Leaves())
		for i := range tx {
			tx[i] = int32(i)
		}
		b.Add(tx)
	}
	in.Data, in.Seed = b.Build(), &[32]byte{5}
	chance := func(v int32, items int) float64 {
		return (0.5 + float64(v)/100) / (10 + float64(items))
	}
	counts := make([]int, in.Tree.Nodes())
	for _, c := range refuse(in, chance) {
		counts[c.node]++
	}
	for v := range in.Tree.Root() {
		p := chance(v, in.Tree.Leaves())
		if d := float64(counts[v]) - lines*p; d*d > 36*lines*p*(1-p) {
			t.Errorf("node %d was refused %d times, %f was to be expected", v, counts[v], lines*p)
		}
	}
	if counts[in.Tree.Root()] > 0 {
		t.Error("the root was refused")
	}
}
