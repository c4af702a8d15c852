// Package conformance is the suite that every algorithm over a hierarchy passes: what it publishes keeps the promise by
// enumeration on small instances and by the verifier on larger ones, is the same for any number of workers, any bound on
// memory and, transaction by transaction, for any order of them, and stops when told to.
package conformance

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/brute"
	"mingle/privacy"
	"mingle/release"
)

// Suite says what is expected of an algorithm.
type Suite struct {
	New func() anonymize.Algorithm
	// Instances is the number of small random instances; 0 means 6,000.
	Instances int
	// NoDiversity leaves l^m-diversity out, NoNegative negative knowledge.
	NoDiversity, NoNegative bool
	// Knows is the adversary of the promises, for algorithms that are for one of them.
	Knows privacy.Knowledge
	// OrderMatters leaves out the test with shuffled transactions, for algorithms whose docs say so.
	OrderMatters bool
	// MemoryMatters leaves out bounds on memory, for algorithms that do something else where there is little.
	MemoryMatters bool
	// Check, if set, is called with every instance and its release.
	Check func(t *testing.T, in anonymize.Input, g *release.Generalized)
}

// Run runs the suite.
func (s Suite) Run(t *testing.T) {
	t.Run("small", s.small)
	t.Run("workers", s.workers)
	t.Run("order", s.order)
	t.Run("cancel", s.cancel)
	t.Run("edges", s.edges)
}

func (s Suite) small(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	count := s.Instances
	if count == 0 {
		count = 6000
	}
	if testing.Short() { // under the race detector: the rest says nothing more about goroutines
		count = max(200, count/10)
	}
	reached := 0
	for range count {
		in := s.random(rng)
		g, err := s.New().Anonymize(t.Context(), in)
		var out *privacy.Infeasible
		if errors.As(err, &out) {
			root := slices.Repeat([]int32{in.Tree.Root()}, in.Tree.Leaves())
			if in.Data.Len() >= in.Promise.K && keeps(in, in.Data.Recode(in.Tree.Dict(), root)) {
				t.Fatalf("refused though the root keeps the promise: %v\n%s", err, Describe(in))
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, Describe(in))
		}
		reached++
		seen := in
		if g.Withheld != nil {
			seen.Sensitive = g.Sensitive
		}
		if !keeps(seen, g.Published()) {
			t.Fatalf("the release does not keep %v\n%s\npublished %v", in.Promise, Describe(in), Spell(g.Published()))
		}
		covers(t, in, g)
		if s.Check != nil {
			s.Check(t, in, g)
		}
	}
	if reached < count/10 {
		t.Fatalf("only %d of %d instances were feasible: the test tests nothing", reached, count)
	}
}

func (s Suite) random(rng *rand.Rand) anonymize.Input {
	in := brute.Random(rng)
	if s.NoDiversity {
		in.Promise.L, in.Sensitive = 0, nil
	}
	if s.NoNegative {
		in.Promise.NegativeKnowledge = false
	}
	in.Promise.Knows = s.Knows
	return in
}

func (s Suite) medium(seed uint64) anonymize.Input {
	in := Medium(seed)
	in.Promise.Knows = s.Knows
	return in
}

// keeps judges published data by enumeration.
func keeps(in anonymize.Input, published *dataset.Dataset) bool {
	return brute.Keeps(published, in.Sensitive, in.Promise) &&
		(!in.Promise.NegativeKnowledge || brute.HidesAbsence(published, in.Sensitive, in.Tree, in.Promise))
}

// covers checks that every occurrence is published as the lowest node of its line at or above it,
// or not at all.
func covers(t *testing.T, in anonymize.Input, g *release.Generalized) {
	t.Helper()
	line := make([]int, in.Tree.Nodes()) // the last line with this node, from 1
	for i := range in.Data.Len() {
		for pos := in.Data.Start(i); pos < in.Data.Start(i+1); pos++ {
			if u := g.Node(pos); u != release.Suppressed {
				line[u] = i + 1
			}
		}
		for j, leaf := range in.Data.Tx(i) {
			u := g.Node(in.Data.Start(i) + j)
			if u == release.Suppressed {
				continue
			}
			lowest := leaf
			for lowest >= 0 && line[lowest] != i+1 {
				lowest = in.Tree.Parent(lowest)
			}
			if u != lowest {
				t.Fatalf("%q is published as %q, which is not the lowest of %v above it", in.Tree.Label(leaf), in.Tree.Label(u), g.Published().Labels(i))
			}
		}
	}
}

func (s Suite) workers(t *testing.T) {
	in := s.medium(7)
	var first *release.Generalized
	for n, w := range []int{1, 2, 8, 1, 2} {
		in.Workers = w
		if !s.MemoryMatters {
			in.Memory = []int64{0, 0, 0, 1, 1 << 16}[n]
		}
		g, err := s.New().Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		s.packed(t, in, g)
		if first == nil {
			first = g
		} else if !same(first, g) {
			t.Fatalf("%d workers in %d bytes publish something else than 1 in any number", w, in.Memory)
		}
	}
}

// packed checks that an algorithm that works on packed data makes the same of it.
func (s Suite) packed(t *testing.T, in anonymize.Input, want *release.Generalized) {
	t.Helper()
	frugal, ok := s.New().(anonymize.Frugal)
	if !ok || !frugal.WorksOnPacked() {
		return
	}
	in.Data = in.Data.Pack()
	g, err := frugal.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if !same(g, want) || !slices.Equal(g.Published().Flat().Items(), want.Published().Items()) {
		t.Fatalf("with %d workers in %d bytes packed data is published differently", in.Workers, in.Memory)
	}
}

func same(a, b *release.Generalized) bool {
	return slices.Equal(a.Map, b.Map) && slices.Equal(a.Nodes, b.Nodes)
}

func (s Suite) order(t *testing.T) {
	if s.OrderMatters {
		t.Skip("the order of the transactions is part of this algorithm's input")
	}
	in := s.medium(8)
	g, err := s.New().Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	perm := make([]int32, in.Data.Len())
	for i, j := range rand.New(rand.NewPCG(3, 4)).Perm(len(perm)) {
		perm[i] = int32(j)
	}
	shuffled := in
	shuffled.Data = in.Data.Select(perm)
	h, err := s.New().Anonymize(t.Context(), shuffled)
	if err != nil {
		t.Fatal(err)
	}
	a, b := g.Published(), h.Published()
	for i, j := range perm {
		if !slices.Equal(b.Tx(i), a.Tx(int(j))) {
			t.Fatalf("transaction %d is published as %v in one order and as %v in another", j, a.Labels(int(j)), b.Labels(i))
		}
	}
}

func (s Suite) cancel(t *testing.T) {
	why := errors.New("told to stop")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(why)
	if _, err := s.New().Anonymize(ctx, s.medium(9)); !errors.Is(err, why) {
		t.Fatalf("with an ended context: %v", err)
	}
	for _, k := range []int{5, 300} {
		in := s.medium(9)
		in.Promise.K = k
		s.Interrupt(t, in)
	}
}

// Interrupt ends the context of an algorithm at its first look, at its second, and at ever more: it must tell why, or be done.
func (s Suite) Interrupt(t *testing.T, in anonymize.Input) {
	t.Helper()
	why := errors.New("told to stop")
	for looks := int64(1); ; looks += 1 + looks/4 {
		inner, stop := context.WithCancelCause(t.Context())
		ctx := &watched{Context: inner, end: func() { stop(why) }}
		ctx.left.Store(looks)
		g, err := s.New().Anonymize(ctx, in)
		stop(nil)
		if err == nil {
			covers(t, in, g)
		}
		if ctx.left.Load() > 0 {
			return
		}
		if err != nil && !errors.Is(err, why) {
			t.Fatalf("interrupted at look %d: %v", looks, err)
		}
	}
}

// watched is a context that ends when it is looked at for a certain time.
type watched struct {
	context.Context
	left atomic.Int64
	end  func()
}

func (w *watched) Err() error {
	if w.left.Add(-1) == 0 {
		w.end()
	}
	return w.Context.Err()
}

func (s Suite) edges(t *testing.T) {
	in := s.medium(10)
	in.Promise = privacy.KM{K: 1, M: 0}
	if _, err := s.New().Anonymize(t.Context(), in); err == nil {
		t.Error("k=1 and m=0 are accepted")
	}
	in.Promise = privacy.KM{K: in.Data.Len() + 1, M: 2, Knows: s.Knows}
	var out *privacy.Infeasible
	if _, err := s.New().Anonymize(t.Context(), in); !errors.As(err, &out) {
		t.Errorf("k over the number of transactions: %v", err)
	}
	in.Data = dataset.NewBuilder(in.Tree.LeafDict()).Build()
	in.Promise = privacy.KM{K: 2, M: 2, Knows: s.Knows}
	if _, err := s.New().Anonymize(t.Context(), in); !errors.As(err, &out) {
		t.Errorf("no transactions: %v", err)
	}
	b := dataset.NewBuilder(in.Tree.LeafDict())
	for range 5 {
		b.Add(nil)
	}
	in.Data = b.Build()
	g, err := s.New().Anonymize(t.Context(), in)
	if err != nil {
		t.Fatalf("empty transactions: %v", err)
	}
	if g.Published().Len() != 5 {
		t.Error("empty transactions are not kept")
	}
}
