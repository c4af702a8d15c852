package continuous

import (
	"math/rand/v2"
	"testing"

	"mingle/dataset/bag"
	"mingle/generate"
)

// Supports are those of the definition, whatever of a box is frequent, stands there twice, or has
// merged or been split since.
func TestSupportIsExact(t *testing.T) {
	for _, n := range []int{1500, 60} {
		data := generate.Income{Records: n, Seed: 3}.Bags()
		seg, post := newSegments(data), newPostings(data)
		seg.merged = post.inherit
		for seed := range uint64(4000) {
			rng := rand.New(rand.NewPCG(8, seed))
			a := seg.of(rng.Int32N(seg.values()))
			switch {
			case rng.IntN(4) == 0 && a.lo < a.hi:
				seg.split(a, a.lo+rng.Int32N(a.hi-a.lo))
			case a.hi+1 < seg.values() && rng.IntN(2) == 0:
				seg.merge(a.join(seg.of(a.hi + 1)))
			}
			var box []span
			for range 1 + rng.IntN(4) {
				box = append(box, seg.of(rng.Int32N(seg.values())))
			}
			if len(box) > 1 && rng.IntN(3) == 0 {
				box[1] = box[0]
			}
			if got, want := post.support(box, data.Len()), naiveSupport(data, box); got != want {
				t.Fatalf("seed %d: support of %v is %d, want %d", seed, box, got, want)
			}
		}
	}
}

func naiveSupport(data *bag.Bags, box []span) int {
	n := 0
	for i := range data.Len() {
		all := true
		for _, sp := range box {
			inside := 0
			for _, v := range data.Record(i) {
				if sp.lo <= v && v <= sp.hi {
					inside++
				}
			}
			all = all && inside >= timesIn(box, sp)
		}
		if all {
			n++
		}
	}
	return n
}
