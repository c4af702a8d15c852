package itemset

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"mingle/dataset"
	"mingle/internal/soak"
)

// random is a small instance with items of very different supports; some items are often together.
func random(rng *rand.Rand) Data {
	items, rows := 2+rng.IntN(9), rng.IntN(40)
	if rng.IntN(20) == 0 {
		rows += 400 // enough that rows are scanned where that is cheaper
	}
	labels := make([]string, items)
	often := make([]float64, items)
	for i := range labels {
		labels[i] = fmt.Sprint("i", i)
		often[i] = rng.Float64()
	}
	b := dataset.NewBuilder(dataset.MustDictionary(labels))
	for range rows {
		var tx []int32
		for i := range items {
			if rng.Float64() < often[i] {
				tx = append(tx, int32(i))
			}
		}
		if len(tx) > 0 && rng.IntN(3) == 0 {
			tx = append(tx, (tx[0]+1)%int32(items))
		}
		b.Add(tx)
	}
	return DataOf(dataset.Unmerged(b.Build()))
}

// spelled is an itemset as a map's key.
func spelled(items []int32) string { return strings.Trim(fmt.Sprint(items), "[]") }

// enumerate calls f with every non-empty set of at most size of the items below n, and its support
// in d.
func enumerate(d Data, size int, f func(set []int32, support int)) {
	n := d.Items
	for mask := 1; mask < 1<<n; mask++ {
		var set []int32
		for i := range n {
			if mask>>i&1 == 1 {
				set = append(set, int32(i))
			}
		}
		if size == 0 || len(set) <= size {
			f(set, supportOf(d, set))
		}
	}
}

func supportOf(d Data, set []int32) int {
	n := 0
	for i := range d.Len {
		if contains(d.Tx(i), set) {
			n++
		}
	}
	return n
}

func contains(tx, set []int32) bool {
	for _, it := range set {
		if !slices.Contains(tx, it) {
			return false
		}
	}
	return true
}

// only tells whether a set has marked items only.
func only(marked []bool, set []int32) bool {
	for _, it := range set {
		if marked != nil && !marked[it] {
			return false
		}
	}
	return true
}

// instances is a third of a number in make test, a tenth of that under the race detector.
func instances(all int) int {
	n := soak.Share(all/3, all)
	if testing.Short() {
		n /= 10
	}
	return n
}

type miner func(context.Context, Input, Visit) error

// collect runs a miner and checks that no itemset comes twice and all are sorted.
func collect(t *testing.T, mine miner, in Input) map[string]int {
	t.Helper()
	out := map[string]int{}
	err := mine(t.Context(), in, func(items []int32, support int) error {
		if !slices.IsSorted(items) {
			t.Fatalf("%v is not sorted", items)
		}
		if _, twice := out[spelled(items)]; twice {
			t.Fatalf("%v comes twice", items)
		}
		out[spelled(items)] = support
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func randomInput(rng *rand.Rand) Input {
	in := Input{
		Data: random(rng), MinSupport: 1 + rng.IntN(8), MaxLen: rng.IntN(6),
		Workers: 1 + rng.IntN(3),
	}
	if rng.IntN(3) == 0 {
		in.Items = make([]bool, in.Data.Items)
		for i := range in.Items {
			in.Items[i] = rng.IntN(4) > 0
		}
	}
	return in
}

func describe(in Input) string {
	var s strings.Builder
	fmt.Fprintf(&s, "support %d, length %d, %d workers, items %v\n", in.MinSupport, in.MaxLen,
		in.Workers, in.Items)
	for i := range in.Data.Len {
		fmt.Fprintln(&s, in.Data.Tx(i))
	}
	return s.String()
}

// minimalRare is FindSafe without a guard, for what it visits.
func minimalRare(ctx context.Context, in Input, visit Visit) error {
	_, err := FindSafe(ctx, in, nil, visit)
	return err
}

func TestMaximalAgainstEnumerationSoak(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	for range instances(3000) {
		in := randomInput(rng)
		want := map[string]int{}
		enumerate(in.Data, 0, func(set []int32, n int) {
			if n >= in.MinSupport && only(in.Items, set) && maximalByDefinition(in, set) {
				want[spelled(set)] = n
			}
		})
		if got := collect(t, Maximal, in); !maps.Equal(got, want) {
			t.Fatalf("got %v\nwant %v\n%s", got, want, describe(in))
		}
	}
}

func maximalByDefinition(in Input, set []int32) bool {
	for it := range int32(in.Data.Items) {
		bigger := append(slices.Clone(set), it)
		if !slices.Contains(set, it) && only(in.Items, bigger) &&
			supportOf(in.Data, bigger) >= in.MinSupport {
			return false
		}
	}
	return true
}

func TestMinimalRareAgainstEnumerationSoak(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	for range instances(3000) {
		in := randomInput(rng)
		want := map[string]int{}
		enumerate(in.Data, in.MaxLen, func(set []int32, n int) {
			if n == 0 || n >= in.MinSupport || !only(in.Items, set) {
				return
			}
			for i := range set {
				if len(set) > 1 && supportOf(in.Data,
					slices.Delete(slices.Clone(set), i, i+1)) < in.MinSupport {
					return
				}
			}
			want[spelled(set)] = n
		})
		if got := collect(t, minimalRare, in); !maps.Equal(got, want) {
			t.Fatalf("got %v\nwant %v\n%s", got, want, describe(in))
		}
	}
}

// randomGuard makes some items side items that at most a share of the transactions with an itemset
// may have.
func randomGuard(rng *rand.Rand, in *Input) *Guard {
	g := &Guard{Side: make([]bool, in.Data.Items)}
	for i := range g.Side {
		g.Side[i] = rng.IntN(3) == 0
	}
	tenths := 1 + rng.IntN(10)
	for n := range in.Data.Len + 1 {
		g.Most = append(g.Most, int32(n*tenths/10))
	}
	return g
}

// safeByDefinition judges all subsets but the empty one.
func safeByDefinition(in Input, g *Guard, set []int32) bool {
	for mask := 1; mask < 1<<len(set); mask++ {
		var sub []int32
		for i, it := range set {
			if mask>>i&1 == 1 {
				sub = append(sub, it)
			}
		}
		n := supportOf(in.Data, sub)
		if n < in.MinSupport {
			return false
		}
		for it, is := range g.Side {
			if is && supportOf(in.Data, append(slices.Clone(sub), int32(it))) > int(g.Most[n]) {
				return false
			}
		}
	}
	return true
}

func TestSafeAgainstEnumerationSoak(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 4))
	for range instances(3000) {
		in := randomInput(rng)
		g := randomGuard(rng, &in)
		safe := map[string][]int32{}
		moles := map[string]int{}
		enumerate(in.Data, in.MaxLen, func(set []int32, n int) {
			if !only(in.Items, set) || slices.ContainsFunc(set,
				func(it int32) bool { return g.Side[it] }) {
				return
			}
			if safeByDefinition(in, g, set) {
				safe[spelled(set)] = set
				return
			}
			for i := range set {
				if n == 0 || len(set) > 1 && !safeByDefinition(in, g,
					slices.Delete(slices.Clone(set), i, i+1)) {
					return
				}
			}
			moles[spelled(set)] = n
		})
		var s *Safe
		got := collect(t, func(ctx context.Context, in Input, visit Visit) (err error) {
			s, err = FindSafe(ctx, in, g, visit)
			return err
		}, in)
		if !maps.Equal(got, moles) {
			t.Fatalf("minimal unsafe: got %v\nwant %v\nmost %v, side %v\n%s", got, moles, g.Most,
				g.Side, describe(in))
		}
		if rng.IntN(2) == 0 {
			s, _ = FindSafe(t.Context(), in, g, nil)
		}
		if last := s.in.maxLen(); last > 1 && rng.IntN(2) == 0 {
			s.sizes[last] = nil // as if they were too many to be kept
		}
		checkCounts(t, rng, s.Copy(), safe) // whose items die apart from those of s
		checkCounts(t, rng, s, safe)
	}
}

// Sets are kept where a bit for each of them and of all smaller ones is no more than 256 MB.
func TestKeeps(t *testing.T) {
	for _, c := range []struct {
		items, maxLen int
		want          bool
	}{
		{0, 5, true},
		{1 << 20, 1, true},
		{60_000, 2, true},
		{70_000, 2, false},
		{2_300, 3, true},
		{2_400, 3, false},
		{30, 30, true},
		{30, 1 << 40, true},
		{40, 30, false},
	} {
		if got := Keeps(c.items, c.maxLen); got != c.want {
			t.Errorf("sets of up to %d of %d items: kept %v", c.maxLen, c.items, got)
		}
	}
}

// checkCounts compares all counts, then those of one item after the other while items die.
func checkCounts(t *testing.T, rng *rand.Rand, s *Safe, sets map[string][]int32) {
	t.Helper()
	byItem, total, err := s.Count(t.Context(), nil)
	want := make([]uint64, len(byItem))
	for _, set := range sets {
		for _, it := range set {
			want[it]++
		}
	}
	if err != nil || total != uint64(len(sets)) || !slices.Equal(byItem, want) {
		t.Fatalf("counts %v in %d, want %v in %d (%v)\n%s", byItem, total, want, len(sets), err,
			describe(s.in))
	}
	alive := slices.Repeat([]bool{true}, len(byItem))
	for _, v := range rng.Perm(len(byItem)) {
		alive[v] = false
		clear(want)
		n := uint64(0)
		for _, set := range sets {
			if !slices.Contains(set, int32(v)) ||
				slices.ContainsFunc(set, func(it int32) bool {
					return it != int32(v) &&
						!alive[it]
				}) {
				continue
			}
			n++
			for _, it := range set {
				want[it]++
			}
		}
		byItem, total, err := s.CountWith(t.Context(), int32(v), alive)
		if err != nil || total != n || !slices.Equal(byItem, want) {
			t.Fatalf("with %d: counts %v in %d, want %v in %d (%v)\n%s", v, byItem, total, want, n,
				err, describe(s.in))
		}
	}
}

// Families store sets in three forms; small instances use the first only.
func TestFamiliesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	n := 12
	for size := 2; size <= 5; size++ {
		forms := []*family{
			newFamily(n, size, newBinomials(n, size)),
			newFamily(n, size, newBinomials(n, size)), newFamily(n, size, newBinomials(n, size)),
		}
		forms[1].bitmap, forms[1].hashed = nil, make([]map[uint64]struct{}, n)
		forms[2].bitmap, forms[2].spelt = nil, make([]map[string]bool, n)
		in := map[string]bool{}
		draw := func() []int32 {
			set := make([]int32, 0, size)
			for _, x := range rng.Perm(n)[:size] {
				set = insert(set, int32(x))
			}
			return set
		}
		for range 200 {
			set := draw()
			in[spelled(set)] = true
			for _, f := range forms {
				f.add(set)
			}
		}
		for range 2000 {
			set := draw()
			for form, f := range forms {
				if f.has(set) != in[spelled(set)] {
					t.Fatalf("form %d: %v is %v", form, set, f.has(set))
				}
			}
		}
	}
}

// The order of what is visited does not depend on the number of workers.
func TestSameOrderForAnyNumberOfWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for name, mine := range map[string]miner{"maximal": Maximal, "rare": minimalRare} {
		for range 300 {
			in := randomInput(rng)
			var first []string
			for workers := 1; workers <= 4; workers++ {
				in.Workers = workers
				var got []string
				err := mine(t.Context(), in, func(items []int32, support int) error {
					got = append(got, fmt.Sprint(items, support))
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				if workers == 1 {
					first = got
				} else if !slices.Equal(got, first) {
					t.Fatalf("%s with %d workers: %v, with one: %v", name, workers, got, first)
				}
			}
		}
	}
}

// wide has far too many itemsets to go through.
func wide() Data {
	labels := make([]string, 60)
	for i := range labels {
		labels[i] = fmt.Sprint(i)
	}
	b := dataset.NewBuilder(dataset.MustDictionary(labels))
	for i := range 200 {
		var tx []int32
		for x := range int32(60) {
			if (int(x)+i)%61 > 0 {
				tx = append(tx, x)
			}
		}
		b.Add(tx)
	}
	return DataOf(dataset.Unmerged(b.Build()))
}

func TestStops(t *testing.T) {
	in := Input{Data: wide(), MinSupport: 20, MaxLen: 20}
	for name, mine := range map[string]miner{"maximal": Maximal, "rare": minimalRare} {
		why := errors.New("that is all")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
		start := time.Now()
		if err := mine(ctx, in, func([]int32, int) error { return nil }); !errors.Is(err, why) {
			t.Errorf("%s ended with %v", name, err)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("%s took %v to stop", name, took)
		}
	}
	seen, why := 0, errors.New("that is all")
	err := Maximal(t.Context(), in, func([]int32, int) error {
		if seen++; seen == 1000 {
			return why
		}
		return nil
	})
	if !errors.Is(err, why) || seen != 1000 {
		t.Errorf("stopped after %d with %v", seen, err)
	}
}

func TestInputFaults(t *testing.T) {
	in := Input{Data: random(rand.New(rand.NewPCG(1, 1))), MaxLen: -1, Items: []bool{true}}
	err := Maximal(t.Context(), in, nil)
	for _, want := range []string{
		"minimal support (0)", "longest itemset (-1)",
		"1 items are marked",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
	}
}
