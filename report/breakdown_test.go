package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/attack"
	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/measure"
	"mingle/release"
)

func TestBreakdownsByHand(t *testing.T) {
	h := tree(t)
	published, err := h.EncodePublished(dataset.FromLabels([][]string{
		{"A", "b1"},
		{"A"},
		{"a1", "b1"},
		{"*"},
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := []Breakdown{
		{ByLevel, "occurrences", []Part{
			{"items as they are", 2, 3, 0},
			{"groups 1 level up", 1, 2, 0.5},
			{"everything in one", 1, 1, 1},
		}},
		{ByCategory, "occurrences", []Part{{"A", 2, 3, 1. / 3}, {"B", 1, 2, 0}, {"*", 1, 1, 1}}},
		{ByLabel, "transactions", []Part{
			{"b1", 1, 2, 0},
			{"A", 1, 2, 0.5},
			{"a1", 1, 1, 0},
			{"*", 1, 1, 1},
		}},
	}
	if diff := cmp.Diff(want, Breakdowns(h, published)); diff != "" {
		t.Error(diff)
	}
	sensitive := dataset.FromLabels([][]string{{"S"}, {}, {"S"}, {}})
	want = []Breakdown{{ByRarity, "occurrences", []Part{
		{"labels in fewer than 2 transactions", 2, 2, 0.5}, // a1 and *
		{"labels in 2 to 3 transactions", 3, 6, 1. / 6},    // b1, A and S
	}}}
	if diff := cmp.Diff(want, BreakdownByRarity(h, published, sensitive, 2)); diff != "" {
		t.Error(diff)
	}
}

// The original's occurrences, by the same means: those that were left out have lost everything.
func TestBreakdownOfLossByHand(t *testing.T) {
	h := tree(t)
	original, err := h.Encode(dataset.FromLabels([][]string{{"a1", "b1"}, {"a1", "a2"}, {"b1"}}))
	if err != nil {
		t.Fatal(err)
	}
	published, err := h.EncodePublished(dataset.FromLabels([][]string{{"A", "b1"}, {"A"}, {}}))
	if err != nil {
		t.Fatal(err)
	}
	loss, err := measure.NCPOf(t.Context(), h, original, published, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := []Breakdown{{ByLevel, ofOriginal, []Part{
		{"items as they are", 1, 1, 0},
		{"groups 1 level up", 1, 3, 0.5},
		{"left out", 0, 1, 1},
	}}}
	if diff := cmp.Diff(want, BreakdownOfLoss(h, loss)); diff != "" {
		t.Error(diff)
	}
}

// A private or a sensitive item may be in fewer than k transactions: the rarest labels are these.
func TestTheRarestLabelsAreInFewerThanK(t *testing.T) {
	lines := slices.Repeat([][]string{{"a", "b"}}, 4)
	lines = append(lines, []string{"a", "S"}, []string{"b", "T"}, []string{"a"})
	all := dataset.FromLabels(lines)
	plain, sensitive, err := dataset.Split(all, []string{"S", "T"})
	if err != nil {
		t.Fatal(err)
	}
	want := []Breakdown{{ByRarity, "occurrences", []Part{
		{"labels in fewer than 3 transactions", 2, 2, 0},
		{"labels in 3 to 5 transactions", 1, 5, 0},
		{"labels in 6 to 14 transactions", 1, 6, 0},
	}}}
	for _, got := range [][]Breakdown{
		BreakdownByRarity(nil, all, nil, 3), BreakdownByRarity(nil, plain, sensitive, 3),
	} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		text := aboutSubgroups(&Outcome{Report: &Report{Breakdowns: got}})
		if len(text) != 1 || !strings.Contains(text[0], "2 labels, in fewer than 3 transactions.") {
			t.Error(text)
		}
	}
	if got := BreakdownByRarity(nil, plain, nil, 5); got[0].Rows[0].Name !=
		"labels in 5 to 9 transactions" {
		t.Error("no label is in fewer than 5:", got)
	}
}

func TestBreakdownOfRangesByHand(t *testing.T) {
	layout := &bag.Layout{Format: dataset.Basket, Ranges: true}
	b, err := bag.Read(t.Context(), strings.NewReader("0,[40-90]\n[0-1],1000\n[0-1]\n"), layout)
	if err != nil {
		t.Fatal(err)
	}
	want := []Breakdown{{
		ByWidth, "occurrences",
		[]Part{
			{"values as they are", 2, 2, 0},
			{"0 to 0.1 % wide", 1, 2, 0.001},
			{"2 to 5 % wide", 1, 1, 0.05},
		},
	}}
	if diff := cmp.Diff(want, BreakdownOfRanges(b)); diff != "" {
		t.Error(diff)
	}
}

func TestBreakdownOfNonreciprocalByHand(t *testing.T) {
	base := dataset.FromLabels([][]string{{"a", "b", "c"}, {"a"}, {"b"}})
	sets := dataset.NewBuilder(base.Dict())
	for _, tx := range [][]int32{{}, {0, 1}, {0, 1, 2}} {
		sets.Add(tx)
	}
	r := &release.Nonreciprocal{Base: base, Uncertain: sets.Build(), Threshold: []int32{0, 2, 3}}
	want := []Breakdown{{
		ByUncertainty, "records",
		[]Part{
			{"no uncertain item", 0, 1, 0},
			{"1 to 2 uncertain items", 0, 1, 0},
			{"3 to 5 uncertain items", 0, 1, 0},
		},
	}}
	if diff := cmp.Diff(want, BreakdownOfNonreciprocal(r)); diff != "" {
		t.Error(diff)
	}
}

// What does not fit is summed up in one row, so that a breakdown always adds up to the whole.
func TestBreakdownAddsUp(t *testing.T) {
	var transactions [][]string
	occurrences := 0
	for i := range 40 {
		var tx []string
		for j := range i + 1 {
			tx = append(tx, fmt.Sprint("item", j))
		}
		occurrences += len(tx)
		transactions = append(transactions, tx)
	}
	rows := BreakdownOfItems(dataset.FromLabels(transactions))[0].Rows
	sum, labels := 0, 0
	for _, r := range rows {
		sum, labels = sum+r.Count, labels+r.Labels
	}
	if sum != occurrences || labels != 40 || len(rows) != mostParts+1 ||
		rows[mostParts].Name != "28 others" {
		t.Errorf("%d of %d occurrences, %d of 40 labels: %+v", sum, occurrences, labels, rows)
	}
}

// Shares are kept as they are, however small, and nothing else of the attack is: no least count, no
// distribution.
// What is added up in another order has other last digits: the report has none of them. A share of
// one in a million is no zero.
func TestAttackKeepsShares(t *testing.T) {
	third := attack.Estimate{Value: 0.1 + 0.2, Low: 0.3333333, High: 0.33335}
	few := attack.Estimate{Value: 1e-6, Low: 1e-6, High: 1e-6}
	a := NewAttack(&attack.Result{
		K: 5, Records: 3, Missing: 17, SinglingOut: []attack.Singling{{
			Known: 1, Exact: true,
			Baseline: 1. / 3, Before: attack.Candidates{
				UnderK: third, Unique: few,
				Success: third,
			},
		}},
	}, 1, false)
	third.Value = 0.3
	want := []Attempt{
		{SinglingOut, FigureUnderK, 1, ofItems, true, true, 1, &third, attack.Estimate{}},
		{SinglingOut, figureUnique, 1, ofItems, true, true, 0, &few, attack.Estimate{}},
		{
			SinglingOut, figureSuccess, 1, ofItems, true, true, 0.333333333333, &third,
			attack.Estimate{},
		},
	}
	if diff := cmp.Diff(want, a.Attempts); diff != "" {
		t.Error(diff)
	}
	if len(a.Notes) != 1 || strings.Contains(a.Notes[0], "17") {
		t.Errorf("the note %q tells how many occurrences are missing", a.Notes)
	}
}

func TestLossText(t *testing.T) {
	for loss, want := range map[float64]string{
		0: "0.000000", 1e-9: "under 0.000001", 5e-7: "under 0.000001", 6e-7: "0.000001", 0.25: "0.250000",
		0.9999999: "over 0.999999", 1: "1.000000", 2.5: "2.500000",
	} {
		if got := LossText(loss); got != want {
			t.Errorf("%v: %q, want %q", loss, got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0 %", 0.00001: "under 0.01 %",
		0.0042: "0.42 %", 0.5: "50 %", 0.123: "12.3 %", 0.9992: "99.92 %",
		0.99994: "99.99 %", 0.99997: "over 99.99 %", 1: "100 %",
	} {
		if got := Percent(share); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}
