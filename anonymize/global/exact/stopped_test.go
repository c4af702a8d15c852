package exact_test

import (
	"context"
	"errors"
	"testing"

	"mingle/anonymize/conformance"
	"mingle/anonymize/global/exact"
	"mingle/release"
	"mingle/verify/bound"
)

// looks is a context that ends once it was looked at so many times.
type looks struct {
	context.Context
	left int
}

func (l *looks) Err() error {
	if l.left--; l.left < 0 {
		return context.Canceled
	}
	return nil
}

// stopsEverywhere lets a judge be stopped at each of its looks at the context: it then gives no
// verdict.
func stopsEverywhere(t *testing.T, judge func(context.Context) (given, holds bool, err error)) {
	t.Helper()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for n := 0; ; n++ {
		ctx := &looks{ended, n}
		given, holds, err := judge(ctx)
		if err != nil && (given || !errors.Is(err, context.Canceled)) || err == nil && !holds {
			t.Fatalf("stopped after %d looks: %v, verdict %v, holds %v", n, err, given, holds)
		}
		if ctx.left >= 0 {
			return
		}
	}
}

func TestACheckOfACertificateThatIsStoppedGivesNoVerdict(t *testing.T) {
	in := conformance.Medium(11)
	in.Promise.K, in.Promise.M = 4, 3
	g, err := exact.Algorithm{}.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	c := g.Bound.Certificate
	stopsEverywhere(t, func(ctx context.Context) (given, holds bool, err error) {
		f, err := bound.Certificate(ctx, boundInput(in), c)
		return f != nil, f != nil && f.Holds, err
	})
	p := release.NewProgram(in.Tree, in.Data.Supports(), c)
	stopsEverywhere(t, func(ctx context.Context) (given, holds bool, err error) {
		f, err := bound.Program(ctx, boundInput(in), p)
		return f != nil, f != nil && f.Holds, err
	})
}
