package nonreciprocal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mingle/anonymize/conformance"
	"mingle/anonymize/nonreciprocal"
	"mingle/anonymize/order"
	"mingle/dataset"
	"mingle/privacy"
	"mingle/release"
	"mingle/verify"
)

func randomSets(rng *rand.Rand, n, items int, density float64) *dataset.Dataset {
	var labels []string
	for i := range items {
		labels = append(labels, "item "+strconv.Itoa(i))
	}
	b := dataset.NewBuilder(dataset.MustDictionary(labels))
	for range n {
		var tx []int32
		for it := range int32(items) {
			if rng.Float64() < density {
				tx = append(tx, it)
			}
		}
		b.Add(tx)
	}
	return b.Build()
}

// variants are all ways to make a release.
var variants = []nonreciprocal.Input{
	{Algorithm: nonreciprocal.NR, Graph: nonreciprocal.NearestGraph},
	{Algorithm: nonreciprocal.NR, Graph: nonreciprocal.RingGraph},
	{
		Algorithm: nonreciprocal.NR, Graph: nonreciprocal.RingGraph, GrayOnly: true,
		Segments: order.Bounds{Min: 5, Max: 9},
	},
	{Algorithm: nonreciprocal.CAHD},
}

func name(in nonreciprocal.Input) string {
	return strings.Trim(in.Algorithm+" "+in.Graph, " ")
}

// published is the release as a reader of the file has it.
func published(
	t testing.TB, r *release.Nonreciprocal, dict *dataset.Dictionary,
) (*release.Nonreciprocal, []byte) {
	t.Helper()
	var file bytes.Buffer
	if err := r.WriteJSON(&file); err != nil {
		t.Fatal(err)
	}
	p, err := release.ReadNonreciprocal(bytes.NewReader(file.Bytes()), dict)
	if err != nil {
		t.Fatal(err)
	}
	return p, file.Bytes()
}

// checkMatches: the true match of every record is among its matches, and the labels are those of
// the true matches.
func checkMatches(t *testing.T, in nonreciprocal.Input, res *nonreciprocal.Result) {
	t.Helper()
	taken := make([]bool, in.Data.Len())
	for u, row := range res.Audit.Match {
		if taken[row] {
			t.Fatalf("row %d is the true match of two records", row)
		}
		taken[row] = true
		if !res.Release.Matches(int(row), in.Data.Tx(u)) {
			t.Fatalf("record %d does not match its true match", u)
		}
		if in.Labels != nil && res.Release.Labels[row] != in.Labels[u] {
			t.Fatalf(
				"record %d: label %q, its true match is published with %q", u, in.Labels[u],
				res.Release.Labels[row],
			)
		}
	}
}

func TestWithoutSeedEveryReleaseIsDifferent(t *testing.T) {
	in := nonreciprocal.Input{
		Data:    randomSets(rand.New(rand.NewPCG(1, 1)), 50, 10, 0.4),
		Promise: privacy.Nonreciprocal{K: 3},
	}
	a, err := nonreciprocal.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	b, err := nonreciprocal.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	// equal by chance: 1/50! at most
	if a.Audit.Seed == b.Audit.Seed || slices.Equal(a.Audit.Match, b.Audit.Match) {
		t.Error("two releases have the same seed or the same assignment")
	}
	if a.Audit.Fixed || len(a.Release.Warnings) > 0 {
		t.Error("a drawn seed is called fixed")
	}
	in.Seed = &a.Audit.Seed
	c, err := nonreciprocal.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(
		a.Audit.Match, c.Audit.Match,
	) || !c.Audit.Fixed || len(c.Release.Warnings) != 1 {
		t.Error(
			"the seed of the audit does not make the release again, " +
				"or no warning says that it was fixed",
		)
	}
}

func TestInfeasibleNamesLabelAndExcess(t *testing.T) {
	var labels []string
	for u := range 40 {
		labels = append(labels, []string{"flu", "flu", "flu", "hiv", strconv.Itoa(u)}[u%5])
	}
	in := nonreciprocal.Input{
		Data: randomSets(rand.New(rand.NewPCG(1, 1)), 40, 6, 0.4), Labels: labels,
		Promise: privacy.Nonreciprocal{L: 4},
	}
	_, err := nonreciprocal.Anonymize(t.Context(), in)
	var cannot *privacy.Infeasible
	if !errors.As(err, &cannot) || !strings.Contains(
		err.Error(), `label "flu" is on 24 of 40 records, 14 more than the 10`,
	) {
		t.Errorf("error %v, want one that names flu and 14 records", err)
	}
	in.Promise = privacy.Nonreciprocal{K: 41}
	if _, err := nonreciprocal.Anonymize(t.Context(), in); !errors.As(err, &cannot) {
		t.Errorf("k above n: error %v", err)
	}
}

// By l a label that is empty, or another but for blanks, would be counted and hide nobody. By k
// labels are not counted.
func TestLabelsThatHideNobodyAreRefused(t *testing.T) {
	for _, c := range []struct {
		labels []string
		says   string // by l = 2
	}{
		{[]string{"HIV", "", "flu", "mumps"}, "line 2: the label is empty"},
		{[]string{"HIV", "flu", " \t\u00a0", "mumps"}, "line 3: the label is empty"},
		{[]string{"HIV", "flu", "mumps", "HIV "}, `line 4: the label "HIV " differs from "HIV"`},
		{[]string{"HIV", "flu", "mumps", "hiv"}, ""},
	} {
		in := nonreciprocal.Input{
			Data: setsOf("a", "a", "a", "a"), Labels: c.labels,
			Promise: privacy.Nonreciprocal{L: 2},
		}
		_, err := nonreciprocal.Anonymize(t.Context(), in)
		if c.says == "" && err != nil ||
			c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%q: error %v, want %q", c.labels, err, c.says)
		}
		in.Promise = privacy.Nonreciprocal{K: 2}
		if _, err := nonreciprocal.Anonymize(t.Context(), in); err != nil {
			t.Errorf("%q by k: %v", c.labels, err)
		}
	}
}

func TestInputFaultsAreToldAtOnce(t *testing.T) {
	in := nonreciprocal.Input{
		Data:    randomSets(rand.New(rand.NewPCG(1, 1)), 4, 6, 0.4),
		Promise: privacy.Nonreciprocal{L: 1}, Algorithm: "magic", Graph: "star",
	}
	_, err := nonreciprocal.Anonymize(t.Context(), in)
	faults := []string{
		"l (1) must be at least 2", `algorithm "magic"`, `graph "star"`, "needs a label",
	}
	for _, want := range faults {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
}

// suite says what is expected of a variant, with labels or without: the same with the same seed for
// any number of workers, verified, and ended with its context.
func suite(
	variant nonreciprocal.Input, diverse bool,
) conformance.Family[nonreciprocal.Input, *nonreciprocal.Result] {
	instance := func(rng *rand.Rand, n, items, need int) nonreciprocal.Input {
		in := variant
		in.Data, in.Seed = randomSets(rng, n, items, 0.3), &[32]byte{byte(n)}
		in.Promise = privacy.Nonreciprocal{K: need}
		if diverse {
			in.Promise = privacy.Nonreciprocal{L: need}
			for u := range n {
				in.Labels = append(in.Labels, "label "+strconv.Itoa(u%(need+rng.IntN(3))))
			}
		}
		return in
	}
	return conformance.Family[nonreciprocal.Input, *nonreciprocal.Result]{
		Anonymize: func(
			ctx context.Context, in nonreciprocal.Input, workers int,
		) (*nonreciprocal.Result, error) {
			in.Workers = workers
			return nonreciprocal.Anonymize(ctx, in)
		},
		Small: func(rng *rand.Rand) nonreciprocal.Input {
			n := 2 + rng.IntN(60)
			return instance(rng, n, 1+rng.IntN(12), 2+rng.IntN(min(n-1, 6)))
		},
		Instances: 200,
		Large: func(seed uint64) nonreciprocal.Input {
			return instance(rand.New(rand.NewPCG(51, seed)), 400, 20, 4)
		},
		Verify: func(t *testing.T, in nonreciprocal.Input, res *nonreciprocal.Result) {
			t.Helper()
			p, _ := published(t, res.Release, in.Data.Dict())
			f, err := verify.Nonreciprocal(t.Context(), verify.NonreciprocalInput{
				Original: in.Data, Labels: in.Labels, Published: p, Promise: in.Promise,
			})
			if err != nil || !f.Holds {
				t.Fatalf("%s, %v: %v %+v", name(in), in.Promise, err, f)
			}
			checkMatches(t, in, res)
		},
		Published: func(res *nonreciprocal.Result) []string {
			var file bytes.Buffer
			if err := res.Release.WriteJSON(&file); err != nil {
				return []string{err.Error()}
			}
			return strings.Split(file.String(), "\n")
		},
	}
}

func TestConformance(t *testing.T) {
	for i, variant := range variants {
		for _, diverse := range []bool{false, true} {
			// under the race detector: no other goroutines
			if testing.Short() && (i == 2 || !diverse) {
				continue
			}
			t.Run(fmt.Sprintf("%d %s, diverse %t", i, name(variant), diverse), func(t *testing.T) {
				suite(variant, diverse).Run(t)
			})
		}
	}
}

// The equal-probability property: over many seeds every record's true match is each of its slots
// with frequency 1/k.
//
// The chi-square statistic of one record has k-1 degrees of freedom. The records' statistics are
// not independent, so each is tested by itself at the level 0.001/n (Bonferroni): with a right
// program the test fails for an unlucky set of seeds with a probability below 0.001, and as the
// seeds are fixed it either always or never does.
func TestEveryMatchIsEquallyLikely(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine: nothing for the race detector")
	}
	const n, k, seeds = 12, 4, 4000
	rng := rand.New(rand.NewPCG(45, 46))
	data := randomSets(rng, n, 8, 0.5)
	var labels []string
	for u := range n {
		labels = append(labels, strconv.Itoa(u%6))
	}
	limit := chiSquareLimit(k-1, 0.001/n)
	for _, in := range variants {
		for _, promise := range []privacy.Nonreciprocal{{K: k}, {L: k}} {
			if promise.Diverse() && in.Algorithm == nonreciprocal.NR {
				// the matches are drawn anew each time; see TestSlotsOfABlockAreEquallyLikely
				continue
			}
			in.Data, in.Promise, in.Workers = data, promise, 1
			in.Labels = labels
			counts := make([]map[int32]int, n)
			for u := range counts {
				counts[u] = map[int32]int{}
			}
			for s := range seeds {
				in.Seed = &[32]byte{byte(s), byte(s >> 8)}
				res, err := nonreciprocal.Anonymize(t.Context(), in)
				if err != nil {
					t.Fatal(err)
				}
				slotOf := make([]int32, n)
				for slot, row := range res.Audit.Row {
					slotOf[row] = int32(slot)
				}
				for u, row := range res.Audit.Match {
					counts[u][slotOf[row]]++
				}
			}
			for u, c := range counts {
				if len(c) < k {
					t.Fatalf(
						"%s, %v: record %d was matched with %d slots in all, want at least %d",
						name(in), promise, u, len(c), k,
					)
				}
				expected, chi := float64(seeds)/float64(len(c)), 0.0
				for _, got := range c {
					chi += (float64(got) - expected) * (float64(got) - expected) / expected
				}
				if l := chiSquareLimit(len(c)-1, 0.001/n); chi > max(l, limit) {
					t.Errorf(
						"%s, %v: record %d, slots %v: chi-square %.1f above %.1f", name(in),
						promise, u, c, chi, l,
					)
				}
			}
		}
	}
}

// chiSquareLimit is the upper quantile by Wilson and Hilferty's approximation.
func chiSquareLimit(freedom int, level float64) float64 {
	z := math.Sqrt2 * math.Erfinv(1-2*level)
	f := float64(freedom)
	return f * math.Pow(1-2/(9*f)+z*math.Sqrt(2/(9*f)), 3)
}

// The rows are shuffled: which row a record's slot is published at is uniform too, and says
// nothing of the input order. Tested like the matches, over 8 records and 8 rows, at the level
// 0.001/8 each.
func TestPublishedOrderIsShuffled(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine: nothing for the race detector")
	}
	const n, seeds = 8, 4000
	in := nonreciprocal.Input{
		Data:    randomSets(rand.New(rand.NewPCG(47, 48)), n, 8, 0.5),
		Promise: privacy.Nonreciprocal{K: 2}, Workers: 1,
	}
	counts := [n][n]int{}
	for s := range seeds {
		in.Seed = &[32]byte{byte(s), byte(s >> 8), 1}
		res, err := nonreciprocal.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		for u, row := range res.Audit.Row {
			counts[u][row]++
		}
	}
	for u := range n {
		chi := 0.0
		for _, got := range counts[u] {
			chi += (float64(got) - seeds/n) * (float64(got) - seeds/n) / (seeds / n)
		}
		if limit := chiSquareLimit(n-1, 0.001/n); chi > limit {
			t.Errorf("record %d: chi-square %.1f above %.1f", u, chi, limit)
		}
	}
}

// An adversary who knows the records, the labels' names and the algorithm, and sees the published
// file and everything that may be published with it, is no better off than 1/k: the slots can be
// told apart and rebuilt, but of the slots that a record matches the true one is not marked.
// Guessing rules that such an adversary might try (the record's own slot, the nearest base, the
// lowest threshold, the first in the file) succeed with a frequency of at most 1/k, within five
// standard deviations (a false alarm has a probability below 10^-6 a rule).
func TestGuessingRulesDoNotFindTheTrueMatch(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine: nothing for the race detector")
	}
	const n, k, seeds = 40, 4, 500
	data := randomSets(rand.New(rand.NewPCG(49, 50)), n, 12, 0.4)
	hits := map[string]int{}
	for s := range seeds {
		in := nonreciprocal.Input{
			Data: data, Promise: privacy.Nonreciprocal{K: k},
			Seed: &[32]byte{byte(s), byte(s >> 8), 2}, Workers: 1,
		}
		res, err := nonreciprocal.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		for u := range n {
			for rule, row := range guesses(data, res, u) {
				if row == res.Audit.Match[u] {
					hits[rule]++
				}
			}
		}
	}
	// A release is one draw: the n guesses of one are not independent, the seeds are. So the
	// deviation is that of a mean of seeds values between 0 and 1 with mean 1/k.
	most := n * (seeds/k + 5*math.Sqrt(seeds*(1.0/k)*(1-1.0/k)))
	for rule, got := range hits {
		if float64(got) > most {
			t.Errorf(
				"rule %q finds the true match in %.3f of all cases, 1/k is %.3f", rule,
				float64(got)/(n*seeds), 1.0/k,
			)
		}
	}
}

func guesses(data *dataset.Dataset, res *nonreciprocal.Result, u int) map[string]int32 {
	out := map[string]int32{"own slot": res.Audit.Row[u]}
	nearest, lowest := math.MaxInt, int32(math.MaxInt32)
	for row := range res.Release.Len() {
		if !res.Release.Matches(row, data.Tx(u)) {
			continue
		}
		if _, found := out["first in the file"]; !found {
			out["first in the file"] = int32(row)
		}
		if d := distance(data.Tx(u), res.Release.Base.Tx(row)); d < nearest {
			nearest = d
			out["nearest base"] = int32(row)
		}
		if t := res.Release.Threshold[row]; t < lowest {
			lowest = t
			out["lowest threshold"] = int32(row)
		}
	}
	return out
}

func distance(a, b []int32) int {
	n := len(a) + len(b)
	for _, x := range a {
		if slices.Contains(b, x) {
			n -= 2
		}
	}
	return n
}
