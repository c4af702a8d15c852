package experiment_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"mingle/experiment"
)

func planOf(data, run string) string {
	return "data: [{name: d, " + data + "}]\nruns:\n- {data: d, algorithm: aa, m: 1, " + run + "}\n"
}

func read(text string) (*experiment.Plan, error) {
	return experiment.Read(strings.NewReader(text), "plan.yaml", os.LookupEnv)
}

// Numbers of plans are decimal, however they are written, wherever they stand.
func TestNumbersOfPlansAreDecimal(t *testing.T) {
	for run, want := range map[string][]int{
		"k: 010": {10}, "k: 08": {8}, "k: 5e0": {5}, "k: 5.0": {5}, "k: +5": {5}, "k: 1e3": {1000},
		"k: [010, 0011, 5E0]": {10, 11, 5}, "k: &a 012, l: *a": {12}, "parts: &a [010], k: *a": {10},
		"? k\n: 010": {10}, `"k": 010`: {10},
	} {
		p, err := read(planOf("income: 10", run))
		if err != nil {
			t.Errorf("%s: %v", run, err)
		} else if got := fmt.Sprint(p.Runs[0].K); got != fmt.Sprint(want) {
			t.Errorf("%s: k is %s, want %v", run, got, want)
		}
	}
	p, err := read(`
title: &text 010
data:
- {name: a, shape: &s {transactions: 0100, items: 010, longest: 010, average: 02, exponent: 01e0, seed: 018446744073709551615}}
- {name: b, shape: {<<: *s}}
- {name: c, shop: {transactions: 0300, products: 0100, seed: 011}, query_present: 02}
- {name: d, income: *text}
runs: [{data: a, algorithm: acd, k: 2, m: 1, d: [00.5, 1e-3, 01]}]
plots: [{name: p, x: k, y: ncp, where: {k: 010, d: 0.50, m: 1 2}, check: [{above: -010, from: 010, factor: 01.5}]}]
`)
	if err != nil {
		t.Fatal(err)
	}
	made := experiment.Shape{
		Transactions: 100, Items: 10, Longest: 10, Average: 2, Exponent: 1, Seed: math.MaxUint64,
	}
	check := p.Plots[0].Check[0]
	if *p.Data[0].Shape != made || *p.Data[1].Shape != made ||
		*p.Data[2].Shop != (experiment.Shop{Transactions: 300, Products: 100, Seed: 11}) ||
		p.Data[2].Present != 2 || p.Data[3].Income != 10 || p.Title != "010" ||
		fmt.Sprint(p.Runs[0].Threshold) != "[0.5 0.001 1]" ||
		fmt.Sprint(p.Plots[0].Where) != "map[d:0.5 k:10 m:1 2]" || check.Above != -10 || check.From != 10 || check.Factor != 1.5 {
		t.Errorf("%+v %+v", p, p.Data)
	}
}

// What is no decimal number is refused with its line and column, all at once, and so is what cannot
// be meant: nothing is run then.
func TestFaultsOfNumbers(t *testing.T) {
	const shape = "shape: {transactions: 9, items: 4, longest: 3, average: 2, exponent: 1, "
	for _, c := range []struct{ data, run, want string }{
		{"income: 10", "k: 0x5", "[3:37] k must be a whole number"},
		{"income: 10", "k: [2, 0b101]", "[3:41] k must be a whole number"},
		{"income: 10", "k: 0o17", "k must be a whole number"},
		{"income: 10", "k: 1_0", "k must be a whole number"},
		{"income: 10", "k: 5.7", "k must be a whole number"},
		{"income: 10", "k: 57e-1", "k must be a whole number"},
		{"income: 10", "k: .inf", "k must be a whole number"},
		{"income: 10", `k: "5"`, "k must be a whole number"},
		{"income: 10", "k: !!int 5", "k must be a whole number: leave the tag (!name) out"},
		{"income: 10", "k: [[5]]", "k must be a whole number, and is a list"},
		{"income: 10", "k: null", "k must be a whole number, and nothing is given"},
		{"income: 10", "k: 0", "[3:37] k (0) must be at least 2"},
		{"income: 10", "k: -5", "k (-5) must be at least 2"},
		{"income: 10", "k: 1e17", "k (1e+17) is too large"},
		{"income: 10", "k: 1e10", "aa: k (10000000000) must be at most 2147483647"},
		{"income: 10", "k: 2, l: 1", "aa: l (1) must be at least 2, or 0 for no diversity"},
		{"income: 10", "l: 2", "k is missing for aa"},
		{"income: 10", "k: 2, first: -1", "first (-1) must be at least 0"},
		{"income: 10", "k: 2, fold: 1.5", "fold must be a whole number"},
		{"income: 10", "k: 2, fanout: 1", "fanout (1) must be at least 2"},
		{"income: 10", "k: 2, d: 0x1", "d must be a number"},
		{"income: 10", "k: 2, d: 2", "d (2) must be between 0 and 1"},
		{"income: 1.5", "k: 2", "[1:26] income must be a whole number"},
		{"income: 0", "k: 2", "income (0) must be at least 1"},
		{"file: f, query_absent: 0", "k: 2", "query_absent (0) must be at least 1"},
		{shape + "seed: 0x1}", "k: 2", "seed must be a whole number"},
		{shape + "seed: 1e19}", "k: 2", "seed (1e+19) is too large"},
		{"shop: {transactions: 9, products: 1}", "k: 2", "data d: products (1) must be between"},
		{
			"shape: {transactions: 9, items: 4, longest: 5, average: 2}", "k: 2",
			"data d: longest (5) must be at most",
		},
		{"income: 3}]\nplots: [{name: p, x: k, y: k, where: {k: 0x2}", "k: 2", "k must be a number, or"},
		{"income: &a 0x10", "k: *a", "income must be a whole number"},
		{"income: &a 3, query_present: &a 4", "k: *a", "the anchor &a is there twice"},
		{
			"income: 10", "k: [" + strings.Repeat("x, ", 25) + "2]",
			"[3:95] k must be a whole number\nand 5 more",
		},
	} {
		_, err := read(planOf(c.data, c.run))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: error %v, want one with %q", c.data, c.run, err, c.want)
		}
	}
}
