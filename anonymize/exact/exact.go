package exact

import (
	"context"
	"fmt"
	"os"
	"time"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/count"
	"mingle/internal/cover"
)

type search struct {
	in     anonymize.Input
	tree   *hierarchy.Tree
	merged *dataset.Merged
	index  *count.Index
	k, m   int
	occ    []int64
	scale  int64
	prog   *cover.Program
	sol    *cover.Solver
	seen   map[string]struct{}
	nodes  [][]int32
}

var debug = os.Getenv("EXDEBUG") != ""

func newSearch(in anonymize.Input) *search {
	s := &search{in: in, tree: in.Tree, k: in.Promise.K, m: in.Promise.M}
	s.merged = dataset.Merge(in.Data)
	s.index = count.NewIndex(s.merged, s.tree)
	t := s.tree
	s.occ = make([]int64, t.Nodes())
	for _, it := range in.Data.Items() {
		s.occ[it]++
	}
	for u := range int32(t.Nodes()) {
		if p := t.Parent(u); p >= 0 {
			s.occ[p] += s.occ[u]
		}
	}
	n := t.Nodes() - t.Leaves()
	parent := make([]int32, n)
	weight := make([]int64, n)
	s.scale = int64(n + 1)
	for v := range n {
		u := int32(v + t.Leaves())
		parent[v] = -1
		if p := t.Parent(u); p >= 0 {
			parent[v] = p - int32(t.Leaves())
		}
		w := s.occ[u] * int64(t.LeafCount(u))
		for _, c := range t.Children(u) {
			if !t.IsLeaf(c) {
				w -= s.occ[c] * int64(t.LeafCount(c))
			}
		}
		weight[v] = w*s.scale + 1
	}
	s.prog = cover.New(parent, weight)
	s.sol = cover.NewSolver(s.prog)
	s.seen = map[string]struct{}{}
	return s
}

func (s *search) cut(x []bool, height int) []int32 {
	t := s.tree
	of := make([]int32, t.Nodes())
	for u := int32(t.Nodes()) - 1; u >= 0; u-- {
		p := t.Parent(u)
		switch {
		case p >= 0 && of[p] >= 0:
			of[u] = of[p]
		case !t.IsLeaf(u) && (x[u-int32(t.Leaves())] || t.Height(u) <= height) || t.IsLeaf(u):
			of[u] = u
		default:
			of[u] = -1
		}
	}
	return of[:t.Leaves()]
}

// strengthen
func (s *search) lift(set []int32, first int) []int32 {
	t := s.tree
	cur := append([]int32(nil), set...)
	try := make([]int32, 0, len(set))
	for i := 0; i < len(cur); {
		j := (i + first) % len(cur)
		p := t.Parent(cur[j])
		ok := p != t.Root()
		if ok {
			try = try[:0]
			try = append(try, p)
			for l, u := range cur {
				if l != j && !t.Covers(p, u) {
					try = append(try, u)
				}
			}
			if len(try) < len(cur) {
				ok = !s.index.AtLeast(try, s.k)
				if ok {
					return s.lift(try, 0)
				}
			} else {
				ok = !s.index.AtLeast(try, s.k)
			}
		}
		if !ok {
			i++
			continue
		}
		cur[j] = p
	}
	return cur
}

func (s *search) add(set []int32) bool {
	vars := make([]int32, 0, len(set))
	for _, u := range set {
		vars = append(vars, s.tree.Parent(u)-int32(s.tree.Leaves()))
	}
	c := s.prog.Clauses()
	s.prog.Add(vars...)
	key := fmt.Sprint(s.prog.Clause(c))
	if _, ok := s.seen[key]; ok {
		s.prog.Drop()
		return false
	}
	s.seen[key] = struct{}{}
	s.nodes = append(s.nodes, set)
	return true
}

func Run(in anonymize.Input) float64 {
	t0 := time.Now()
	s := newSearch(in)
	fmt.Printf("prepared %.3f merged %d of %d\n", time.Since(t0).Seconds(), s.merged.Len(), in.Data.Len())
	var tCount, tLift, tSolve time.Duration
	x := make([]bool, s.prog.Vars())
	lower := int64(0)
	total := float64(s.occ[s.tree.Root()]) * float64(s.tree.Leaves()) * float64(s.scale)
	ctx := context.Background()
	maxH := s.tree.Height(s.tree.Root()) - 1
	for size := 1; size <= s.m; size++ {
		height := maxH
		for {
			if height < 0 {
				break
			}
			t1 := time.Now()
			v := count.NewView(s.merged, s.tree, s.cut(x, height))
			var rare *count.Rare
			for q := 1; q <= size; q++ {
				rare, _ = v.Rare(ctx, count.Search{Size: q, K: s.k, Workers: in.WorkerCount(), Limit: 1000})
				if rare.Len() > 0 {
					break
				}
			}
			tCount += time.Since(t1)
			if rare.Len() == 0 {
				if height == 0 && size == s.m {
					t2 := time.Now()
					upper := s.prog.Cost(x)
					bx, lo, st := s.sol.Exact(ctx, upper)
					tSolve += time.Since(t2)
					fmt.Printf("  exact upper %d lower %d %+v %.3f\n", upper, lo, st, time.Since(t2).Seconds())
					if bx != nil {
						x = bx
						continue
					}
					height = -1
					continue
				}
				height--
				continue
			}
			t2 := time.Now()
			added := 0
			for i := range rare.Len() {
				set := rare.Set(i)
				for f := range len(set) {
					if s.add(s.lift(set, f)) {
						added++
					}
				}
			}
			t3 := time.Now()
			tLift += t3.Sub(t2)
			x, lower = s.sol.Approximate(200)
			tSolve += time.Since(t3)
			if debug {
				fmt.Printf("  size %d height %d view %d nodes %d tx long %d rare %d(%d) added %d clauses %d  UB %.6f LB %.6f count %.3f lift %.3f solve %.3f\n", size, height, v.Nodes(), v.Transactions(), v.Longest(),
					rare.Len(), rare.Size, added, s.prog.Clauses(), float64(s.prog.Cost(x))/total, float64(lower)/total, t2.Sub(t1).Seconds(), t3.Sub(t2).Seconds(), time.Since(t3).Seconds())
			}
		}
	}
	ncp := float64(s.prog.Cost(x)/s.scale) / (total / float64(s.scale))
	fmt.Printf("NCP %.6f clauses %d time %.3f count %.3f lift %.3f solve %.3f\n", ncp, s.prog.Clauses(), time.Since(t0).Seconds(), tCount.Seconds(), tLift.Seconds(), tSolve.Seconds())
	return ncp
}
