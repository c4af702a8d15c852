package verify

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"mingle/dataset/bag"
	"mingle/privacy"
)

// ContinuousInput is what is judged by [Continuous].
type ContinuousInput struct {
	Published *bag.Bags
	Original  *bag.Bags // nil: the published file is judged alone
	Promise   privacy.Continuous

	Workers  int // at most this many goroutines; 0: one a processor
	Progress func(stage string, done, total int64)
}

// Continuous judges k^m-anonymity of published bags of values and ranges, from the definition: every bag of at most m
// published terms that occurs at all, the empty one included, occurs in at least k records. Terms are compared as they stand; a record has a bag
// when it has each of its terms at least as often.
//
// With the original it is also checked that record i of the published file can be record i of the original,
// generalized: as many values, and a way to give each value a term of its own that contains it.
//
// All bags of i+1 terms extend bags of i terms by one that is not lower, so each bag is counted once, over the records
// that have the bag it extends. Extensions of a rare bag are rare too and are not looked at.
func Continuous(ctx context.Context, in ContinuousInput) (*Finding, error) {
	if err := in.Promise.Validate(); err != nil {
		return nil, err
	}
	j := &bagJudge{in: in, f: &Finding{
		Promise: in.Promise.String(), Inequality: in.Promise.Inequality(), Transactions: in.Published.Len(),
	}}
	j.overlaps()
	if err := j.original(ctx); err != nil {
		return nil, err
	}
	if err := j.supports(ctx); err != nil {
		return nil, err
	}
	j.f.Holds = j.f.BreachCount == 0
	return j.f, nil
}

type bagJudge struct {
	in ContinuousInput
	f  *Finding
}

func (j *bagJudge) breach(b Breach) {
	j.f.BreachCount++
	if len(j.f.Breaches) < maxBreaches {
		j.f.Breaches = append(j.f.Breaches, b)
	}
}

// overlaps tells global from local recoding: in a global one every value has one term, so terms do not overlap.
func (j *bagJudge) overlaps() {
	j.f.Recoding = "global"
	var last *bag.Term // of those seen, the one that reaches highest
	for _, t := range j.in.Published.Terms() {
		if last != nil && t.Lo.Compare(last.Hi) <= 0 {
			j.f.Recoding = "local"
			j.f.Notes = append(j.f.Notes, fmt.Sprintf("local recoding: %s and %s overlap", last, t))
			return
		}
		last = &t
	}
}

// original checks each published record against its original.
func (j *bagJudge) original(ctx context.Context) error {
	o, p := j.in.Original, j.in.Published
	if o == nil {
		j.f.Notes = append(j.f.Notes, "verified without the original: what the published file shows was checked, not that it is a generalization of the original")
		return nil
	}
	if o.Len() != p.Len() {
		j.breach(Breach{Kind: KindCount, Support: p.Len(), Needed: o.Len(), Message: fmt.Sprintf(
			"the published file has %d records, the original %d", p.Len(), o.Len())})
		return nil
	}
	for i := range p.Len() {
		if i%linesPerTask == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(o.Record(i)) != len(p.Record(i)) {
			j.breach(Breach{
				Kind: KindRecoding, Itemset: p.Texts(i), Support: len(p.Record(i)), Needed: len(o.Record(i)), Lines: []int{p.Line(i)},
				Message: fmt.Sprintf("line %d of the published file has %d values, line %d of the original %d", p.Line(i), len(p.Record(i)), o.Line(i), len(o.Record(i))),
			})
			continue
		}
		if v := j.uncovered(i); v >= 0 {
			j.breach(Breach{
				Kind: KindRecoding, Itemset: p.Texts(i), Needed: 1, Lines: []int{p.Line(i)},
				Message: fmt.Sprintf("line %d of the published file is not a generalization of line %d of the original: no term is left for one of its values", p.Line(i), o.Line(i)),
			})
		}
	}
	return nil
}

// uncovered is a value of original record i, as a term id, that cannot be given a term of its own, or -1.
//
// Values are served in ascending order, each with the term that contains it and ends first. That finds an assignment
// if there is one: a term that ends later can serve whatever comes later at least as well.
func (j *bagJudge) uncovered(i int) int32 {
	values, terms := j.in.Original.Record(i), j.in.Published.Record(i)
	taken := make([]bool, len(terms))
	for _, v := range values {
		value := j.in.Original.Terms()[v].Lo
		best := -1
		for n, id := range terms {
			t := j.in.Published.Terms()[id]
			if taken[n] || !t.Contains(value) {
				continue
			}
			if best < 0 || t.Hi.Compare(j.in.Published.Terms()[terms[best]].Hi) < 0 {
				best = n
			}
		}
		if best < 0 {
			return v
		}
		taken[best] = true
	}
	return -1
}

// supports counts every bag of at most m terms.
func (j *bagJudge) supports(ctx context.Context) error {
	workers := j.in.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	firsts := j.firsts()
	searches := make([]*bagSearch, workers)
	for w := range searches {
		searches[w] = newBagSearch(ctx, j.in)
	}
	c := &crew{workers: workers, progress: j.in.Progress}
	err := c.run(ctx, "checking bags of values", len(firsts), func(worker, term int) {
		searches[worker].term(int32(term), firsts[term])
	})
	if err != nil {
		return err
	}
	var found shelf
	if n := j.in.Published.Len(); 0 < n && n < j.in.Promise.K { // every record has the empty bag
		found.add(nil, -1, n, j.in.Promise.K)
	}
	for _, s := range searches {
		found.merge(&s.found)
		j.f.Itemsets += s.counted
	}
	j.f.BreachCount += found.count
	for _, w := range found.kept {
		if len(j.f.Breaches) < maxBreaches {
			j.f.Breaches = append(j.f.Breaches, j.spell(w))
		}
	}
	return nil
}

// holder is a record that has a bag, and where in the record the rest begins: what is not lower than the bag's last term.
type holder struct{ record, rest int32 }

// firsts lists, for each term, the records that have it.
func (j *bagJudge) firsts() [][]holder {
	out := make([][]holder, len(j.in.Published.Terms()))
	for i := range j.in.Published.Len() {
		r := j.in.Published.Record(i)
		for n, t := range r {
			if n == 0 || r[n-1] != t {
				out[t] = append(out[t], holder{int32(i), int32(n + 1)})
			}
		}
	}
	return out
}

// bagSearch counts the extensions of bags.
type bagSearch struct {
	ctx     context.Context
	in      ContinuousInput
	bag     []int32
	count   [][]int32 // by size of the bag, by term: records that have the bag and the term; zero between uses
	found   shelf
	counted int64
}

func newBagSearch(ctx context.Context, in ContinuousInput) *bagSearch {
	return &bagSearch{ctx: ctx, in: in}
}

// term judges the bags whose lowest term is given.
func (s *bagSearch) term(t int32, holders []holder) {
	s.bag = append(s.bag[:0], t)
	s.judge(len(holders))
	if len(holders) >= s.in.Promise.K {
		s.extend(holders)
	}
}

func (s *bagSearch) judge(support int) {
	s.counted++
	if support < s.in.Promise.K {
		s.found.add(s.bag, -1, support, s.in.Promise.K)
	}
}

// extend judges all bags that extend the current one, which the given records have.
func (s *bagSearch) extend(holders []holder) {
	size := len(s.bag)
	if size == s.in.Promise.M || s.ctx.Err() != nil {
		return
	}
	if size > len(s.count) {
		s.count = append(s.count, make([]int32, len(s.in.Published.Terms())))
	}
	count := s.count[size-1]
	var terms []int32
	s.eachExtension(holders, func(t int32, _ holder) {
		if count[t] == 0 {
			terms = append(terms, t)
		}
		count[t]++
	})
	slices.Sort(terms)
	behind := map[int32][]holder{}
	for _, t := range terms {
		s.bag = append(s.bag, t)
		s.judge(int(count[t]))
		s.bag = s.bag[:size]
		if size+1 < s.in.Promise.M && int(count[t]) >= s.in.Promise.K {
			behind[t] = make([]holder, 0, count[t])
		}
		count[t] = 0
	}
	if len(behind) == 0 {
		return
	}
	s.eachExtension(holders, func(t int32, h holder) {
		if list, ok := behind[t]; ok {
			behind[t] = append(list, h)
		}
	})
	for _, t := range terms {
		if list, ok := behind[t]; ok {
			s.bag = append(s.bag, t)
			s.extend(list)
			s.bag = s.bag[:size]
		}
	}
}

// eachExtension calls f once for each record and each distinct term in its rest.
func (s *bagSearch) eachExtension(holders []holder, f func(t int32, h holder)) {
	for _, h := range holders {
		r := s.in.Published.Record(int(h.record))
		for n := int(h.rest); n < len(r); n++ {
			if n == int(h.rest) || r[n] != r[n-1] {
				f(r[n], holder{h.record, int32(n + 1)})
			}
		}
	}
}

// spell turns a witness into a breach that can be looked up.
func (j *bagJudge) spell(w witness) Breach {
	b := Breach{Kind: KindSupport, Support: w.support, Needed: w.needed}
	for _, t := range w.nodes {
		b.Itemset = append(b.Itemset, j.in.Published.Terms()[t].String())
	}
	for i := 0; i < j.in.Published.Len() && len(b.Lines) < maxLines; i++ {
		if hasBag(j.in.Published.Record(i), w.nodes) {
			b.Lines = append(b.Lines, j.in.Published.Line(i))
		}
	}
	b.Message = fmt.Sprintf("{%s} is in %d published records, fewer than %d", strings.Join(b.Itemset, ", "), w.support, w.needed)
	return b
}

// hasBag tells whether an ascending record has every term of an ascending bag at least as often.
func hasBag(record, bag []int32) bool {
	n := 0
	for _, t := range record {
		if n < len(bag) && bag[n] == t {
			n++
		}
	}
	return n == len(bag)
}
