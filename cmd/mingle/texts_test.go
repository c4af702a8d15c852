package main

import (
	"strings"
	"testing"

	"mingle/dataset/profile"
	"mingle/measure"
	"mingle/pipeline"
)

// A figure that is not 0 is not written as 0, and what is not all not as all.
func TestNoFigureIsRoundedToNothing(t *testing.T) {
	text := profileText("x.dat", "fimi", &profile.Profile{Transactions: 200002, Unique: []int{2}}) +
		lossesText(&pipeline.Losses{
			NCP: &measure.Loss{
				NCP: 1e-9, Occurrences: 200002,
				Levels: []measure.Level{{Occurrences: 200000}, {Height: 1, Occurrences: 2}},
			},
			Queries: &measure.QueryLoss{Error: 1e-9},
		}, true)
	for _, want := range []string{
		"2  under 0.01 %", "NCP                 under 0.000001", "over 99.99 % of the occurrences",
		"under 0.01 % of the occurrences", "query error         under 0.000001",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}
