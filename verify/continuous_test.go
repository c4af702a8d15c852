package verify_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/dataset/bag"
	"mingle/privacy"
	"mingle/verify"
)

func bags(t testing.TB, records ...string) *bag.Bags {
	t.Helper()
	var fields [][]string
	for _, r := range records {
		fields = append(fields, strings.Fields(r))
	}
	b, err := bag.FromFields(bag.Numbers(), fields)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func judge(t testing.TB, in verify.ContinuousInput) *verify.Finding {
	t.Helper()
	f, err := verify.Continuous(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The tables of gkountouna-2014. The rare bags of Table 1 are those of the specification, but for
// {30500, 40000}, which extends a rare bag and is not looked at.
func TestContinuousPaper(t *testing.T) {
	table1 := bags(t, "11000 11000 20000 40000 40000", "11000 30500 40000", "11000 11000 40000 40000", "11000", "20000")
	p := privacy.Continuous{K: 2, M: 2}
	f := judge(t, verify.ContinuousInput{Published: table1, Promise: p})
	var rare []string
	for _, b := range f.Breaches {
		rare = append(rare, fmt.Sprintf("%s:%d@%v", strings.Join(b.Itemset, ","), b.Support, b.Lines))
	}
	want := []string{"30500:1@[2]", "11000,20000:1@[1]", "11000,30500:1@[2]", "20000,40000:1@[1]"}
	if f.Holds || f.BreachCount != 4 || !slices.Equal(rare, want) {
		t.Errorf("Table 1: %q (%d), want %q", rare, f.BreachCount, want)
	}
	a, c := "[10001-20000]", "[30001-40000]"
	table2 := bags(t, strings.Join([]string{a, a, c, c, c}, " "), strings.Join([]string{a, c, c}, " "), strings.Join([]string{a, a, c, c}, " "), a, a)
	if f := judge(t, verify.ContinuousInput{Published: table2, Promise: p}); !f.Holds || f.Recoding != "global" {
		t.Errorf("Table 2 as printed: %+v", f)
	}
	// As printed, the first record of Table 2 publishes 20000 as (30000-40000]: a slip of the paper that the check against
	// the original finds.
	if f := judge(t, verify.ContinuousInput{Published: table2, Original: table1, Promise: p}); f.Holds || f.Breaches[0].Kind != verify.KindRecoding || f.Breaches[0].Lines[0] != 1 || f.BreachCount != 1 {
		t.Errorf("Table 2 as printed, with the original: %+v", f)
	}
	table3 := bags(t, "11000 11000 [20000-30500] 40000 40000", "11000 [20000-30500] 40000", "11000 11000 40000 40000", "11000", "[20000-30500]")
	if f := judge(t, verify.ContinuousInput{Published: table3, Original: table1, Promise: p}); !f.Holds || f.Itemsets != 8 {
		t.Errorf("Table 3: %+v", f)
	}
}

// The verdict is that of the definition, on any bags: with overlapping ranges, duplicates, empty records.
func TestContinuousAgainstDefinition(t *testing.T) {
	terms := []string{"1", "2", "3", "[1-2]", "[1-3]", "[2-3]"}
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(5, seed))
		var records []string
		for range 1 + rng.IntN(8) {
			var r []string
			for range rng.IntN(6) {
				r = append(r, terms[rng.IntN(1+rng.IntN(len(terms)))])
			}
			slices.Sort(r)
			records = append(records, strings.Join(r, " "))
		}
		p := privacy.Continuous{K: 2 + rng.IntN(3), M: 1 + rng.IntN(4)}
		rare, minimal := rareBags(records, p)
		f := judge(t, verify.ContinuousInput{Published: bags(t, records...), Promise: p, Workers: 1 + rng.IntN(3)})
		if f.Holds != (len(rare) == 0) {
			t.Fatalf("seed %d, %s: holds=%t, rare by definition: %v\n%q", seed, p, f.Holds, rare, records)
		}
		for _, b := range f.Breaches {
			if n, ok := rare[strings.Join(slices.Sorted(slices.Values(b.Itemset)), " ")]; !ok || n != b.Support {
				t.Fatalf("seed %d: breach %+v is none", seed, b)
			}
		}
		if f.BreachCount < int64(minimal) {
			t.Fatalf("seed %d: %d breaches, %d minimal rare bags", seed, f.BreachCount, minimal)
		}
	}
}

// Who only knows that a person is in the data has as many candidates as there are records.
func TestContinuousFewerRecordsThanK(t *testing.T) {
	p := privacy.Continuous{K: 3, M: 1}
	f := judge(t, verify.ContinuousInput{Published: bags(t, "", ""), Promise: p})
	if f.Holds || f.BreachCount != 1 || f.Breaches[0].Support != 2 || len(f.Breaches[0].Itemset) != 0 {
		t.Errorf("%+v", f)
	}
	for _, records := range [][]string{{}, {"", "", ""}} {
		if f := judge(t, verify.ContinuousInput{Published: bags(t, records...), Promise: p}); !f.Holds {
			t.Errorf("%q: %+v", records, f)
		}
	}
}

// rareBags lists all bags of at most m terms in fewer than k records, and counts those of which no part is rare.
func rareBags(records []string, p privacy.Continuous) (rare map[string]int, minimal int) {
	count := map[string]int{}
	for _, r := range records {
		fields := strings.Fields(r)
		seen := map[string]bool{}
		for mask := range 1 << len(fields) { // the empty bag is one
			var b []string
			for i, s := range fields {
				if mask>>i&1 == 1 {
					b = append(b, s)
				}
			}
			if len(b) <= p.M {
				seen[strings.Join(b, " ")] = true
			}
		}
		for b := range seen {
			count[b]++
		}
	}
	rare = map[string]int{}
	for b, n := range count {
		if n < p.K {
			rare[b] = n
		}
	}
	for b := range rare {
		fields := strings.Fields(b)
		isMinimal := true
		for i := range fields {
			part := strings.Join(slices.Concat(fields[:i], fields[i+1:]), " ")
			if _, ok := rare[part]; ok {
				isMinimal = false
			}
		}
		if isMinimal {
			minimal++
		}
	}
	return rare, minimal
}

func TestContinuousAgainstOriginal(t *testing.T) {
	original := bags(t, "1 5", "2 5")
	p := privacy.Continuous{K: 2, M: 1}
	for _, c := range []struct {
		published []string
		kind      string
	}{
		{[]string{"[1-2] 5", "[1-2] 5"}, ""},
		{[]string{"[1-5] [1-2]", "[1-5] [1-2]"}, ""}, // nested ranges: 5 must take the wider one
		{[]string{"[1-2] [1-5]"}, verify.KindCount},
		{[]string{"[1-2] 5 5", "[1-2] 5 5"}, verify.KindRecoding},
		{[]string{"[1-2] [1-2]", "[1-2] [1-2]"}, verify.KindRecoding}, // no term for 5
		{[]string{"[3-5] [3-5]", "[3-5] [3-5]"}, verify.KindRecoding},
	} {
		f := judge(t, verify.ContinuousInput{Published: bags(t, c.published...), Original: original, Promise: p})
		switch {
		case c.kind == "" && !f.Holds:
			t.Errorf("%q: %+v", c.published, f.Breaches)
		case c.kind != "" && (f.Holds || f.Breaches[0].Kind != c.kind):
			t.Errorf("%q: %+v, want a breach of kind %s", c.published, f, c.kind)
		}
	}
}
