package pipeline

import (
	"context"
	"fmt"

	"mingle/attack"
	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/hierarchy"
)

// The kinds of releases that can be attacked.
const (
	KindGeneralized   = "km"
	KindSuppressed    = "coherence"
	KindNonreciprocal = "nonreciprocal"
	KindContinuous    = "continuous"
)

// Attack is the question what an adversary gains from a published file.
type Attack struct {
	Original, Published string
	Kind                string          // one of the kinds; "": KindGeneralized
	Options             dataset.Options // of the original
	PublishedFormat     dataset.Format  // "": by the extension, else that of the original
	Values              bag.Kind        // what the values of a release of kind continuous are
	Hierarchy           string          // of a generalized release; "": only items published as they are are understood
	HierarchyOptions    hierarchy.ReadOptions
	Sensitive           string // a list of items, one a line; "": none
	Adversary           attack.Options
	Files               *Files
}

// Run reads the files and attacks.
func (a Attack) Run(ctx context.Context) (*attack.Result, error) {
	if err := a.Adversary.Validate(); err != nil {
		return nil, err
	}
	c, err := a.read(ctx)
	if err != nil {
		return nil, stopped(ctx, err)
	}
	result, err := c.Run(ctx, a.Adversary)
	return result, stopped(ctx, err)
}

func (a Attack) read(ctx context.Context) (*attack.Case, error) {
	if a.Kind != "" && a.Kind != KindGeneralized {
		if a.Hierarchy != "" || a.Sensitive != "" {
			return nil, fmt.Errorf("a hierarchy and a list of sensitive items are for releases of kind %s: leave them out", KindGeneralized)
		}
	}
	if values := a.Values.String(); a.Kind != KindContinuous && values != bag.Numbers().String() {
		return nil, fmt.Errorf("values that are a %s are for releases of kind %s", values, KindContinuous)
	}
	switch a.Kind {
	case "", KindGeneralized:
		return a.generalized(ctx)
	case KindSuppressed:
		return a.suppressed(ctx)
	case KindNonreciprocal:
		return a.nonreciprocal(ctx)
	case KindContinuous:
		return a.continuous(ctx)
	}
	return nil, fmt.Errorf("a release of kind %q is not known: %s, %s, %s or %s", a.Kind, KindGeneralized, KindSuppressed, KindNonreciprocal, KindContinuous)
}

// both reads the two files of transactions.
func (a Attack) both(ctx context.Context) (original, published *dataset.Dataset, err error) {
	original, opts, err := a.Files.Transactions(ctx, "original", a.Original, a.Options)
	if err != nil {
		return nil, nil, err
	}
	published, _, err = a.Files.Transactions(ctx, "published", a.Published, publishedOptions(a.Published, a.PublishedFormat, opts))
	return original, published, err
}

func (a Attack) generalized(ctx context.Context) (*attack.Case, error) {
	original, published, err := a.both(ctx)
	if err != nil {
		return nil, err
	}
	m := Measurement{Original: a.Original, Published: a.Published, Hierarchy: a.Hierarchy, HierarchyOptions: a.HierarchyOptions, Files: a.Files}
	var hidden []*dataset.Dataset // sensitive items of the two
	var labels []string
	if a.Sensitive != "" {
		if labels, err = a.Files.Items(ctx, roleSensitive, a.Sensitive); err != nil {
			return nil, err
		}
		hidden = make([]*dataset.Dataset, 2)
		if original, hidden[0], err = Split(original, labels); err != nil {
			return nil, err
		}
		if published, hidden[1], err = Split(published, labels); err != nil {
			return nil, err
		}
	}
	t, err := m.tree(ctx, original)
	if err != nil {
		return nil, err
	}
	if t, err = withoutSensitive(t, labels); err != nil {
		return nil, err
	}
	before, after, err := m.bind(t, original, published)
	if err != nil {
		return nil, err
	}
	c, err := attack.Generalized(t, before, after)
	if err == nil && hidden != nil {
		err = c.Sensitive(hidden[0], over(hidden[0].Dict(), hidden[1]))
	}
	return c, err
}

func (a Attack) suppressed(ctx context.Context) (*attack.Case, error) {
	original, published, err := a.both(ctx)
	if err != nil {
		return nil, err
	}
	to := make([]int32, published.Dict().Len())
	for id, label := range published.Dict().Labels() {
		at, ok := original.Dict().ID(label)
		if !ok {
			return nil, fmt.Errorf("%s: item %q is not in the original: such a release leaves items out and adds none", name(a.Published), label)
		}
		to[id] = at
	}
	return attack.Suppressed(original, published.Recode(original.Dict(), to))
}

func (a Attack) nonreciprocal(ctx context.Context) (*attack.Case, error) {
	original, _, err := a.Files.Transactions(ctx, "original", a.Original, a.Options)
	if err != nil {
		return nil, err
	}
	published, err := a.Files.nonreciprocal(ctx, a.Published, original.Dict())
	if err != nil {
		return nil, err
	}
	return attack.Nonreciprocal(original, published)
}

func (a Attack) continuous(ctx context.Context) (*attack.Case, error) {
	original, err := a.bags(ctx, "original", a.Original, a.Options.Format, false)
	if err != nil {
		return nil, err
	}
	published, err := a.bags(ctx, "published", a.Published, a.PublishedFormat, true)
	if err != nil {
		return nil, err
	}
	return attack.Ranges(original, published)
}

func (a Attack) bags(ctx context.Context, role, path string, format dataset.Format, ranges bool) (*bag.Bags, error) {
	opts := a.Options
	opts.Format = format
	opts, err := opts.WithFormat(path)
	if err != nil {
		return nil, fmt.Errorf("%w with --input-format", err)
	}
	layout := &bag.Layout{
		Format: opts.Format, Delimiter: opts.Delimiter, Inner: opts.InnerDelimiter,
		Set: opts.SetColumn, ID: opts.TransactionColumn, Kind: a.Values, Ranges: ranges,
	}
	return a.Files.Bags(ctx, role, path, layout)
}
