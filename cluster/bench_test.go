package cluster_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/cluster"
	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
)

// lines is so many lines of about ten items of a thousand, some much more frequent than others.
func lines(n int) []byte {
	rng := rand.New(rand.NewPCG(20, 8))
	var out bytes.Buffer
	for range n {
		for i := range 5 + rng.IntN(11) {
			if i > 0 {
				out.WriteByte(' ')
			}
			x := rng.Float64()
			fmt.Fprint(&out, int(1000*x*x*x))
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// atCuts are plans to count pairs with all nodes above the items, and at a cut of 200 nodes.
func atCuts(b *testing.B, layout split.Layout) (t *hierarchy.Tree, leaves, cut cluster.Plan) {
	b.Helper()
	t, err := layout.Tree()
	if err != nil {
		b.Fatal(err)
	}
	leaves.Cut, leaves.Layout, cut.Layout = hierarchy.BottomCut(t).Map(), layout, layout
	up := hierarchy.BottomCut(t)
	for u := range t.Root() {
		leaves.Order = append(leaves.Order, u)
		if t.Label(u)[0] == 'a' {
			up.Lift(u)
		}
	}
	cut.Cut, cut.Order = up.Map(), append(cut.Order, up.Nodes()...)
	for u := range t.Root() {
		if t.Label(u)[0] == 'b' {
			cut.Order = append(cut.Order, u)
		}
	}
	leaves.Size, leaves.Buckets, cut.Size, cut.Buckets = 2, 48, 2, 48
	return t, leaves, cut
}

// ofPersons is lines of jsonl of persons who have two on average, and what the step before "map"
// makes of them, as an engine brings it together.
func ofPersons(b *testing.B, p cluster.Plan, text []byte) (lines, grouped []byte) {
	b.Helper()
	rng := rand.New(rand.NewPCG(20, 9))
	var out bytes.Buffer
	for line := range strings.Lines(string(text)) {
		items := strings.Join(strings.Fields(line), `","`)
		fmt.Fprintf(&out, `{"who":%d,"items":["%s"]}`+"\n", rng.IntN(len(text)/60), items)
	}
	var by bytes.Buffer
	if err := p.Whose(b.Context(), bytes.NewReader(out.Bytes()), &by); err != nil {
		b.Fatal(err)
	}
	each := bytes.SplitAfter(by.Bytes(), []byte("\n"))
	slices.SortFunc(each, bytes.Compare)
	return out.Bytes(), bytes.Join(each, nil)
}

// What a worker counts in a second: pairs, with all nodes above the items, and at a cut of 200
// nodes, there also with 20 sensitive items. The floor is a plain count of pairs of the same lines
// at the cut in one array, of lines that were read beforehand.
func BenchmarkMap(b *testing.B) {
	var tree strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&tree, "%d;a%d;b%d;*\n", i, i/5, i/50)
	}
	layout := split.Layout{Format: dataset.Fimi, Hierarchy: []byte(tree.String())}
	t, leaves, cut := atCuts(b, layout)
	const n = 100_000
	text := lines(n)
	d, err := dataset.Read(b.Context(), bytes.NewReader(text), layout.Options())
	if err == nil {
		d, err = t.Encode(d)
	}
	if err != nil {
		b.Fatal(err)
	}
	published := d.Recode(t.Dict(), cut.Cut)
	b.Run("floor", func(b *testing.B) {
		nodes := t.Nodes()
		counts := make([]int32, nodes*nodes)
		for b.Loop() {
			for _, tx := range published.All() {
				for i, u := range tx {
					row := counts[int(u)*nodes:]
					for _, v := range tx[i+1:] {
						row[v]++
					}
				}
			}
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
	})
	persons := cut
	persons.Format, persons.Person, persons.Salt = dataset.JSONL, "who", []byte("salt")
	spelt, grouped := ofPersons(b, persons, text)
	b.Run("whose", func(b *testing.B) {
		for b.Loop() {
			if err := persons.Whose(b.Context(), bytes.NewReader(spelt), io.Discard); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("persons", func(b *testing.B) {
		for b.Loop() {
			if err := persons.Map(b.Context(), bytes.NewReader(grouped), io.Discard); err != nil {
				b.Fatal(err)
			}
		}
	})
	for x := 25; x < 1000; x += 50 {
		layout.Sensitive = append(layout.Sensitive, fmt.Sprint(x))
	}
	_, _, sensitive := atCuts(b, layout)
	sensitive.K, sensitive.L = 5, 3
	for name, p := range map[string]cluster.Plan{
		"leaves": leaves, "cut": cut, "sensitive": sensitive,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := p.Map(b.Context(), bytes.NewReader(text), io.Discard); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}
