package local

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"mingle/anonymize/conformance"
	"mingle/privacy"
)

// The penalty of secret refusals: the loss with ten times as many as there are by default, of which
// there are often none, beside the loss with none; the mean of three seeds. A tenth of what
// the former add is what the default adds on average, about.
func BenchmarkRefusals(b *testing.B) {
	for _, data := range []string{
		"groceries", "foodmart", "bms-webview-1", "bms-webview-2", "chess", "mushroom",
	} {
		for m := 2; m <= 3; m++ {
			b.Run(fmt.Sprintf("%s/m=%d", data, m), func(b *testing.B) {
				in := conformance.Real(b, data, privacy.KM{K: 5, M: m})
				merged, div := merge(in)
				run := func(seed uint64, loss float64) (sum, refusals float64) {
					c := newDraws(in, rand.New(rand.NewPCG(seed, 0)), loss)
					s := newSearchOf(b.Context(), in, 1)(drawFor(c, merged, div))
					s.run()
					st := s.complete(b.Context(), b.Context())
					return float64(st.loss), float64(len(s.refused.nodes))
				}
				for b.Loop() {
					plain, _ := run(0, 0)
					const seeds = 3
					sum, refusals := 0.0, 0.0
					for seed := range uint64(seeds) {
						one, n := run(seed+1, 10*refusedLoss)
						sum, refusals = sum+one/seeds, refusals+n/seeds
					}
					most := float64(in.Tree.Leaves()) * float64(in.Data.Occurrences())
					b.ReportMetric(plain/most, "ncp")
					b.ReportMetric(sum/plain, "tenfold/none")
					b.ReportMetric(refusals, "refusals")
				}
			})
		}
	}
}
