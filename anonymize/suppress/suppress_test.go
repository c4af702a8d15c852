package suppress

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/anonymize/partition"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/brute"
	"mingle/privacy"
	"mingle/release"
)

func TestConformance(t *testing.T) {
	for _, inner := range []anonymize.Algorithm{global.AA{}, partition.LRA{}} {
		conform(t, inner, 0.3, Items{Inner: inner, Max: 0.3})
		conform(t, inner, 0.3, Transactions{Inner: inner, Max: 0.3})
	}
}

// conform runs the suite, and checks that nothing loses more than the inner algorithm alone and
// that the budget is kept.
func conform(t *testing.T, inner anonymize.Algorithm, share float64, a anonymize.Algorithm) {
	t.Run(a.Name(), func(t *testing.T) {
		conformance.Suite{
			New:        func() anonymize.Algorithm { return a },
			Instances:  1500,
			NoNegative: strings.Contains(a.Name(), "items"),
			Suppresses: true,
			Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
				plain, err := inner.Anonymize(t.Context(), in)
				if err != nil {
					t.Fatal(err)
				}
				if newAttempt(g).loss > newAttempt(plain).loss {
					t.Fatalf("suppression loses more than none\n%s", conformance.Describe(in))
				}
				gone := 0
				for pos := range in.Data.Items() {
					if g.Node(pos) == release.Suppressed {
						gone++
					}
				}
				if gone > privacy.MostOf(share, in.Data.Occurrences()) {
					t.Fatalf("%d of %d occurrences are suppressed", gone, in.Data.Occurrences())
				}
			},
		}.Run(t)
	})
}

// hybridOptimum is the least loss of a cut with suppressed items, by enumeration.
func hybridOptimum(in anonymize.Input, share float64) (int64, bool) {
	best, found := int64(0), false
	supports := in.Data.Supports()
	for mask := range 1 << in.Tree.Leaves() {
		gone := make([]bool, in.Tree.Leaves())
		lost := 0
		for leaf := range gone {
			if gone[leaf] = mask>>leaf&1 == 1; gone[leaf] {
				lost += supports[leaf]
			}
		}
		if lost > privacy.MostOf(share, in.Data.Occurrences()) {
			continue
		}
		left := in
		left.Data = withoutItems(in.Data, gone)
		if cost, ok := brute.Optimum(left); ok {
			cost += int64(lost) * int64(in.Tree.Leaves())
			if !found || cost < best {
				best, found = cost, true
			}
		}
	}
	return best, found
}

// Against the true optimum of cuts with suppressed items: how often it is reached, and how much is
// lost over all instances.
func TestItemsAgainstTheOptimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const share = 0.4
	instances, reached, helped := 0, 0, 0
	var sum, least, plain int64
	worst := 0.0
	for instances < 400 {
		in := brute.Random(rng)
		in.Promise.L, in.Sensitive, in.Promise.NegativeKnowledge = 0, nil, false
		best, ok := hybridOptimum(in, share)
		if !ok {
			continue
		}
		g, err := Items{Inner: global.OA{}, Max: share}.Anonymize(t.Context(), in)
		if err != nil {
			continue
		}
		instances++
		got := newAttempt(g).loss
		if got < best {
			t.Fatalf("the loss, %d, is under the optimum, %d\n%s", got, best,
				conformance.Describe(in))
		}
		alone, _ := brute.Optimum(in)
		if best < alone {
			helped++
		}
		if got == best {
			reached++
		}
		if best > 0 {
			worst = max(worst, float64(got)/float64(best))
		}
		sum, least, plain = sum+got, least+best, plain+alone
	}
	t.Logf("optimum reached in %d of %d; suppression helps in %d; loss in all %.4f of the optimum (without suppression %.4f), at worst %.2f",
		reached, instances, helped, float64(sum)/float64(least), float64(plain)/float64(least),
		worst)
	if reached < instances*85/100 {
		t.Errorf("the optimum was reached in %d of %d only", reached, instances)
	}
	if helped < instances/4 {
		t.Error("suppression hardly ever helps: the test tests nothing")
	}
}

// All small originals against negative knowledge, where transactions may go.
func TestNegativeKnowledgeSoak(t *testing.T) {
	conformance.WorldsWithoutSecrets(t, Transactions{Inner: global.AA{}, Max: 0.5})
}

// Who knows what a person lacks has the lines of suppressed transactions among the candidates, of
// which nothing sensitive is told: they would hide the one that is left.
func TestTransactionsRefuseSecretsAgainstNegativeKnowledge(t *testing.T) {
	in := brute.Figure2()
	in.Promise.NegativeKnowledge, in.Promise.L = true, 2
	in.Sensitive = dataset.FromLabels(make([][]string, in.Data.Len()))
	a := Transactions{Inner: global.AA{}, Max: 1}
	if _, err := a.Anonymize(t.Context(), in); err == nil ||
		!strings.Contains(err.Error(), "sensitive") {
		t.Errorf("%v", err)
	}
}

// Which items are suppressed is public: a group of two, one of which is suppressed, is the other.
func TestItemsRefuseNegativeKnowledge(t *testing.T) {
	in := brute.Figure2()
	in.Promise.NegativeKnowledge = true
	if _, err := (Items{Inner: global.AA{}, Max: 1}).Anonymize(t.Context(), in); err == nil ||
		!strings.Contains(err.Error(), "suppress transactions") {
		t.Errorf("%v", err)
	}
}

// However large an effort is, it searches no less than a smaller one.
func TestWorkOfAnyEffort(t *testing.T) {
	last := int64(0)
	for _, effort := range []int{0, 1, 10, 1_000_000, math.MaxInt/DefaultWork + 1, math.MaxInt} {
		now := within{budget: anonymize.Budget{Effort: effort}}.mostWork()
		if now < last || now <= 0 {
			t.Errorf("effort %d: %d, and %d with less", effort, now, last)
		}
		last = now
	}
}

// A share of 29 % of 100 occurrences are 29: the nearest binary number is less than 0.29.
func TestTheShareIsTheDecimalThatWasWritten(t *testing.T) {
	data := dataset.FromLabels(slices.Concat(
		slices.Repeat([][]string{{"rare"}}, 29), slices.Repeat([][]string{{"often"}}, 71),
	))
	tree, err := hierarchy.Fanout([]string{"often", "rare"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if data, err = tree.Encode(data); err != nil {
		t.Fatal(err)
	}
	in := anonymize.Input{Data: data, Tree: tree, Promise: privacy.KM{K: 30, M: 1}}
	g, err := Items{Inner: global.AA{}, Max: 0.29}.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := newAttempt(g).loss, int64(29*tree.Leaves()); got != want {
		t.Errorf("the loss is %d, and %d where the 29 are left out", got, want)
	}
}
