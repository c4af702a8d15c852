package local

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"mingle/anonymize"
	"mingle/dataset"
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
		shaped("short", 5, generate.ShapeParams{Transactions: 8000, Items: 500, Longest: 40, Average: 2.5, Exponent: 1}),
		shaped("long", 5, generate.ShapeParams{Transactions: 1500, Items: 400, Longest: 80, Average: 14, Exponent: 1}),
		shaped("even", 4, generate.ShapeParams{Transactions: 4000, Items: 200, Longest: 20, Average: 5, Exponent: 0.2}),
		shaped("skewed", 3, generate.ShapeParams{Transactions: 4000, Items: 800, Longest: 30, Average: 5, Exponent: 1.6}),
		shaped("high tree", 2, generate.ShapeParams{Transactions: 3000, Items: 300, Longest: 25, Average: 6, Exponent: 0.8}),
		shaped("flat tree", 20, generate.ShapeParams{Transactions: 3000, Items: 300, Longest: 25, Average: 6, Exponent: 0.8}),
		shaped("few", 4, generate.ShapeParams{Transactions: 300, Items: 120, Longest: 20, Average: 5, Exponent: 1}),
		quest("patterns", 5, generate.QuestParams{Transactions: 4000, AvgLength: 6, AvgPattern: 3, Items: 300, Patterns: 200}),
		quest("long patterns", 4, generate.QuestParams{Transactions: 1500, AvgLength: 14, AvgPattern: 6, Items: 200, Patterns: 60}),
		shop("shop", 3000, 6),
		shop("long shop", 1200, 12),
		records("records", 5, 2500, 12, 4),
		records("wide records", 3, 1200, 24, 3),
	}
}

// judged is the half that judges: other numbers of the same kinds, and other seeds.
func judged() []collected {
	return []collected{
		shaped("short", 4, generate.ShapeParams{Transactions: 6000, Items: 300, Longest: 60, Average: 3, Exponent: 1.1}),
		shaped("long", 6, generate.ShapeParams{Transactions: 1200, Items: 600, Longest: 100, Average: 18, Exponent: 1.2}),
		shaped("even", 5, generate.ShapeParams{Transactions: 5000, Items: 250, Longest: 15, Average: 4, Exponent: 0.3}),
		shaped("skewed", 4, generate.ShapeParams{Transactions: 3000, Items: 1000, Longest: 40, Average: 6, Exponent: 1.5}),
		shaped("high tree", 2, generate.ShapeParams{Transactions: 4000, Items: 200, Longest: 20, Average: 5, Exponent: 0.9}),
		shaped("flat tree", 16, generate.ShapeParams{Transactions: 2500, Items: 250, Longest: 30, Average: 7, Exponent: 0.7}),
		shaped("few", 3, generate.ShapeParams{Transactions: 400, Items: 80, Longest: 15, Average: 4, Exponent: 0.8}),
		quest("patterns", 6, generate.QuestParams{Transactions: 5000, AvgLength: 5, AvgPattern: 2, Items: 400, Patterns: 300}),
		quest("long patterns", 3, generate.QuestParams{Transactions: 1200, AvgLength: 16, AvgPattern: 8, Items: 150, Patterns: 40}),
		shop("shop", 4000, 5),
		shop("long shop", 1000, 14),
		records("records", 4, 3000, 10, 5),
		records("wide records", 5, 1000, 30, 2),
	}
}

func shaped(name string, fanout int, p generate.ShapeParams) collected {
	return collected{name, fanout, func(seed uint64) ([]string, func(generate.Emit) error) {
		p.Seed = seed
		return generate.Labels(p.Items), func(e generate.Emit) error { return generate.Shape(p, e) }
	}}
}

func quest(name string, fanout int, p generate.QuestParams) collected {
	return collected{name, fanout, func(seed uint64) ([]string, func(generate.Emit) error) {
		p.Seed, p.Correlation, p.Corruption = seed, 0.25, 0.5
		return generate.Labels(p.Items), func(e generate.Emit) error { return generate.Quest(p, e) }
	}}
}

func shop(name string, transactions int, average float64) collected {
	return collected{name: name, run: func(seed uint64) ([]string, func(generate.Emit) error) {
		s, err := generate.NewShop(generate.ShopParams{Transactions: transactions, Products: 400, Average: average, Seed: seed})
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
		s, e := generate.NewShop(generate.ShopParams{Transactions: d.Len(), Products: 400, Seed: seed})
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

var _ = dataset.Options{}
var _ = fmt.Sprint
