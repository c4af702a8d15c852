package continuous

import (
	"context"
	"testing"
	"time"

	"mingle/dataset/bag"
	"mingle/generate"
	"mingle/privacy"
)

// countingPass counts every bag of size values of the data as it is, once: the floor of the
// benchmarks.
func countingPass(b *bag.Bags, size int) int {
	s := &sweep{seg: newSegments(b), post: newPostings(b), k: 0, size: size}
	if err := s.run(context.Background()); err != nil {
		panic(err)
	}
	return s.visited
}

// BenchmarkMillion is acd on 1,000,000 records with the paper's marginals, k=10, m=2, beside the
// floor: one counting pass over the bags of two values for each of the two sizes.
func BenchmarkMillion(b *testing.B) {
	data := generate.Income{Records: 1_000_000, Seed: 1}.Bags()
	for _, c := range []struct {
		name  string
		paper bool
	}{{"paper", true}, {"all", false}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			var floor, run time.Duration
			for b.Loop() {
				begin := time.Now()
				countingPass(data, 2)
				floor += time.Since(begin)
				begin = time.Now()
				in := Input{
					Data: data, Promise: privacy.Continuous{K: 10, M: 2}, Threshold: 0.001,
					PaperOnly: c.paper,
				}
				if _, err := Anonymize(context.Background(), in); err != nil {
					b.Fatal(err)
				}
				run += time.Since(begin)
			}
			b.ReportMetric(floor.Seconds()/float64(b.N), "pass-s")
			b.ReportMetric(run.Seconds()/float64(b.N), "run-s")
			b.ReportMetric(run.Seconds()/(2*floor.Seconds()), "x-floor-a-size")
		})
	}
}
