package local

import (
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
)

// What is polished ahead is what is polished in its turn; and where another order loses less, what
// was polished ahead leaves nothing behind.
func TestPolishingAheadChangesNothing(t *testing.T) {
	won, lost := 0, 0
	for seed := range uint64(40) {
		in := conformance.Medium(seed)
		in.Promise.M = 3
		in.Promise.K = 3 + int(seed%3)
		searched := func(workers int) *search {
			in.Workers = workers
			s := newSearch(t.Context(), in, 1)
			s.budget.search = 1 // two orders, and no more
			s.run()
			return s
		}
		one, two := searched(1), searched(2)
		if len(one.tried) != len(two.tried) {
			t.Fatalf("%d releases and %d", len(one.tried), len(two.tried))
		}
		for n, a := range one.tried {
			b := two.tried[n]
			if a.loss != b.loss || a.state.loss != b.state.loss || a.work != b.work ||
				!slices.Equal(published(in, a), published(in, b)) {
				t.Fatalf("seed %d: release %d loses %d and %d, %d and %d with what follows", seed, n,
					a.loss, b.loss, a.state.loss, b.state.loss)
			}
			if b.ahead != nil && b.state == b.ahead.state {
				won++
			} else if b.ahead != nil {
				lost++
			}
		}
	}
	if won == 0 || lost == 0 {
		t.Errorf("%d releases were polished ahead, and %d in vain", won, lost)
	}
}

// published is what each item of the trial's release is published as.
func published(in anonymize.Input, t *trial) []int32 { return t.state.release(in).Nodes }
