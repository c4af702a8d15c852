package dataset

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func drawLabel(t *rapid.T) string {
	return strings.Join(
		rapid.SliceOfN(rapid.SampledFrom([]string{
			"0", "1", "9", "00", "12", "a", "b", "é", " ", "-", "99999999999999999999", "\xff",
		}), 0, 5).
			Draw(t, "label"),
		"",
	)
}

// TestCompareLabelsIsATotalOrder checks, for any three labels, what sorting relies on.
func TestCompareLabelsIsATotalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawLabel(t), drawLabel(t), drawLabel(t)
		if CompareLabels(a, b) != -CompareLabels(b, a) {
			t.Fatalf("%q and %q are not compared the same both ways", a, b)
		}
		if (CompareLabels(a, b) == 0) != (a == b) {
			t.Fatalf("%q and %q: equal only if the same", a, b)
		}
		if CompareLabels(a, b) <= 0 && CompareLabels(b, c) <= 0 && CompareLabels(a, c) > 0 {
			t.Fatalf("not transitive: %q, %q, %q", a, b, c)
		}
	})
}

func TestCompareLabelsIsNatural(t *testing.T) {
	sorted := []string{
		"", "-5", "0", "00", "007", "7", "9", "10", "10a", "11", "99999999999999999999",
		"100000000000000000000", "a", "a 2", "a1", "a09", "a9", "a10", "a10b", "b", "é",
	}
	for i, a := range sorted {
		for j, b := range sorted {
			if got := CompareLabels(a, b); got != sign(i-j) {
				t.Errorf("CompareLabels(%q, %q) = %d", a, b, got)
			}
		}
	}
}

func TestDictionary(t *testing.T) {
	d, err := NewDictionary([]string{"b", "a"})
	if err != nil {
		t.Fatal(err)
	}
	if id, ok := d.ID("a"); !ok || id != 1 || d.Label(1) != "a" || d.Len() != 2 {
		t.Errorf("a is %d, %v", id, ok)
	}
	if _, ok := d.ID("c"); ok {
		t.Error("c is known")
	}
	if _, err := NewDictionary([]string{"a", "b", "a"}); err == nil ||
		!strings.Contains(err.Error(), `"a"`) {
		t.Errorf("a label given twice: %v", err)
	}
}

// TestInterner compares the hash table and the table of numbers with a map.
func TestInterner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, twin := newInterner(), map[string]int32{}
		var order []string
		label := rapid.OneOf(
			rapid.StringMatching(`[a-c0-9]{1,3}`), rapid.StringMatching(`[0-9]{5,8}`),
		)
		for _, label := range rapid.SliceOfN(label, 0, 300).Draw(t, "labels") {
			id, ok := twin[label]
			if !ok {
				id = int32(len(order))
				twin[label] = id
				order = append(order, label)
			}
			if got := in.id([]byte(label)); got != id {
				t.Fatalf("%q is %d, want %d", label, got, id)
			}
		}
		labels, to := in.natural()
		if !slices.IsSortedFunc(labels, CompareLabels) || len(labels) != len(order) {
			t.Fatalf("not in order: %q", labels)
		}
		for id, label := range order {
			if labels[to[id]] != label {
				t.Fatalf("%q is sent to %d, which is %q", label, to[id], labels[to[id]])
			}
		}
	})
}

// drawIDs draws transactions over n items, some alike.
func drawIDs(t *rapid.T, n int32) [][]int32 {
	return rapid.SliceOfN(rapid.SliceOfN(rapid.Int32Range(0, n-1), 0, 6), 0, 40).
		Draw(t, "transactions")
}

func numbered(n int32) *Dictionary {
	labels := make([]string, n)
	for i := range labels {
		labels[i] = strings.Repeat("i", i+1)
	}
	return MustDictionary(labels)
}

// set is the naive way to a sorted set.
func set(tx []int32) []int32 {
	out := slices.Clone(tx)
	slices.Sort(out)
	return slices.Compact(out)
}

func TestBuilderAndRecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		txs := drawIDs(t, 5)
		b := NewBuilder(numbered(5))
		for i, tx := range txs {
			b.AddAt(slices.Clone(tx), 2*i+1)
		}
		d := b.Build()
		to := rapid.SliceOfN(rapid.Int32Range(-1, 2), 5, 5).Draw(t, "to")
		r := d.Recode(numbered(3), to)
		supports, occurrences, longest, empty := make([]int, 5), 0, 0, 0
		for i, tx := range txs {
			want := set(tx)
			if !slices.Equal(d.Tx(i), want) || d.Line(i) != 2*i+1 || r.Line(i) != 2*i+1 ||
				d.Start(i) != occurrences {
				t.Fatalf(
					"transaction %d is %v on line %d from %d, want %v", i, d.Tx(i), d.Line(i),
					d.Start(i), want,
				)
			}
			occurrences += len(want)
			longest = max(longest, len(want))
			if len(want) == 0 {
				empty++
			}
			var recoded []int32
			for _, it := range want {
				supports[it]++
				if to[it] >= 0 {
					recoded = append(recoded, to[it])
				}
			}
			if !slices.Equal(r.Tx(i), set(recoded)) {
				t.Fatalf("transaction %d is recoded to %v, want %v", i, r.Tx(i), set(recoded))
			}
		}
		if d.Len() != len(txs) || d.Occurrences() != occurrences || d.MaxLen() != longest ||
			d.Empty() != empty ||
			!slices.Equal(d.Supports(), supports) {
			t.Fatalf("counts of %v: %v, %d, %d, %v", txs, d, d.MaxLen(), d.Empty(), d.Supports())
		}
	})
}

// TestSetSorter compares all ways of sorting a set with the naive one.
func TestSetSorter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 70, 5000, 400_000}).Draw(t, "items")
		to := make([]int32, n)
		for i := range to {
			to[i] = int32(n - 1 - i)
		}
		s := newSetSorter(to)
		for range 3 {
			in := rapid.SliceOfN(rapid.Int32Range(0, int32(n-1)), 0, 60).Draw(t, "set")
			mapped := slices.Clone(in)
			for i, it := range mapped {
				mapped[i] = to[it]
			}
			before := s.repeats
			s.sort(in)
			want := set(mapped)
			if got := slices.Compact(slices.Clone(in)); !slices.Equal(got, want) ||
				s.repeats-before != len(in)-len(want) {
				t.Fatalf("%v with %d repeats, want %v", in, s.repeats-before, want)
			}
		}
	})
}

// Sets that are sorted together are as they are one by one, with the same repeats.
func TestManySorter(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine has nothing for the race detector")
	}
	rng := rand.New(rand.NewPCG(19, 22))
	for _, ids := range []int{1, 3, 500, 70_000, manyMost + 1} {
		for range 4 {
			to := make([]int32, ids)
			for i, x := range rng.Perm(ids) {
				to[i] = int32(x)
			}
			many, one := newManySorter(to), newSetSorter(to)
			sets, longest := 1+rng.IntN(90_000), 1+rng.IntN(20)
			items, offsets := []int32{}, []uint32{0}
			for range sets {
				for range rng.IntN(longest + 1) {
					items = append(items, int32(rng.IntN(ids)))
				}
				offsets = append(offsets, uint32(len(items)))
			}
			want := slices.Clone(items)
			for i := range sets {
				one.sort(want[offsets[i]:offsets[i+1]])
			}
			many.sort(items, offsets)
			for i := range sets {
				from, to := offsets[i], offsets[i+1]
				together, alone := slices.Compact(items[from:to]), slices.Compact(want[from:to])
				if !slices.Equal(together, alone) {
					t.Fatalf("set %d of %d ids: %v, one by one %v", i, ids, together, alone)
				}
			}
			if many.one.repeats != one.repeats {
				t.Fatalf("%d sets of %d ids: %d repeats, one by one %d", sets, ids,
					many.one.repeats, one.repeats)
			}
		}
	}
}

// TestMerge compares with folding by a map of the spelled-out transactions.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int32Range(1, 4).Draw(t, "items")
		txs := drawIDs(t, n)
		b := NewBuilder(numbered(n))
		for _, tx := range txs {
			b.Add(slices.Clone(tx))
		}
		d := b.Build()
		m := MergeBy(d, rapid.IntRange(1, 3).Draw(t, "workers"))
		var distinct [][]int32
		for _, tx := range txs {
			distinct = append(distinct, set(tx))
		}
		slices.SortFunc(distinct, slices.Compare)
		distinct = slices.CompactFunc(distinct, slices.Equal)
		if m.Len() != len(distinct) || len(m.Weights) != m.Len() {
			t.Fatalf("%d transactions, want %d", m.Len(), len(distinct))
		}
		weights := make([]int32, m.Len())
		for i := range txs {
			weights[m.Of[i]]++
			if !slices.Equal(m.Tx(int(m.Of[i])), d.Tx(i)) {
				t.Fatalf("transaction %d is sent to another one", i)
			}
		}
		for i, want := range distinct {
			if !slices.Equal(m.Tx(i), want) || m.Weights[i] != weights[i] {
				t.Fatalf(
					"merged %d is %v of weight %d, want %v of %d", i, m.Tx(i), m.Weights[i], want,
					weights[i],
				)
			}
		}
	})
}

func TestSelect(t *testing.T) {
	d := mustRead(t, "id,items\nx,a;b\ny,c\nz,\n", Options{Format: Table})
	s := d.Select([]int32{2, 0})
	diff(t, "transactions", [][]string{{}, {"a", "b"}}, sets(s))
	diff(t, "lines", []int{4, 2}, linesOf(s))
	diff(t, "columns", []Column{{Name: "id", Values: []string{"z", "x"}}}, s.Columns)
	diff(t, "written", "id,items\nz,\nx,a;b\n", mustWrite(t, s, Options{Format: Table}))
}

// Transactions whose line is told and others may come in any order: the line of the others is their
// number.
func TestSomeLinesAreTold(t *testing.T) {
	for mask := range 1 << 4 {
		b := NewBuilder(MustDictionary([]string{"a"}))
		var want, got []int
		for i := range 4 {
			if mask>>i&1 == 1 {
				b.AddAt([]int32{0}, 10+i)
				want = append(want, 10+i)
			} else {
				b.Add([]int32{0})
				want = append(want, i+1)
			}
		}
		d := b.Build()
		for i := range d.Len() {
			got = append(got, d.Line(i))
		}
		if !slices.Equal(got, want) {
			t.Errorf("lines %v, want %v", got, want)
		}
	}
}

// An item that the dictionary has and no transaction is not among those that occur.
func TestOccurring(t *testing.T) {
	d := FromLabels([][]string{{"b"}, {}, {"c", "a"}}).Select([]int32{1, 2})
	var got []string
	for _, it := range d.Occurring() {
		got = append(got, d.Dict().Label(it))
	}
	slices.Sort(got)
	if !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("%q occur", got)
	}
}
