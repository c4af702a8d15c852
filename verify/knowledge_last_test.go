package verify

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// The last statements of knowledge are looked at as all others are: what is counted and found is
// the same.
func TestLastStatements(t *testing.T) {
	rare, fine := 0, 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 17))
		in := randomInput(r)
		in.Promise.L, in.Promise.NegativeKnowledge = 0, false
		search := func(whole bool) (*shelf, int64) {
			j := newJudgement(in, knowledgeLimit)
			a := j.adversary(in.Promise)
			if whole {
				a.sensitive = [][]uint64{} // shares of no sensitive item are looked at, whole
			}
			found, err := j.search(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			return found, j.f.Itemsets
		}
		last, counted := search(false)
		whole, all := search(true)
		if counted != all || !reflect.DeepEqual(last, whole) {
			t.Fatalf("seed %d: %d counted, %+v; whole %d, %+v", seed, counted, last, all, whole)
		}
		if last.count > 0 {
			rare++
		} else {
			fine++
		}
	}
	if rare < 200 || fine < 200 {
		t.Errorf("%d with something rare, %d without", rare, fine)
	}
}
