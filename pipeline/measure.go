package pipeline

import (
	"context"
	"fmt"
	"math/rand/v2"

	"mingle/measure"
)

// Losses are all measures of a published file against its original.
type Losses struct {
	Transactions int                  `json:"transactions"`
	NCP          measure.Loss         `json:"ncp"`
	Mining       []measure.MiningLoss `json:"mining"`
	Queries      measure.QueryLoss    `json:"queries"`
	Notes        []string             `json:"notes,omitempty"` // why the figures may be wrong
}

// Measurement says which measures of set-valued data to take.
type Measurement struct {
	Mining  measure.MiningOptions
	Queries measure.QueryOptions
	Seed    uint64 // of the queries
}

// Losses measures what a published file of [KM] lost. It needs the original.
func (p Pair) Losses(ctx context.Context, m Measurement) (*Losses, error) {
	opened, err := p.both(ctx)
	if err != nil {
		return nil, err
	}
	t, is := opened.(*kmTask)
	if !is {
		return nil, fmt.Errorf(
			"frequent itemsets and queries are not measured of a release of kind %s",
			p.Family.Name(),
		)
	}
	losses, err := t.allLosses(ctx, m)
	if says := p.misfit(t); err == nil && says != "" {
		losses.Notes = []string{says}
	}
	return losses, stopped(ctx, err)
}

func (t *kmTask) allLosses(ctx context.Context, m Measurement) (*Losses, error) {
	out := &Losses{Transactions: t.input.Data.Len()}
	var err error
	if out.NCP, err = measure.NCPOf(t.tree, t.input.Data, t.published); err != nil {
		return nil, err
	}
	t.files.report("mining frequent itemsets")
	if out.Mining, err = measure.ML2(ctx, t.tree, t.input.Data, t.published, m.Mining); err != nil {
		return nil, err
	}
	t.files.report("asking queries")
	out.Queries, err = measure.QueryError(
		rand.New(rand.NewPCG(m.Seed, 0)), t.tree, t.input.Data, t.published, m.Queries,
	)
	return out, err
}

// report says that a step of unknown length begins.
func (f *Files) report(stage string) {
	if f.Progress != nil {
		f.Progress(stage, 0, 0)
	}
}
