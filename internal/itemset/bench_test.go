package itemset

import (
	"bufio"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/testdata"
)

// BenchmarkRare lists the rare triples of BMS-WebView-1 as given. The floor is a plain count of the
// same triples: project on the first item, add every pair of the rest to a matrix.
func BenchmarkRare(b *testing.B) {
	x, cut := webview(b)
	v := NewView(x, cut, 2)
	start := time.Now()
	triples := countTriples(v)
	floor := time.Since(start)
	b.ResetTimer()
	for b.Loop() {
		if _, err := v.Rare(b.Context(), Search{
			Size: 3, K: 5, Limit: 100,
			Workers: 1,
		}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(triples), "triples")
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(floor), "x-floor")
}

// BenchmarkView makes the data at a cut.
func BenchmarkView(b *testing.B) {
	x, cut := webview(b)
	for b.Loop() {
		NewView(x, cut, 2)
	}
}

// countTriples counts all triples and returns how many occurrences of triples there are.
func countTriples(v *View) int {
	n := len(v.nodes)
	v.project()
	matrix := make([]int32, n*n)
	triples := 0
	for r := range v.nodes {
		clear(matrix)
		for _, p := range v.places.Of(int32(r)) {
			rest := v.txs.behind(p)
			for i, hi := range rest {
				for _, lo := range rest[:i] {
					matrix[int(hi)*n+int(lo)] += v.txs.weights[p.Tx]
				}
			}
			triples += len(rest) * (len(rest) - 1) / 2
		}
	}
	return triples
}

func webview(b *testing.B) (*Index, []int32) {
	f, err := os.Open(testdata.Path(b, "bms-webview-1/bms-webview-1.dat.gz"))
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	var txs [][]string
	for lines := bufio.NewScanner(z); lines.Scan(); {
		txs = append(txs, strings.Fields(lines.Text()))
	}
	d := dataset.FromLabels(txs)
	t, err := hierarchy.Fanout(d.Dict().Labels(), 5)
	if err != nil {
		b.Fatal(err)
	}
	data, err := t.Encode(d)
	if err != nil {
		b.Fatal(err)
	}
	return IndexOf(dataset.Merge(data), t), hierarchy.BottomCut(t).Map()
}
