package local

import (
	"math/rand/v2"
	"testing"

	"mingle/anonymize"
	"mingle/generate"
	"mingle/hierarchy"
	"mingle/privacy"
)

// collected is one of the generated data sets on which mechanisms are judged.
type collected struct {
	name   string
	fanout int // of the tree, from the items up; a shop has its own
	run    func(seed uint64) ([]string, func(generate.Emit) error)
}

// collection is of many shapes: few and many transactions and items, short and long, skewed and
// even, independent items and correlated ones, records of attributes, high trees and flat ones.
func collection() []collected {
	return []collected{
		shaped("short", 5, sizes{8000, 500, 40}, 2.5, 1),
		shaped("long", 5, sizes{1500, 400, 80}, 14, 1),
		shaped("even", 4, sizes{4000, 200, 20}, 5, 0.2),
		shaped("skewed", 3, sizes{4000, 800, 30}, 5, 1.6),
		shaped("high tree", 2, sizes{3000, 300, 25}, 6, 0.8),
		shaped("flat tree", 20, sizes{3000, 300, 25}, 6, 0.8),
		shaped("few", 4, sizes{300, 120, 20}, 5, 1),
		quest("patterns", 5, sizes{4000, 300, 200}, 6, 3),
		quest("long patterns", 4, sizes{1500, 200, 60}, 14, 6),
		shop("shop", 3000, 6),
		shop("long shop", 1200, 12),
		records("records", 5, 2500, 12, 4),
		records("wide records", 3, 1200, 24, 3),
	}
}

// judged is the half that judges: other numbers of the same kinds, and other seeds.
func judged() []collected {
	return []collected{
		shaped("short", 4, sizes{6000, 300, 60}, 3, 1.1),
		shaped("long", 6, sizes{1200, 600, 100}, 18, 1.2),
		shaped("even", 5, sizes{5000, 250, 15}, 4, 0.3),
		shaped("skewed", 4, sizes{3000, 1000, 40}, 6, 1.5),
		shaped("high tree", 2, sizes{4000, 200, 20}, 5, 0.9),
		shaped("flat tree", 16, sizes{2500, 250, 30}, 7, 0.7),
		shaped("few", 3, sizes{400, 80, 15}, 4, 0.8),
		quest("patterns", 6, sizes{5000, 400, 300}, 5, 2),
		quest("long patterns", 3, sizes{1200, 150, 40}, 16, 8),
		shop("shop", 4000, 5),
		shop("long shop", 1000, 14),
		records("records", 4, 3000, 10, 5),
		records("wide records", 5, 1000, 30, 2),
	}
}

// sizes are numbers of transactions and items, and the longest transaction or, for quest, the
// number of patterns.
type sizes struct{ transactions, items, more int }

// shaped has independent items, and the average length and Zipf's exponent given.
func shaped(name string, fanout int, n sizes, average, exponent float64) collected {
	return collected{name, fanout, func(seed uint64) ([]string, func(generate.Emit) error) {
		p := generate.ShapeParams{
			Transactions: n.transactions, Items: n.items, Longest: n.more,
			Average: average, Exponent: exponent, Seed: seed,
		}
		return generate.Labels(n.items), func(e generate.Emit) error { return generate.Shape(p, e) }
	}}
}

// quest has patterns, and the average lengths of transactions and patterns given.
func quest(name string, fanout int, n sizes, length, pattern float64) collected {
	return collected{name, fanout, func(seed uint64) ([]string, func(generate.Emit) error) {
		p := generate.QuestParams{
			Transactions: n.transactions, Items: n.items, Patterns: n.more, AvgLength: length,
			AvgPattern: pattern, Correlation: 0.25, Corruption: 0.5, Seed: seed,
		}
		return generate.Labels(n.items), func(e generate.Emit) error { return generate.Quest(p, e) }
	}}
}

func shop(name string, transactions int, average float64) collected {
	return collected{name: name, run: func(seed uint64) ([]string, func(generate.Emit) error) {
		s, err := generate.NewShop(generate.ShopParams{
			Transactions: transactions, Products: 400, Average: average, Seed: seed,
		})
		if err != nil {
			panic(err)
		}
		return s.Labels(), s.Baskets
	}}
}

// records have one value of each attribute; which is likely depends on one of three classes.
func records(name string, fanout, transactions, attributes, values int) collected {
	return collected{name, fanout, func(seed uint64) ([]string, func(generate.Emit) error) {
		return generate.Labels(attributes * values), func(emit generate.Emit) error {
			rng := rand.New(rand.NewPCG(seed, 9))
			usual := make([]int, 3*attributes)
			for i := range usual {
				usual[i] = rng.IntN(values)
			}
			for range transactions {
				class := rng.IntN(3)
				var tx []int32
				for a := range attributes {
					v := usual[class*attributes+a]
					if rng.IntN(5) == 0 {
						v = rng.IntN(values)
					}
					tx = append(tx, int32(a*values+v))
				}
				if err := emit(tx); err != nil {
					return err
				}
			}
			return nil
		}
	}}
}

// input is the data set with its tree.
func (c collected) input(t testing.TB, seed uint64, promise privacy.KM) anonymize.Input {
	t.Helper()
	labels, run := c.run(seed)
	d, err := generate.Dataset(labels, run)
	if err != nil {
		t.Fatal(err)
	}
	var tree *hierarchy.Tree
	if c.fanout > 0 {
		tree, err = hierarchy.Fanout(labels, c.fanout)
	} else {
		p := generate.ShopParams{Transactions: d.Len(), Products: 400, Seed: seed}
		s, e := generate.NewShop(p)
		if e != nil {
			t.Fatal(e)
		}
		tree = s.Tree()
	}
	if err != nil {
		t.Fatal(err)
	}
	bound, err := tree.Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	return anonymize.Input{Data: bound, Tree: tree, Promise: promise, Workers: 1}
}
