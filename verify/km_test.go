package verify

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/privacy"
)

func check(t *testing.T, in KMInput) *Finding {
	t.Helper()
	f, err := KM(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	if f.Holds != (f.BreachCount == 0) || f.Holds != (len(f.Breaches) == 0) {
		t.Fatalf("holds %v, but %d breaches of which %d are spelled out", f.Holds, f.BreachCount,
			len(f.Breaches))
	}
	if checks++; checks%stopsEvery == 0 && in.Published.Len() < 20 {
		in.Workers = 1
		StopsEverywhere(t, func(ctx context.Context) (*Finding, error) { return KM(ctx, in) })
	}
	return f
}

// short is the share of an enumeration in one goroutine that is made under the race detector, which
// has nothing to find there.
func short(all, share int) int {
	if testing.Short() {
		return share
	}
	return all
}

// Every verdict is the definition's, on releases that keep their promise and on such that do not,
// and on either after one change in one place.
func TestSoakKMAgainstDefinition(t *testing.T) {
	r := soak.Rand(1, 2)
	held, broken, toBroken, toHeld := 0, 0, 0, 0
	rounds := 0
	for range soak.Rounds(t, soak.Share(short(800, 300), 20_000)) {
		rounds++
		in := randomInput(r)
		if r.IntN(4) == 0 {
			in.Original, in.OriginalSensitive = nil, nil
		}
		held0 := compare(t, in)
		if held0 {
			held++
		} else {
			broken++
		}
		for range 3 {
			m := mutate(r, in)
			switch held1 := compare(t, m); {
			case held0 && !held1:
				toBroken++
			case held1:
				toHeld++
			}
		}
	}
	t.Logf("%d kept, %d broken; of mutations %d broke a kept promise, %d kept it", held, broken,
		toBroken, toHeld)
	if held < rounds/10 || broken < rounds/10 || toBroken < rounds/10 || toHeld < rounds/10 {
		t.Error("the random instances are one-sided")
	}
}

func compare(t *testing.T, in KMInput) bool {
	t.Helper()
	f := check(t, in)
	if want := (twin{in}).holds(); f.Holds != want {
		t.Fatalf("holds %v, want %v\npromise %v suppress %v\noriginal %v\npublished "+
			"%v\nsensitive %v\n%+v", f.Holds, want, in.Promise, in.MaySuppress,
			spellAll(in.Original), spellAll(in.Published), spellAll(in.PublishedSensitive), f)
	}
	checkWitnesses(t, in, f)
	return f.Holds
}

func spellAll(d *dataset.Dataset) (out [][]string) {
	for i := 0; d != nil && i < d.Len(); i++ {
		out = append(out, d.Labels(i))
	}
	return out
}

// checkWitnesses looks every witness by combinations up in the data.
func checkWitnesses(t *testing.T, in KMInput, f *Finding) {
	t.Helper()
	for n, b := range f.Breaches {
		if n > 0 && cmp.Equal(f.Breaches[n-1], b) {
			t.Fatalf("breach given twice: %+v", b)
		}
		if b.Message == "" || b.Support >= b.Needed && b.Kind != KindCount &&
			b.Kind != KindSensitive && b.Kind != KindRecoding {
			t.Fatalf("odd breach %+v", b)
		}
		if b.Kind != KindSupport {
			continue
		}
		var lines []int
		for i := range in.Published.Len() {
			if labels := in.Published.Labels(i); !slices.ContainsFunc(b.Itemset,
				func(l string) bool { return !slices.Contains(labels, l) }) {
				lines = append(lines, in.Published.Line(i))
			}
		}
		if len(lines) != b.Support || b.Support == 0 ||
			!slices.Equal(lines[:min(5, len(lines))], b.Lines) {
			t.Fatalf("%+v, but it is in lines %v", b, lines)
		}
	}
}

// The finding is the same for any number of workers.
func TestKMSameForAnyWorkers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		in := randomInput(r)
		in.Workers = 1
		want := check(t, in)
		for _, workers := range []int{2, 8} {
			in.Workers = workers
			if d := cmp.Diff(want, check(t, in)); d != "" {
				t.Fatalf("%d workers: %s", workers, d)
			}
		}
		for _, d := range []**dataset.Dataset{
			&in.Original, &in.Published, &in.OriginalSensitive, &in.PublishedSensitive,
		} {
			if *d != nil {
				*d = (*d).Pack()
			}
		}
		if d := cmp.Diff(want, check(t, in)); d != "" {
			t.Fatalf("packed: %s", d)
		}
	}
}

// Every minimal rare combination is found, none twice, however pairs are counted.
func TestSoakItemsetsAgainstEnumeration(t *testing.T) {
	r := soak.Rand(5, 6)
	for range soak.Rounds(t, soak.Share(short(1000, 100), 12_000)) {
		in := randomInput(r)
		p := privacy.KM{K: in.Promise.K, M: in.Promise.M}
		minimal, all := rareSets(in.Published, p)
		for _, by := range []struct{ cells, chunk int }{
			{maxTriangle, chunkSize}, {0, chunkSize}, {maxTriangle, 1}, {maxTriangle, 8},
		} {
			published := in.Published
			if by.chunk == 8 {
				published = published.Pack()
			}
			found := searchAll(published, nil, p, by.cells, by.chunk)
			if found.count < int64(minimal) && p.M < 4 || found.count > int64(all) ||
				(found.count == 0) != (all == 0) {
				t.Fatalf("%v: found %d, minimal %d, all %d\n%v", p, found.count, minimal, all,
					spellAll(in.Published))
			}
		}
		p.L = 2
		a, b := searchAll(in.Published, in.PublishedSensitive, p, maxTriangle, chunkSize),
			searchAll(in.Published, in.PublishedSensitive, p, 0, chunkSize)
		if a.count != b.count || !slices.EqualFunc(a.kept, b.kept,
			func(x, y witness) bool { return compareWitnesses(x, y) == 0 }) {
			t.Fatalf("triangle finds %d, arrays %d", a.count, b.count)
		}
		for chunk := 1; chunk < 20; chunk += 6 {
			if b := searchAll(in.Published, in.PublishedSensitive, p, maxTriangle,
				chunk); (a.count == 0) != (b.count == 0) {
				t.Fatalf("as a whole finds %d, in chunks of %d %d", a.count, chunk, b.count)
			}
		}
	}
}

func searchAll(d, sensitive *dataset.Dataset, p privacy.KM, cells, size int) *witnesses {
	m := min(p.M, d.MaxLen())
	s := &search{promise: p, ctx: context.Background(), largest: m, cells: cells}
	for chunks := newChunks(d, sensitive, size); chunks.next(s.ctx); {
		checkChunk(s.ctx, &pool{workers: 1}, chunks, []*search{s})
	}
	return &s.witnesses
}

func rareSets(d *dataset.Dataset, p privacy.KM) (minimal, all int) {
	support := map[string]int{}
	sets := map[string][]int32{}
	for i := range d.Len() {
		for _, c := range subsets(d.Tx(i), p.M) {
			support[key(c)]++
			sets[key(c)] = c
		}
	}
	for k, n := range support {
		if n >= p.K {
			continue
		}
		all++
		least := true
		for _, c := range subsets(sets[k], len(sets[k])-1) {
			least = least && support[key(c)] >= p.K
		}
		if least {
			minimal++
		}
	}
	return minimal, all
}
