package levels

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/brute"
	"mingle/internal/soak"
	"mingle/privacy"
)

// bounded is a random instance of a promise that levels are for, in which shares of sensitive items
// are bounded and, now and then, those of a column with empty values.
func bounded(t *testing.T, rng *rand.Rand) anonymize.Input {
	t.Helper()
	for {
		in := brute.Random(rng)
		in.Promise.NegativeKnowledge = false
		in.Promise.M, in.Promise.L = 1+rng.IntN(2), 2+rng.IntN(2)
		in.Sensitive = fewSensitive(rng, in.Data.Len())
		if rng.IntN(2) == 0 {
			var err error
			in.Promise.Columns = []string{"c"}
			in.Sensitive, in.Values, err = anonymize.WithColumns(in.Sensitive, in.Data.Len(),
				[]anonymize.Column{{Name: "c", Values: someCells(rng, in.Data.Len())}})
			if err != nil {
				t.Fatal(err)
			}
		}
		if in.CheckFor(Algorithm{}) == nil && Takes(in) {
			return in
		}
	}
}

func fewSensitive(rng *rand.Rand, lines int) *dataset.Dataset {
	b := dataset.NewBuilder(dataset.MustDictionary([]string{"s", "t"}))
	for range lines {
		var tx []int32
		for x := range int32(2) {
			if rng.IntN(6) == 0 {
				tx = append(tx, x)
			}
		}
		b.Add(tx)
	}
	return b.Build()
}

func someCells(rng *rand.Rand, lines int) []string {
	cells := make([]string, lines)
	for i := range cells {
		if rng.IntN(4) > 0 {
			cells[i] = string(rune('a' + rng.IntN(6)))
		}
	}
	return cells
}

// Where shares are bounded what is published is the same with any room for lists, in which sets are
// looked at otherwise, and for any number of workers; it is what a naive twin publishes, and keeps
// the promise.
func TestSoakShares(t *testing.T) {
	rng := soak.Rand(75, 76)
	less, asIs := 0, 0 // as shares are bounded; at once
	for range soak.Rounds(t, soak.Share(3_000, 60_000)) {
		in := bounded(t, rng)
		in.Workers = 1 + rng.IntN(3)
		var refusals []refusal
		if rng.IntN(2) == 0 {
			in.Seed = &[32]byte{byte(rng.Uint32())}
			refusals = refuse(in, often)
		}
		want := depthsOf(t, newRun(in, refusals), refusals)
		tight := newRun(in, refusals)
		tight.room = rng.IntN(40 * entryBytes)
		tight.shares.with.table = nil
		if got := depthsOf(t, tight, refusals); !slices.Equal(got, want) {
			t.Fatalf("%v with little room, not %v\n%s", got, want, conformance.Describe(in))
		}
		if got := naively(in, refusals); !slices.Equal(got, want) {
			t.Fatalf("%v naively, not %v\n%s", got, want, conformance.Describe(in))
		}
		if n := (&naive{in: in, depths: want}); !n.keeps() {
			t.Fatalf("the promise is not kept\n%s", conformance.Describe(in))
		}
		if newRun(in, refusals).asRefused(t.Context(), refusals) {
			asIs++
		}
		in.Promise.L, in.Promise.Columns, in.Sensitive, in.Values = 0, nil, nil, nil
		if !slices.Equal(depthsOf(t, newRun(in, refusals), refusals), want) {
			less++
		}
	}
	if less < 100 || asIs < 20 {
		t.Errorf("shares mattered %d times only, and nothing had to change %d times", less, asIs)
	}
}

func depthsOf(t *testing.T, r *run, refusals []refusal) []uint8 {
	t.Helper()
	r.open(t.Context(), refusals)
	if t.Context().Err() != nil {
		t.Fatal("not done")
	}
	return r.depths
}

// keeps looks at every set of at most m labels that occurs, one after the other, and for labels of
// a line that are above another.
func (n *naive) keeps() bool {
	for i := range n.in.Data.Len() {
		own := n.labels(i)
		for _, u := range own {
			if slices.ContainsFunc(own, func(v int32) bool {
				return u != v && n.in.Tree.Covers(u, v)
			}) {
				return false
			}
		}
		fine := true
		brute.Sets(own, n.in.MostAtOnce(), func(set []int32) {
			lines := n.with(set)
			fine = fine && len(lines) >= n.in.Promise.K && !n.uneven(lines)
		})
		if !fine {
			return false
		}
	}
	return true
}

// with are the lines that publish some nodes.
func (n *naive) with(set []int32) (lines []int) {
	for j := range n.in.Data.Len() {
		own := n.labels(j)
		lacked := func(v int32) bool { return !slices.Contains(own, v) }
		if !slices.ContainsFunc(set, lacked) {
			lines = append(lines, j)
		}
	}
	return lines
}

// refuse publishes every item as it is, but for what is refused.
func (n *naive) refuse() {
	for i, tx := range n.in.Data.All() {
		for j, it := range tx {
			d := n.in.Tree.Depth(it)
			for _, c := range n.refusals {
				if int(c.line) == i && n.in.Tree.Covers(c.node, it) {
					d = min(d, n.in.Tree.Depth(c.node)-1)
				}
			}
			n.depths[n.in.Data.Start(i)+j] = uint8(d)
		}
	}
}

// naive goes level by level as it is said in docs/algorithms/local.md, and counts everything anew
// whenever it is asked for.
type naive struct {
	in       anonymize.Input
	depths   []uint8
	refusals []refusal
	turns    []uint32

	u     int32 // the node that is opened
	d     int
	lines []int        // those that publish it
	stays map[int]bool // by line
}

func naively(in anonymize.Input, refusals []refusal) []uint8 {
	n := &naive{
		in: in, depths: make([]uint8, in.Data.Occurrences()), refusals: refusals,
		turns: newTurns(in.Seed, in.Data.Len()),
	}
	if n.refuse(); n.keeps() {
		return n.depths
	}
	clear(n.depths)
	for n.d = range heightOf(in.Tree) {
		publish := map[int32][]int{}
		for i := range in.Data.Len() {
			for _, v := range n.labels(i) {
				if in.Tree.Depth(v) == n.d && !in.Tree.IsLeaf(v) {
					publish[v] = append(publish[v], i)
				}
			}
		}
		var nodes []int32
		for v := range publish {
			nodes = append(nodes, v)
		}
		slices.SortFunc(nodes, func(a, b int32) int {
			return cmp.Or(cmp.Compare(len(publish[b]), len(publish[a])), cmp.Compare(a, b))
		})
		for _, n.u = range nodes {
			n.lines, n.stays = publish[n.u], map[int]bool{}
			n.open()
		}
	}
	return n.depths
}

// labels are what a line publishes.
func (n *naive) labels(i int) (out []int32) {
	for j, it := range n.in.Data.Tx(i) {
		out = append(out, n.in.Tree.Above(it, int(n.depths[n.in.Data.Start(i)+j])))
	}
	return slices.Compact(out)
}

// uneven tells whether a share is too large among some lines.
func (n *naive) uneven(lines []int) bool {
	counts := make([]int, n.in.Sensitive.Dict().Len())
	for _, i := range lines {
		for _, x := range n.in.Sensitive.Tx(i) {
			counts[x]++
		}
	}
	for x, c := range counts {
		of := func(mark int32) int { return counts[mark] }
		if !n.in.Hidden(int32(x), c, len(lines), of) {
			return true
		}
	}
	return false
}

// cell is a set with a child of u; a child twice is the child alone.
type cell struct{ child, with int32 }

// sets are those of a line if it leaves, and the children.
func (n *naive) sets(i int) (sets []cell) {
	var children []int32
	for _, it := range n.in.Data.Tx(i) {
		if n.in.Tree.Covers(n.u, it) {
			children = append(children, n.in.Tree.Above(it, n.d+1))
		}
	}
	children = slices.Compact(children)
	for at, c := range children {
		sets = append(sets, cell{c, c})
		if n.in.MostAtOnce() < 2 {
			continue
		}
		for _, more := range children[at+1:] {
			sets = append(sets, cell{c, more})
		}
		for _, y := range n.others(i) {
			sets = append(sets, cell{c, y})
		}
	}
	return sets
}

// others are the other labels of a line that publishes u, or leaves it.
func (n *naive) others(i int) []int32 {
	return slices.DeleteFunc(n.labels(i), func(v int32) bool { return n.in.Tree.Covers(n.u, v) })
}

// items are the occurrences of a line at u, as many as there are below it.
func (n *naive) items(i int) (items int) {
	for _, it := range n.in.Data.Tx(i) {
		if n.in.Tree.Covers(n.u, it) {
			items++
		}
	}
	return items
}

// leave are those that leave, by the sets with a child.
func (n *naive) leave() map[cell][]int {
	by := map[cell][]int{}
	for _, i := range n.lines {
		if n.stays[i] {
			continue
		}
		for _, set := range n.sets(i) {
			by[set] = append(by[set], i)
		}
	}
	return by
}

// lacks tells whether those that stay, and have a node besides, are too few or uneven.
func (n *naive) lacks(y int32) bool {
	var with []int
	for _, i := range n.lines {
		if n.stays[i] && (y == n.u || slices.Contains(n.others(i), y)) {
			with = append(with, i)
		}
	}
	return len(with) > 0 && (len(with) < n.in.Promise.K || n.uneven(with))
}

// sides are u and, where sets of two matter, the other labels of a line.
func (n *naive) sides(i int) []int32 {
	if n.in.MostAtOnce() < 2 {
		return []int32{n.u}
	}
	return append([]int32{n.u}, n.others(i)...)
}

func (n *naive) open() {
	for _, c := range n.refusals {
		if n.in.Tree.Parent(c.node) == n.u && slices.Contains(n.lines, int(c.line)) {
			n.stays[int(c.line)] = true
		}
	}
	first := map[cell]int{}
	all := n.stays
	n.stays = map[int]bool{}
	for set, lines := range n.leave() {
		first[set] = len(lines)
	}
	n.stays = all
	for n.rare() || n.even(first) || n.fill() {
	}
	for _, i := range n.lines {
		for j, it := range n.in.Data.Tx(i) {
			if !n.stays[i] && n.in.Tree.Covers(n.u, it) {
				n.depths[n.in.Data.Start(i)+j] = uint8(n.d + 1)
			}
		}
	}
}

// rare has the lines of a rare set stay, if there is one.
func (n *naive) rare() bool {
	for _, lines := range n.leave() {
		if len(lines) < n.in.Promise.K {
			for _, i := range lines {
				n.stays[i] = true
			}
			return true
		}
	}
	return false
}

// even has lines stay of the first set that is uneven, if there is one.
func (n *naive) even(first map[cell]int) bool {
	by := n.leave()
	var sets []cell
	for set, lines := range by {
		if n.uneven(lines) {
			sets = append(sets, set)
		}
	}
	if len(sets) == 0 {
		return false
	}
	lines := by[slices.MinFunc(sets, func(a, b cell) int {
		return cmp.Or(cmp.Compare(first[a], first[b]), cmp.Compare(a.child, b.child),
			cmp.Compare(a.with, b.with))
	})]
	slices.SortFunc(lines, func(a, b int) int {
		return cmp.Or(n.items(a)-n.items(b), n.before(a, b))
	})
	for len(lines) >= n.in.Promise.K && n.uneven(lines) {
		n.stays[lines[0]] = true
		lines = lines[1:]
	}
	if len(lines) < n.in.Promise.K {
		for _, i := range lines {
			n.stays[i] = true
		}
	}
	return true
}

// before compares two lines by who stays first if nothing else decides.
func (n *naive) before(a, b int) int {
	return cmp.Or(cmp.Compare(n.turns[a], n.turns[b]), cmp.Compare(a, b))
}

// fill has lines stay until nothing is lacking, if anything is.
func (n *naive) fill() bool {
	filled := false
	for n.short() {
		filled = true
		var candidates []int
		cost := map[int]float64{}
		for _, i := range n.lines {
			if n.stays[i] || !slices.ContainsFunc(n.sides(i), n.lacks) {
				continue
			}
			candidates = append(candidates, i)
			helped, fresh := 0, 0
			for _, y := range n.sides(i) {
				switch {
				case n.lacks(y):
					helped++
				case y != n.u && !n.isMet(y):
					fresh++
				}
			}
			cost[i] = float64(n.items(i)) * float64(1+fresh) / float64(helped)
		}
		slices.SortFunc(candidates, func(a, b int) int {
			return cmp.Or(cmp.Compare(cost[a], cost[b]), n.before(a, b))
		})
		for _, i := range candidates {
			if !n.short() {
				break
			}
			if slices.ContainsFunc(n.sides(i), n.lacks) {
				n.stays[i] = true
			}
		}
	}
	return filled
}

// isMet tells whether a line that stays has a node besides.
func (n *naive) isMet(y int32) bool {
	return slices.ContainsFunc(n.lines, func(i int) bool {
		return n.stays[i] && slices.Contains(n.others(i), y)
	})
}

// short tells whether anything is lacking.
func (n *naive) short() bool {
	return slices.ContainsFunc(n.lines, func(i int) bool {
		return n.stays[i] && slices.ContainsFunc(n.sides(i), n.lacks)
	})
}

// So many lines that workers share them are published as one worker publishes them, in any room.
func TestManyLinesOfWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(77, 78))
	labels := make([]string, 300)
	for i := range labels {
		labels[i] = fmt.Sprint(i)
	}
	tree, err := hierarchy.Fanout(labels, 5)
	if err != nil {
		t.Fatal(err)
	}
	b := dataset.NewBuilder(tree.LeafDict())
	for range 3 * fewRows {
		var tx []int32
		for range 1 + rng.IntN(6) {
			tx = append(tx, int32(float64(len(labels))*rng.Float64()*rng.Float64()))
		}
		b.Add(tx)
	}
	in := anonymize.Input{Data: b.Build(), Tree: tree, Workers: 1}
	in.Promise = privacy.KM{K: 5, M: 2, L: 2, Columns: []string{"c"}}
	in.Sensitive, in.Values, err = anonymize.WithColumns(fewSensitive(rng, in.Data.Len()),
		in.Data.Len(), []anonymize.Column{{Name: "c", Values: someCells(rng, in.Data.Len())}})
	if err != nil {
		t.Fatal(err)
	}
	in.Seed = &[32]byte{5}
	refusals := refuse(in, often)
	one := newRun(in, refusals)
	one.onlyRefused(refusals)
	only := slices.Clone(one.depths)
	want := depthsOf(t, one, refusals)
	for _, room := range []int{1 << 10, 1 << 16, leastRows} {
		in.Workers = 3
		r := newRun(in, refusals)
		r.room = room
		if r.onlyRefused(refusals); !slices.Equal(r.depths, only) {
			t.Error("three workers refuse something else")
		}
		if !slices.Equal(depthsOf(t, r, refusals), want) {
			t.Errorf("three workers publish something else in %d bytes", room)
		}
	}
	in.Promise.L, in.Promise.Columns, in.Sensitive, in.Values = 0, nil, nil, nil
	if slices.Equal(depthsOf(t, newRun(in, refusals), refusals), want) {
		t.Error("shares do not matter")
	}
}
