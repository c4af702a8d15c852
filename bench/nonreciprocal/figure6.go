package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"mingle/anonymize/nonreciprocal"
	"mingle/dataset"
	"mingle/measure"
	"mingle/privacy"
	"mingle/verify"
)

// variant is a line of a table.
type variant struct {
	name string
	in   nonreciprocal.Input
}

var anonymity = []variant{
	{"ring, Gray", nonreciprocal.Input{Graph: nonreciprocal.RingGraph, GrayOnly: true}},
	{"ring, Gray-TSP", nonreciprocal.Input{Graph: nonreciprocal.RingGraph}},
	{"nearest", nonreciprocal.Input{Graph: nonreciprocal.NearestGraph}},
}

var diversity = []variant{
	{"cahd, Gray", nonreciprocal.Input{Algorithm: nonreciprocal.CAHD, GrayOnly: true}},
	{"nr, ring", nonreciprocal.Input{Graph: nonreciprocal.RingGraph}},
	{"nr, nearest", nonreciprocal.Input{Graph: nonreciprocal.NearestGraph}},
}

// figure6 prints ER and QE against k and l, with the mean number of uncertain items and the mean
// threshold.
func (o options) figure6(name string, d *dataset.Dataset) error {
	fmt.Printf(
		"\n%s: %v; QE of %d queries, |In| = %d, |Ex| = %d\n\n", name, d, o.queries, o.in, o.ex,
	)
	fmt.Println("| promise | release | ER | QE I (%) | QE II (%) | uncertain | threshold | processor s | holds |")
	fmt.Println("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
	for _, k := range o.degrees {
		for _, v := range anonymity {
			v.in.Data, v.in.Promise = d, privacy.Nonreciprocal{K: k}
			if err := o.line(fmt.Sprintf("k=%d", k), v); err != nil {
				return err
			}
		}
	}
	labels := o.labelsFor(d.Len())
	for _, l := range o.ls {
		for _, v := range diversity {
			v.in.Data, v.in.Labels, v.in.Promise = d, labels, privacy.Nonreciprocal{L: l}
			if err := o.line(fmt.Sprintf("l=%d", l), v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o options) line(promise string, v variant) error {
	v.in.Seed = &[32]byte{6}
	start := cpu()
	res, err := nonreciprocal.Anonymize(context.Background(), v.in)
	if err != nil {
		return err
	}
	seconds := cpu() - start
	er, err := measure.ErrorRate(v.in.Data, res.Release.Base, res.Audit.Row)
	if err != nil {
		return err
	}
	qe, err := measure.BaseQueryError(rand.New(rand.NewPCG(500, 0)), v.in.Data, res.Release.Base,
		measure.BaseQueryOptions{Queries: o.queries, Present: o.in, Absent: o.ex})
	if err != nil {
		return err
	}
	threshold := 0.0
	for _, t := range res.Release.Threshold {
		threshold += float64(t)
	}
	n := float64(v.in.Data.Len())
	fmt.Printf("| %s | %s | %.4f | %.3f | %.3f | %.2f | %.2f | %.2f | %s |\n", promise, v.name, er, 100*qe.TypeI, 100*qe.TypeII,
		float64(res.Release.Uncertain.Occurrences())/n, threshold/n, seconds, o.verdict(v.in, res))
	return nil
}

func (o options) verdict(in nonreciprocal.Input, res *nonreciprocal.Result) string {
	if !o.verify {
		return "not checked"
	}
	start := cpu()
	f, err := verify.Nonreciprocal(context.Background(), verify.NonreciprocalInput{
		Original: in.Data, Labels: in.Labels, Published: res.Release, Promise: in.Promise,
	})
	if err != nil {
		return err.Error()
	}
	if !f.Holds {
		return "NO: " + f.Breaches[0].Message
	}
	return fmt.Sprintf("yes, %.1f s", cpu()-start)
}
