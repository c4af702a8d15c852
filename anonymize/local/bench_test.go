package local_test

import (
	"fmt"
	"testing"

	"mingle/anonymize/conformance"
	"mingle/anonymize/local"
	"mingle/privacy"
)

// trials are the losses and seconds of a plain trial of the same idea, without a search, k=5.
var trials = []struct {
	data    string
	m       int
	loss    float64
	seconds float64
}{
	{"groceries", 2, 0.0080, 0.3},
	{"groceries", 3, 0.0352, 0.3},
	{"bms-webview-1", 2, 0.0044, 0.9},
	{"bms-webview-1", 3, 0.0142, 1.9},
	{"bms-webview-2", 2, 0.0045, 2.8},
	{"bms-webview-2", 3, 0.0168, 2.4},
	{"chess", 2, 0.0004, 0.9},
	{"chess", 3, 0.0037, 4.7},
	{"mushroom", 2, 0.0005, 1.9},
	{"mushroom", 3, 0.0043, 8},
	{"t10i4d100k", 2, 0.0015, 14},
	{"t10i4d100k", 3, 0.0150, 22},
	{"retail", 2, 0.0019, 18},
	{"retail", 3, 0.0084, 31},
	{"foodmart", 2, 0.0162, 0.1},
	{"foodmart", 3, 0.0672, 0.1},
}

// The search alone, without reading, verifying and writing. The loss beside that of the trial.
func BenchmarkLocal(b *testing.B) {
	for _, t := range trials {
		b.Run(fmt.Sprintf("%s/m=%d", t.data, t.m), func(b *testing.B) {
			in := conformance.Real(b, t.data, privacy.KM{K: 5, M: t.m})
			loss := int64(0)
			for b.Loop() {
				g, err := local.Algorithm{}.Anonymize(b.Context(), in)
				if err != nil {
					b.Fatal(err)
				}
				loss = lossOf(g)
			}
			most := float64(in.Tree.Leaves()) * float64(in.Data.Occurrences())
			ncp := float64(loss) / most
			b.ReportMetric(ncp, "ncp")
			b.ReportMetric(ncp/t.loss, "of-trial's-loss")
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/t.seconds, "of-trial's-seconds")
		})
	}
}
