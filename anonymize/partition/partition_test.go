package partition_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/partition"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
	"mingle/release"
)

func TestPartitionSoak(t *testing.T) {
	conformance.Suite{
		New:   func() anonymize.Algorithm { return partition.Algorithm{} },
		Check: wholeSets,
	}.Run(t)
}

// Groups of k identical lines meet the condition that no algorithm can defeat, and everybody keeps
// k candidates in all worlds.
func TestSoakInMind(t *testing.T) {
	conformance.InMind{
		New:       func() anonymize.Algorithm { return partition.Algorithm{} },
		Posterior: true,
	}.Run(t)
}

// An end in the midst of many transactions, when what has been looked at is fewer than k, is an end
// as any other.
func TestInterrupt(t *testing.T) {
	const items = 13
	labels := make([]string, items)
	for i := range labels {
		labels[i] = fmt.Sprintf("item%02d", i)
	}
	tree, err := hierarchy.Fanout(labels, items)
	if err != nil {
		t.Fatal(err)
	}
	b := dataset.NewBuilder(tree.LeafDict())
	for set := range 1 << items {
		var tx []int32
		for i := range int32(items) {
			if set>>i&1 == 1 {
				tx = append(tx, i)
			}
		}
		b.Add(tx)
	}
	suite := conformance.Suite{New: func() anonymize.Algorithm { return partition.Algorithm{} }}
	suite.Interrupt(t, anonymize.Input{
		Data: b.Build(), Tree: tree,
		Promise: privacy.KM{K: 5000, M: 2},
	})
}

// A node may have more children than a mask has bits. Those that nobody has change nothing.
func TestManyChildren(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const items = 60
	var txs [][]int32
	for range 400 {
		var tx []int32
		for range 1 + rng.IntN(3) {
			tx = append(tx, int32(items*rng.Float64()*rng.Float64()*rng.Float64()))
		}
		txs = append(txs, tx)
	}
	groups := func(children int) []int32 {
		labels := make([]string, children)
		for i := range labels {
			labels[i] = fmt.Sprintf("item%03d", i)
		}
		tree, err := hierarchy.Fanout(labels, children)
		if err != nil {
			t.Fatal(err)
		}
		b := dataset.NewBuilder(tree.LeafDict())
		for _, tx := range txs {
			b.Add(slices.Clone(tx)) // it sorts in place
		}
		in := anonymize.Input{
			Data: b.Build(), Tree: tree, Promise: privacy.KM{K: 3, M: 2},
		}
		g, err := partition.Algorithm{}.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		conformance.Verified(t, in, g)
		return g.Parts
	}
	few, many := groups(items), groups(3*items)
	if !slices.Equal(few, many) {
		t.Error("other groups below a node with more children")
	}
	if slices.Max(few) < 5 {
		t.Errorf("%d groups", slices.Max(few)+1)
	}
}

// wholeSets checks full k-anonymity by grouping: every published set that is not empty is that of
// at least k transactions.
func wholeSets(t *testing.T, in anonymize.Input, g *release.Generalized) {
	t.Helper()
	published := g.Published()
	groups := map[string]int{}
	for i := range published.Len() {
		if len(published.Tx(i)) > 0 {
			groups[fmt.Sprint(published.Tx(i))]++
		}
	}
	if !in.Promise.Diverse() && !in.Promise.NegativeKnowledge {
		in.Promise.Knows = privacy.OfAlgorithm
		if f := conformance.Judge(t, in, published); !f.Holds {
			t.Fatalf("against the algorithm: %+v\n%s", f.Breaches[0], conformance.Describe(in))
		}
	}
	for set, n := range groups {
		if n < in.Promise.K {
			t.Fatalf("%d transactions publish %s, fewer than k=%d\n%s", n, set, in.Promise.K,
				conformance.Describe(in))
		}
	}
}

// All small originals against negative knowledge.
func TestNegativeKnowledgeSoak(t *testing.T) { conformance.Worlds(t, partition.Algorithm{}, true) }

// Every line comes from its original, on all small originals.
func TestLinesComeFromOriginalsSoak(t *testing.T) {
	conformance.Worlds(t, partition.Algorithm{}, false)
}
