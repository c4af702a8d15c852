package exact_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/anonymize/global/exact"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/internal/testdata"
	"mingle/privacy"
	"mingle/release"
	"mingle/verify"
	"mingle/verify/bound"
)

// published are the known optima: k=5, fan-out 5 over the items in natural order, groceries with
// its own tree.
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
	{"t10i4d100k/t10i4d100k.dat.gz", 2, 0.006079, true},
	{"t10i4d100k/t10i4d100k.dat.gz", 3, 0.026900, true},
	{"retail/retail.dat.gz", 2, 0.003348, true},
	{"retail/retail.dat.gz", 3, 0.010638, true},
}

// beyond are data sets and sizes without a known figure. NCP 0 means unknown.
var beyond = []struct {
	file string
	m    int
	ncp  float64
	long bool
}{
	{"bms-webview-1/bms-webview-1.dat.gz", 4, 0, false},
	{"bms-webview-1/bms-webview-1.dat.gz", 5, 0, false},
	{"bms-webview-1/bms-webview-1.dat.gz", 6, 0, false},
	{"bms-webview-2/bms-webview-2.dat.gz", 4, 0, true},
	{"bms-webview-2/bms-webview-2.dat.gz", 5, 0, true},
	{"bms-webview-2/bms-webview-2.dat.gz", 6, 0, true},
	{"online-retail-ii/online-retail-ii-invoices.dat.gz", 2, 0, true},
	{"online-retail-ii/online-retail-ii-invoices.dat.gz", 3, 0, true},
	{"online-retail-ii/online-retail-ii-customers.dat.gz", 2, 0, true},
	{"online-retail-ii/online-retail-ii-customers.dat.gz", 3, 0, true},
}

func TestPublishedOptimaSoak(t *testing.T) {
	for _, row := range slices.Concat(published, beyond) {
		t.Run(fmt.Sprintf("%s m=%d", row.file, row.m), func(t *testing.T) {
			if row.long && !soak.All() || testing.Short() && row.m > 2 {
				t.Skip("takes seconds")
			}
			in := load(t, row.file, row.m)
			g, err := exact.Algorithm{}.Anonymize(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			ncp := ncpOf(in, g)
			if !g.Bound.Optimal || row.ncp > 0 && math.Abs(ncp-row.ncp) > 1e-6 ||
				ncp != g.Bound.NCP {
				t.Errorf("NCP %.6f, bound %.6f, optimal %v; the optimum is %.6f", ncp, g.Bound.NCP,
					g.Bound.Optimal, row.ncp)
			}
			judge(t, in, g)
		})
	}
}

func ncpOf(in anonymize.Input, g *release.Generalized) float64 {
	return float64(costOf(in, g)) / (float64(in.Tree.Leaves()) * float64(in.Data.Occurrences()))
}

// judge has the verifier count the release, and check the bound's certificate.
func judge(t *testing.T, in anonymize.Input, g *release.Generalized) {
	t.Helper()
	kept, err := verify.KM(t.Context(), verify.KMInput{
		Tree: in.Tree, Published: g.Published(),
		Original: in.Data, Promise: in.Promise,
	})
	if err != nil || !kept.Holds {
		t.Fatalf("%v, %+v", err, kept)
	}
	proven, err := bound.Certificate(t.Context(), boundInput(in), g.Bound.Certificate)
	if err != nil || !proven.Holds || proven.NCP != g.Bound.NCP {
		t.Fatalf("%v, %+v, NCP %v", err, proven, g.Bound.NCP)
	}
	t.Logf("NCP bound %.6f, %d clauses, %d steps of proof", proven.NCP, proven.Clauses,
		proven.Steps)
}

// A search that is ended early publishes what the verifier accepts, and a bound with its proof.
func TestTimeLimit(t *testing.T) {
	for _, file := range []string{
		"bms-webview-2/bms-webview-2.dat.gz",
		"online-retail-ii/online-retail-ii-customers.dat.gz",
	} {
		in := load(t, file, 3)
		for _, limit := range []time.Duration{
			time.Nanosecond, 100 * time.Millisecond,
			300 * time.Millisecond, time.Second,
		} {
			start := time.Now()
			a := exact.Algorithm{Budget: anonymize.Budget{TimeLimit: limit}}
			g, err := a.Anonymize(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			took := time.Since(start)
			judge(t, in, g)
			ncp := ncpOf(in, g)
			if ncp < g.Bound.NCP || g.Bound.Optimal != (ncp == g.Bound.NCP) {
				t.Errorf("NCP %v, bound %v, optimal %v", ncp, g.Bound.NCP, g.Bound.Optimal)
			}
			t.Logf("limit %v: took %v, NCP %.6f, bound %.6f %v", limit, took, ncp, g.Bound.NCP,
				g.Warnings)
		}
	}
}

func TestKeepBest(t *testing.T) {
	in := load(t, "bms-webview-2/bms-webview-2.dat.gz", 3)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := (exact.Algorithm{}).Anonymize(ctx, in); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("without KeepBest: %v", err)
	}
	g, err := exact.Algorithm{Budget: anonymize.Budget{KeepBest: true}}.Anonymize(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	judge(t, in, g)
}

// BenchmarkExact gives the time of the search on each data set, its NCP and clauses, and where the
// spec has a figure the NCP of aa and the ratio of the times, aa's being the floor.
func BenchmarkExact(b *testing.B) {
	for _, row := range slices.Concat(published, beyond) {
		name, _, _ := strings.Cut(row.file[strings.IndexByte(row.file, '/')+1:], ".")
		b.Run(fmt.Sprintf("%s/m=%d", name, row.m), func(b *testing.B) {
			in := load(b, row.file, row.m)
			var clauses int
			var ncp float64
			for b.Loop() {
				g, err := exact.Algorithm{}.Anonymize(b.Context(), in)
				if err != nil {
					b.Fatal(err)
				}
				ncp, clauses = g.Bound.NCP, len(g.Bound.Clauses)
			}
			b.ReportMetric(ncp, "NCP")
			b.ReportMetric(float64(clauses), "clauses")
			if row.ncp > 0 {
				besideAA(b, in)
			}
		})
	}
}

func besideAA(b *testing.B, in anonymize.Input) {
	own := b.Elapsed() / time.Duration(b.N)
	start := time.Now()
	g, err := global.AA{}.Anonymize(b.Context(), in)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(ncpOf(in, g), "aa-NCP")
	b.ReportMetric(float64(own)/float64(time.Since(start)), "x-aa")
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
	b := hierarchy.NewBuilder()
	for i, row := range testdata.Rows(t, "groceries/groceries_items_hierarchy.csv") {
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
