package generate

import (
	"slices"
	"strings"
	"testing"
)

func shop(t testing.TB, p ShopParams) (*Shop, [][]int32) {
	t.Helper()
	s, err := NewShop(p)
	if err != nil {
		t.Fatal(err)
	}
	return s, collect(t, s.Baskets)
}

// TestCatalogue: three levels below the root, 43 categories, about 1,300 products, items numbered
// by leaf.
func TestCatalogue(t *testing.T) {
	if MaxProducts < 1250 || MaxProducts > 1350 {
		t.Errorf("%d products", MaxProducts)
	}
	for _, products := range []int{43, 44, 500, MaxProducts} {
		s, err := NewShop(ShopParams{Transactions: 1, Products: products})
		if err != nil {
			t.Fatal(err)
		}
		tree := s.Tree()
		departments := tree.Children(tree.Root())
		categories := 0
		for _, d := range departments {
			categories += len(tree.Children(d))
		}
		if tree.Leaves() != products || len(departments) != 10 || categories != 43 ||
			len(s.category) != products {
			t.Errorf("%d products: %d leaves, %d departments, %d categories", products,
				tree.Leaves(), len(departments), categories)
		}
		for leaf := range int32(products) {
			if tree.Depth(leaf) != 3 ||
				tree.Label(tree.Parent(leaf)) != catalogue[s.category[leaf]].name {
				t.Fatalf("%q is in %q", tree.Label(leaf), tree.Label(tree.Parent(leaf)))
			}
		}
	}
	s, _ := shop(t, ShopParams{Transactions: 1})
	yogurt, ok := s.Tree().Node("Greek yogurt 150 g")
	if !ok || s.Tree().Label(s.Tree().Parent(yogurt)) != "Yogurt" ||
		s.Tree().Label(s.Tree().Parent(s.Tree().Parent(yogurt))) != "Dairy" {
		t.Error("no Greek yogurt 150 g below Yogurt below Dairy")
	}
	for _, l := range s.Labels() {
		if strings.TrimSpace(l) != l || strings.Contains(l, "  ") ||
			strings.ContainsAny(l, ";,\"") {
			t.Errorf("label %q", l)
		}
	}
}

// TestShopBaskets: lengths, outliers and popularity are as asked for. Tolerances: the average to 3
// % (five standard errors are 2.1 %).
func TestShopBaskets(t *testing.T) {
	const n, average, outliers = 50_000, 6, 7
	s, txs := shop(t, ShopParams{Transactions: n, Average: average, Outliers: outliers, Seed: 4})
	sum, supports := 0, make([]int, MaxProducts)
	for i, tx := range txs {
		sum += len(tx)
		if outlier := (i+1)*outliers/n > i*outliers/n; outlier && len(tx) < 5*average {
			t.Errorf("basket %d has %d products and should be an outlier", i, len(tx))
		}
		for _, it := range tx {
			supports[it]++
		}
	}
	near(t, "average", float64(sum)/n, average, 0.03)
	slices.Sort(supports)
	if top, middle := supports[MaxProducts-1], supports[MaxProducts/2]; top < 20*middle {
		t.Errorf("the most popular of %d products is in %d baskets, the median one in %d",
			len(s.Labels()), top, middle)
	}
}

// TestShopAffinity: two products of a basket are of one category far more often with affinity than
// without.
func TestShopAffinity(t *testing.T) {
	same := func(affinity float64) float64 {
		s, txs := shop(t, ShopParams{Transactions: 5000, Affinity: affinity, Outliers: -1, Seed: 9})
		pairs, within := 0, 0
		for _, tx := range txs {
			for i, a := range tx {
				for _, b := range tx[i+1:] {
					pairs++
					if s.category[a] == s.category[b] {
						within++
					}
				}
			}
		}
		return float64(within) / float64(pairs)
	}
	if without, with := same(1e-9), same(0.5); with < 3*without {
		t.Errorf("pairs within a category: %v with affinity, %v without", with, without)
	}
}
