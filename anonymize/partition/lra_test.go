package partition_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/anonymize/partition"
	"mingle/dataset"
	"mingle/internal/brute"
	"mingle/internal/soak"
	"mingle/privacy"
)

func TestLRASoak(t *testing.T) {
	for _, parts := range []int{1, 2, 3, 5, 8} {
		for _, flexibility := range []int{0, 10} {
			for _, keep := range []bool{false, true} {
				if quick := (parts == 1 || parts == 3) && keep == (flexibility == 0); !quick &&
					!soak.All() {
					continue
				}
				t.Run(fmt.Sprintf("parts=%d flexibility=%d keep=%v", parts, flexibility, keep),
					func(t *testing.T) {
						conformance.Suite{
							Instances: 600,
							New: func() anonymize.Algorithm {
								return partition.LRA{
									Parts: parts, Flexibility: flexibility,
									KeepParts: keep,
								}
							},
						}.Run(t)
					})
			}
		}
	}
}

// Figure 7 of terrovitis-2011: a1 is the last bit of a signature, b2 the first.
func TestGrayOrderOfFigure7(t *testing.T) {
	var names []string
	for _, i := range partition.GrayOrder(brute.Figure2().Data) {
		names = append(names, fmt.Sprintf("t%d", i+1))
	}
	if got := strings.Join(names, " "); got != "t2 t1 t3 t4" {
		t.Errorf("order %s, figure 7 has t2 t1 t3 t4", got)
	}
}

// The twin of the order: signatures as numbers, each the Gray code of its place.
func TestGrayOrderIsThatOfSignatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range 200 {
		b := dataset.NewBuilder(dataset.Unnamed(12))
		for range 40 {
			var tx []int32
			for range rng.IntN(7) {
				tx = append(tx, int32(rng.IntN(12)))
			}
			b.Add(tx)
		}
		d := b.Build()
		last := -1
		for _, i := range partition.GrayOrder(d) {
			place := 0
			for _, it := range d.Tx(int(i)) {
				place ^= 1 << it
			}
			for shift := 1; shift < 16; shift *= 2 {
				place ^= place >> shift
			}
			if place < last {
				t.Fatalf("transaction %d of %s is out of order", i, conformance.Spell(d))
			}
			last = place
		}
	}
}

// Parts have equal numbers of itemsets of at most m items, but for the one transaction at each
// border.
func TestLRABalancesParts(t *testing.T) {
	for parts := 1; parts <= 8; parts++ {
		in := conformance.Medium(uint64(parts))
		in.Promise.M = 2
		g, err := partition.LRA{Parts: parts, KeepParts: true}.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		sum := make([]int, parts)
		same := map[string]int{} // itemsets of all copies of a transaction
		total, heaviest := 0, 0
		for i := range in.Data.Len() {
			n := len(in.Data.Tx(i))
			sets := n + n*(n-1)/2
			sum[g.Parts[i]] += sets
			total += sets
			key := fmt.Sprint(in.Data.Tx(i))
			same[key] += sets
			heaviest = max(heaviest, same[key])
		}
		for p, n := range sum {
			if d := n*parts - total; d > 2*heaviest*parts || -d > 2*heaviest*parts {
				t.Errorf("part %d of %d has %d itemsets of %d; the heaviest transaction has %d", p,
					parts, n, total, heaviest)
			}
		}
	}
}

// More parts than transactions, and borders that move further than the data reaches, mean as many
// as there are: nothing is made in proportion to the numbers given.
func TestLRAWithHugeParameters(t *testing.T) {
	in := conformance.Medium(2)
	most := in.Data.Len()
	want, err := partition.LRA{Parts: most, Flexibility: most}.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := partition.LRA{Parts: 1 << 50, Flexibility: 1 << 50}.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Parts, want.Parts) || !slices.Equal(got.Data.Items(), want.Data.Items()) {
		t.Error("another release")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (partition.LRA{Parts: 1 << 50}).Anonymize(ctx, in); !errors.Is(err,
		context.Canceled) {
		t.Errorf("it does not look at the context: %v", err)
	}
}

// With a flexible border, the two transactions at it differ at least as much as at the border that
// is not.
func TestLRAFlexibility(t *testing.T) {
	in := conformance.Medium(3)
	gap := func(flexibility int) int {
		g, err := partition.LRA{
			Parts: 2, Flexibility: flexibility,
			KeepParts: true,
		}.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		order := partition.GrayOrder(in.Data)
		at := slices.IndexFunc(order, func(i int32) bool { return g.Parts[i] == 1 })
		return difference(in.Data.Tx(int(order[at-1])), in.Data.Tx(int(order[at])))
	}
	rigid, flexible := gap(0), gap(10)
	if flexible < rigid {
		t.Errorf("sides of a flexible border differ in %d items, of the rigid one in %d", flexible,
			rigid)
	}
	t.Logf("Hamming distance %d, and %d with flexibility 10", rigid, flexible)
}

func difference(a, b []int32) int {
	n := 0
	for _, x := range slices.Concat(a, b) {
		if !slices.Contains(a, x) || !slices.Contains(b, x) {
			n++
		}
	}
	return n
}

// Parts and the private record of them: a part is at most one of those asked for, every transaction
// is in one, and each part alone keeps the promise, so the union does.
func TestLRAParts(t *testing.T) {
	in := conformance.Medium(5)
	for parts := 1; parts <= 8; parts++ {
		g, err := partition.LRA{
			Parts: parts, Flexibility: 10,
			KeepParts: true,
		}.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		members := make([][]int32, parts)
		for i, p := range g.Parts {
			members[p] = append(members[p], int32(i))
		}
		published := g.Published()
		for p, txs := range members {
			if len(txs) == 0 {
				continue
			}
			part := in
			part.Data = in.Data.Select(txs)
			if f := conformance.Judge(t, part, published.Select(txs)); !f.Holds ||
				f.Recoding != "global" {
				t.Errorf("part %d of %d: %+v", p, parts, f)
			}
		}
	}
}

func TestLRARefusesParameters(t *testing.T) {
	for _, a := range []partition.LRA{{Parts: -1}, {Flexibility: -2}} {
		if _, err := a.Anonymize(t.Context(), conformance.Medium(1)); err == nil {
			t.Errorf("%+v is accepted", a)
		}
	}
}

// The paper's trouble with BMS-WebView-1: one part gets the few very long transactions, and has
// hardly anything k times in it. Joining parts that lose less in company handles it.
func TestLRAOnFewLongTransactions(t *testing.T) {
	in := conformance.Real(t, "bms-webview-1", privacy.KM{K: 5, M: 2})
	aa := conformance.Loss(t, in, global.AA{})
	apart := conformance.Loss(t, in, partition.LRA{Flexibility: 10, KeepParts: true})
	joined := conformance.Loss(t, in, partition.LRA{Flexibility: 10})
	if apart <= aa {
		t.Errorf(
			"parts kept as they are lose %.6f, no more than aa's %.6f: the weakness does not show",
			apart, aa,
		)
	}
	if joined > aa {
		t.Errorf("joined parts lose %.6f, more than aa's %.6f", joined, aa)
	}
}

// A local release is refused once a single transaction stands elsewhere than it should.
func TestMovedTransactionIsRefused(t *testing.T) {
	in := conformance.Real(t, "bms-webview-1", privacy.KM{K: 5, M: 3})
	g, err := partition.LRA{Flexibility: 10}.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	conformance.Verified(t, in, g)
	if g.IsGlobal() || slices.Max(g.Parts) == 0 {
		t.Fatal("the release has one part: the test tests nothing")
	}
	refusesMoved(t, in, g.Published())
}

// Every line comes from its original, on all small originals.
func TestLinesOfLRAComeFromOriginalsSoak(t *testing.T) {
	conformance.Worlds(t, partition.LRA{Parts: 2}, false)
}
