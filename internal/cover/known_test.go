package cover

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A set of clauses answers as a list of them would.
func TestKnownAgainstAList(t *testing.T) {
	const vars = 8
	rng := rand.New(rand.NewPCG(1, 2))
	some := func(share float64) (out []int32) {
		for v := range int32(vars) {
			if rng.Float64() < share {
				out = append(out, v)
			}
		}
		return out
	}
	implied := 0
	for range 200 {
		k := NewKnown(vars)
		var list [][]int32
		for range 20 {
			clause := some(0.4)
			isNew := len(clause) > 0 && !slices.ContainsFunc(list,
				func(c []int32) bool { return slices.Equal(c, clause) })
			if k.Add(clause) != isNew {
				t.Fatalf("adding %v to %v: new is not %v", clause, list, isNew)
			}
			if isNew {
				list = append(list, clause)
			}
			asked := some(0.6)
			follows := slices.ContainsFunc(list, func(c []int32) bool {
				return !slices.ContainsFunc(c,
					func(v int32) bool { return !slices.Contains(asked, v) })
			})
			if k.Implies(asked) != follows {
				t.Fatalf("%v follows from %v: not %v", asked, list, follows)
			}
			if follows {
				implied++
			}
		}
	}
	if implied < 500 {
		t.Errorf("only %d clauses followed: the test tests little", implied)
	}
}
