// Package posterior computes, over all small originals, what somebody concludes who knows the
// algorithm and runs it in mind: of the originals that are published as what was published, all
// equally likely beforehand, which lines may be the person's, and how likely is something further
// about the person. It is for tests of algorithms that treat the records alike: a permutation of
// them permutes what is published.
package posterior

import (
	"slices"
	"strings"
)

// World is an original, its records in any one order, and what is published of it.
type World struct {
	Records []string
	Lines   []string // the published line of each record
	Seen    string   // what is published beside the lines
}

// Knowledge is what may be known of somebody who has the record, and what is to be concluded. Both
// must depend on the record alone.
type Knowledge struct {
	Known  func(record string) []string
	Secret func(record string) []string // nil: nothing
}

// Result is counted over originals as sequences of records.
type Result struct {
	Originals float64 // all of them
	// in how many somebody keeps fewer than k candidates for something that may be known
	Under     float64
	Over      float64 // in how many somebody's secret has a probability above h
	Fewest    int     // candidates, in the worst case
	Likeliest float64 // probability of a secret, in the worst case
	Example   World   // of the fewest candidates
	Known     string  // what is known there
	Inferred  World   // of the likeliest secret
	Told      string  // what is known there, and the secret
}

// Share is n of all originals.
func (r Result) Share(n float64) float64 { return n / r.Originals }

// Enumerate goes through worlds, each multiset of records once.
func Enumerate(worlds []World, know Knowledge, k int, h float64) Result {
	groups := map[string][]World{}
	for _, w := range worlds {
		w = w.sorted()
		key := strings.Join(w.Lines, "\n") + "\x00" + w.Seen
		groups[key] = append(groups[key], w)
	}
	r := Result{Fewest: 1 << 30}
	for _, g := range groups {
		judge(g, know, k, h, &r)
	}
	return r
}

// sorted puts the records in the order of their lines.
func (w World) sorted() World {
	order := make([]int, len(w.Lines))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if c := strings.Compare(w.Lines[a], w.Lines[b]); c != 0 {
			return c
		}
		return strings.Compare(w.Records[a], w.Records[b])
	})
	out := World{Seen: w.Seen}
	for _, i := range order {
		out.Records, out.Lines = append(out.Records, w.Records[i]), append(out.Lines, w.Lines[i])
	}
	return out
}

type told struct{ known, secret string }

// judge looks at the originals of one release.
func judge(group []World, know Knowledge, k int, h float64, r *Result) {
	lines := map[told]bool{} // knowledge and line: the line may be the person's
	size := map[string]int{} // of the class of a line
	for _, line := range group[0].Lines {
		size[line]++
	}
	matching, with := map[string]float64{}, map[told]float64{}
	for _, w := range group {
		weight := w.arrangements()
		for i, rec := range w.Records {
			for _, j := range know.Known(rec) {
				lines[told{j, w.Lines[i]}] = true
				matching[j] += weight
				for _, s := range know.secrets(rec) {
					with[told{j, s}] += weight
				}
			}
		}
	}
	candidates := map[string]int{}
	for at := range lines {
		candidates[at.known] += size[at.secret]
	}
	for _, w := range group {
		under, over := false, false
		for _, rec := range w.Records {
			for _, j := range know.Known(rec) {
				if n := candidates[j]; n < k {
					under = true
					if n < r.Fewest || n == r.Fewest && less(w, r.Example) {
						r.Fewest, r.Example, r.Known = n, w, j
					}
				}
				for _, s := range know.secrets(rec) {
					p := with[told{j, s}] / matching[j]
					over = over || p > h+1e-9
					if p > r.Likeliest || p == r.Likeliest && less(w, r.Inferred) {
						r.Likeliest, r.Inferred, r.Told = p, w, j+" -> "+s
					}
				}
			}
		}
		all := w.orders()
		r.Originals += all
		if under {
			r.Under += all
		}
		if over {
			r.Over += all
		}
	}
}

func (k Knowledge) secrets(record string) []string {
	if k.Secret == nil {
		return nil
	}
	return k.Secret(record)
}

// less makes the choice of examples independent of the order of maps.
func less(a, b World) bool { return slices.Compare(a.Records, b.Records) < 0 }

// arrangements is in how many ways the records can stand behind the lines as they are published.
func (w World) arrangements() float64 {
	n := 1.0
	for from := 0; from < len(w.Lines); {
		to := from
		for to < len(w.Lines) && w.Lines[to] == w.Lines[from] {
			to++
		}
		n *= permutations(w.Records[from:to])
		from = to
	}
	return n
}

// orders is in how many orders the records can stand.
func (w World) orders() float64 { return permutations(slices.Sorted(slices.Values(w.Records))) }

// permutations is the number of different orders of sorted texts.
func permutations(texts []string) float64 {
	n, run := 1.0, 0
	for i := range texts {
		if run++; i > 0 && texts[i] != texts[i-1] {
			run = 1
		}
		n = n * float64(i+1) / float64(run)
	}
	return n
}

// Multisets calls f with the choice of every multiset of n of the numbers below most. f must not
// keep it.
func Multisets(most, n int, f func(chosen []int)) {
	chosen := make([]int, n)
	var choose func(at, from int)
	choose = func(at, from int) {
		if at == n {
			f(chosen)
			return
		}
		for v := from; v < most; v++ {
			chosen[at] = v
			choose(at+1, v)
		}
	}
	choose(0, 0)
}
