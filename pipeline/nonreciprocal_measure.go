package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"mingle/dataset"
	"mingle/measure"
	"mingle/release"
	"mingle/report"
)

// nonreciprocalLosses are the losses of a release of base sets with uncertain items. own[u] is the
// published row that was made for record u; nil: it is not known, and the error rate is left out.
func nonreciprocalLosses(
	data *dataset.Dataset, published *release.Nonreciprocal, own []int32,
) ([]report.Loss, error) {
	var losses []report.Loss
	if own != nil {
		er, err := measure.ErrorRate(data, published.Base, own)
		if err != nil {
			return nil, err
		}
		losses = append(losses, report.Loss{
			Name: "error rate", Value: er, Source: "xue-2012, section 5.1",
			Formula: "items in which a record and the base made for it differ, divided by the record's items; mean",
		})
	}
	losses = append(losses, uncertainLosses(published)...)
	items := data.Dict().Len()
	if items == 0 {
		return losses, nil
	}
	opts := measure.BaseQueryOptions{Present: min(3, items), Absent: min(4, items)}
	qe, err := measure.BaseQueryError(
		rand.New(rand.NewPCG(uint64(opts.Present), 0)), data, published.Base, opts,
	)
	if err != nil {
		return nil, err
	}
	return append(losses,
		report.Loss{Name: "QE (present)", Value: qe.TypeI, Formula: fmt.Sprintf("share of records by which a count of %d items present is off; mean of %d random queries", qe.Present, qe.Queries), Source: "xue-2012, section 5.2"},
		report.Loss{
			Name: "QE (absent)", Value: qe.TypeII,
			Formula: fmt.Sprintf("the same for %d items absent", qe.Absent),
			Source:  "xue-2012, section 5.2",
		}), nil
}

// uncertainLosses are the losses that the published file alone tells.
func uncertainLosses(published *release.Nonreciprocal) []report.Loss {
	n, threshold := max(1, published.Len()), 0
	for _, t := range published.Threshold {
		threshold += int(t)
	}
	return []report.Loss{
		{Name: "uncertain", Value: float64(published.Uncertain.Occurrences()) / float64(n), Formula: "uncertain items a record, mean", Source: "count"},
		{Name: "threshold", Value: float64(threshold) / float64(n), Formula: "mean", Source: "count"},
	}
}

// LossesOfBases measures what a published file of [Nonreciprocal] lost. It needs the original.
func (p Pair) LossesOfBases(ctx context.Context) ([]report.Loss, error) {
	opened, err := p.both(ctx)
	if err != nil {
		return nil, err
	}
	t, is := opened.(*nonreciprocalTask)
	if !is {
		return nil, fmt.Errorf(
			"a release of kind %s has no base sets to be measured", p.Family.Name(),
		)
	}
	var own []int32
	if t.Audit != "" {
		if own, err = t.own(ctx); err != nil {
			return nil, stopped(ctx, err)
		}
	}
	losses, err := nonreciprocalLosses(t.raw, t.published, own)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name(p.Published), err)
	}
	return losses, nil
}

// own reads the published row made for each record from the audit file.
func (t *nonreciprocalTask) own(ctx context.Context) ([]int32, error) {
	n := t.raw.Len()
	text, err := t.files.bytes(ctx, "audit", t.Audit)
	if err != nil {
		return nil, err
	}
	var audit report.Audit
	err = json.Unmarshal(text, &audit)
	if err != nil || audit.Schema != report.AuditSchema || audit.Draw == nil {
		return nil, fmt.Errorf("%s: is not the audit file of a nonreciprocal release", t.Audit)
	}
	if err := t.files.belong(&audit, t.Audit); err != nil {
		return nil, err
	}
	if len(audit.Draw.Matches) != n {
		return nil, fmt.Errorf(
			"%s: is of %d records, the original has %d", t.Audit, len(audit.Draw.Matches), n,
		)
	}
	own, taken := make([]int32, n), make([]bool, n)
	for u, match := range audit.Draw.Matches {
		row := int(match.Own) - 1
		if row < 0 || row >= n || taken[row] {
			return nil, fmt.Errorf(
				"%s: record %d has row %d: each row from 1 to %d must be the own one of one record",
				t.Audit, u+1, match.Own, n,
			)
		}
		own[u], taken[row] = int32(row), true
	}
	return own, nil
}
