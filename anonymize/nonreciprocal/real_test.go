package nonreciprocal_test

import (
	"math/rand/v2"
	"testing"

	"mingle/anonymize/nonreciprocal"
	"mingle/generate"
	"mingle/internal/soak"
	"mingle/measure"
	"mingle/privacy"
	"mingle/verify"
)

// On real data: every release holds by direct matching, and the error rates of a trial of the
// least-distance graph over all pairs are reached, by k and by l: on chess at most 0.003 at 4 and
// 0.012 at 20.
func TestRealDataSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine: nothing for the race detector")
	}
	for name, most := range map[string]map[int]float64{
		"chess":         {4: 0.003, 20: 0.012},
		"bms-webview-1": {8: 1},
	} {
		if name != "chess" && !soak.All() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			d := load(t, name, 20_000)
			// as in the tables of the page
			labels := generate.Occupations(rand.New(rand.NewPCG(470, 1990)), d.Len())
			for k, limit := range most {
				for _, promise := range []privacy.Nonreciprocal{{K: k}, {L: k}} {
					ring := 0.0
					graphs := []string{nonreciprocal.RingGraph, nonreciprocal.NearestGraph}
					for _, graph := range graphs {
						in := nonreciprocal.Input{
							Data: d, Labels: labels, Promise: promise, Graph: graph,
							Seed: &[32]byte{1},
						}
						res, err := nonreciprocal.Anonymize(t.Context(), in)
						if err != nil {
							t.Fatal(err)
						}
						p, _ := published(t, res.Release, d.Dict())
						f, err := verify.Nonreciprocal(
							t.Context(),
							verify.NonreciprocalInput{
								Original: d, Labels: labels, Published: p, Promise: promise,
							},
						)
						if err != nil {
							t.Fatal(err)
						}
						if !f.Holds {
							t.Errorf("%v, %s: %+v", promise, graph, f.Breaches)
						}
						er, err := measure.ErrorRate(d, p.Base, res.Audit.Row)
						if err != nil {
							t.Fatal(err)
						}
						t.Logf("%v, %s: ER %.4f, matches %+v", promise, graph, er, *f.Matches)
						if graph == nonreciprocal.RingGraph {
							ring = er
						} else if er > limit || er > 0.6*ring {
							t.Errorf(
								"%v: ER %.4f, want at most %v and at most 0.6 times "+
									"the ring's %.4f",
								promise, er, limit, ring,
							)
						}
					}
				}
			}
		})
	}
}
