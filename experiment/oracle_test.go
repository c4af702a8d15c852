package experiment

import (
	"math"
	"math/rand/v2"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/testdata"
	"mingle/measure"
)

// What bounds the query error: somebody who is told of the original how many items stand behind
// each published node on the average, or even how often each item stands behind it, and who counts
// as the estimate does otherwise. The table is that of docs/using-a-release.md: -v prints it.
func TestWhoIsToldMoreErrsLess(t *testing.T) {
	plan := &Plan{Data: []Data{
		{
			Name: "groceries", File: "groceries/groceries.dat.gz", Root: "*",
			Hierarchy: "groceries/groceries_items_hierarchy.csv",
			Columns:   []string{"item", "level2", "level1"},
		},
		{Name: "chess", File: "chess/chess.dat.gz"},
		{Name: "wv1", File: "bms-webview-1/bms-webview-1.dat.gz"},
	}}
	r := &Runner{Plan: plan, Dir: testdata.Root(t)}
	for _, d := range plan.Data {
		testdata.Path(t, d.File)
		if !testing.Verbose() && d.Name != "groceries" {
			continue // the others take a minute, and are for the table
		}
		for _, algorithm := range []string{"exact", "local"} {
			for _, m := range []int{2, 3} {
				task := Task{Cell: Cell{Data: d.Name, Algorithm: algorithm, K: 5, M: m, Workers: 1}}
				askTold(t, r, task)
			}
		}
	}
}

func askTold(t *testing.T, r *Runner, task Task) {
	t.Helper()
	s, err := r.load(t.Context(), Cell{Data: task.Data})
	if err != nil {
		t.Fatal(err)
	}
	made, err := task.trial(s).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	loss, err := measure.QueryError(t.Context(),
		rand.New(rand.NewPCG(1, 0)), s.tree, s.data, made.Published,
		measure.QueryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := newOracle(s.tree, s.data, made.Published)
	plain := o.error(func(u, _ int32) float64 { return 1 / float64(s.tree.LeafCount(u)) })
	number := o.error(func(u, _ int32) float64 {
		return o.all[u] / o.lines[u] / float64(s.tree.LeafCount(u))
	})
	often := o.error(func(u, x int32) float64 { return o.behind[u][x] / o.lines[u] })
	t.Logf("%-9s %-5s m=%d: all leaves alike %.3f, estimate %.3f, told how many %.3f, how often %.3f",
		task.Data, task.Algorithm, task.M, plain, loss.Error, number, often)
	if often >= loss.Error || loss.Error > plain+1e-9 {
		t.Errorf("%s: all leaves alike errs by %v, the estimate by %v, who knows how often by %v",
			task.String(), plain, loss.Error, often)
	}
}

// oracle knows the original.
type oracle struct {
	tree       *hierarchy.Tree
	data       *dataset.Dataset
	has, lists [][]int32           // by item, by node: its lines
	all, lines []float64           // by node: items behind it, lines with it
	behind     []map[int32]float64 // by node, by item: lines in which it is behind the node
}

func newOracle(tree *hierarchy.Tree, data, published *dataset.Dataset) *oracle {
	o := &oracle{
		tree: tree, data: data, has: make([][]int32, tree.Leaves()),
		lists: make([][]int32, tree.Nodes()), all: make([]float64, tree.Nodes()),
		lines: make([]float64, tree.Nodes()), behind: make([]map[int32]float64, tree.Nodes()),
	}
	there := make([]int, tree.Nodes()) // the last line with a node, plus 1
	for i := range data.Len() {
		for _, u := range published.Tx(i) {
			o.lists[u] = append(o.lists[u], int32(i))
			o.lines[u]++
			there[u] = i + 1
		}
		for _, x := range data.Tx(i) {
			o.has[x] = append(o.has[x], int32(i))
			u := x
			for there[u] != i+1 {
				u = tree.Parent(u)
			}
			if o.behind[u] == nil {
				o.behind[u] = map[int32]float64{}
			}
			o.behind[u][x]++
			o.all[u]++
		}
	}
	return o
}

// error is the query error, on the queries of [measure.QueryError], with a probability of an item
// behind a node.
func (o *oracle) error(share func(u, x int32) float64) float64 {
	r := rand.New(rand.NewPCG(1, 0))
	var long []int
	for i := range o.data.Len() {
		if len(o.data.Tx(i)) >= 2 {
			long = append(long, i)
		}
	}
	const queries = 1000
	floor, sum := max(1, 0.001*float64(o.data.Len())), 0.0
	var sure, chance [2][]float64
	for range queries {
		tx := o.data.Tx(long[r.IntN(len(long))])
		for j, at := range r.Perm(len(tx))[:2] {
			sure[j], chance[j] = o.chances(tx[at], share)
		}
		true, estimate := 0.0, 0.0
		for i := range sure[0] {
			true += sure[0][i] * sure[1][i]
			estimate += chance[0][i] * chance[1][i]
		}
		sum += math.Abs(estimate-true) / max(true, floor)
	}
	return sum / queries
}

// chances are, by line, 1 where an item is, and how likely it is for all that is published.
func (o *oracle) chances(x int32, share func(u, x int32) float64) (sure, chance []float64) {
	sure, chance = make([]float64, o.data.Len()), make([]float64, o.data.Len())
	for _, i := range o.has[x] {
		sure[i] = 1
	}
	seen := make([]bool, o.data.Len())
	for u := x; u >= 0; u = o.tree.Parent(u) {
		for _, i := range o.lists[u] {
			if seen[i] {
				continue
			}
			if seen[i], chance[i] = true, 1; u != x {
				chance[i] = min(1, share(u, x))
			}
		}
	}
	return sure, chance
}
