package local

import (
	"math/rand/v2"
	"testing"
)

// Where mending loses much, the order is followed once more, and that never loses more: the better
// release is kept, and nothing fails in it. Sometimes it loses less.
func TestFollowedOnceMore(t *testing.T) {
	rng, once, more := rand.New(rand.NewPCG(29, 11)), 0, 0
	for range 3000 {
		in, seed := leveledDiverse(t, rng), rng.Uint64()
		if admit(in) != nil {
			continue
		}
		begin := func() (*search, *trial) {
			s := small(t.Context(), in, rand.New(rand.NewPCG(seed, 1)))
			s.run()
			return s, s.tried[0]
		}
		s, plain := begin()
		var seen *faults
		plain.state, seen = s.followAnew(t.Context(), plain)
		s.mend(t.Context(), plain.state, seen)

		s, kept := begin()
		s.completeOne(t.Context(), kept)
		if s.anew.orders > 1 {
			once++
		}
		if kept.state.loss < plain.state.loss {
			more++
		}
		if kept.state.loss > plain.state.loss {
			t.Fatalf("a loss of %d is kept, and %d was there", kept.state.loss, plain.state.loss)
		}
		if f := s.faults(t.Context(), kept.state); !f.none() {
			t.Fatalf("faults: %v", f)
		}
	}
	if t.Logf("%d were followed once more, %d lose less for it", once, more); more == 0 {
		t.Error("nothing was gained: nothing was tested")
	}
}
