package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"mingle/dataset"
)

// Where all items of a line are suppressed it publishes nothing, but its sensitive items, and its
// values in sensitive columns, stay beside it. Somebody who knows an item of the person, and finds
// it published nowhere, looks for the person among the lines that publish nothing: all others have
// something else. So where suppression has emptied a line that still tells something sensitive, of
// the lines that publish nothing at most 1/l may have one sensitive item, and of those with a value
// at most 1/l one value; the same of persons.
//
// A line that tells nothing is as that of a suppressed transaction (see withheld): there is nothing
// to be learned by finding it. It does not say that its person has no sensitive item, and hides
// those of others only where whole items alone were left out (see itemsAlone). Which lines had
// items the original tells. Where lines are missing, a line was emptied for certain if more lines
// that publish nothing tell the same than the original has empty lines with that.

// emptied checks the shares among the lines that publish nothing.
func (j *judgement) emptied(ctx context.Context) error {
	if !j.in.MaySuppress || !j.in.Promise.Diverse() {
		return nil
	}
	lines := j.linesOfNothing()
	tell := slices.DeleteFunc(slices.Clone(lines), func(i int32) bool { return j.withheld(int(i)) })
	switch {
	case len(tell) == 0:
		return nil
	case j.in.Original == nil:
		j.f.note("lines that publish nothing may have had items that were suppressed: what is " +
			"beside them was not looked at, as the original tells which had")
		return nil
	case !j.hadItems(tell):
		return nil
	}
	j.f.note("some lines lost all their items: what is beside lines that publish nothing was " +
		"bounded, too")
	if j.sens != nil && j.in.Promise.HasSensitiveItems() {
		hide, err := j.hidingAmongNothing(ctx, lines)
		if err != nil {
			return err
		}
		j.sharesOfNothing(hide, j.sens, quote)
	}
	for _, c := range j.valuedColumns() {
		b := dataset.NewBuilder(c.dict)
		for i := range c.value {
			c.addTo(b, i)
		}
		filled := slices.Clone(lines)
		filled = slices.DeleteFunc(filled, func(i int32) bool { return !c.filled[i] })
		j.sharesOfNothing(filled, b.Build(),
			func(v string) string { return valueOf(v, c.name) })
	}
	return nil
}

// hidingAmongNothing are those of the lines that publish nothing among which sensitive items hide.
func (j *judgement) hidingAmongNothing(ctx context.Context, lines []int32) ([]int32, error) {
	silent := func(i int32) bool { return j.withheld(int(i)) && len(j.sens.Tx(int(i))) == 0 }
	if !slices.ContainsFunc(lines, silent) {
		return lines, nil
	}
	alone, err := j.itemsAlone(ctx, lines)
	if err != nil {
		return nil, err
	}
	if !alone {
		j.f.note("lines that show nothing were not counted there: they may be those of suppressed " +
			"transactions")
		return slices.DeleteFunc(slices.Clone(lines), silent), nil
	}
	j.f.note("lines that show nothing were counted there: by the original, whole items alone were " +
		"left out, and these lines had nothing sensitive")
	return lines, nil
}

// itemsAlone tells whether the release is one that leaves out whole items, each in all lines, and
// no transactions: lines that show nothing had nothing sensitive, and what is published is a
// recoding of the original without the items above which nothing is published in some line.
func (j *judgement) itemsAlone(ctx context.Context, lines []int32) (bool, error) {
	if j.of != nil || j.in.Original.Len() != j.in.Published.Len() || j.in.OriginalSensitive == nil {
		return false, nil
	}
	for _, i := range lines {
		if j.withheld(int(i)) && !j.hadNothing(int(i)) {
			return false, nil
		}
	}
	gone, l := make([]bool, j.in.Tree.Leaves()), newLiner(j.in.Tree, true)
	err := j.eachPair(ctx, func(original, published []int32) bool {
		l.arrange(published)
		l.eachLowest(original, func(x int32, at int) { gone[x] = gone[x] || at < 0 })
		return true
	})
	if err != nil {
		return false, err
	}
	alone, left := true, []int32(nil)
	err = j.eachPair(ctx, func(original, published []int32) bool {
		left = left[:0]
		for _, x := range original {
			if !gone[x] {
				left = append(left, x)
			}
		}
		alone = len(l.line(left, published)) == 0
		return alone
	})
	return alone, err
}

// eachPair calls do with each line of the original and the published line at its place, until it
// says no.
func (j *judgement) eachPair(
	ctx context.Context, do func(original, published []int32) bool,
) error {
	published := j.in.Published.Cursor()
	for i, tx := range j.in.Original.All() {
		if i%linesPerTask == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !do(tx, published.Tx(i)) {
			break
		}
	}
	return nil
}

// hadNothing tells whether an original line is known to have neither a sensitive item nor a value.
func (j *judgement) hadNothing(at int) bool {
	return len(j.in.OriginalSensitive.Tx(at)) == 0 &&
		!slices.ContainsFunc(j.in.Columns, func(c SensitiveColumn) bool {
			return c.Original == nil || c.Original[at] != ""
		})
}

// hadItems tells whether one of some lines that publish nothing had items for certain.
func (j *judgement) hadItems(lines []int32) bool {
	original := j.in.Original.Cursor()
	if j.in.Original.Len() == j.in.Published.Len() {
		return slices.ContainsFunc(lines, func(i int32) bool {
			return len(original.Tx(int(i))) > 0
		})
	}
	empty := map[string]int{} // by what is beside them: the original's empty lines
	for at := range j.in.Original.Len() {
		if len(original.Tx(at)) == 0 {
			empty[j.besideOriginal(at)]++
		}
	}
	return slices.ContainsFunc(lines, func(i int32) bool {
		beside := j.besidePublished(int(i))
		empty[beside]--
		return empty[beside] < 0
	})
}

// besideOriginal is what an original line has beside its items, as far as it is known of original
// lines and of published ones.
func (j *judgement) besideOriginal(at int) string {
	return j.beside(j.in.OriginalSensitive, at, func(c SensitiveColumn) string {
		return c.Original[at]
	})
}

// besidePublished is the same of a published line.
func (j *judgement) besidePublished(i int) string {
	return j.beside(j.in.PublishedSensitive, i, func(c SensitiveColumn) string {
		return c.Published[i]
	})
}

func (j *judgement) beside(
	sens *dataset.Dataset, i int, cell func(c SensitiveColumn) string,
) string {
	var texts []string
	if j.in.OriginalSensitive != nil && j.in.PublishedSensitive != nil {
		texts = append(texts, sens.Labels(i)...)
		slices.Sort(texts)
	}
	for _, c := range j.in.Columns {
		if c.Original != nil {
			texts = append(texts, c.Name, cell(c))
		}
	}
	return fmt.Sprintf("%q", texts)
}

// linesOfNothing are the published lines without an item, ascending.
func (j *judgement) linesOfNothing() (lines []int32) {
	for i, tx := range j.in.Published.All() {
		if len(tx) == 0 {
			lines = append(lines, int32(i))
		}
	}
	return lines
}

// sharesOfNothing looks at the shares of what is sensitive among lines that publish nothing.
func (j *judgement) sharesOfNothing(
	lines []int32, sens *dataset.Dataset, name func(label string) string,
) {
	person := func(i int32) int32 {
		if j.person == nil {
			return nobody
		}
		return j.person[i]
	}
	order := slices.Clone(lines)
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(person(a), person(b)) })
	s, found, persons, last := newShares(sens), &witnesses{}, 0, int32(nobody)
	for _, i := range order { // those of nobody come first, and count for no person
		if p := person(i); p != last {
			persons, last = persons+1, p
		}
		s.add(i, person(i))
	}
	s.judge(found, nil, j.in.Promise.L, len(lines), persons)
	j.f.breach(found.count, j.spellNothing(found, lines, sens, name)...)
}

// spellNothing turns what was found among lines that publish nothing into breaches.
func (j *judgement) spellNothing(
	found *witnesses, lines []int32, sens *dataset.Dataset, name func(label string) string,
) (breaches []Breach) {
	for _, w := range found.kept {
		unit, publish, label := "line", "publish", sens.Dict().Label(w.beside)
		if w.of == ofPersons {
			unit = "person"
		}
		if w.support == 1 {
			publish = "publishes"
		}
		breaches = append(breaches, Breach{
			Kind: KindDiversity, Itemset: []string{}, Sensitive: label,
			Support: w.support, Needed: w.needed,
			Message: fmt.Sprintf("%s is in %d of the %s that %s nothing, more than 1/%d of "+
				"them, and items of some were suppressed", name(label),
				w.needed/j.in.Promise.L, plural(w.support, unit), publish, j.in.Promise.L),
			Lines: firstLines(len(lines), func(n int) bool {
				return contains(sens.Tx(int(lines[n])), []int32{w.beside})
			}, func(n int) int { return j.in.Published.Line(int(lines[n])) }),
		})
	}
	return breaches
}
