// Command continuous reproduces the experiments of gkountouna-2014: loss and time of acd against aa
// over a hierarchy of ranges of width 100 and fan-out 2, by k, m, d and the number of records
// (figures 4 to 7), with acd's further passes and local recoding beside them. Every release is
// verified. It prints tables in Markdown.
//
//	go run ./bench/continuous                        generated incomes
//	go run ./bench/continuous -data payments.dat.gz  bags of numbers from a file
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"mingle/anonymize/continuous"
	"mingle/dataset/bag"
	"mingle/generate"
	"mingle/hierarchy"
	"mingle/measure"
	"mingle/privacy"
	"mingle/verify"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "continuous:", err)
		os.Exit(1)
	}
}

// experiment is the data and the setting from which one parameter at a time is varied.
type experiment struct {
	data    *bag.Bags
	k, m    int
	d       float64
	methods []method
	out     io.Writer
}

// method is a column of the tables.
type method struct {
	name  string
	alg   string
	paper bool
}

var allMethods = []method{
	{"aa", continuous.AA, false},
	{"acd, paper only", continuous.ACD, true},
	{"acd", continuous.ACD, false},
	{"local", continuous.Local, false},
}

func run(ctx context.Context, args []string, out io.Writer) error {
	f := flag.NewFlagSet("continuous", flag.ContinueOnError)
	path := f.String("data", "", "bags of numbers; default: generated incomes")
	records := f.Int(
		"records", 1_000_000, "generated records; the tables by k, m and d take a tenth of them",
	)
	seed := f.Uint64("seed", 1, "of the generator")
	methods := f.String("methods", "aa,acd paper,acd,local", "columns")
	largest := f.Int("largest-local", 100_000, "leave local out beyond so many records")
	if err := f.Parse(args); err != nil {
		return err
	}
	e := &experiment{k: 10, m: 2, d: 0.001, out: out}
	for _, m := range allMethods {
		for _, name := range strings.Split(*methods, ",") {
			if m.name == name || name == "acd paper" && m.paper {
				e.methods = append(e.methods, m)
			}
		}
	}
	full, err := load(*path, *records, *seed)
	if err != nil {
		return err
	}
	fmt.Fprintf(
		out, "Data: %s, %.4f values a record. Default: k=10, m=2, d=0.001.\n", full,
		float64(full.Occurrences())/float64(full.Len()),
	)
	e.data = full
	if *path == "" {
		e.data = full.Head(max(1000, *records/10))
	}
	if err := e.figures(ctx); err != nil {
		return err
	}
	return e.bySize(ctx, full, *largest)
}

func load(path string, records int, seed uint64) (*bag.Bags, error) {
	if path == "" {
		return generate.Income{Records: records, Seed: seed}.Bags(), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bag.Read(f, &bag.Layout{Name: path})
}

// figures are the tables by k, m and d: figures 4 and 5 (loss), 6 and 7 (time).
func (e *experiment) figures(ctx context.Context) error {
	fmt.Fprintf(e.out, "\nBy k, m and d: %d records.\n", e.data.Len())
	e.header("Figures 4 and 6 (left)", "k")
	for _, k := range []int{5, 10, 20, 50, 100} {
		if err := e.row(
			ctx, fmt.Sprint(k), e.data, privacy.Continuous{K: k, M: e.m}, e.d, e.methods,
		); err != nil {
			return err
		}
	}
	e.header("Figures 4 and 6 (right)", "m")
	for m := 1; m <= 4; m++ {
		if err := e.row(
			ctx, fmt.Sprint(m), e.data, privacy.Continuous{K: e.k, M: m}, e.d, e.methods,
		); err != nil {
			return err
		}
	}
	e.header("Figures 5 and 7 (left)", "d")
	for _, d := range []float64{1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1} {
		if err := e.row(
			ctx, fmt.Sprint(d), e.data, privacy.Continuous{K: e.k, M: e.m}, d, e.methods,
		); err != nil {
			return err
		}
	}
	return nil
}

// bySize is figures 5 and 7 (right): each sample is the first part of the next larger one.
func (e *experiment) bySize(ctx context.Context, full *bag.Bags, largest int) error {
	e.header("Figures 5 and 7 (right)", "records")
	for _, n := range []int{1000, 5000, 10_000, 25_000, 50_000, 100_000, 500_000, 1_000_000} {
		if n > full.Len() {
			break
		}
		methods := e.methods
		if last := len(methods) - 1; n > largest && last >= 0 && methods[last].name == "local" {
			methods = methods[:last]
		}
		if err := e.row(
			ctx, fmt.Sprint(n), full.Head(n), privacy.Continuous{K: e.k, M: e.m}, e.d, methods,
		); err != nil {
			return err
		}
	}
	return nil
}

func (e *experiment) header(title, parameter string) {
	fmt.Fprintf(e.out, "\n%s: NCP / seconds\n\n| %s |", title, parameter)
	for _, m := range e.methods {
		fmt.Fprintf(e.out, " %s |", m.name)
	}
	fmt.Fprintf(e.out, " acd/aa |\n|%s\n", strings.Repeat("---|", len(e.methods)+2))
}

func (e *experiment) row(
	ctx context.Context, label string, data *bag.Bags, p privacy.Continuous, d float64,
	methods []method,
) error {
	fmt.Fprintf(e.out, "| %s |", label)
	loss := map[string]float64{}
	for _, m := range methods {
		ncp, took, err := measured(ctx, m, data, p, d)
		if err != nil {
			return err
		}
		loss[m.name] = ncp
		if took < 0 {
			fmt.Fprint(e.out, " infeasible |")
			continue
		}
		fmt.Fprintf(e.out, " %.6f / %.2f |", ncp, took.Seconds())
	}
	fmt.Fprint(e.out, strings.Repeat(" |", len(e.methods)-len(methods)))
	if loss["aa"] > 0 {
		fmt.Fprintf(e.out, " %.2f", loss["acd"]/loss["aa"])
	}
	fmt.Fprintln(e.out, " |")
	return nil
}

// measured makes, verifies and measures a release; a negative time says that there is none.
func measured(
	ctx context.Context, m method, data *bag.Bags, p privacy.Continuous, d float64,
) (ncp float64, took time.Duration, err error) {
	in := continuous.Input{Data: data, Promise: p, Threshold: d, PaperOnly: m.paper}
	if in.Tree, err = hierarchy.Ranges(
		data.Terms(), hierarchy.RangeOptions{Width: "100", Fanout: 2},
	); err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	in.Algorithm = m.alg
	r, err := continuous.Anonymize(ctx, in)
	took = time.Since(begin)
	if infeasible, ok := err.(*privacy.Infeasible); ok && infeasible != nil {
		return 0, -1, nil
	}
	if err != nil {
		return 0, 0, err
	}
	f, err := verify.Continuous(
		ctx, verify.ContinuousInput{Published: r.Published(), Original: data, Promise: p},
	)
	if err != nil {
		return 0, 0, err
	}
	if !f.Holds {
		return 0, 0, fmt.Errorf("%s: %s is broken: %s", m.name, p, f.Breaches[0].Message)
	}
	return measure.Bags(r).NCP, took, nil
}
