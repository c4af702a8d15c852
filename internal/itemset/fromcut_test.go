package itemset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
)

// Where all smaller sets are frequent, a walk that counts at the cut makes the calls of the plain
// one, in its order, while nodes below others leave it: with a table for all sets, filled as the
// data is read or later, with one for some, or without any.
func TestFromTheCutIsTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 19))
	walks, calls := 0, 0
	for range 3000 {
		w := randomWalk(t, rng)
		size, k := 2+rng.IntN(3), 2+rng.IntN(7)
		for smaller := 1; smaller < size; smaller++ {
			_, w.cut = w.calls(t, Pass{M: smaller, K: k}, mostCells, rng.Uint64())
		}
		pass := Pass{M: size, K: k}
		seed := rng.Uint64()
		want, cut := w.calls(t, pass, mostCells, seed)
		walks, calls = walks+1, calls+len(want)
		pass.Passed = true
		for _, cells := range []int64{whileRead, mostCells, 40, 12, 0} {
			pass.Workers = 1 + rng.IntN(3)
			got, to := w.calls(t, pass, cells, seed)
			if !slices.Equal(got, want) || !slices.Equal(to, cut) {
				t.Fatalf("with %d cells, M=%d, K=%d:\n%v, want\n%v", cells, size, k, got, want)
			}
		}
	}
	if streamed < 500 {
		t.Fatalf("%d walks filled a table while reading", streamed)
	}
	if calls < 1000 {
		t.Fatalf("%d calls in %d walks are too few", calls, walks)
	}
}

// whileRead asks for a table that is filled while the data is read, wherever that may be.
const whileRead = -1

// streamed counts such walks.
var streamed int

// walked is data at a cut.
type walked struct {
	tree  *hierarchy.Tree
	data  *dataset.Merged // items are leaves
	index *Index
	cut   []int32
}

func randomWalk(t *testing.T, rng *rand.Rand) *walked {
	t.Helper()
	tree := raggedTree(t, rng, 4+rng.IntN(9))
	names := tree.LeafDict()
	b, share := dataset.NewBuilder(names), 0.2+0.6*rng.Float64()
	for range 5 + rng.IntN(60) {
		var tx []int32
		for leaf := range int32(names.Len()) {
			if rng.Float64() < share {
				tx = append(tx, leaf)
			}
		}
		b.Add(tx)
	}
	w := &walked{tree: tree, data: dataset.Merge(b.Build()), cut: identity(names.Len())}
	w.index = IndexOf(w.data, w.tree)
	return w
}

// calls spells the paths of a walk in which every path is repaired: a node of it at random is
// lifted to its parent, or further. It returns the cut that this leads to, too.
func (w *walked) calls(
	t *testing.T, pass Pass, cells int64, seed uint64,
) (out []string, cut []int32) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	cut = slices.Clone(w.cut)
	s := SourceOf(w.data, w.tree, w.index)
	s.To = w.cut
	if cells == whileRead {
		s.Data.Occurrences = w.data.Occurrences()
		if pass.Workers > 1 {
			s.Data.Reader = func() func(i int) []int32 { return w.data.Cursor().Tx }
		}
		before := 0
		pass.Progress = func(done, total int) {
			if done < before || done > total {
				t.Errorf("progress: %d of %d after %d", done, total, before)
			}
			before = done
		}
	}
	walk := NewWalk(s)
	if walk.mostCells = cells; cells == whileRead {
		walk.segment = 1 + int64(seed%30)
		if c := newFromCut(t.Context(), walk, pass); c != nil && c.streaming {
			streamed++
		}
	}
	pass.Repair = func(path []int32) {
		out = append(out, fmt.Sprint(path))
		at := path[rng.IntN(len(path))]
		for try := 0; at != w.tree.Root() && (try == 0 || w.index.Support(path) < pass.K); try++ {
			below := at
			at = w.tree.Parent(at)
			path = slices.Clone(path)
			for i, u := range path {
				if u == below || w.tree.Covers(at, u) {
					path[i] = at
				}
			}
		}
		lo, hi := w.tree.Range(at)
		for leaf := lo; leaf < hi; leaf++ {
			cut[leaf] = at
		}
		for u := range int32(w.tree.Nodes()) {
			if u != at && w.tree.Covers(at, u) {
				walk.Deactivate(u)
			}
		}
	}
	if err := walk.Leaves(t.Context(), pass); err != nil {
		t.Fatal(err)
	}
	return out, cut
}

// raggedTree is a tree over so many leaves: each node gets a parent among the few after it.
func raggedTree(t *testing.T, rng *rand.Rand, leaves int) *hierarchy.Tree {
	t.Helper()
	b := hierarchy.NewBuilder()
	level := make([]string, leaves)
	for i := range level {
		level[i] = fmt.Sprint("i", i)
	}
	for inner := 0; len(level) > 1; inner++ {
		from := rng.IntN(len(level) - 1)
		to := min(len(level), from+2+rng.IntN(3))
		up := fmt.Sprint("N", inner)
		for _, child := range level[from:to] {
			if err := b.Edge(child, up, 0); err != nil {
				t.Fatal(err)
			}
		}
		level = slices.Concat(level[:from], []string{up}, level[to:])
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}
