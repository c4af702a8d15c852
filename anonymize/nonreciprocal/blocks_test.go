package nonreciprocal

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"mingle/dataset"
	"mingle/internal/order"
)

func TestBlocksHaveDifferentLabels(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	in := Input{}.withDefaults()
	for trial := range 300 {
		size := 2 + rng.IntN(6)
		d, labels := tightLabels(rng, size)
		n := d.Len()
		m := order.NewDistances(d)
		ids, counts := labelIDs(labels)
		var near *neighbourLists
		if trial%2 == 0 {
			var err error
			if near, err = neighbours(t.Context(), d, 6, thorough, in.Workers); err != nil {
				t.Fatal(err)
			}
		}
		blocks := makeBlocks(order.Gray(d, nil), ids, counts, size, m, near)
		checkBlocks(t, blocks, ids, n, size)
		if near != nil {
			before := reachOf(blocks, 2, m)
			if err := refine(t.Context(), blocks, ids, 2, m, near); err != nil {
				t.Fatal(err)
			}
			checkBlocks(t, blocks, ids, n, 2)
			if after := reachOf(blocks, 2, m); after > before {
				t.Fatalf("refined blocks cost %d, more than %d", after, before)
			}
			annealed := checkAnneal(t, d, blocks, ids, 2, near)
			checkBlocks(t, annealed, ids, n, 2)
			sizes, counted := sizesOf(blocks), itemCosts(d, blocks, 2)
			if err := trade(t.Context(), d, blocks, ids, 2, near); err != nil {
				t.Fatal(err)
			}
			checkBlocks(t, blocks, ids, n, 2)
			if after := itemCosts(d, blocks, 2); after > counted || !slices.Equal(sizesOf(blocks), sizes) {
				t.Fatalf("blocks after trade cost %d and have %v records, before %d and %v", after, sizesOf(blocks), counted, sizes)
			}
		}
	}
}

// checkAnneal: what every change is said to cost is what it costs, and the blocks that come out cost no more than those that
// went in, which stay as they are.
func checkAnneal(t *testing.T, d *dataset.Dataset, blocks [][]int32, labels []int32, l int, near *neighbourLists) [][]int32 {
	t.Helper()
	a := newAnnealer(d, blocks, labels, l)
	rng := rand.NewPCG(5, uint64(d.Len()))
	want := itemCosts(d, blocks, l)
	for i := range 400 {
		want += int64(a.try(rng, near, float64(4000-10*i)))
		if i%20 == 0 {
			checkBlocks(t, a.blocks, labels, d.Len(), l)
			if got := itemCosts(d, a.blocks, l); got != want || a.total() != want {
				t.Fatalf("blocks cost %d, %d by their cells, %d by the changes taken", got, a.total(), want)
			}
		}
	}
	before := itemCosts(d, blocks, l)
	c, ok := coolingFor(d.Len(), d.Dict().Len(), 0, l)
	if !ok {
		t.Fatal("small data is not annealed")
	}
	c.tries /= 20
	out, err := anneal(t.Context(), d, blocks, labels, l, near, c)
	if err != nil {
		t.Fatal(err)
	}
	if after := itemCosts(d, out, l); after > before || itemCosts(d, blocks, l) != before {
		t.Fatalf("annealed blocks cost %d, before %d", after, before)
	}
	return out
}

// Columns tell records apart as their items do.
func TestColumnsKeepDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	for range 60 {
		n, items := 1+rng.IntN(150), 1+rng.IntN(90)
		d := randomSets(rng, n, items, 0.4)
		b := dataset.NewBuilder(d.Dict())
		for u := range n { // some items are copies of others or their complements
			var tx []int32
			for it := range int32(items) {
				if has(d.Tx(u), it%7) != (it%2 == 1) && it%3 > 0 || it%3 == 0 && has(d.Tx(u), it) {
					tx = append(tx, it)
				}
			}
			b.Add(tx)
		}
		d = b.Build()
		c, m := newColumns(d), order.NewDistances(d)
		for range 200 {
			u, v := int32(rng.IntN(n)), int32(rng.IntN(n))
			dist := int32(0)
			for k := range c.len {
				if (c.row(u)[k>>6]^c.row(v)[k>>6])>>(k&63)&1 != 0 {
					dist += c.weight[k]
				}
			}
			if dist != m.Between(u, v) {
				t.Fatalf("records %v and %v: distance %d by columns", d.Tx(int(u)), d.Tx(int(v)), dist)
			}
		}
		if items > 40 && c.len > items*2/3 {
			t.Errorf("%d columns for %d items of which most are copies", c.len, items)
		}
	}
}

// tightLabels makes data whose commonest label is on as many records as blocks of that size allow.
func tightLabels(rng *rand.Rand, size int) (*dataset.Dataset, []string) {
	blocks := 1 + rng.IntN(8)
	n := blocks*size + rng.IntN(size)
	d := randomSets(rng, n, 8, 0.4)
	var labels []string
	for s := 0; len(labels) < n; s++ {
		for range min(1+rng.IntN(blocks), n-len(labels)) {
			labels = append(labels, "s"+strconv.Itoa(s))
		}
		if s == 0 {
			for len(labels) < blocks {
				labels = append(labels, "s0")
			}
		}
	}
	rng.Shuffle(n, func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
	return d, labels
}

func checkBlocks(t *testing.T, blocks [][]int32, labels []int32, n, size int) {
	t.Helper()
	seen := make([]bool, n)
	for _, block := range blocks {
		if len(block) < size {
			t.Fatalf("block of %d records, want at least %d", len(block), size)
		}
		has := map[int32]bool{}
		for _, u := range block {
			if seen[u] || has[labels[u]] {
				t.Fatalf("block %v: record %d twice, or label %d", block, u, labels[u])
			}
			seen[u], has[labels[u]] = true, true
		}
	}
	if i := slices.Index(seen, false); i >= 0 {
		t.Fatalf("record %d is in no block", i)
	}
}

// reachOf is what refine lessens, by its definition.
func reachOf(blocks [][]int32, l int, m *order.Distances) int64 {
	total := int64(0)
	for _, block := range blocks {
		for _, u := range block {
			var dists []int32
			for _, v := range block {
				if v != u {
					dists = append(dists, m.Between(u, v))
				}
			}
			slices.Sort(dists)
			for _, d := range dists[:l-1] {
				total += int64(d)
			}
		}
	}
	return total
}

// itemCosts is what trade lessens, by its definition.
func itemCosts(d *dataset.Dataset, blocks [][]int32, l int) int64 {
	cost := flipCosts{l: l}
	total := int64(0)
	for _, block := range blocks {
		count := make([]int32, d.Dict().Len())
		for _, u := range block {
			for _, it := range d.Tx(int(u)) {
				count[it]++
			}
		}
		for _, c := range count {
			total += int64(cost.of(len(block))[c])
		}
	}
	return total
}

func sizesOf(blocks [][]int32) []int {
	var out []int
	for _, b := range blocks {
		out = append(out, len(b))
	}
	return out
}

// What an exchange is said to gain is what it gains, and the graph improve leaves is regular, has fewer flips, and every
// record in its own slot.
func TestBallotCountsFlips(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	before, after := 0, 0
	for range 60 {
		n := 4 + rng.IntN(20)
		l := 2 + rng.IntN(n-2)
		own, g, b := ringBallot(rng, n, l)
		cost := func() int { return flipWeight*flipsOf(own, g) + int(sumOf(g, order.NewDistances(own))) }
		before += flipsOf(own, g)
		for range 20 {
			e, f := rng.IntN(n*l), rng.IntN(n*l)
			p, v, q, w := int32(e/l), b.slots[e], int32(f/l), b.slots[f]
			if p == q || v == w || p == v || q == w || b.joined[int(p)*n+int(w)] || b.joined[int(q)*n+int(v)] {
				continue
			}
			want := cost()
			gain := flipWeight*(b.gain(v, p, q)+b.gain(w, q, p)) + b.between(p, v) + b.between(q, w) - b.between(p, w) - b.between(q, v)
			b.exchange(e, f)
			if got := cost(); got != want-int(gain) {
				t.Fatalf("cost %d after an exchange that gains %d from %d", got, gain, want)
			}
		}
		shuffled := cost()
		if err := b.improve(t.Context(), ballotRounds); err != nil {
			t.Fatal(err)
		}
		checkRegular(t, g, l)
		for u := range int32(n) {
			if !slices.Contains(g.Slots(u), u) {
				t.Fatalf("record %d has left its own slot", u)
			}
		}
		if cost() > shuffled {
			t.Fatalf("cost rose from %d to %d", shuffled, cost())
		}
		after += flipsOf(own, g)
	}
	if after > before*3/4 {
		t.Errorf("%d flips, the rings had %d", after, before)
	}
}

// What an exchange is said to gain it gains, whatever the temperature; and annealing leaves a regular graph of no more flips and
// distance, with every record in its own slot.
func TestBallotAnneals(t *testing.T) {
	rng := rand.New(rand.NewPCG(45, 46))
	before, after := 0, 0
	for trial := range 60 {
		n := 4 + rng.IntN(20)
		l := 2 + rng.IntN(n-1)
		own, g, b := ringBallot(rng, n, l)
		cost := func() int64 { return int64(annealedFlip*flipsOf(own, g)) + sumOf(g, order.NewDistances(own)) }
		before += flipsOf(own, g)
		pcg := rand.NewPCG(7, uint64(trial))
		want := cost()
		for i := range 300 {
			want -= int64(b.try(pcg, float64(300-i)))
			if got := cost(); i%10 == 0 && (got != want || b.total() != want) {
				t.Fatalf("cost %d, %d by the votes, %d by the gains", got, b.total(), want)
			}
		}
		// a fast end at the temperature it begins with makes it worse now and then
		for _, c := range []cooling{ballotCooling(n*l, n*l), {512, 1000, 1000}} {
			want = cost()
			if err := b.anneal(t.Context(), uint64(trial), c); err != nil {
				t.Fatal(err)
			}
			if got := cost(); got > want || b.total() != got {
				t.Fatalf("cost %d, %d by the votes, was %d", got, b.total(), want)
			}
		}
		if err := b.improve(t.Context(), ballotRounds); err != nil {
			t.Fatal(err)
		}
		checkRegular(t, g, l)
		for u := range int32(n) {
			if !slices.Contains(g.Slots(u), u) {
				t.Fatalf("record %d has left its own slot", u)
			}
		}
		after += flipsOf(own, g)
	}
	if after > before*3/4 {
		t.Errorf("%d flips, the rings had %d", after, before)
	}
}

// ringBallot makes random records, a block in their Gray order, and the ballot of a ring over it.
func ringBallot(rng *rand.Rand, n, l int) (*dataset.Dataset, *Graph, *ballot) {
	d := randomSets(rng, n, 1+rng.IntN(90), 0.4)
	block := order.Gray(d, nil)
	g := Ring(ascending(n), l)
	b := newBallot(d, block, l)
	b.open(g.slots)
	return d.Select(block), g, b
}

// flipsOf are the items in which the base of each slot differs from the record it was built for.
func flipsOf(d *dataset.Dataset, g *Graph) int {
	v, pre, flips := newVoter(d), g.Preimages(), 0
	for s := range int32(g.Len()) {
		base, _, _ := v.vote(pre.Slots(s), s)
		flips += int(v.distance(base, d.Tx(int(s))))
	}
	return flips
}

func ascending(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}
