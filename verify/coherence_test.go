package verify

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/privacy"
)

// coherenceFigure1 is the running example of xu-2008.
func coherenceFigure1() CoherenceInput {
	return CoherenceInput{
		Published: dataset.FromLabels([][]string{
			{"a", "b", "e", "f", "s1"},
			{"c", "e", "f", "g", "s2"},
			{"a", "b", "g", "s3"},
			{"a", "b", "f", "g", "s2"},
			{"a", "b", "d", "g", "s2"},
			{"e", "f", "g", "s1"},
			{"b", "e", "f", "g", "s3"},
		}),
		Private: []string{"s1", "s2", "s3"},
		Promise: privacy.Coherence{H: 0.5, K: 3, P: 3},
	}
}

// withoutLabels leaves items out of all transactions.
func withoutLabels(d *dataset.Dataset, labels ...string) *dataset.Dataset {
	var txs [][]string
	for i := range d.Len() {
		txs = append(txs, slices.DeleteFunc(d.Labels(i),
			func(l string) bool { return slices.Contains(labels, l) }))
	}
	return dataset.FromLabels(txs)
}

// Example 1: ae occurs once, and two of the three transactions with ag have s2.
func TestCoherenceFindsTheMolesOfFigure1(t *testing.T) {
	f, err := Coherence(t.Context(), coherenceFigure1())
	if err != nil || f.Holds {
		t.Fatalf("%+v, %v", f, err)
	}
	for _, want := range []string{
		`1 published transaction has the public items {a, e}, fewer than 3`,
		`private item "s2" is in 2 of the 3 transactions with the public items {a, g}, more than a share of 0.5`,
		`1 published transaction has the public items {c}, fewer than 3`,
	} {
		if !slices.ContainsFunc(f.Breaches, func(b Breach) bool { return b.Message == want }) {
			t.Errorf("no breach says %s", want)
		}
	}
	at := slices.IndexFunc(f.Breaches, func(b Breach) bool {
		return b.Kind == KindAttribute &&
			slices.Equal(b.Itemset, []string{"a", "g"})
	})
	if b := f.Breaches[at]; b.Needed != 4 || !slices.Equal(b.Lines, []int{4, 5}) {
		t.Errorf("%+v: 2 of 4 would be a share of 0.5, and the lines are 4 and 5", b)
	}
}

// The worked example's result: a, b, c and d suppressed.
func TestCoherenceHoldsForTheResultOfFigure1(t *testing.T) {
	in := coherenceFigure1()
	in.Original = in.Published
	in.Published = withoutLabels(in.Original, "a", "b", "c", "d")
	f, err := Coherence(t.Context(), in)
	// the empty set, and 7 sets of e, f, g
	if err != nil || !f.Holds || f.BreachCount != 0 || f.Itemsets != 8 {
		t.Errorf("%+v, %v", f, err)
	}
	in.Published = withoutLabels(in.Original, "a", "c", "d")
	if f, err := Coherence(t.Context(), in); err != nil || f.Holds {
		t.Errorf("with b: %+v, %v", f, err)
	}
}

func TestCoherenceOfTamperedLines(t *testing.T) {
	in := coherenceFigure1()
	in.Original = in.Published
	suppressed := withoutLabels(in.Original, "a", "b", "c", "d")
	change := func(line int, f func(labels []string) []string) *dataset.Dataset {
		var txs [][]string
		for i := range suppressed.Len() {
			labels := suppressed.Labels(i)
			if i == line-1 {
				labels = f(labels)
			}
			txs = append(txs, labels)
		}
		return dataset.FromLabels(txs)
	}
	drop := func(label string) func([]string) []string {
		return func(ls []string) []string {
			return slices.DeleteFunc(ls,
				func(l string) bool { return l == label })
		}
	}
	for _, c := range []struct {
		published  *dataset.Dataset
		kind, text string
	}{
		{change(2, drop("s2")), KindSensitive, `lacks the private item "s2" of line 2`},
		{
			change(2, drop("e")), KindRecoding,
			`lacks "e" of line 2 of the original, though other lines have it`,
		},
		{
			change(6, func(ls []string) []string { return append(ls, "x") }), KindRecoding,
			`line 6 of the published file has "x"`,
		},
		{suppressed.Select([]int32{0, 1, 2}), KindCount, `3 transactions, the original 7`},
	} {
		in.Published = c.published
		f, err := Coherence(t.Context(), in)
		if err != nil || f.Holds || f.Breaches[0].Kind != c.kind ||
			!strings.Contains(f.Breaches[0].Message, c.text) {
			t.Errorf("%s: %+v, %v", c.text, f, err)
		}
	}
}

// Nothing but the private items is left, and one of them is too frequent.
func TestCoherenceOfTheEmptySet(t *testing.T) {
	in := CoherenceInput{
		Published: dataset.FromLabels([][]string{{"s"}, {"s"}, {}, {"t"}}),
		Private:   []string{"s", "t"},
		Promise:   privacy.Coherence{H: 0.4, K: 2, P: 2},
	}
	f, err := Coherence(t.Context(), in)
	if err != nil || f.BreachCount != 1 ||
		f.Breaches[0].Message != `private item "s" is in 2 of the 4 transactions with no public item at all, more than a share of 0.4` {
		t.Errorf("%+v, %v", f, err)
	}
	in.Promise = privacy.Coherence{H: 0.5, K: 5, P: 2}
	if f, _ = Coherence(t.Context(), in); f.BreachCount != 1 || f.Breaches[0].Needed != 5 {
		t.Errorf("%+v: 4 transactions are fewer than 5", f)
	}
}

// coherent is definition 1 by enumeration of all sets of public items.
func coherent(in CoherenceInput) bool {
	d := in.Published
	n := d.Dict().Len()
	private := marked(d.Dict(), in.Private)
	h := in.Promise.Share()
	for mask := range 1 << n {
		var set []int32
		public := true
		for it := range n {
			if mask>>it&1 == 1 {
				set = append(set, int32(it))
				public = public && !private[it]
			}
		}
		if !public || len(set) > in.Promise.P {
			continue
		}
		sup, with := 0, make([]int, n)
		for i := range d.Len() {
			if contains(d.Tx(i), set) {
				sup++
				for _, it := range d.Tx(i) {
					with[it]++
				}
			}
		}
		if sup > 0 && sup < in.Promise.K {
			return false
		}
		for it := range n {
			if private[it] && int64(with[it])*h.Denom().Int64() > h.Num().Int64()*int64(sup) {
				return false
			}
		}
	}
	return true
}

func TestCoherenceAgainstEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	holds := 0
	for range 5000 {
		items, rows := 1+rng.IntN(6), rng.IntN(30)
		often := make([]float64, items)
		in := CoherenceInput{Promise: privacy.Coherence{
			H: float64(1+rng.IntN(10)) / 10,
			K: 2 + rng.IntN(3), P: 1 + rng.IntN(5),
		}, Workers: 1 + rng.IntN(3)}
		for it := range often {
			often[it] = 0.3 + 0.7*rng.Float64()
			if rng.IntN(3) == 0 {
				often[it] = 0.3 * rng.Float64()
				in.Private = append(in.Private, fmt.Sprint("i", it))
			}
		}
		var txs [][]string
		for range rows {
			tx := []string{}
			for it := range items {
				if rng.Float64() < often[it] {
					tx = append(tx, fmt.Sprint("i", it))
				}
			}
			txs = append(txs, tx)
		}
		in.Published = dataset.FromLabels(txs)
		f, err := Coherence(t.Context(), in)
		if err != nil || f.Holds != coherent(in) {
			t.Fatalf("%v, %v, want %v: %v, private %v\n%v", f, err, coherent(in), in.Promise,
				in.Private, txs)
		}
		if f.Holds {
			holds++
		}
	}
	if holds < 500 || holds > 4500 {
		t.Errorf("%d of 5000 hold: the test tests little", holds)
	}
}

func TestCoherenceStops(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	b := dataset.NewBuilder(dataset.Unnamed(60))
	for range 20000 {
		var tx []int32
		for it := range int32(60) {
			if rng.IntN(2) == 0 {
				tx = append(tx, it)
			}
		}
		b.Add(tx)
	}
	ctx := endingAfter(t.Context(), 1000)
	_, err := Coherence(ctx, CoherenceInput{
		Published: b.Build(), Promise: privacy.Coherence{H: 1, K: 2, P: 5}, Workers: 2,
	})
	if left := ctx.left.Load(); !errors.Is(err, ctx.why) || left < -1000 {
		t.Errorf("%v, and it asked %d times more", err, -left)
	}
}
