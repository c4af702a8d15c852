package conformance

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"mingle/internal/soak"
	"mingle/privacy"
)

// Family is the suite that the algorithms of every family of guarantees pass. In is what a run
// works on, Out what it publishes. Suite is made of it for generalization over a hierarchy.
type Family[In, Out any] struct {
	// Anonymize makes one run with so many workers. A family of one goroutine ignores their number.
	Anonymize func(ctx context.Context, in In, workers int) (Out, error)
	// Small makes a random instance that Verify can judge by enumeration.
	Small func(rng *rand.Rand) In
	// Instances is the number of small instances; 0 means 2,000. At least one in ten must be
	// released. A test whose name has Soak takes a quarter of them in make test; under the race
	// detector a tenth is taken.
	Instances int
	// Large makes an instance on which several workers have something to do.
	Large func(seed uint64) In
	// Verify fails the test if a release does not keep its promise, or is not of its original.
	Verify func(t *testing.T, in In, out Out)
	// Refused is called where an instance is infeasible. It fails the test if there is a release.
	// nil: refusals are not looked at.
	Refused func(t *testing.T, in In, err error)
	// Published is everything that is published: what is said of each record, in the order of the
	// records unless OrderMatters.
	Published func(out Out) []string
	// Permute is an instance whose record i is record perm[i] of another: each record is to be
	// published as before. nil: the order of the records is part of the input.
	Permute func(in In, perm []int32) In
	// Records is the number of records of an instance. It is needed for Permute only.
	Records func(in In) int
	// Describe spells out an instance, so that a failure can be repeated by hand. nil: %+v.
	Describe func(in In) string
}

// Run runs the suite.
func (f Family[In, Out]) Run(t *testing.T) {
	t.Run("small", f.Enumerated)
	t.Run("workers", f.Workers)
	t.Run("order", f.Order)
	t.Run("cancel", f.Cancel)
}

// Enumerated judges the releases of small random instances.
func (f Family[In, Out]) Enumerated(t *testing.T) {
	rng := soak.Rand(1, 2)
	most := f.Instances
	if most == 0 {
		most = 2000
	}
	if strings.Contains(t.Name(), "Soak") {
		most = soak.Share(most/4, most)
	}
	if testing.Short() { // under the race detector: the rest says nothing more about goroutines
		most = max(100, most/10)
	}
	released, count := 0, 0
	for range soak.Rounds(t, most) {
		count++
		in := f.Small(rng)
		out, err := f.Anonymize(t.Context(), in, 0)
		var infeasible *privacy.Infeasible
		switch {
		case err == nil:
			released++
			f.Verify(t, in, out)
		case !errors.As(err, &infeasible):
			t.Fatalf("%v\n%s", err, f.spell(in))
		case f.Refused != nil:
			f.Refused(t, in, err)
		}
	}
	if released < count/10 {
		t.Fatalf("%d of %d instances were released: the test tests nothing", released, count)
	}
}

func (f Family[In, Out]) spell(in In) string {
	if f.Describe == nil {
		return ""
	}
	return f.Describe(in)
}

// Workers checks that any number of workers publishes the same.
func (f Family[In, Out]) Workers(t *testing.T) {
	in := f.Large(7)
	var first []string
	numbers := []int{1, 3, 8}
	if testing.Short() { // under the race detector
		numbers = numbers[:2]
	}
	for _, workers := range numbers {
		out, err := f.Anonymize(t.Context(), in, workers)
		if err != nil {
			t.Fatal(err)
		}
		lines := f.Published(out)
		if first == nil {
			f.Verify(t, in, out)
			first = lines
		} else if !slices.Equal(lines, first) {
			t.Fatalf("%d workers publish something else than 1", workers)
		}
	}
}

// Order checks that a permutation of the records permutes what is published, and nothing else.
func (f Family[In, Out]) Order(t *testing.T) {
	if f.Permute == nil {
		t.Skip("the order of the records is part of the input")
	}
	in := f.Large(8)
	perm := make([]int32, f.Records(in))
	for i, j := range rand.New(rand.NewPCG(3, 4)).Perm(len(perm)) {
		perm[i] = int32(j)
	}
	out, err := f.Anonymize(t.Context(), in, 0)
	if err != nil {
		t.Fatal(err)
	}
	permuted, err := f.Anonymize(t.Context(), f.Permute(in, perm), 0)
	if err != nil {
		t.Fatal(err)
	}
	a, b := f.Published(out), f.Published(permuted)
	for i, j := range perm {
		if b[i] != a[j] {
			t.Fatalf("record %d is published as %q in one order, as %q in another", j, a[j], b[i])
		}
	}
}

// Cancel checks that a run whose context ends tells why, however far it is.
func (f Family[In, Out]) Cancel(t *testing.T) {
	why := errors.New("told to stop")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(why)
	if _, err := f.Anonymize(ctx, f.Large(9), 0); !errors.Is(err, why) {
		t.Fatalf("with an ended context: %v", err)
	}
	f.Interrupt(t, f.Large(9))
}

// Interrupt ends the context of a run when it looks at it the first time, the second, and ever
// later: it must tell why, or be done.
func (f Family[In, Out]) Interrupt(t *testing.T, in In) {
	t.Helper()
	why := errors.New("told to stop")
	step := int64(4)
	if testing.Short() { // under the race detector: half as many moments
		step = 1
	}
	for looks := int64(1); ; looks += 1 + looks/step {
		inner, stop := context.WithCancelCause(t.Context())
		ctx := &watched{Context: inner, end: func() { stop(why) }}
		ctx.left.Store(looks)
		out, err := f.Anonymize(ctx, in, 0)
		stop(nil)
		if err == nil {
			f.Verify(t, in, out)
		}
		if ctx.left.Load() > 0 {
			return
		}
		if err != nil && !errors.Is(err, why) {
			t.Fatalf("interrupted at look %d: %v", looks, err)
		}
	}
}

// watched is a context that ends when it is looked at for a certain time.
type watched struct {
	context.Context
	left atomic.Int64
	end  func()
}

func (w *watched) Err() error {
	if w.left.Add(-1) == 0 {
		w.end()
	}
	return w.Context.Err()
}
