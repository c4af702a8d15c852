// Command nonreciprocal makes the tables of xue-2012's figures 6 and 7 and those that go beyond
// them, on files or on generated data. The labels of l-diversity are 470 values, the i-th with a
// probability proportional to 1/(i+5): the commonest is on 3.7 % of the records.
//
//	go run ./bench/nonreciprocal -what figure6 -in 3 -ex 4 chess.dat.gz
//	go run ./bench/nonreciprocal -what walk chess.dat.gz
//	go run ./bench/nonreciprocal -what tour chess.dat.gz
//	go run ./bench/nonreciprocal -what grow -degree 8
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"mingle/dataset"
	"mingle/generate"
)

type options struct {
	degrees []int
	ls      []int
	in, ex  int
	queries int
	verify  bool
	degree  int
	sizes   []int
	graphs  []string
	draw    uint64
	turn    int
}

func main() {
	var o options
	what := flag.String("what", "figure6", "figure6, walk, tour or grow")
	degrees := flag.String("k", "4,8,12,16,20", "figure6: list of k")
	ls := flag.String("l", "4,6,8,10,12", "figure6: list of l")
	flag.IntVar(&o.in, "in", 3, "figure6: items of a type I query")
	flag.IntVar(&o.ex, "ex", 4, "figure6: items of a type II query")
	flag.IntVar(&o.queries, "queries", 500, "figure6: queries of each type")
	flag.BoolVar(&o.verify, "verify", true, "figure6, grow: verify every release")
	flag.IntVar(&o.degree, "degree", 8, "grow: k")
	sizes := flag.String(
		"sizes", "62500,125000,250000,500000,1000000", "grow: numbers of transactions",
	)
	flag.Uint64Var(&o.draw, "draw", 1990, "figure6: number of the draw of the labels")
	flag.IntVar(&o.turn, "turn", 0, "figure6: no draw, but so many labels in turn")
	graphs := flag.String("graphs", "ring,nearest", "grow: graphs")
	flag.Parse()
	var err1, err2, err3 error
	o.degrees, err1 = numbers(*degrees)
	o.ls, err2 = numbers(*ls)
	o.sizes, err3 = numbers(*sizes)
	o.graphs = strings.Split(*graphs, ",")
	err := errors.Join(err1, err2, err3)
	if err == nil {
		err = o.run(*what, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "nonreciprocal:", err)
		os.Exit(1)
	}
}

func (o options) run(what string, paths []string) error {
	experiment, known := map[string]func(name string, d *dataset.Dataset) error{
		"figure6": o.figure6, "walk": o.walk, "tour": o.tour,
	}[what]
	switch {
	case what == "grow":
		return o.grow()
	case !known:
		return fmt.Errorf("%q is not known: it must be figure6, walk, tour or grow", what)
	}
	for _, path := range paths {
		d, err := dataset.Open(context.Background(), path, dataset.Options{})
		if err != nil {
			return err
		}
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		if err := experiment(name, d); err != nil {
			return err
		}
	}
	return nil
}

func numbers(list string) ([]int, error) {
	var out []int
	for _, s := range strings.Split(list, ",") {
		if s == "" {
			continue
		}
		x, err := strconv.Atoi(s)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// labelsFor draws a label for every record.
func (o options) labelsFor(n int) []string {
	if o.turn > 0 {
		out := make([]string, n)
		for u := range out {
			out[u] = "label " + strconv.Itoa(u%o.turn)
		}
		return out
	}
	return generate.Occupations(rand.New(rand.NewPCG(470, o.draw)), n)
}
