package exact_test

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"mingle/anonymize"
	"mingle/anonymize/exact"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/testdata"
	"mingle/privacy"
)

// published are the optima of spec/02: k=5, fan-out 5 over the items in natural order, groceries with its own tree.
var published = []struct {
	file string
	m    int
	ncp  float64
	long bool // takes more than a second
}{
	{"bms-webview-1/bms-webview-1.dat.gz", 2, 0.026010, false},
	{"bms-webview-1/bms-webview-1.dat.gz", 3, 0.108120, false},
	{"bms-webview-2/bms-webview-2.dat.gz", 2, 0.016493, false},
	{"bms-webview-2/bms-webview-2.dat.gz", 3, 0.035817, false},
	{"groceries/groceries.dat.gz", 2, 0.076014, false},
	{"groceries/groceries.dat.gz", 3, 0.137354, false},
	{"mushroom/mushroom.dat.gz", 2, 0.017172, false},
	{"mushroom/mushroom.dat.gz", 3, 0.029333, false},
	{"chess/chess.dat.gz", 2, 0.029833, false},
	{"chess/chess.dat.gz", 3, 0.047696, false},
	{"t10i4d100k/t10i4d100k.dat.gz", 2, 0.006079, false},
	{"t10i4d100k/t10i4d100k.dat.gz", 3, 0.026900, true},
	{"retail/retail.dat.gz", 2, 0.003348, true},
	{"retail/retail.dat.gz", 3, 0.010638, true},
}

func TestPublishedOptima(t *testing.T) {
	for _, row := range published {
		t.Run(fmt.Sprintf("%s m=%d", row.file, row.m), func(t *testing.T) {
			if row.long && testing.Short() {
				t.Skip("takes seconds")
			}
			in := load(t, row.file, row.m)
			g, err := exact.Algorithm{}.Anonymize(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			ncp := float64(costOf(in, g)) / float64(in.Tree.Leaves()) / float64(in.Data.Occurrences())
			if !g.Bound.Optimal || math.Abs(ncp-row.ncp) > 1e-6 || math.Abs(ncp-g.Bound.NCP) > 1e-12 {
				t.Errorf("NCP %.6f, bound %.6f, optimal %v; the optimum is %.6f", ncp, g.Bound.NCP, g.Bound.Optimal, row.ncp)
			}
			t.Logf("NCP %.6f, %d clauses", ncp, len(g.Bound.Clauses))
		})
	}
}

// BenchmarkExact gives the time of the search alone on each data set, and NCP and clauses.
func BenchmarkExact(b *testing.B) {
	rows := slices.Clone(published)
	for _, name := range []string{"invoices", "customers"} {
		for m := 2; m <= 3; m++ {
			rows = append(rows, published[0])
			rows[len(rows)-1].file, rows[len(rows)-1].m = "online-retail-ii/online-retail-ii-"+name+".dat.gz", m
		}
	}
	for _, file := range []string{"bms-webview-1/bms-webview-1.dat.gz", "bms-webview-2/bms-webview-2.dat.gz"} {
		for m := 4; m <= 6; m++ {
			rows = append(rows, published[0])
			rows[len(rows)-1].file, rows[len(rows)-1].m = file, m
		}
	}
	for _, row := range rows {
		name, _, _ := strings.Cut(row.file[strings.IndexByte(row.file, '/')+1:], ".")
		b.Run(fmt.Sprintf("%s/m=%d", name, row.m), func(b *testing.B) {
			in := load(b, row.file, row.m)
			for b.Loop() {
				g, err := exact.Algorithm{}.Anonymize(b.Context(), in)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(g.Bound.NCP, "NCP")
				b.ReportMetric(float64(len(g.Bound.Clauses)), "clauses")
			}
		})
	}
}

// load reads a data set, k=5, under its own tree if it has one.
func load(t testing.TB, file string, m int) anonymize.Input {
	t.Helper()
	f, err := os.Open(testdata.Path(t, file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var txs [][]string
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		txs = append(txs, strings.Fields(lines.Text()))
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	d := dataset.FromLabels(txs)
	tree := fanout(t, d)
	if strings.HasPrefix(file, "groceries/") {
		tree = categories(t)
	}
	bound, err := tree.Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	return anonymize.Input{Data: bound, Tree: tree, Promise: privacy.KM{K: 5, M: m}}
}

func fanout(t testing.TB, d *dataset.Dataset) *hierarchy.Tree {
	t.Helper()
	labels := slices.Clone(d.Dict().Labels())
	slices.SortFunc(labels, dataset.CompareLabels)
	tree, err := hierarchy.Fanout(labels, 5)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// categories is the tree of groceries: item, level2, level1, root.
func categories(t testing.TB) *hierarchy.Tree {
	t.Helper()
	f, err := os.Open(testdata.Path(t, "groceries/groceries_items_hierarchy.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	b := hierarchy.NewBuilder()
	for i, row := range rows[1:] {
		if err := b.Path([]string{row[0], "2:" + row[2], "1:" + row[3], "*"}, i+2); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
