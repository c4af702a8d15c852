package coherence

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mingle/dataset"
	"mingle/privacy"
)

// figure1 is the running example of the paper and of the specification.
func figure1() Input {
	data := dataset.FromLabels([][]string{
		{"a", "b", "e", "f", "s1"},
		{"c", "e", "f", "g", "s2"},
		{"a", "b", "g", "s3"},
		{"a", "b", "f", "g", "s2"},
		{"a", "b", "d", "g", "s2"},
		{"e", "f", "g", "s1"},
		{"b", "e", "f", "g", "s3"},
	})
	in := Input{Data: data, Private: make([]bool, data.Dict().Len()), Promise: privacy.Coherence{H: 0.5, K: 3, P: 3}, NuggetSupport: 4}
	for it := range in.Private {
		in.Private[it] = strings.HasPrefix(data.Dict().Label(int32(it)), "s")
	}
	return in
}

// everyCounting is every combination of ways to count.
func everyCounting(f func(moles, nuggets Counting)) {
	for _, moles := range []Counting{Auto, Edges, Projection, Diagram} {
		for _, nuggets := range []Counting{Auto, Edges, Diagram} {
			f(moles, nuggets)
		}
	}
}

// spelt names the items of sets: "ab".
func spelt(d *dataset.Dataset, sets ...[]int32) []string {
	var out []string
	for _, s := range sets {
		word := ""
		for _, it := range s {
			word += d.Dict().Label(it)
		}
		out = append(out, word)
	}
	slices.Sort(out)
	return out
}

// The table of the specification's page 05, row by row.
func TestFigure1RoundByRound(t *testing.T) {
	rounds := []struct {
		minimal, maximal []string
		moles, nuggets   int
		perItem          map[string][2]int
		suppressed       string
	}{
		{[]string{"ae", "af", "ag", "be", "bfg"}, []string{"abef", "abfg", "befg"}, 12, 9, map[string][2]int{"a": {8, 2}, "b": {7, 3}, "e": {6, 2}, "f": {6, 3}, "g": {5, 3}}, "a"},
		{[]string{"be", "bfg"}, []string{"befg"}, 4, 7, map[string][2]int{"b": {4, 2}, "e": {3, 2}, "f": {2, 3}, "g": {2, 3}}, "b"},
	}
	everyCounting(func(moles, nuggets Counting) {
		in := figure1()
		in.Moles, in.Nuggets = moles, nuggets
		d := in.Data
		g, err := begin(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if got := spelt(d, g.out.Dropped); got[0] != "cd" {
			t.Errorf("dropped first: %v", got)
		}
		for n, want := range rounds {
			b, err := MoleBorder(t.Context(), in, g.alive, 0)
			if err != nil || !slices.Equal(spelt(d, b.Minimal...), want.minimal) || !slices.Equal(spelt(d, b.Maximal...), want.maximal) {
				t.Errorf("round %d: border %v, %v (%v)", n+1, spelt(d, b.Minimal...), spelt(d, b.Maximal...), err)
			}
			for label, counts := range want.perItem {
				it, _ := d.Dict().ID(label)
				if g.moles.of(it).Int64() != int64(counts[0]) || g.nuggets.of(it).Int64() != int64(counts[1]) {
					t.Errorf("%v/%v round %d: %s is in %v moles and %v nuggets, want %v", moles, nuggets, n+1, label, g.moles.of(it), g.nuggets.of(it), counts)
				}
			}
			if err := g.round(t.Context()); err != nil {
				t.Fatal(err)
			}
			r := g.out.Rounds[n]
			if d.Dict().Label(r.Item) != want.suppressed || r.Moles.Int64() != int64(want.moles) || r.Nuggets.Int64() != int64(want.nuggets) {
				t.Errorf("%v/%v round %d: %s of %v moles and %v nuggets", moles, nuggets, n+1, d.Dict().Label(r.Item), r.Moles, r.Nuggets)
			}
		}
		if g.moles.total().Sign() != 0 {
			t.Errorf("%v moles are left", g.moles.total())
		}
		r := g.result()
		if got := spelt(d, r.Release.Items); got[0] != "cdab" || r.NuggetsBefore.Int64() != 9 || r.NuggetsAfter.Int64() != 5 {
			t.Errorf("%v suppressed, %v of %v nuggets left", got, r.NuggetsAfter, r.NuggetsBefore)
		}
	})
}

// Examples 2 and 3: what the first border covers.
func TestPaperExamples2And3(t *testing.T) {
	in := figure1()
	g, err := begin(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	b, err := MoleBorder(t.Context(), in, g.alive, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := newEdgeCounter(b, len(g.alive), unbounded)
	id := func(word string) set {
		var items []int32
		for _, label := range strings.Split(word, "") {
			it, _ := in.Data.Dict().ID(label)
			items = append(items, it)
		}
		return c.set(items)
	}
	covering := 0
	for _, e := range c.edges() {
		if e.covers(edge{id("ae"), id("ae")}) || (edge{id("af"), id("abef")}).overlaps(edge{id("ae"), id("abef")}) && e.low.within(id("aef")) && id("aef").within(e.high) {
			covering++
		}
	}
	if covering < 2 {
		t.Errorf("aef is covered by %d edges, want those of ae and af", covering)
	}
	// W_ag,3 = 3: ag, abg, afg
	var with []edge
	for _, e := range c.edges() {
		e.low = e.low.union(id("ag"))
		if e.low.within(e.high) {
			with = append(with, e)
		}
	}
	count, err := c.count(t.Context(), with)
	if err != nil || count.all.Int64() != 3 {
		t.Errorf("W_ag,3 = %v (%v), want 3", &count.all, err)
	}
	if w := (choices{}).w(edge{id("ag"), id("abfg")}, id("ag"), 3); w.Int64() != 3 {
		t.Errorf("W_ag,3 of <ag, abfg> = %v, want 3", w)
	}
	if w := (choices{}).w(edge{id("ae"), id("abef")}, id("g"), 3); w.Sign() != 0 {
		t.Errorf("W_g,3 of <ae, abef> = %v, want 0: g lies outside", w)
	}
	if w := (choices{}).w(edge{id("a"), id("abef")}, make(set, 1), 99); w.Int64() != 8 {
		t.Errorf("W of <a, abef> without limit = %v, want 2^3", w)
	}
}

// Example 4: <ae, adefg> - <ae, ade>.
func TestPaperExample4(t *testing.T) {
	id := func(word string) set {
		s := make(set, 1)
		for _, r := range word {
			s = s.with(int(r - 'a'))
		}
		return s
	}
	got := (edge{id("ae"), id("adefg")}).difference(edge{id("ae"), id("ade")})
	want := []edge{{id("aef"), id("adefg")}, {id("aeg"), id("adefg")}}
	if !slices.EqualFunc(got, want, func(a, b edge) bool { return slices.Equal(a.low, b.low) && slices.Equal(a.high, b.high) }) {
		t.Errorf("%v", got)
	}
}

// Theorems 2 and 3, and the disjoint difference, on all pairs of random edges over six items.
func TestEdgeOperationsAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	members := func(edges ...edge) map[uint64]int {
		out := map[uint64]int{}
		for _, e := range edges {
			for s := range uint64(64) {
				if e.low.within(set{s}) && (set{s}).within(e.high) {
					out[s]++
				}
			}
		}
		return out
	}
	random := func() edge {
		high := set{rng.Uint64N(64)}
		return edge{high.intersection(set{rng.Uint64N(64)}).intersection(set{rng.Uint64N(64)}), high}
	}
	for range 5000 {
		e, f := random(), random()
		in, other := members(e), members(f)
		both := 0
		for s := range in {
			both += other[s]
		}
		if e.overlaps(f) != (both > 0) {
			t.Fatalf("%v and %v overlap in %d", e, f, both)
		}
		if both == 0 {
			continue
		}
		if n := len(members(e.intersection(f))); n != both {
			t.Fatalf("intersection of %v and %v has %d of %d", e, f, n, both)
		}
		for name, pieces := range map[string][]edge{"difference": e.difference(f), "disjoint": e.disjoint(f)} {
			rest := members(pieces...)
			for s := range uint64(64) {
				if (rest[s] > 0) != (in[s] > 0 && other[s] == 0) || name == "disjoint" && rest[s] > 1 {
					t.Fatalf("%s of %v and %v: set %b is covered %d times", name, e, f, s, rest[s])
				}
			}
		}
	}
}

func TestAgainstFullEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	rounds, infeasible := 0, 0
	for range 4000 {
		in := randomInput(rng)
		w := twin{in: in}
		w.run()
		everyCounting(func(moles, nuggets Counting) {
			in.Moles, in.Nuggets = moles, nuggets
			r, err := Anonymize(t.Context(), in)
			var out *privacy.Infeasible
			if w.infeasible != errors.As(err, &out) || err != nil && out == nil {
				t.Fatalf("infeasible %v: %v\n%s", w.infeasible, err, describe(in))
			}
			if err == nil {
				compare(t, in, r, w)
			}
		})
		rounds += len(w.rounds)
		if w.infeasible {
			infeasible++
		}
	}
	if rounds < 2500 || infeasible > 2000 {
		t.Errorf("%d rounds, %d infeasible: the test tests little", rounds, infeasible)
	}
}

// compare checks a result against the twin's, and the release against the definition.
func compare(t *testing.T, in Input, r *Result, w twin) {
	t.Helper()
	if !slices.Equal(r.Dropped, w.dropped) || len(r.Rounds) != len(w.rounds) {
		t.Fatalf("dropped %v, want %v; %d rounds, want %d\n%s", r.Dropped, w.dropped, len(r.Rounds), len(w.rounds), describe(in))
	}
	items := slices.Clone(w.dropped)
	for i, a := range r.Rounds {
		got := twinRound{a.Item, int(a.Moles.Int64()), int(a.Nuggets.Int64()), int(a.ItemMoles.Int64()), int(a.ItemNuggets.Int64())}
		if got != w.rounds[i] {
			t.Fatalf("round %d: %+v, want %+v\n%s", i+1, got, w.rounds[i], describe(in))
		}
		items = append(items, a.Item)
	}
	if !slices.Equal(r.Release.Items, items) {
		t.Fatalf("suppressed %v, want %v", r.Release.Items, items)
	}
	left := twin{in: in, gone: w.gone}
	left.in.Data = r.Release.Published()
	moles, nuggets := left.families()
	all := twin{in: in, gone: make([]bool, len(in.Private))}
	_, before := all.families()
	if len(moles) > 0 || r.NuggetsAfter.Int64() != int64(len(nuggets)) || r.NuggetsBefore.Int64() != int64(len(before)) {
		t.Fatalf("published: %d moles, %d nuggets of %d, reported %v of %v\n%s", len(moles), len(nuggets), len(before), r.NuggetsAfter, r.NuggetsBefore, describe(in))
	}
}

func TestInfeasibleNamesTheItem(t *testing.T) {
	in := figure1()
	in.Promise.H = 0.4
	_, err := Anonymize(t.Context(), in)
	var out *privacy.Infeasible
	if !errors.As(err, &out) || !strings.Contains(err.Error(), `private item "s2" is in 3 of 7 transactions, 42.86 %`) || !strings.Contains(err.Error(), "at least 0.4286") {
		t.Errorf("%v", err)
	}
	in.Promise.H = 0.4286
	if _, err := Anonymize(t.Context(), in); err != nil {
		t.Errorf("the proposed h is refused: %v", err)
	}
	in.Promise.K = 8
	if _, err := Anonymize(t.Context(), in); !errors.As(err, &out) || !strings.Contains(err.Error(), "k (8)") {
		t.Errorf("%v", err)
	}
}

func TestInputFaults(t *testing.T) {
	in := figure1()
	in.Promise = privacy.Coherence{}
	in.NuggetSupport, in.NuggetLen, in.Private = 0, -1, nil
	_, err := Anonymize(t.Context(), in)
	for _, want := range []string{"h (0)", "k (0)", "p (0)", "k' (0)", "p' (-1)", "0 items are marked"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}

// The release does not depend on the number of workers, nor on the order of the transactions.
func TestSameForAnyWorkersAndOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	for range 300 {
		in := randomInput(rng)
		in.Promise.P = 4
		var first []int32
		for workers := 1; workers <= 4; workers++ {
			in.Workers = workers
			order := make([]int32, 0, in.Data.Len())
			for _, i := range rng.Perm(in.Data.Len()) {
				order = append(order, int32(i))
			}
			in.Data = in.Data.Select(order)
			r, err := Anonymize(t.Context(), in)
			if err != nil {
				break
			}
			if workers == 1 {
				first = r.Release.Items
			} else if !slices.Equal(r.Release.Items, first) {
				t.Fatalf("%d workers: %v, one: %v\n%s", workers, r.Release.Items, first, describe(in))
			}
		}
	}
}

// More than 2^64 nuggets: transactions of 90 items that all are the same, and one that is not.
func TestCountsBeyond64Bits(t *testing.T) {
	labels := make([]string, 90)
	for i := range labels {
		labels[i] = fmt.Sprint(i)
	}
	b := dataset.NewBuilder(dataset.MustDictionary(labels))
	for range 5 {
		var tx []int32
		for i := range int32(89) {
			tx = append(tx, i)
		}
		b.Add(tx)
	}
	b.Add([]int32{1, 89})
	b.Add([]int32{89})
	in := Input{Data: b.Build(), Private: make([]bool, 90), Promise: privacy.Coherence{H: 1, K: 2, P: 2}, NuggetSupport: 2}
	for _, nuggets := range []Counting{Edges, Diagram} {
		in.Nuggets = nuggets
		r, err := Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		// 2^89-1 sets of the first 89 items, and item 89. {1,89} is the only mole; 89 is in fewer nuggets
		if len(r.Rounds) != 1 || r.Rounds[0].Item != 89 || r.NuggetsBefore.String() != "618970019642690137449562112" {
			t.Errorf("%v: %v of %v nuggets, %d rounds", nuggets, r.NuggetsAfter, r.NuggetsBefore, len(r.Rounds))
		}
	}
}

func TestStopsWithTheContext(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 4))
	labels := make([]string, 300)
	for i := range labels {
		labels[i] = fmt.Sprint(i)
	}
	b := dataset.NewBuilder(dataset.MustDictionary(labels))
	for range 20000 {
		var tx []int32
		for range 50 {
			tx = append(tx, rng.Int32N(300))
		}
		b.Add(tx)
	}
	in := Input{Data: b.Build(), Private: make([]bool, 300), Promise: privacy.Coherence{H: 1, K: 5, P: 4}, NuggetSupport: 100}
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(why) })
	start := time.Now()
	if _, err := Anonymize(ctx, in); !errors.Is(err, why) {
		t.Errorf("ended with %v", err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("took %v to stop", took)
	}
}
