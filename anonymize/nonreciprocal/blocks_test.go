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
	t := &trader{l: l}
	total := int64(0)
	for _, block := range blocks {
		count := make([]int32, d.Dict().Len())
		for _, u := range block {
			for _, it := range d.Tx(int(u)) {
				count[it]++
			}
		}
		for _, c := range count {
			total += int64(t.costOf(len(block))[c])
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
		d := randomSets(rng, n, 1+rng.IntN(90), 0.4)
		block := order.Gray(d, nil)
		own := d.Select(block)
		g := Ring(ascending(n), l)
		b := newBallot(d, block, l)
		b.open(g)
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
