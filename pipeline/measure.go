package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/measure"
	"mingle/release"
	"mingle/report"
)

// The losses that reports name, with formula and source.
const (
	ncpFormula = "average over all item occurrences of leaves(u)/|I| for the node u that stands for it, 0 for the item itself"
	ncpSource  = "Terrovitis, Mamoulis, Kalnis, VLDB 2008, section 3.3"
)

// measure takes the losses of the release.
func (r *run) measure(context.Context) error {
	loss := measure.NCP(r.release)
	r.losses = []report.Loss{{Name: "NCP", Value: loss.NCP, Formula: ncpFormula, Source: ncpSource}}
	if r.sensitive != nil {
		r.losses[0].Formula += "; sensitive items, published as they are, are not counted"
	}
	if b := r.release.Bound; b != nil {
		r.losses = append(r.losses, bounded(b, loss.NCP, r.release.IsGlobal())...)
	}
	return nil
}

// bounded is how far a loss is above what is proven to be the least. A local recoding may lose less than any global one: then
// only the bound is named.
func bounded(b *release.Bound, ncp float64, global bool) []report.Loss {
	out := []report.Loss{{
		Name: "NCP, least", Value: b.NCP, Source: "this program",
		Formula: "proven: no global recoding that keeps the promise loses less",
	}}
	if gap, ok := measure.Gap(ncp, b.NCP); ok && (global || gap >= 0) {
		out = append(out, report.Loss{Name: "gap", Value: gap, Formula: "(NCP - least)/least", Source: "this program"})
	}
	return out
}

// Losses are all measures of a published file against its original.
type Losses struct {
	Transactions int                  `json:"transactions"`
	NCP          measure.Loss         `json:"ncp"`
	Mining       []measure.MiningLoss `json:"mining"`
	Queries      measure.QueryLoss    `json:"queries"`
}

// Measurement is the question what a published file lost.
type Measurement struct {
	Original, Published string
	Options             dataset.Options // of the original
	PublishedFormat     dataset.Format  // "": by the extension, else that of the original
	Hierarchy           string          // "": only items published as they are, or not at all, are understood
	HierarchyOptions    hierarchy.ReadOptions
	Mining              measure.MiningOptions
	Queries             measure.QueryOptions
	Seed                uint64 // of the queries
	Files               *Files
}

// Run reads both files and measures.
func (m Measurement) Run(ctx context.Context) (*Losses, error) {
	original, opts, err := m.Files.Transactions(ctx, "original", m.Original, m.Options)
	if err != nil {
		return nil, stopped(ctx, err)
	}
	published, _, err := m.Files.Transactions(ctx, "published", m.Published, publishedOptions(m.Published, m.PublishedFormat, opts))
	if err != nil {
		return nil, stopped(ctx, err)
	}
	t, err := m.tree(ctx, original)
	if err != nil {
		return nil, stopped(ctx, err)
	}
	before, after, err := m.bind(t, original, published)
	if err != nil {
		return nil, err
	}
	losses, err := m.losses(ctx, t, before, after)
	return losses, stopped(ctx, err)
}

// tree is the hierarchy or, without one, a root above the items of the original.
func (m Measurement) tree(ctx context.Context, original *dataset.Dataset) (*hierarchy.Tree, error) {
	if m.Hierarchy != "" {
		return m.Files.Hierarchy(ctx, m.Hierarchy, m.HierarchyOptions)
	}
	items, root := original.Dict().Labels(), "*"
	for _, taken := original.Dict().ID(root); taken; _, taken = original.Dict().ID(root) {
		root += "*"
	}
	b := hierarchy.NewBuilder()
	for _, item := range items {
		if err := b.Edge(item, root, 0); err != nil {
			return nil, err
		}
	}
	return b.Build(hierarchy.BuildOptions{})
}

func (m Measurement) bind(t *hierarchy.Tree, original, published *dataset.Dataset) (before, after *dataset.Dataset, err error) {
	if before, err = t.Encode(original); err != nil {
		return nil, nil, inFile(m.Original, err)
	}
	after, err = t.EncodePublished(published)
	var missing *hierarchy.MissingItemsError
	if errors.As(err, &missing) && m.Hierarchy == "" {
		return nil, nil, fmt.Errorf("%s: item %q (first on line %d) is not in the original: give the hierarchy it was generalized with, by --hierarchy",
			name(m.Published), missing.Items[0].Label, missing.Items[0].FirstLine)
	}
	return before, after, inFile(m.Published, err)
}

func (m Measurement) losses(ctx context.Context, t *hierarchy.Tree, before, after *dataset.Dataset) (*Losses, error) {
	out := &Losses{Transactions: before.Len()}
	var err error
	if out.NCP, err = measure.NCPOf(t, before, after); err != nil {
		return nil, err
	}
	m.Files.report("mining frequent itemsets")
	if out.Mining, err = measure.ML2(ctx, t, before, after, m.Mining); err != nil {
		return nil, err
	}
	m.Files.report("asking queries")
	out.Queries, err = measure.QueryError(rand.New(rand.NewPCG(m.Seed, 0)), t, before, after, m.Queries)
	return out, err
}

// report says that a step of unknown length begins.
func (f *Files) report(stage string) {
	if f.Progress != nil {
		f.Progress(stage, 0, 0)
	}
}
