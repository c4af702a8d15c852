package suppress

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global"
	"mingle/anonymize/local"
	"mingle/release"
)

// counted is an algorithm that tells after which of its runs it is.
type counted struct {
	anonymize.Algorithm
	runs int
	done func(runs int)
}

func (c *counted) Anonymize(ctx context.Context, in anonymize.Input) (*release.Generalized, error) {
	g, err := c.Algorithm.Anonymize(ctx, in)
	c.runs++
	c.done(c.runs)
	return g, err
}

// A search that is interrupted ends with the best release by then where that was asked for; else
// the interrupt is the error.
func TestInterrupt(t *testing.T) {
	enough := errors.New("enough")
	for _, at := range []string{"first release", "rounds", "second release"} {
		search := local.Algorithm{Budget: anonymize.Budget{KeepBest: true}}
		for _, inner := range []anonymize.Algorithm{global.AA{}, search} {
			if inner.Name() == "local" && at == "rounds" {
				continue // it has none
			}
			for _, early := range []anonymize.Budget{{KeepBest: true}, {}} {
				ctx, cancel := context.WithCancelCause(t.Context())
				end := func() { cancel(enough) }
				in := conformance.Medium(3)
				in.Progress = func(p anonymize.Progress) {
					if at == "rounds" && strings.HasPrefix(p.Stage, "suppression") {
						end()
					}
				}
				a := Items{Max: 0.1, Budget: early, Inner: &counted{
					Algorithm: inner,
					done: func(runs int) {
						if at == "first release" || at == "second release" && runs == 2 {
							end()
						}
					},
				}}
				g, err := a.Anonymize(ctx, in)
				if ctx.Err() == nil {
					t.Errorf("%s, %s: not interrupted", at, a.Name())
				}
				switch {
				case !early.KeepBest:
					if err != enough {
						t.Errorf("%s, %s: error %v", at, a.Name(), err)
					}
				case err != nil:
					t.Errorf("%s, %s: error %v", at, a.Name(), err)
				default:
					holds(t, in, g)
					if !strings.Contains(strings.Join(g.Warnings, " "), "enough") {
						t.Errorf("%s, %s: warnings %q", at, a.Name(), g.Warnings)
					}
				}
				cancel(nil)
			}
		}
	}
}

// The time limit is for the whole, and nothing is lost by it.
func TestTimeLimit(t *testing.T) {
	in := conformance.Medium(3)
	a := Transactions{
		Inner: global.AA{}, Max: 0.1, Budget: anonymize.Budget{TimeLimit: time.Nanosecond},
	}
	g, err := a.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, in, g)
	if !strings.Contains(strings.Join(g.Warnings, " "), "time limit") {
		t.Errorf("warnings %q", g.Warnings)
	}
}
