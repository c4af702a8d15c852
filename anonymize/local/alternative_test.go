package local

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/internal/soak"
	"mingle/release"
	"mingle/verify"
)

// Where shares are bounded the release of going level by level keeps the promise, beside columns
// with empty values, too, and loses what it is said to. What is published loses no more, and is
// the other release now and then.
func TestSoakAlternatives(t *testing.T) {
	rng := soak.Rand(18, 86)
	taken := 0
	for range soak.Rounds(t, soak.Share(300, 5_000)) {
		in := leveledDiverse(t, rng)
		if rng.IntN(2) == 0 {
			in = leveledValued(t, rng)
		}
		in.Promise.M, in.Workers = 1+rng.IntN(2), 1+rng.IntN(2)
		if admit(in) != nil {
			continue
		}
		other := Algorithm{}.newAlternative(t.Context(), in)
		if lost := lossOf(in, other.release()); lost != other.loss {
			t.Fatalf("%d is lost, not %d\n%s", lost, other.loss, conformance.Describe(in))
		}
		published, err := Algorithm{}.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if lossOf(in, published) > other.loss {
			t.Fatalf("another release loses less\n%s", conformance.Describe(in))
		}
		if slices.Equal(published.Nodes, other.nodes) {
			taken++
		}
		for _, g := range []*release.Generalized{other.release(), published} {
			f, err := verify.KM(t.Context(), toVerify(t, in, g))
			if err != nil || !f.Holds {
				t.Fatalf("the verifier refuses it: %v %+v\n%s", err, f, conformance.Describe(in))
			}
		}
	}
	if taken < 5 {
		t.Errorf("the other release was published %d times only", taken)
	}
}

func lossOf(in anonymize.Input, g *release.Generalized) (loss int64) {
	g.Each(func(_, node int32) { loss += in.Tree.Penalty(node) })
	return loss
}

// A search of large data is not completed for a twentieth of the loss.
func TestOutdone(t *testing.T) {
	in := conformance.Medium(1)
	s := newSearch(t.Context(), in, 1)
	s.tried = []*trial{{loss: 1000}}
	if s.outdone(1) {
		t.Error("outdone by nothing")
	}
	s.other = &alternative{loss: 1040}
	for _, c := range []struct {
		followed int64
		times    float64
		want     bool
	}{{2, 1, false}, {2, muchMended, true}, {2, 1.03, false}, {4, muchMended, false}} {
		if s.followed = c.followed; s.outdone(c.times) != c.want {
			t.Errorf("after %d orders, %v times: %v", c.followed, c.times, !c.want)
		}
	}
}

// The other release is there for shares that are bounded, of at most two known items.
func TestNoAlternative(t *testing.T) {
	in := leveledDiverse(t, rand.New(rand.NewPCG(1, 1)))
	in.Promise.M = 3
	if (Algorithm{}).newAlternative(t.Context(), in) != nil {
		t.Error("there is one for m of 3")
	}
	in.Promise.M, in.Promise.L, in.Sensitive = 2, 0, nil
	if (Algorithm{}).newAlternative(t.Context(), in) != nil {
		t.Error("there is one without l")
	}
}
