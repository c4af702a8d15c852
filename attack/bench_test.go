package attack_test

import (
	"testing"
	"time"

	"mingle/attack"
	"mingle/dataset"
	"mingle/generate"
	"mingle/hierarchy"
)

// BenchmarkPairs singles out by all pairs of items, exactly, and states how many times longer that
// takes than to look at every pair of every transaction once, the least that any way of weighing
// them does.
func BenchmarkPairs(b *testing.B) {
	raw, err := generate.Dataset(generate.Labels(2000), func(emit generate.Emit) error {
		return generate.Shape(generate.ShapeParams{
			Transactions: 20000, Items: 2000, Longest: 60, Average: 8,
			Exponent: 1, Seed: 1,
		}, emit)
	})
	if err != nil {
		b.Fatal(err)
	}
	tree, err := hierarchy.Fanout(raw.Dict().Labels(), 5)
	if err != nil {
		b.Fatal(err)
	}
	data, err := tree.Encode(raw)
	if err != nil {
		b.Fatal(err)
	}
	up := make([]int32, tree.Leaves())
	for x := range up {
		up[x] = tree.Parent(int32(x))
	}
	c, err := attack.Generalized(tree, data, data.Recode(tree.Dict(), up))
	if err != nil {
		b.Fatal(err)
	}
	floor := pairsFloor(data)
	b.ResetTimer()
	for b.Loop() {
		if _, err := c.SingleOut(b.Context(), attack.Options{M: 2, K: 5, Workers: 1}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/floor.Seconds(), "x-floor")
}

func pairsFloor(d *dataset.Dataset) time.Duration {
	begin := time.Now()
	sum := int32(0)
	for i := range d.Len() {
		tx := d.Tx(i)
		for at, x := range tx {
			for _, y := range tx[:at] {
				sum += x ^ y
			}
		}
	}
	if sum == 1 {
		return 0
	}
	return time.Since(begin)
}
