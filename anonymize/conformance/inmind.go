package conformance

import (
	"testing"

	"mingle/anonymize"
	"mingle/internal/brute"
	"mingle/internal/soak"
	"mingle/privacy"
)

// InMind enumerates what an adversary concludes who runs an algorithm without randomness in mind:
// all originals of 4 and 5 lines on small trees. Everybody must keep k candidates.
type InMind struct {
	New func() anonymize.Algorithm
	// Posterior says that, moreover, no line may be a person's with more than 1/k.
	Posterior bool
}

// Run runs a quick share in make test, all in make soak.
func (w InMind) Run(t *testing.T) {
	trees := brute.SmallTrees()
	for n, tree := range trees[:soak.Share(3, len(trees))] {
		for lines := 4; lines <= soak.Share(4, 5); lines++ {
			for _, p := range []privacy.KM{{K: 2, M: 1}, {K: 2, M: 2}, {K: 3, M: 1}, {K: 3, M: 2}} {
				p.Knows = privacy.OfAlgorithm
				e := brute.Worlds{
					Tree: tree, Lines: lines,
					Promise: p,
				}.Expose(func(d brute.Original) []brute.Outcome {
					g, err := w.New().Anonymize(t.Context(),
						anonymize.Input{Data: d.Dataset, Tree: tree, Promise: p, Workers: 1})
					if err != nil {
						return nil
					}
					return []brute.Outcome{{Published: g.Published(), Probability: 1}}
				})
				t.Logf("tree %d, %d lines, %v: %v", n, lines, p, e)
				if e.Short > 0 {
					t.Error("somebody has fewer than k candidates")
				}
				if w.Posterior && e.Posterior > 1/float64(p.K)+1e-9 {
					t.Error("some line is likelier than 1/k")
				}
			}
		}
	}
}
