package judge

import (
	"bufio"
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Sets of three labels are counted as one by one, also where there are more labels than have cells:
// lines with one of those are left to others.
func TestTriplesAreCounted(t *testing.T) {
	for _, nodes := range []int{3, 40, 3 * mostRanked} {
		rng := rand.New(rand.NewPCG(20, uint64(nodes)))
		var out bytes.Buffer
		c := &counter{out: bufio.NewWriter(&out)}
		c.triples.rank = make([]int32, nodes)
		want, sum, left := map[string]int64{}, int64(0), 0
		for n := range 2000 {
			if n == 1000 { // what is handed on begins anew
				c.flushTriples()
			}
			var labels []int32
			for range rng.IntN(6) {
				labels = append(labels, rng.Int32N(int32(nodes)))
			}
			slices.Sort(labels)
			labels = slices.Compact(labels)
			if !c.triples.add(labels) {
				left++
				continue
			}
			for i, u := range labels {
				for j, v := range labels[i+1:] {
					for _, w := range labels[i+j+2:] {
						want[fmt.Sprint(u, v, w)]++
						sum++
					}
				}
			}
		}
		c.flushTriples()
		c.out.Flush()
		got := map[string]int64{}
		for line := range bytes.Lines(out.Bytes()) {
			var u, v, w int32
			var n int64
			if _, err := fmt.Sscanf(string(line), "%d %d %d\t%d", &u, &v, &w, &n); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			got[fmt.Sprint(u, v, w)] += n
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || c.sum != sum {
			t.Fatalf("%d nodes: %v, %d in all, want %v, %d", nodes, got, c.sum, want, sum)
		}
		if left > 0 != (nodes > mostRanked) || sum == 0 {
			t.Errorf("%d nodes: %d lines are left, %d counted", nodes, left, sum)
		}
	}
}
