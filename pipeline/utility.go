package pipeline

import (
	"context"
	"fmt"
	"math/rand/v2"

	"mingle/dataset"
	"mingle/measure"
	"mingle/report"
)

// What a release is good for, against the original: frequent itemsets and counts. It is measured
// for the audit file alone, as `mingle measure` does by default, and where it takes some seconds.
const (
	utilitySupport = 0.05
	utilityLimit   = 50_000 // frequent itemsets a level
	utilityQueries = 1000
	utilitySize    = 2
	utilitySeed    = 1
	utilityMemory  = 64 // bytes an occurrence: lists of the transactions of every itemset
)

// The stages of measuring it.
const (
	mining = "mining frequent itemsets"
	asking = "asking queries"
)

// utility measures ML2 and the query error. What cannot be measured is told as untested.
func (t *kmTask) utility(ctx context.Context) []report.Loss {
	if len(t.untested) > 0 { // there is no room even for the test, which says so
		return nil
	}
	need := utilityMemory * int64(t.input.Data.Occurrences()+t.published.Occurrences())
	if t.memory > 0 && need > t.memory {
		t.untested = append(t.untested, fmt.Sprintf("ML2 and query error were left out: they need "+
			"about %d MB, more than --memory allows; mingle measure takes them", need>>20))
		return nil
	}
	published := undropped(t.published, t.dropped())
	out := t.mined(ctx, published)
	q, err := measure.QueryError(ctx, rand.New(rand.NewPCG(utilitySeed, 0)), t.tree, t.input.Data,
		published, measure.QueryOptions{
			Queries: utilityQueries, Size: utilitySize, Workers: t.workers,
			Progress: func(done, total int64) { t.progress(asking, done, total) },
		})
	if err != nil {
		if ctx.Err() == nil {
			t.untested = append(t.untested, fmt.Sprintf("the query error was left out: %v", err))
		}
		return out
	}
	items := "items"
	if q.Size == 1 {
		items = "item"
	}
	return append(out, report.Loss{
		Name: "query error", Value: q.Error, Source: "this program",
		Formula: fmt.Sprintf("mean relative error of %s counts of transactions with %d random %s",
			report.Number(q.Queries), q.Size, items),
	})
}

// mined is ML2, where there are not too many itemsets.
func (t *kmTask) mined(ctx context.Context, published *dataset.Dataset) []report.Loss {
	mined, err := measure.ML2(ctx, t.tree, t.input.Data, published, measure.MiningOptions{
		Thresholds: []float64{utilitySupport}, Limit: utilityLimit, Workers: t.workers,
		Progress: func(done, total int64) { t.progress(mining, done, total) },
	})
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		t.untested = append(t.untested, fmt.Sprintf("ML2 was left out: %v (mingle measure --support)",
			err))
		return nil
	}
	l := mined[0]
	return []report.Loss{{
		Name: "ML2", Value: l.ML2, Source: "terrovitis-2011, 6.2.1",
		Formula: fmt.Sprintf("share of the itemsets in at least %s of the transactions "+
			"that are not found at their level: %s of %s", report.Percent(utilitySupport),
			report.Number(l.Missing), report.Number(l.Frequent)),
	}}
}
