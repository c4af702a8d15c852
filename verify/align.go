package verify

import (
	"context"
	"fmt"
)

// align matches the published lines with original ones, in order. A different number of lines is a
// breach, unless lines may be missing: then each published line takes the first original line
// behind the last one taken of which it can be a recoding, and whose sensitive items and values it
// carries. Where that fails, and would not by items alone, what it carries is wrong: then the lines
// are matched by items, and what differs is told (sensitive.go, column.go).
func (j *judgement) align(ctx context.Context, l *liner) (matched bool, err error) {
	n, p := j.in.Original.Len(), j.in.Published.Len()
	if n == p {
		return true, nil
	}
	if !j.in.MaySuppress || p > n {
		j.f.breach(1, j.countBreach(l))
		j.f.Lacking = p < n
		return false, nil
	}
	of, err := j.carriedInOrder(ctx, func(original, published []int32) bool {
		return l.line(original, published) == nil
	})
	if err != nil {
		return false, err
	}
	if len(of) < p {
		line := j.in.Published.Line(len(of))
		j.f.breach(1, Breach{
			Kind: KindRecoding, Itemset: j.in.Published.Labels(len(of)), Lines: []int{line},
			Message: fmt.Sprintf("line %d of the published file is not a recoding of any line "+
				"of the original "+
				"behind those of the lines before it", line),
		})
		return false, nil
	}
	j.of = of
	j.f.note("%s of the original %s missing from the published file",
		plural(n-p, "transaction"), number(n-p, "is", "are"))
	return true, nil
}

// carriedInOrder is inOrder for lines that fit and carry what they should or, if there are none,
// for lines that fit.
func (j *judgement) carriedInOrder(
	ctx context.Context, fits func(original, published []int32) bool,
) (of []int32, err error) {
	for _, j.uncarried = range []bool{false, true} {
		of, err = j.inOrder(ctx, fits)
		if err != nil || len(of) == j.in.Published.Len() {
			break
		}
	}
	return of, err
}

// inOrder gives each published line the first original line behind the last one given that fits it.
// It ends at the first for which none is left. If any order-keeping match exists this finds one: a
// later choice only leaves fewer lines for the rest.
func (j *judgement) inOrder(
	ctx context.Context, fits func(original, published []int32) bool,
) ([]int32, error) {
	of := []int32{}
	at, n := 0, j.in.Original.Len()
	original, published := j.in.Original.Cursor(), j.in.Published.Cursor()
	for i := range j.in.Published.Len() {
		for at < n && !(fits(original.Tx(at), published.Tx(i)) &&
			(j.uncarried || j.carries(at, i))) {
			if at++; at%linesPerTask == 0 && ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
		}
		if at == n {
			break
		}
		of = append(of, int32(at))
		at++
	}
	return of, nil
}

// countBreach says that lines are missing or too many, and where the files part.
func (j *judgement) countBreach(l *liner) Breach {
	n, p := j.in.Original.Len(), j.in.Published.Len()
	i := 0
	original, published := j.in.Original.Cursor(), j.in.Published.Cursor()
	for i < min(n, p) && l.line(original.Tx(i), published.Tx(i)) == nil {
		i++
	}
	b := Breach{Kind: KindCount, Itemset: []string{}, Support: p, Needed: n}
	where := fmt.Sprintf("all %d lines of the published file agree with the first of the "+
		"original", i)
	switch {
	case i < min(n, p):
		b.Itemset = j.in.Published.Labels(i)
		b.Lines = []int{j.in.Published.Line(i)}
		where = fmt.Sprintf("they first part at line %d of the published file, which is not a "+
			"recoding of "+
			"line %d of the original", j.in.Published.Line(i), j.in.Original.Line(i))
	case i < p:
		b.Lines = []int{j.in.Published.Line(i)}
		where = fmt.Sprintf("line %d of the published file has no counterpart",
			j.in.Published.Line(i))
	}
	b.Message = fmt.Sprintf("the published file has %d transactions, the original %d: %s", p, n,
		where)
	return b
}

// originalOf is the original line of a published one.
func (j *judgement) originalOf(i int) int {
	if j.of == nil {
		return i
	}
	return int(j.of[i])
}

// originalLine is its number in the file.
func (j *judgement) originalLine(i int) int { return j.in.Original.Line(j.originalOf(i)) }
