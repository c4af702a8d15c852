package nonreciprocal

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/internal/soak"
)

// All worlds: every multiset of labels that l allows on n records, every way to give them to the
// records, and every outcome of the secret draws with its exact probability. Somebody who sees the
// blocks and the labels of each, and to whom all ways to give the labels are equally likely
// beforehand, finds for every record of a block each label with its share in the block, and no
// share is above 1/l. (The labels of a block are given to its slots by a uniform permutation, so
// which slot has which tells nothing more.)
func TestSoakNoLabelIsLikelier(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine: nothing for the race detector")
	}
	worlds := 0
	for n := 2; n <= soak.Share(6, 8); n++ {
		for counts := range partitionsOf(n, n) {
			for l := 2; l*counts[0] <= n; l++ {
				worlds += checkWorlds(t, counts, n, l)
			}
		}
	}
	t.Logf("%d worlds", worlds)
}

// checkWorlds gives labels in these numbers to n records in all ways.
func checkWorlds(t *testing.T, counts []int, n, l int) (worlds int) {
	type seen struct {
		blocks [][]int32
		labels [][]int32   // of each block, ascending
		chance float64     // summed over the worlds
		given  [][]float64 // of record and label: the part where the record has the label
	}
	observed := map[string]*seen{}
	for labels := range arrangements(counts) {
		worlds++
		for blocks, chance := range divisions(n, labels, l) {
			var multisets [][]int32
			for _, block := range blocks {
				var have []int32
				for _, u := range block {
					have = append(have, labels[u])
				}
				slices.Sort(have)
				multisets = append(multisets, have)
			}
			key := fmt.Sprint(blocks, multisets)
			s := observed[key]
			if s == nil {
				s = &seen{blocks: blocks, labels: multisets, given: make([][]float64, n)}
				for u := range s.given {
					s.given[u] = make([]float64, len(counts))
				}
				observed[key] = s
			}
			s.chance += chance
			for u, x := range labels {
				s.given[u][x] += chance
			}
		}
	}
	for key, s := range observed {
		for i, block := range s.blocks {
			for x := range counts {
				share := 0.0
				for _, y := range s.labels[i] {
					if int(y) == x {
						share += 1 / float64(len(block))
					}
				}
				if share > 1/float64(l)+1e-12 {
					t.Fatalf(
						"labels %v, l %d, blocks %s: label %d is on %.3f of a block", counts, l,
						key, x, share,
					)
				}
				for _, u := range block {
					if got := s.given[u][x] / s.chance; math.Abs(got-share) > 1e-9 {
						t.Fatalf(
							"labels %v, l %d, blocks %s: record %d has label %d "+
								"with probability %.4f, want %.4f",
							counts, l, key, u, x, got, share,
						)
					}
				}
			}
		}
	}
	return worlds
}

// divisions are all ways in which records are divided, with their probabilities; blocks and their
// records are ascending.
func divisions(n int, labels []int32, l int) func(yield func([][]int32, float64) bool) {
	return func(yield func([][]int32, float64) bool) {
		var draws, of []int // the draws of a run, and from how many each was
		for {
			at, chance := 0, 1.0
			records := ascending(n)
			blocks, _ := exchangeable(context.Background(), records, labels, l, func(n int) int {
				if at == len(draws) {
					draws, of = append(draws, 0), append(of, n)
				}
				at++
				chance /= float64(n)
				return draws[at-1]
			})
			for i := range blocks {
				blocks[i] = slices.Sorted(slices.Values(blocks[i]))
			}
			slices.SortFunc(blocks, slices.Compare)
			if !yield(blocks, chance) {
				return
			}
			for len(draws) > 0 && draws[len(draws)-1]+1 == of[len(of)-1] {
				draws, of = draws[:len(draws)-1], of[:len(of)-1]
			}
			if len(draws) == 0 {
				return
			}
			draws[len(draws)-1]++
		}
	}
}

// partitionsOf are the ways to write n as a sum of falling numbers of at most most.
func partitionsOf(n, most int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		if n == 0 {
			yield(nil)
			return
		}
		for first := min(n, most); first > 0; first-- {
			for rest := range partitionsOf(n-first, first) {
				if !yield(append([]int{first}, rest...)) {
					return
				}
			}
		}
	}
}

// arrangements are the ways to give so many records each label.
func arrangements(counts []int) func(yield func([]int32) bool) {
	return func(yield func([]int32) bool) {
		var labels []int32
		for x, c := range counts {
			labels = append(labels, slices.Repeat([]int32{int32(x)}, c)...)
		}
		for {
			if !yield(slices.Clone(labels)) {
				return
			}
			i := len(labels) - 2 // the next permutation in the order of dictionaries
			for i >= 0 && labels[i] >= labels[i+1] {
				i--
			}
			if i < 0 {
				return
			}
			j := len(labels) - 1
			for labels[j] <= labels[i] {
				j--
			}
			labels[i], labels[j] = labels[j], labels[i]
			slices.Reverse(labels[i+1:])
		}
	}
}

// The same by chance, where there are too many worlds: labels are given to 61 records at random. A
// record at some place in a block of some size must have the commonest label of the block with its
// share. For every size and place the sum of the differences has mean 0 and a known variance; it
// may be off by z standard deviations, where z leaves a chance of 0.001 of a false alarm in all
// places together (by the normal approximation; only places seen 200 times are looked at).
func TestSoakNoPlaceInABlockIsLikelier(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine: nothing for the race detector")
	}
	const n, l = 61, 3
	rng := soak.Rand(71, 72)
	labels := make([]int32, n)
	for u := range labels {
		labels[u] = int32(math.Sqrt(float64(rng.IntN(100)))) // the commonest of 10 is on a fifth
	}
	type place struct{ size, at int }
	sum, variance, seen := map[place]float64{}, map[place]float64{}, map[place]int{}
	for range soak.Rounds(t, soak.Share(4_000, 200_000)) {
		rng.Shuffle(n, func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
		blocks, _ := exchangeable(t.Context(), ascending(n), labels, l, rng.IntN)
		for _, block := range blocks {
			slices.Sort(block)
			count, common := map[int32]int{}, labels[block[0]]
			for _, u := range block {
				x := labels[u]
				count[x]++
				if count[x] > count[common] || count[x] == count[common] && x < common {
					common = labels[u]
				}
			}
			share := float64(count[common]) / float64(len(block))
			for at, u := range block {
				p := place{len(block), at}
				seen[p]++
				variance[p] += share * (1 - share)
				sum[p] -= share
				if labels[u] == common {
					sum[p]++
				}
			}
		}
	}
	z := math.Sqrt2 * math.Erfinv(1-0.001/float64(len(seen)))
	looked := 0
	for p, s := range sum {
		if seen[p] < 200 {
			continue
		}
		looked++
		if math.Abs(s) > z*math.Sqrt(variance[p]) {
			t.Errorf(
				"blocks of %d records, place %d: off by %.1f standard deviations in %d cases",
				p.size, p.at, s/math.Sqrt(variance[p]), seen[p],
			)
		}
	}
	if looked < 20 {
		t.Errorf("only %d places were looked at", looked)
	}
}

// Blocks hold every record once, have l records or more, and no label on more than 1/l of them.
// Where there are many labels they are hardly larger than l.
func TestBlocksCanStandAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine: nothing for the race detector")
	}
	rng := rand.New(rand.NewPCG(73, 74))
	for trial := range 300 {
		l := 2 + rng.IntN(6)
		_, texts := tightLabels(rng, l)
		if trial%2 == 0 {
			texts = nil
			for range l + rng.IntN(400) {
				texts = append(texts, fmt.Sprint(rng.IntN(2000)))
			}
		}
		labels, counts := labelIDs(texts)
		if int(slices.Max(counts))*l > len(labels) {
			continue
		}
		blocks, _ := exchangeable(t.Context(), ascending(len(labels)), labels, l, rng.IntN)
		seen := make([]bool, len(labels))
		for _, block := range blocks {
			count := map[int32]int{}
			for _, u := range block {
				if count[labels[u]]++; seen[u] || count[labels[u]]*l > len(block) {
					t.Fatalf("l %d, block %v: record %d twice, or its label too often", l, block, u)
				}
				seen[u] = true
			}
		}
		if slices.Contains(seen, false) {
			t.Fatalf("records are missing: %v", seen)
		}
	}
	if blocks, _ := exchangeable(
		t.Context(), ascending(1000), ascending(1000), 4, rng.IntN,
	); len(blocks) < 240 {
		t.Error("different labels are not divided into blocks of 4")
	}
}

// moreThan is the share of the ways to draw, counted one by one.
func TestMoreThanCountsDraws(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine: nothing for the race detector")
	}
	for n := 1; n <= 9; n++ {
		for c := 0; c <= n; c++ {
			for size := 1; size <= n; size++ {
				all, over := 0, make([]int, n+1)
				for set := range 1 << n {
					if strings.Count(fmt.Sprintf("%b", set), "1") != size {
						continue
					}
					all++
					marked := strings.Count(fmt.Sprintf("%b", set&(1<<c-1)), "1")
					for most := range marked {
						over[most]++
					}
				}
				for most := range n {
					got, want := moreThan(most, n, c, size), float64(over[most])/float64(all)
					if math.Abs(got-want) > 1e-9 {
						t.Fatalf(
							"more than %d of %d from %d with %d marked: %v, want %v", most, size,
							n, c, got, want,
						)
					}
				}
			}
		}
	}
}

// Each slot of a block is each record's with the same frequency: chi-square at the level 0.001/8
// for each of the 8 records (Bonferroni).
func TestSlotsOfABlockAreEquallyLikely(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine: nothing for the race detector")
	}
	const draws = 6000
	s := structure{blocks: [][]int32{{6, 0, 3}, {1, 2, 4, 5, 7}}}
	counts := [8][8]int{}
	rng := rand.New(rand.NewChaCha8([32]byte{9}))
	for range draws {
		match, err := s.assign(t.Context(), 8, rng)
		if err != nil {
			t.Fatal(err)
		}
		for u, v := range match {
			counts[u][v]++
		}
	}
	for _, block := range s.blocks {
		for _, u := range block {
			chi, expected := 0.0, float64(draws)/float64(len(block))
			for _, v := range block {
				d := float64(counts[u][v]) - expected
				chi += d * d / expected
			}
			if limit := upperChiSquare(len(block)-1, 0.001/8); chi > limit {
				t.Errorf("record %d: chi-square %.1f above %.1f", u, chi, limit)
			}
		}
	}
}

func ascending(n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(i)
	}
	return out
}
