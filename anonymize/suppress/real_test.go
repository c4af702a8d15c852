package suppress

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mingle/anonymize"
	"mingle/anonymize/km"
	"mingle/anonymize/local"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/gen"
	"mingle/internal/testdata"
	"mingle/measure"
	"mingle/privacy"
	"mingle/verify"
)

// real is a public data set, or the made-up shop, bound to its tree.
func realInput(t testing.TB, name string, m int) anonymize.Input {
	t.Helper()
	in := anonymize.Input{Promise: privacy.KM{K: 5, M: m}}
	if name == "shop" {
		shop, err := gen.NewShop(gen.ShopParams{Transactions: 180_000, Products: 1265, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		b := dataset.NewBuilder(shop.Tree().LeafDict())
		if err := shop.Baskets(func(tx []int32) error { b.Add(append([]int32(nil), tx...)); return nil }); err != nil {
			t.Fatal(err)
		}
		in.Data, in.Tree = b.Build(), shop.Tree()
		return in
	}
	d, err := dataset.Open(context.Background(), testdata.Path(t, name+"/"+name+".dat.gz"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if name == "groceries" {
		in.Tree, err = hierarchy.Open(testdata.Path(t, "groceries/groceries_items_hierarchy.csv"), hierarchy.ReadOptions{Columns: []string{"item", "level2", "level1"}, AddRoot: "*"})
	} else {
		in.Tree, err = hierarchy.Fanout(d.Dict().Labels(), 5)
	}
	if err != nil {
		t.Fatal(err)
	}
	if in.Data, err = in.Tree.Encode(d); err != nil {
		t.Fatal(err)
	}
	return in
}

func TestItemsReal(t *testing.T) {
	names := os.Getenv("SUPDATA")
	if names == "" {
		t.Skip("set SUPDATA")
	}
	for _, name := range strings.Split(names, ",") {
		for _, m := range []int{2, 3} {
			var inner anonymize.Algorithm = km.VPA{}
			if os.Getenv("SUPINNER") == "local" {
				inner = local.Algorithm{}
			}
			in := realInput(t, name, m)
			t0 := time.Now()
			base, err := inner.Anonymize(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			t1 := time.Now()
			for _, a := range []anonymize.Algorithm{Items{Inner: inner, Max: 0.025}, Transactions{Inner: inner, Max: 0.005}} {
				if !strings.Contains(a.Name(), os.Getenv("SUPKIND")) {
					continue
				}
				g, err := a.Anonymize(t.Context(), in)
				if err != nil {
					t.Fatal(err)
				}
				l := measure.NCP(g)
				fmt.Printf("%s m=%d alone %.4f %.1fs; %s %.4f, suppressed %.4f, withheld %d, %.1fs\n", name, m, measure.NCP(base).NCP, t1.Sub(t0).Seconds(), a.Name(), l.NCP, float64(l.Suppressed)/float64(l.Occurrences), len(g.Withheld), time.Since(t1).Seconds())
				f, err := verify.KM(t.Context(), verify.KMInput{Tree: in.Tree, Original: in.Data, Published: g.Published(), Promise: in.Promise, MaySuppress: true})
				if err != nil || !f.Holds {
					t.Fatal(err, f)
				}
			}
		}
	}
}
