package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"mingle/measure"
)

// Losses are all measures of a published file against its original.
type Losses struct {
	Transactions int                  `json:"transactions"`
	NCP          *measure.Loss        `json:"ncp,omitempty"` // nil: see Notes
	Mining       []measure.MiningLoss `json:"mining"`
	Queries      *measure.QueryLoss   `json:"queries,omitempty"` // nil: see Notes
	// Notes are why figures are left out, and what the figures do not show.
	Notes []string `json:"notes,omitempty"`
}

// Measurement says which measures of set-valued data to take.
type Measurement struct {
	Mining  measure.MiningOptions
	Queries measure.QueryOptions
	Seed    uint64 // of the queries
	// MiningIfFew leaves ML2 out, with a note, where too many itemsets are frequent. Else that is
	// an error.
	MiningIfFew bool
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
	out, err := t.minedLosses(ctx, m, p.misfit(opened))
	if err == nil {
		out.Notes = append(out.Notes, opened.besideSets()...)
	}
	return out, stopped(ctx, err)
}

// minedLosses leaves NCP out where misfit says why.
func (t *kmTask) minedLosses(
	ctx context.Context, m Measurement, misfit string,
) (*Losses, error) {
	out := &Losses{Transactions: t.input.Data.Len()}
	if misfit != "" {
		out.Notes = []string{"NCP is left out: " + misfit}
	} else {
		ncp, err := measure.NCPOf(ctx, t.tree, t.input.Data, t.published, t.input.WorkerCount())
		if err != nil {
			return nil, err
		}
		out.NCP = &ncp
	}
	return out, t.countedLosses(ctx, m, out)
}

// countedLosses measures what counts of itemsets tell, which no order of the lines changes.
func (t *kmTask) countedLosses(ctx context.Context, m Measurement, out *Losses) (err error) {
	m.Mining.Workers, m.Queries.Workers = t.input.WorkerCount(), t.input.WorkerCount()
	if watched := t.files.Progress; watched != nil {
		m.Mining.Progress = func(done, total int64) { watched(mining, done, total) }
		m.Queries.Progress = func(done, total int64) { watched(asking, done, total) }
	}
	out.Mining, err = measure.ML2(ctx, t.tree, t.input.Data, t.published, m.Mining)
	var many *measure.TooManyError
	if m.MiningIfFew && errors.As(err, &many) {
		out.Notes = append(out.Notes, fmt.Sprintf("ML2 is left out: %v (--support)", err))
	} else if err != nil {
		return err
	}
	queries, err := measure.QueryError(
		ctx, rand.New(rand.NewPCG(m.Seed, 0)), t.tree, t.input.Data, t.published, m.Queries,
	)
	if errors.Is(err, measure.ErrNothingToQuery) {
		out.Notes = append(out.Notes, fmt.Sprintf("the query error is left out: %v", err))
		return nil
	}
	out.Queries = &queries
	return err
}
