package pipeline

import (
	"context"
	"errors"
	"slices"

	"mingle/anonymize"
	"mingle/anonymize/sensitive"
	"mingle/dataset"
	"mingle/release"
	"mingle/report"
)

// refuseSuppression refuses suppression where it would take sensitive items or values with it, or
// does not look at what is known: for every algorithm alike, auto included, which would suppress
// nothing then and have a report that says it may.
func (t *kmTask) refuseSuppression() error {
	switch {
	case !t.MaySuppress:
	case t.Promise.SensitiveKnown:
		return errors.New("suppression does not take known sensitive items into account: leave " +
			"out --suppress, or --sensitive-known")
	case t.Promise.NegativeKnowledge && !t.can().LeavesLinesOut:
		return errors.New("suppressing items does not take negative knowledge into account: " +
			"suppress transactions, or nothing")
	case t.Promise.NegativeKnowledge && t.Promise.HasSensitiveItems():
		return errors.New("suppressing transactions does not keep a promise about sensitive " +
			"items against negative knowledge: who knows what a person lacks has suppressed " +
			"lines among the candidates, of which nothing sensitive is told; suppress nothing, " +
			"or leave out --negative-knowledge")
	case len(t.Promise.Columns) > 0 && t.Promise.NullIsValue && !t.Drop &&
		t.can().LeavesLinesOut:
		return errors.New("a suppressed transaction publishes an empty value in a sensitive " +
			"column, and with --null-is-value that would be a value it never had: leave its line " +
			"out with --drop, take --suppress items, or leave out --null-is-value")
	}
	return nil
}

// withholding is data in which the transactions that are suppressed have no value in the sensitive
// columns.
func (t *kmTask) withholding(d *dataset.Dataset) *dataset.Dataset {
	if len(t.release.Withheld) == 0 || len(t.Promise.Columns) == 0 {
		return d
	}
	out := *d
	out.Columns = slices.Clone(d.Columns)
	for n, c := range out.Columns {
		if !slices.Contains(t.Promise.Columns, c.Name) {
			continue
		}
		out.Columns[n].Values = slices.Clone(c.Values)
		for _, i := range t.release.Withheld {
			out.Columns[n].Values[i] = ""
		}
	}
	return &out
}

// suppressKnown suppresses the sensitive occurrences that generalization cannot hide from whoever
// knows sensitive items.
func (t *kmTask) suppressKnown(ctx context.Context) (err error) {
	if err := t.tellsPersons(); err != nil {
		return err
	}
	if err := t.frequent(); err != nil || !t.Promise.SensitiveKnown {
		return err
	}
	if t.units() < t.Promise.K {
		return nil // refused for that
	}
	t.input.Sensitive, err = sensitive.Suppress(ctx, t.input)
	return err
}

// units are how many transactions, or persons, there are.
func (t *kmTask) units() int {
	if t.whose != nil {
		return len(t.whose.several)
	}
	return t.input.Sensitive.Len()
}

// suppressMore tries what more suppressed sensitive occurrences save.
func (t *kmTask) suppressMore(ctx context.Context) (err error) {
	t.input.Sensitive, t.release, err = t.lessLost(ctx, t.Algorithm, t.input, t.release)
	return err
}

// lessLost tries what more suppressed sensitive occurrences save where a release has lost most of
// the data: then nearly everything had to be the root for their sake. Of the two releases it keeps
// the one that loses less, a suppressed occurrence counted as one at the root; with what is left of
// the sensitive items.
func (t *kmTask) lessLost(
	ctx context.Context, a anonymize.Algorithm, in anonymize.Input, g *release.Generalized,
) (*dataset.Dataset, *release.Generalized, error) {
	if !t.Promise.SensitiveKnown || ctx.Err() != nil {
		return in.Sensitive, g, nil
	}
	before := lostOccurrences(g)
	if before <= report.HeavyLoss*float64(in.Data.Occurrences()) {
		return in.Sensitive, g, nil
	}
	with := in
	var err error
	if with.Sensitive, _, err = t.original(); err != nil {
		return nil, nil, err
	}
	if with.Sensitive, err = sensitive.SuppressMore(ctx, with); err != nil {
		return nil, nil, err
	}
	more := in.Sensitive.Occurrences() - with.Sensitive.Occurrences()
	if more == 0 {
		return in.Sensitive, g, nil
	}
	other, err := a.Anonymize(ctx, with)
	if err != nil {
		return nil, nil, err
	}
	if lostOccurrences(other)+float64(more) < before {
		return with.Sensitive, other, nil
	}
	return in.Sensitive, g, nil
}

// original is the sensitive items and values as they were.
func (t *kmTask) original() (*dataset.Dataset, *anonymize.Values, error) {
	if len(t.valued) == 0 {
		return t.items, nil, nil
	}
	return anonymize.WithColumns(t.items, t.items.Len(), t.valued)
}

// lostOccurrences is NCP times the occurrences.
func lostOccurrences(g *release.Generalized) float64 {
	return float64(g.Penalty()) / float64(g.Tree.Leaves())
}

// publishedItems are the sensitive items that are published; nil: there are none.
func (t *kmTask) publishedItems() *dataset.Dataset {
	if t.items == nil {
		return nil
	}
	left := t.input.Sensitive
	if t.release.Withheld != nil {
		left = t.release.Sensitive
	}
	if t.input.Values == nil {
		return left
	}
	keep := make([]int32, left.Dict().Len())
	for s := range keep {
		if keep[s] = int32(s); int32(s) >= t.input.Values.Items {
			keep[s] = -1
		}
	}
	return left.Recode(t.items.Dict(), keep)
}

// suppressedSensitive counts the occurrences of sensitive items that were suppressed.
func (t *kmTask) suppressedSensitive() []report.SuppressedItem {
	if !t.Promise.SensitiveKnown || t.hidden == nil || t.items == nil {
		return nil
	}
	published := map[string]int{}
	for s, n := range t.hidden.Supports() {
		published[t.hidden.Dict().Label(int32(s))] = n
	}
	var out []report.SuppressedItem
	for s, n := range t.items.Supports() {
		label := t.items.Dict().Label(int32(s))
		if gone := n - published[label]; gone > 0 {
			out = append(out, report.SuppressedItem{Item: label, Occurrences: gone, Of: n})
		}
	}
	return out
}
