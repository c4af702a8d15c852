package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"mingle/anonymize"
	"mingle/anonymize/nonreciprocal"
	"mingle/dataset"
	"mingle/generate"
	"mingle/internal/order"
	"mingle/privacy"
)

// walk times the extraction of 16 assignments from the ring of the data, made 1 to 16 times as
// large by copies with one random item exchanged in each.
func (o options) walk(name string, d *dataset.Dataset) error {
	fmt.Printf("\n%s, k = 16, medians of 5: processor seconds and hops an edge\n\n", name)
	fmt.Println("| records | draw of one | closed walks, all 16 | backtracking, all 16 | backtracking/draw | backtracking/closed walks |")
	fmt.Println("| ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, times := range []int{1, 2, 4, 8, 16} {
		big := enlarge(d, times)
		g := nonreciprocal.Ring(order.Gray(big, nil), 16)
		var seconds [2]float64
		drawn, err := drawOne(g)
		if err != nil {
			return err
		}
		cells := fmt.Sprintf(" %.3f |", drawn)
		for i, draw := range []nonreciprocal.Extractor{
			nonreciprocal.ClosedWalk, nonreciprocal.Backtracking,
		} {
			var runs []float64
			var hops int64
			for seed := range uint64(5) {
				start := cpu()
				_, steps, err := draw(
					context.Background(), g, rand.New(rand.NewChaCha8([32]byte{byte(seed)})),
				)
				if err != nil {
					return err
				}
				runs = append(runs, cpu()-start)
				hops = steps
			}
			slices.Sort(runs)
			seconds[i] = runs[2]
			cells += fmt.Sprintf(" %.3f (%.1f) |", runs[2], float64(hops)/float64(big.Len()*16))
		}
		fmt.Printf(
			"| %d |%s %.1f | %.1f |\n", big.Len(), cells, seconds[1]/drawn, seconds[1]/seconds[0],
		)
	}
	return nil
}

// drawOne is the median processor time in seconds to draw the one assignment that a release needs.
func drawOne(g *nonreciprocal.Graph) (float64, error) {
	var runs []float64
	for seed := range uint64(5) {
		start := cpu()
		if _, err := nonreciprocal.Draw(
			context.Background(), g, rand.New(rand.NewChaCha8([32]byte{byte(seed)})),
		); err != nil {
			return 0, err
		}
		runs = append(runs, cpu()-start)
	}
	slices.Sort(runs)
	return runs[2], nil
}

func enlarge(d *dataset.Dataset, times int) *dataset.Dataset {
	rng := rand.New(rand.NewPCG(7, 2))
	b := dataset.NewBuilder(d.Dict())
	for c := range times {
		for u := range d.Len() {
			tx := slices.Clone(d.Tx(u))
			if c > 0 {
				tx[rng.IntN(len(tx))] = int32(rng.IntN(d.Dict().Len()))
			}
			b.Add(tx)
		}
	}
	return b.Build()
}

// tour prints the sums of distances within segments.
func (o options) tour(name string, d *dataset.Dataset) error {
	fmt.Printf("\n%s: sum of Hamming distances within segments of 300 to 350 records, as ratios to that of the segments' minimum spanning trees\n\n", name)
	fmt.Println("| items | segments | Gray | tour | genetic, same time | genetic, 10 times | tour seconds |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
	m := order.NewDistances(d)
	for _, c := range []struct {
		name string
		rank []int32
	}{{"dictionary", nil}, {"frequent first", order.ByFrequency(d, false)}, {"rare first", order.ByFrequency(d, true)}} {
		gray := order.Gray(d, c.rank)
		between := func(j int) int32 { return m.Between(gray[j-1], gray[j]) }
		ends := order.Segments(len(gray), order.Bounds{Min: 300, Max: 350}, between)
		var sums [4]int64
		floor, begin := int64(0), 0
		var spent time.Duration
		for s, end := range ends {
			part := gray[begin:end]
			begin = end
			if s >= 20 { // enough for a table
				break
			}
			paths := [4][]int32{part, slices.Clone(part), slices.Clone(part), slices.Clone(part)}
			start := time.Now()
			order.Tour(paths[1], m, order.Kicks)
			took := time.Since(start)
			spent += took
			order.Genetic(paths[2], m, took, rand.New(rand.NewPCG(1, 1)))
			order.Genetic(paths[3], m, 10*took, rand.New(rand.NewPCG(1, 1)))
			for i, path := range paths {
				for p := 1; p < len(path); p++ {
					sums[i] += int64(m.Between(path[p-1], path[p]))
				}
			}
			floor += order.SpanningTree(part, m)
		}
		f := float64(floor)
		fmt.Printf("| %s | %d | %.3f | %.3f | %.3f | %.3f | %.2f |\n", c.name, min(20, len(ends)),
			float64(sums[0])/f, float64(sums[1])/f, float64(sums[2])/f, float64(sums[3])/f,
			spent.Seconds())
	}
	return nil
}

// grow prints whole runs on sparse data of the shape of BMS-WebView-2 (3,340 items, 4.62 a
// transaction, 161 at most).
func (o options) grow() error {
	fmt.Printf("\nk = %d, shape of BMS-WebView-2\n\n", o.degree)
	fmt.Println("| transactions | graph | seconds | processor s | µs a transaction | verified |")
	fmt.Println("| ---: | --- | ---: | ---: | ---: | --- |")
	for _, n := range o.sizes {
		d, err := generate.Dataset(generate.Labels(3340), func(emit generate.Emit) error {
			return generate.Shape(generate.ShapeParams{
				Transactions: n, Items: 3340, Longest: 161, Average: 4.62, Exponent: 1, Seed: 1,
			}, emit)
		})
		if err != nil {
			return err
		}
		for _, graph := range o.graphs {
			in := nonreciprocal.Input{
				Data: d, Graph: graph, Promise: privacy.Nonreciprocal{K: o.degree},
				Seed: &[32]byte{7},
			}
			start, busy := time.Now(), cpu()
			stage, begun, stages := "", start, ""
			in.Progress = func(p anonymize.Progress) {
				if s := p.Stage; s != stage {
					if stage != "" {
						stages += fmt.Sprintf(" %s %.1f", stage, time.Since(begun).Seconds())
					}
					stage, begun = s, time.Now()
				}
			}
			res, err := nonreciprocal.Anonymize(context.Background(), in)
			if err != nil {
				return err
			}
			took := time.Since(start)
			busy = cpu() - busy
			in.Progress(anonymize.Progress{Stage: "end"})
			fmt.Printf(
				"| %d | %s | %.1f (%s) | %.1f | %.1f | %s |\n", n, graph, took.Seconds(),
				stages[1:], busy, 1e6*busy/float64(n), o.verdict(in, res),
			)
		}
	}
	return nil
}
