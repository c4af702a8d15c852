package cover

import (
	"bufio"
	"compress/gzip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// hard are programs of package exact whose relaxation is far from the optimum. A file: the number
// of variables and of clauses; parent and weight of each variable; the variables of each clause.
var hard = []struct {
	file    string
	optimum int64
}{
	{"online-retail-ii-customers-m2.txt.gz", 3727787504},
	{"online-retail-ii-invoices-m3.txt.gz", 21063252799},
}

func read(t testing.TB, file string) *Program {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	numbers := func() []int64 {
		lines.Scan()
		var out []int64
		for _, word := range strings.Fields(lines.Text()) {
			n, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, n)
		}
		return out
	}
	size := numbers()
	parent, weight := make([]int32, size[0]), make([]int64, size[0])
	for v := range parent {
		row := numbers()
		parent[v], weight[v] = int32(row[0]), row[1]
	}
	p := New(parent, weight)
	for range size[1] {
		var vars []int32
		for _, v := range numbers() {
			vars = append(vars, int32(v))
		}
		p.Add(vars...)
	}
	return p
}

func TestHardPrograms(t *testing.T) {
	for _, h := range hard {
		p := read(t, h.file)
		r := p.Solve(t.Context(), Options{})
		if !r.Proven() || r.Cost != h.optimum || !p.Feasible(r.X) {
			t.Errorf("%s: cost %d, bound %d; the optimum is %d", h.file, r.Cost, r.Lower, h.optimum)
		}
		for _, o := range []Options{{Nodes: 10}, {Room: 1 << 19}} {
			few := p.Solve(t.Context(), o)
			if few.Lower > h.optimum || few.Cost < h.optimum || !p.Feasible(few.X) {
				t.Errorf("%s: %+v gives %d to %d; the optimum is %d", h.file, o, few.Lower,
					few.Cost, h.optimum)
			}
			if few.Proven() || few.Nodes >= r.Nodes {
				t.Errorf("%s: %+v bounds nothing: %d nodes", h.file, o, few.Nodes)
			}
			t.Logf("%s: %d nodes; %d nodes: %.4f of the optimum proven", h.file, r.Nodes,
				few.Nodes, float64(few.Lower)/float64(h.optimum))
		}
	}
}

func BenchmarkHardPrograms(b *testing.B) {
	for _, h := range hard {
		p := read(b, h.file)
		b.Run(h.file, func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(float64(p.Solve(b.Context(), Options{}).Nodes), "nodes")
			}
		})
	}
}
