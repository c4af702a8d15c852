package local

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Rows that have taken a node back are found by what they published then, however many they are.
func TestReturned(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 17))
	const nodes = 12
	number := make([]int32, nodes)
	for v := range number {
		number[v] = int32(nodes - v)
	}
	b := returned{}
	for round := range 4 {
		var rows [][]int32
		b.begin(nodes + 1)
		for n := range []int{0, 30, 900, 5}[round] {
			var row, numbers []int32
			for v := range int32(nodes) {
				if rng.IntN(2+int(v)*int(v)) == 0 {
					row, numbers = append(row, v), append(numbers, number[v])
				}
			}
			b.add(back{int32(7 * n), int32(n % 3)}, numbers)
			rows = append(rows, row)
		}
		for range 300 {
			var set []int32
			for v := range int32(nodes) {
				if rng.IntN(5) == 0 {
					set = append(set, v)
				}
			}
			rng.Shuffle(len(set), func(a, b int) { set[a], set[b] = set[b], set[a] })
			var want []back
			for n, row := range rows {
				lacks := func(v int32) bool { return !slices.Contains(row, v) }
				if !slices.ContainsFunc(set, lacks) {
					want = append(want, back{int32(7 * n), int32(n % 3)})
				}
			}
			if got := b.with(number, set); !slices.Equal(got, want) {
				t.Fatalf("round %d: %d rows with %v, want %d", round, len(got), set, len(want))
			}
		}
	}
}
