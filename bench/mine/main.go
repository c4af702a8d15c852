// Command mine measures the project's miner on files: for each support the number of maximal
// frequent (or minimal rare) itemsets, the seconds, and the memory. With -pyfim it runs Borgelt's
// miner (the Python package pyfim, from an interpreter that has it) on the same file and puts its
// count and time beside.
//
//	go run ./bench/mine -target maximal -support 10%,5% mushroom.dat.gz
//	python3 -m venv fim && fim/bin/pip install pyfim
//	go run ./bench/mine -pyfim fim/bin/python -workers 1 -target maximal \
//	   -support 10%,5% mushroom.dat.gz
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/internal/itemset"
)

//go:embed pyfim.py
var pyfim string

type options struct {
	target  string
	maxLen  int
	workers int
	python  string
}

func main() {
	var o options
	flag.StringVar(&o.target, "target", "maximal", "maximal or rare")
	flag.IntVar(&o.maxLen, "maxlen", 0, "longest itemset; 0: any")
	flag.IntVar(&o.workers, "workers", 0, "goroutines; 0: one a processor")
	flag.StringVar(
		&o.python, "pyfim", "",
		"a Python interpreter that has the package pyfim; empty: no comparison",
	)
	supports := flag.String(
		"support", "10%", "supports, absolute or in percent, separated by commas",
	)
	flag.Parse()
	for _, path := range flag.Args() {
		if err := o.file(path, strings.Split(*supports, ",")); err != nil {
			fmt.Fprintln(os.Stderr, "mine:", err)
			os.Exit(1)
		}
	}
}

func (o options) file(path string, supports []string) error {
	d, err := dataset.Open(context.Background(), path, dataset.Options{})
	if err != nil {
		return err
	}
	fmt.Printf("%s: %v\n", path, d)
	for _, s := range supports {
		support, err := absolute(s, d.Len())
		if err != nil {
			return err
		}
		if err := o.one(d, path, support); err != nil {
			return err
		}
	}
	return nil
}

// absolute reads a support; a share is rounded up.
func absolute(s string, n int) (int, error) {
	if share, ok := strings.CutSuffix(s, "%"); ok {
		x, err := strconv.ParseFloat(share, 64)
		return int(x*float64(n)/100 + 0.999999), err
	}
	return strconv.Atoi(s)
}

func (o options) one(d *dataset.Dataset, path string, support int) error {
	run, ok := map[string]func(context.Context, itemset.Input, itemset.Visit) error{
		"maximal": itemset.Maximal,
		"rare": func(ctx context.Context, in itemset.Input, visit itemset.Visit) error {
			_, err := itemset.FindSafe(ctx, in, nil, visit)
			return err
		},
	}[o.target]
	if !ok {
		return fmt.Errorf("there is no target %q", o.target)
	}
	in := itemset.Input{
		Data: anonymize.Rows(dataset.Unmerged(d)), MinSupport: support,
		MaxLen: o.maxLen, Workers: o.workers,
	}
	runtime.GC()
	start, n := time.Now(), 0
	count := func([]int32, int) error { n++; return nil }
	if err := run(context.Background(), in, count); err != nil {
		return err
	}
	seconds := time.Since(start).Seconds()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Printf(
		"%-9s support %6d: %9d itemsets %8.2f s %5d MB", o.target, support, n, seconds, m.Sys>>20,
	)
	if o.python == "" || o.target == "rare" {
		fmt.Println()
		return nil
	}
	out, err := exec.Command(
		o.python, "-c", pyfim, path, o.target, strconv.Itoa(support), strconv.Itoa(o.maxLen),
	).Output()
	if err != nil {
		return fmt.Errorf("pyfim: %w", err)
	}
	var theirs int
	var their float64
	if _, err := fmt.Sscan(string(out), &theirs, &their); err != nil {
		return fmt.Errorf("pyfim said %q: %w", out, err)
	}
	fmt.Printf("   pyfim %9d itemsets %8.2f s   time ratio %.2f\n", theirs, their, seconds/their)
	if everywhere := everywhere(d); theirs == n-everywhere && theirs < n {
		fmt.Printf(
			"          pyfim leaves out the %d items that every transaction has\n", everywhere,
		)
	} else if theirs != n {
		return fmt.Errorf("the counts differ: %d and %d", n, theirs)
	}
	return nil
}

// everywhere counts the items that every transaction has.
func everywhere(d *dataset.Dataset) int {
	n := 0
	for _, support := range d.Supports() {
		if support == d.Len() {
			n++
		}
	}
	return n
}
