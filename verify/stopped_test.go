package verify

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"mingle/internal/soak"
)

// Of what the tests of this package have judged, one in stopsEvery is judged again, and stopped at
// every moment.
const stopsEvery = 200

var checks int

// countdown is a context that ends once it was looked at so many times.
type countdown struct {
	context.Context
	left *atomic.Int64
}

func (c countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// StoppedAfter is a context that is good for n looks at it.
func StoppedAfter(n int) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // so that its cause is known
	c := countdown{ctx, &atomic.Int64{}}
	c.left.Store(int64(n))
	return c
}

// StopsEverywhere lets a judge be stopped at each of its first hundred looks at the context, and at
// fewer and fewer of the later ones, of which there may be very many: it says that it was
// stopped, or gives the verdict that it gives when nobody stops it, and never another.
func StopsEverywhere(t *testing.T, judge func(context.Context) (*Finding, error)) {
	t.Helper()
	want, err := judge(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for n := 0; ; n += 1 + n/100 {
		ctx := StoppedAfter(n)
		got, err := judge(ctx)
		switch {
		case err != nil && !errors.Is(err, context.Canceled):
			t.Fatalf("stopped after %d looks: %v", n, err)
		case err != nil && got != nil:
			t.Fatalf("stopped after %d looks: an error and a verdict: %+v", n, got)
		case err == nil && got.Holds != want.Holds:
			t.Fatalf("stopped after %d looks: holds %v, want %v", n, got.Holds, want.Holds)
		}
		if ctx.(countdown).left.Load() >= 0 {
			return
		}
	}
}

func TestAJudgeThatIsStoppedGivesNoVerdictSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine has nothing for the race detector")
	}
	r := soak.Rand(4, 2)
	for range soak.Rounds(t, soak.Share(20, 200)) {
		in := randomInput(r)
		in.Workers = 1
		in.Progress = func(string, int64, int64) {}
		if r.IntN(3) == 0 {
			in.Promise.NegativeKnowledge = true
			if _, err := KM(context.Background(), in); err != nil { // not for every promise
				in.Promise.NegativeKnowledge = false
			}
		}
		StopsEverywhere(t, func(ctx context.Context) (*Finding, error) { return KM(ctx, in) })
	}
	figure := coherenceFigure1()
	StopsEverywhere(t, func(ctx context.Context) (*Finding, error) {
		return Coherence(ctx, figure)
	})
}
