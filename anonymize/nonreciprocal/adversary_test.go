package nonreciprocal_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize/nonreciprocal"
	"mingle/dataset"
	"mingle/internal/soak"
	"mingle/privacy"
)

// setsOf makes records of one-letter items.
func setsOf(records ...string) *dataset.Dataset {
	b := dataset.NewBuilder(dataset.MustDictionary(strings.Split("abcdef", "")))
	for _, r := range records {
		var tx []int32
		for _, item := range r {
			tx = append(tx, item-'a')
		}
		b.Add(tx)
	}
	return b.Build()
}

// posterior is what somebody finds who makes a release of every way to give labels to the records,
// again and again, and compares it with the one that was published.
type posterior struct {
	seen  int
	given []map[string]int // of each record: how often it had each label
}

// posteriors makes so many releases, each of labels given at random, and sorts them by everything
// that is published.
func posteriors(t *testing.T, in nonreciprocal.Input, releases int) map[string]*posterior {
	t.Helper()
	out := map[string]*posterior{}
	rng := rand.New(rand.NewPCG(81, 82))
	labels := slices.Clone(in.Labels)
	for s := range releases {
		rng.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
		in.Labels, in.Seed, in.Workers = labels, &[32]byte{
			byte(s), byte(s >> 8), byte(s >> 16), 5,
		}, 1
		res, err := nonreciprocal.Anonymize(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		var rows []string
		for r := range res.Release.Len() {
			rows = append(
				rows,
				fmt.Sprint(
					res.Release.Base.Tx(r), res.Release.Uncertain.Tx(r), res.Release.Threshold[r],
					res.Release.Labels[r],
				),
			)
		}
		slices.Sort(rows) // their order is random
		key := strings.Join(rows, ";")
		p := out[key]
		if p == nil {
			p = &posterior{given: make([]map[string]int, len(labels))}
			for u := range p.given {
				p.given[u] = map[string]int{}
			}
			out[key] = p
		}
		p.seen++
		for u, x := range labels {
			p.given[u][x]++
		}
	}
	return out
}

// certain is how often a release made the label of some record certain.
func certain(found map[string]*posterior) (releases int) {
	for _, p := range found {
		for _, given := range p.given {
			if len(given) == 1 && p.seen >= 20 {
				releases += p.seen
				break
			}
		}
	}
	return releases
}

// Somebody who knows all records and the algorithm finds no label likelier than 1/l, whatever is
// published: he tries all ways to give the labels. Issue 16: of five records labelled xxyyz, l =
// 2, somebody's label was certain in 40 % of releases.
//
// For every release, record and label the number of times that the record had the label is
// binomial with a probability of at most 1/l. By Hoeffding's inequality it is above n(1/l+d) with
// a probability of at most exp(-2nd²); d is such that all comparisons of a case together raise a
// false alarm with a probability below 0.001.
func TestSoakReleasesDoNotTellLabels(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine: nothing for the race detector")
	}
	for _, c := range []struct {
		records []string
		labels  string
		l       int
	}{
		{[]string{"a", "ab", "abc", "d", "de"}, "xxyyz", 2},
		{[]string{"a", "ab", "abc", "d", "de"}, "xyzvw", 2},
		{[]string{"a", "ab", "abc", "d", "de", "def"}, "xxyyzz", 2},
		{[]string{"a", "ab", "abc", "d", "de", "def"}, "xxyyzw", 3},
		{[]string{"a", "b", "c", "d", "ab", "cd", "abc", "def"}, "xxyyzzvw", 2},
	} {
		for _, graph := range []string{nonreciprocal.NearestGraph, nonreciprocal.RingGraph} {
			in := nonreciprocal.Input{
				Data: setsOf(c.records...), Labels: strings.Split(c.labels, ""),
				Promise: privacy.Nonreciprocal{L: c.l}, Graph: graph,
			}
			releases := soak.Share(4_000, 40_000)
			found := posteriors(t, in, releases)
			comparisons := float64(len(found) * len(c.records) * len(c.labels))
			for key, p := range found {
				n := float64(p.seen)
				most := n * (1/float64(c.l) + math.Sqrt(math.Log(comparisons/0.001)/(2*n)))
				for u, given := range p.given {
					for x, times := range given {
						if float64(times) > most {
							t.Errorf("%s, labels %s, l %d: record %s has label %s in %d of %d worlds "+
								"with the release %s",
								graph, c.labels, c.l, c.records[u], x, times, p.seen, key)
						}
					}
				}
			}
			if share := float64(certain(found)) / float64(releases); share > 0 {
				t.Errorf(
					"%s, labels %s, l %d: in %.0f %% of releases a label is certain", graph,
					c.labels, c.l, 100*share,
				)
			}
		}
	}
}

// The groups of cahd do not keep this promise, and its releases say so: in these, somebody's label
// is certain.
func TestGroupsOfCahdTellLabels(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs in one goroutine: nothing for the race detector")
	}
	in := nonreciprocal.Input{
		Data: setsOf("a", "ab", "abc", "d", "de"), Labels: strings.Split("xxyyz", ""),
		Promise: privacy.Nonreciprocal{L: 2}, Algorithm: nonreciprocal.CAHD,
	}
	share := float64(certain(posteriors(t, in, 4_000))) / 4_000
	t.Logf("in %.0f %% of releases a label is certain", 100*share)
	if share == 0 {
		t.Error("cahd did not tell a label: is it still made by looking at labels?")
	}
}
