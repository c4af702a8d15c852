package verify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mingle/dataset"
)

// within says of which lines a judgement is: those of whoever is known to have some sensitive
// items, or a value in a sensitive column.
//
// What is promised of a set T of known sensitive items and a set J of others is about the lines
// that have both. Among the lines that have T these are the lines that have J: support, share and
// union over ways to publish J are the same numbers. So a judgement of these lines alone, with
// m-|T| items known, decides it. The same holds of the lines that have a value.
type within struct {
	known  []string // sensitive items that are known
	column string   // "": of items
	lines  []int32  // of the published file
}

// among is the judgement of some lines of this one, whose sensitive items, or values, are sens.
// Without an original every set of items that matches something is looked at.
func (j *judgement) among(lines []int32, sens *dataset.Dataset, original bool) *judgement {
	in := j.in
	plain := *in.Published
	plain.Columns = nil // nothing is copied that is not looked at
	in.Published, in.PublishedSensitive, in.OriginalSensitive = plain.Select(lines), sens, nil
	matched := in.Original != nil && (j.of != nil || in.Original.Len() == j.in.Published.Len())
	if original && matched {
		of := make([]int32, len(lines))
		for n, i := range lines {
			of[n] = int32(j.originalOf(int(i)))
		}
		whole := *in.Original
		whole.Columns = nil
		in.Original = whole.Select(of)
	} else {
		in.Original = nil
	}
	var person []int32
	if j.person != nil {
		for _, i := range lines {
			person = append(person, j.person[i])
		}
	}
	w := &within{lines: lines}
	if j.within != nil {
		w.known, w.column = j.within.known, j.within.column
		w.lines = make([]int32, len(lines))
		for n, i := range lines {
			w.lines[n] = j.within.lines[i]
		}
	}
	return &judgement{
		in: in, pool: &pool{workers: j.pool.workers}, limit: j.limit,
		f: &Finding{Recoding: j.f.Recoding}, sens: sens, nested: j.nested, within: w,
		valued: j.valued, person: person, closer: j.closer,
	}
}

// runWithin judges what is known of these lines, and files what is found with the whole.
func (j *judgement) runWithin(ctx context.Context, into *Finding) error {
	steps := []func(context.Context) error{j.itemsets}
	if j.in.Promise.M > 0 {
		steps = append(steps, j.original, j.childShares, j.negative)
		if j.within.column == "" {
			steps = append(steps, j.compatible)
		}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	for n := range j.f.Breaches {
		if b := &j.f.Breaches[n]; b.Kind == KindCompatible && len(j.within.known) > 0 {
			b.Itemset = j.named(b.Itemset)
			b.Message = fmt.Sprintf("among the lines with {%s}: %s",
				strings.Join(j.within.known, ", "), b.Message)
		}
	}
	into.breach(j.f.BreachCount, j.f.Breaches...)
	into.Itemsets += j.f.Itemsets
	return nil
}

// line is the published line that line i of this judgement is.
func (j *judgement) line(i int) int {
	if j.within == nil {
		return i
	}
	return int(j.within.lines[i])
}

// named are labels of a witness with the sensitive items that are known besides.
func (j *judgement) named(labels []string) []string {
	if j.within == nil {
		return labels
	}
	return append(slices.Clone(j.within.known), labels...)
}

// have says in messages which lines are meant; "" where all are.
func (j *judgement) have() string {
	if j.within == nil || j.within.column == "" {
		return ""
	}
	return " and a value in that column"
}

// what names a sensitive item, or a value of a column.
func (j *judgement) what(label string) string {
	if j.within == nil || j.within.column == "" {
		return quote(label)
	}
	return valueOf(label, j.within.column)
}

func valueOf(v, column string) string { return "value " + quote(v) + " of column " + quote(column) }
