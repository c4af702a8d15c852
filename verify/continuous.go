package verify

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mingle/dataset/bag"
	"mingle/internal/par"
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

// Continuous judges k^m-anonymity of published bags of values and ranges, from the definition:
// every bag of at most m published terms that occurs at all, the empty one included, occurs in at
// least k records. Terms are compared as they stand; a record has a bag when it has each of its
// terms at least as often.
//
// With the original it is also checked that record i of the published file can be record i of the
// original, generalized: as many values, and an assignment that gives each value a term of its own
// that contains it.
func Continuous(ctx context.Context, in ContinuousInput) (*Finding, error) {
	if in.Published == nil {
		return nil, errors.New("verify: no published data is given")
	}
	err := errors.Join(in.Promise.Validate(), par.CheckWorkers(in.Workers))
	if err != nil {
		return nil, err
	}
	j := &bagJudge{in: in, f: newFinding(in.Promise, "", in.Published.Len())}
	j.overlaps()
	j.f.surplus(in.Published.Surplus)
	if err := j.original(ctx); err != nil {
		return nil, err
	}
	if err := j.supports(ctx); err != nil {
		return nil, err
	}
	return j.f.verdict(), nil
}

type bagJudge struct {
	in ContinuousInput
	f  *Finding
}

// overlaps tells global from local recoding: in a global one every value has one term, so terms do
// not overlap.
func (j *bagJudge) overlaps() {
	j.f.Recoding = "global"
	var last *bag.Term // of those seen, the one that reaches highest
	for _, t := range j.in.Published.Terms() {
		if last != nil && t.Lo.Compare(last.Hi) <= 0 {
			j.f.Recoding = "local"
			j.f.note("local recoding: %s and %s overlap", last, t)
			return
		}
		last = &t
	}
}

// original checks each published record against its original.
func (j *bagJudge) original(ctx context.Context) error {
	o, p := j.in.Original, j.in.Published
	if o == nil {
		j.f.note("verified without the original: what the published file shows was checked, " +
			"not that it is a generalization of the original")
		return nil
	}
	if o.Len() != p.Len() {
		j.f.breach(1, Breach{
			Kind: KindCount, Support: p.Len(), Needed: o.Len(),
			Message: fmt.Sprintf(
				"the published file has %d records, the original %d", p.Len(), o.Len()),
		})
		return nil
	}
	for i := range p.Len() {
		if i%linesPerTask == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if len(o.Record(i)) != len(p.Record(i)) {
			j.f.breach(1, Breach{
				Kind: KindRecoding, Itemset: p.Texts(i), Support: len(p.Record(i)),
				Needed: len(o.Record(i)), Lines: []int{p.Line(i)},
				Message: fmt.Sprintf("line %d of the published file has %d values, line %d of "+
					"the original %d", p.Line(i), len(p.Record(i)), o.Line(i), len(o.Record(i))),
			})
			continue
		}
		if v := j.uncovered(i); v >= 0 {
			j.f.breach(1, Breach{
				Kind: KindRecoding, Itemset: p.Texts(i), Needed: 1, Lines: []int{p.Line(i)},
				Message: fmt.Sprintf("line %d of the published file is not a generalization of "+
					"line %d of the original: no term is left for one of its values", p.Line(i),
					o.Line(i)),
			})
		}
	}
	return nil
}

// uncovered is a value of original record i, as a term id, that cannot be given a term of its own,
// or -1.
//
// Values are served in ascending order, each with the term that contains it and ends first. That
// finds an assignment if there is one: a term that ends later can serve whatever comes later at
// least as well.
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
	p := j.in.Published
	w := &walk{
		ids: len(p.Terms()), records: p.Len(), record: p.Record, k: j.in.Promise.K,
		most: j.in.Promise.M,
	}
	found, counted, err := w.run(ctx, newPool(j.in.Workers, j.in.Progress), "checking bags "+
		"of values")
	if err != nil {
		return err
	}
	j.f.Itemsets = counted
	var spelled []Breach
	for _, w := range found.kept {
		spelled = append(spelled, j.spell(w))
	}
	j.f.breach(found.count, spelled...)
	return nil
}

// spell turns a witness into a breach that can be looked up.
func (j *bagJudge) spell(w witness) Breach {
	b := Breach{Kind: KindSupport, Support: w.support, Needed: w.needed}
	for _, t := range w.nodes {
		b.Itemset = append(b.Itemset, j.in.Published.Terms()[t].String())
	}
	b.Lines = firstLines(j.in.Published.Len(),
		func(i int) bool { return hasBag(j.in.Published.Record(i), w.nodes) }, j.in.Published.Line)
	b.Message = fmt.Sprintf("{%s} is in %d published records, fewer than %d",
		strings.Join(b.Itemset, ", "), w.support, w.needed)
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
