package verify

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/dataset"
	"mingle/release"
)

// Whatever part of the published records is spelled, each record matches what the definition says,
// once.
func TestMatchesHoweverFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 2))
	spelled, filed, matched := 0, 0, 0
	for range 2000 {
		items := 1 + rng.IntN(8)
		labels := make([]string, items)
		for i := range labels {
			labels[i] = string(rune('a' + i))
		}
		j := &matchJudge{}
		j.original = dataset.Merge(randomSets(rng, dataset.MustDictionary(labels), 1+rng.IntN(30)))
		n := 1 + rng.IntN(30)
		j.in.Published = &release.Nonreciprocal{
			Base:      randomSets(rng, j.original.Dict(), n),
			Uncertain: randomSets(rng, j.original.Dict(), n),
		}
		for range n {
			j.in.Published.Threshold = append(j.in.Published.Threshold, int32(rng.IntN(4)))
		}
		j.index = newMatchIndex(j.original.Dataset, j.in.Published)
		want := j.byDefinition()
		all := 0
		for _, groups := range want {
			all += len(groups)
		}
		matched += all
		for _, j.lookUp = range []float64{0, 1, math.Inf(1)} {
			for _, j.in.MostMatches = range []int{0, max(1, all), all - 1} {
				j.adj = nil
				if err := j.collect(t.Context()); err != nil {
					t.Fatal(err)
				}
				most := j.in.MostMatches
				if fit := most == 0 || most >= all; fit != (j.adj != nil) {
					t.Fatalf("%d matches, at most %d: held %v", all, most, !fit)
				}
				for r, groups := range j.adj {
					if !slices.Equal(groups, want[r]) {
						t.Fatalf("a look-up for %v candidates: record %v matches %v, want %v",
							j.lookUp, j.original.Tx(r), groups, want[r])
					}
				}
			}
		}
		marks, _ := j.index.spelled(1)
		for _, is := range marks {
			if is {
				spelled++
			} else {
				filed++
			}
		}
	}
	if spelled < 1000 || filed < 1000 || matched < 1000 {
		t.Errorf("%d spelled, %d filed, %d matches: little was tried", spelled, filed, matched)
	}
}

// byDefinition tries all pairs.
func (j *matchJudge) byDefinition() [][]int32 {
	out := make([][]int32, j.original.Len())
	for r := range out {
		for g := range j.index.groups {
			if j.index.groups[g].matches(j.original.Tx(r)) {
				out[r] = append(out[r], int32(g))
			}
		}
	}
	return out
}

func randomSets(rng *rand.Rand, dict *dataset.Dictionary, n int) *dataset.Dataset {
	b := dataset.NewBuilder(dict)
	for range n {
		b.Add(itemsOf(rng.IntN(1 << dict.Len())))
	}
	return b.Build()
}

// Sets of one key are told apart: what is looked up is matched by the definition.
func TestSetsOfOneKey(t *testing.T) {
	b := dataset.NewBuilder(dataset.MustDictionary([]string{"a", "b", "c"}))
	for _, tx := range [][]int32{{0}, {1}, {2}, {0, 1}} {
		b.Add(tx)
	}
	s := newSpelling(b.Build(), 3)
	clear(s.item)
	clear(s.record)
	s.slots = []int32{1, 2, 3, 4, 0, 0, 0, 0}
	g := &matchGroup{base: []int32{0}, uncertain: []int32{1}, threshold: 1}
	if got := s.recordsOf(g, nil); !slices.Equal(got, []int32{0, 3}) {
		t.Errorf("records %v match, want 0 and 3, once", got)
	}
}
