package verify

import (
	"context"
	"fmt"
	"slices"

	"mingle/dataset"
)

// sensitive finds which sensitive items the published lines have, and checks that they are those of
// the original.
func (j *judgement) sensitive(ctx context.Context) error {
	published, original := j.in.PublishedSensitive, j.in.OriginalSensitive
	matched := j.in.Original != nil && (j.of != nil || j.in.Original.Len() == j.in.Published.Len())
	switch {
	case published != nil:
		j.sens = published
	case original != nil && j.of != nil:
		j.sens = original.Select(j.of)
	case original != nil && matched:
		j.sens = original
	}
	if published == nil || original == nil || !matched {
		return nil
	}
	missing := 0
	for i := range published.Len() {
		if i%linesPerTask == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		was := j.originalOf(i)
		if j.withheld(i) {
			continue
		}
		removed, added := difference(original, was, published, i)
		if j.in.Promise.SensitiveKnown {
			missing, removed = missing+len(removed), nil // they may be left out, not added
		}
		if len(removed)+len(added) > 0 {
			line := j.in.Published.Line(i)
			j.f.breach(1, Breach{
				Kind: KindSensitive, Itemset: slices.Concat(removed, added), Lines: []int{line},
				Message: fmt.Sprintf("the sensitive items of line %d of the published file are "+
					"not those of "+
					"line %d of the original: %d are missing, %d are new", line,
					j.in.Original.Line(was), len(removed), len(added)),
			})
		}
	}
	j.f.SensitiveMissing = missing
	if missing > 0 {
		j.f.note("%s of sensitive items of the original %s missing from the published file",
			plural(missing, "occurrence"), number(missing, "is", "are"))
	}
	return nil
}

// emptyLines counts the published lines that have neither an item nor a sensitive one.
func (j *judgement) emptyLines() (lines int) {
	if j.sens == nil {
		return j.in.Published.Empty()
	}
	sens := j.sens.Cursor()
	for i, tx := range j.in.Published.All() {
		if len(tx)+len(sens.Tx(i)) == 0 {
			lines++
		}
	}
	return lines
}

// difference compares two lines over different dictionaries by label.
func difference(a *dataset.Dataset, i int, b *dataset.Dataset, k int) (removed, added []string) {
	la, lb := a.Labels(i), b.Labels(k)
	if slices.Equal(la, lb) {
		return nil, nil
	}
	for _, s := range la {
		if !slices.Contains(lb, s) {
			removed = append(removed, s)
		}
	}
	for _, s := range lb {
		if !slices.Contains(la, s) {
			added = append(added, s)
		}
	}
	return removed, added
}
