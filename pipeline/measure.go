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
	NCP          *measure.Loss        `json:"ncp,omitempty"` // nil: see Notes
	Mining       []measure.MiningLoss `json:"mining"`
	Queries      measure.QueryLoss    `json:"queries"`
	Notes        []string             `json:"notes,omitempty"` // why figures are left out
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
	out := &Losses{Transactions: t.input.Data.Len()}
	if says := p.misfit(t); says != "" {
		out.Notes = []string{"NCP is left out: " + says}
	} else {
		ncp, err := measure.NCPOf(t.tree, t.input.Data, t.published, t.input.WorkerCount())
		if err != nil {
			return nil, err
		}
		out.NCP = &ncp
	}
	return out, stopped(ctx, t.countedLosses(ctx, m, out))
}

// countedLosses measures what counts of itemsets tell, which no order of the lines changes.
func (t *kmTask) countedLosses(ctx context.Context, m Measurement, out *Losses) (err error) {
	t.files.report("mining frequent itemsets")
	if out.Mining, err = measure.ML2(ctx, t.tree, t.input.Data, t.published, m.Mining); err != nil {
		return err
	}
	t.files.report("asking queries")
	out.Queries, err = measure.QueryError(
		rand.New(rand.NewPCG(m.Seed, 0)), t.tree, t.input.Data, t.published, m.Queries,
	)
	return err
}

// report says that a step of unknown length begins.
func (f *Files) report(stage string) {
	if f.Progress != nil {
		f.Progress(stage, 0, 0)
	}
}
