// Command figures reproduces the papers' figures: it runs the plans in bench/plans, keeps the
// results in bench/results.csv, draws bench/plots/*.svg and writes bench/README.md from the
// results. Results that are there are not taken again; remove results.csv to begin anew.
//
//	go run ./bench/figures                 all of the papers
//	go run ./bench/figures 2011-fig14      one
//	go run ./bench/figures all-algorithms  the table of all algorithms on all data, which takes
//	                                       about as long again and more
//	go run ./bench/figures -list           their names
//
// Data that is not at hand is skipped, and the README says so.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mingle/experiment"
)

type options struct {
	dir, data   string
	list, retry bool
	draw        bool
	budget      time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.dir, "dir", "bench", "directory of the plans and results")
	flag.StringVar(
		&o.data, "data", dataDir(), "directory of the public data sets (also MINGLE_DATA)",
	)
	flag.BoolVar(&o.list, "list", false, "print the names of the figures and end")
	flag.BoolVar(&o.retry, "retry", false, "run again what failed, took too long, or had no data")
	flag.BoolVar(&o.draw, "draw", false, "run nothing: draw and write from the results there are")
	flag.DurationVar(
		&o.budget, "for", 0, "begin no release after so long; another run goes on (0: no limit)",
	)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.run(ctx, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func dataDir() string {
	if dir := os.Getenv("MINGLE_DATA"); dir != "" {
		return dir
	}
	return filepath.Join("..", "shared", "data")
}

// chapter is one plan of the figures.
type chapter struct {
	name string
	plan *experiment.Plan
}

func (o options) run(ctx context.Context, names []string) (err error) {
	chapters, err := o.chapters()
	if err != nil {
		return err
	}
	if o.list {
		for _, c := range chapters {
			fmt.Printf("%-16s %s\n", c.name, c.plan.Title)
		}
		return nil
	}
	results := filepath.Join(o.dir, "results.csv")
	release, err := experiment.HoldTable(results)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	table, err := experiment.OpenTable(results)
	if err != nil {
		return err
	}
	begin := time.Now()
	for _, c := range chapters {
		if o.draw || !wanted(c.name, names) {
			continue
		}
		until := time.Time{}
		if o.budget > 0 {
			until = begin.Add(o.budget)
		}
		r := &experiment.Runner{
			Until: until, Plan: c.plan, Dir: o.data, Table: table, Retry: o.retry,
			Progress: func(p experiment.Progress) { tell(c.name, begin, p) },
		}
		if err := r.Run(ctx); err != nil {
			return err
		}
	}
	return o.write(chapters, table)
}

// wanted tells whether a chapter is to be run. The table of everything takes longer than all
// figures, and is run when it is named.
func wanted(name string, names []string) bool {
	if len(names) == 0 {
		return name != everything
	}
	return slices.Contains(names, name)
}

// tell prints one line a cell.
func tell(name string, begin time.Time, p experiment.Progress) {
	if p.Running == "" {
		return
	}
	left := ""
	if p.Left > 0 {
		left = fmt.Sprintf(", about %v left of this figure", p.Left.Round(time.Second))
	}
	fmt.Printf(
		"%8v  %s %d/%d %s%s\n", time.Since(begin).Round(time.Second), name, p.Done+1, p.Total,
		p.Running, left,
	)
}

// chapters reads the plans in the order of their names. All begin with the same data.
func (o options) chapters() ([]chapter, error) {
	data, err := os.ReadFile(filepath.Join(o.dir, "data.yaml"))
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(filepath.Join(o.dir, "plans", "*.yaml"))
	if err != nil {
		return nil, err
	}
	var out []chapter
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		// the plan first, so that lines in errors are those of its file
		whole := bytes.NewReader(append(append(text, '\n'), data...))
		p, err := experiment.Read(whole, path, os.LookupEnv)
		if err != nil {
			return nil, err
		}
		out = append(out, chapter{strings.TrimSuffix(filepath.Base(path), ".yaml"), p})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no plans: run this from the root of the repository", o.dir)
	}
	return out, nil
}
