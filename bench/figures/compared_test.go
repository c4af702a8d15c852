package main

import (
	"math"
	"strings"
	"testing"

	"mingle/experiment"
)

// The table has a line for every setting and a column for every algorithm; the least loss is bold,
// and what is not there says why.
func TestLossMatrix(t *testing.T) {
	row := func(algorithm string, k int, ncp float64, status string) experiment.Row {
		return experiment.Row{
			Cell:    experiment.Cell{Data: "d", Algorithm: algorithm, K: k, M: 2},
			Outcome: experiment.Outcome{Status: status, NCP: ncp, ML2: math.NaN(), Transactions: 9},
		}
	}
	rows := []experiment.Row{
		row("aa", 20, 0.5, experiment.StatusDone), row("aa", 5, 0.25, experiment.StatusDone), row(
			"local", 5, 0.125, experiment.StatusDone,
		),
		row("exact", 5, math.NaN(), experiment.StatusTimeout), row(
			"exact", 20, math.NaN(), experiment.StatusInfeasible,
		),
	}
	text := lossMatrix("title", rows, 3)
	for _, want := range []string{
		"| data | k | m | aa | local | exact |", "| d | 5 | 2 | 0.2500 | **0.1250** | too long |\n| d | 20 | 2 | **0.5000** |  | infeasible |", "3 combinations have not been run yet",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	all := allCells("title", rows, 0)
	for _, want := range []string{
		"## d\n\n9 transactions", "| 5 | 2 | local | 0.1250 |  | 0.000 |",
		"| 5 | 2 | exact | too long |",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in\n%s", want, all)
		}
	}
}
