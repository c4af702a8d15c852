package measure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"mingle/dataset"
)

// ErrorRate is ER of xue-2012 section 5.1: the average over the records of the number of bits
// flipped in the published base of a record over the number of its items,
//
//	ER = 1/n Σ |r ∆ base(r)| / |r|.
//
// row[u] is the published row made for record u (its own slot, not its true match); it is in the
// audit file. A record without items counts with |base| over 1.
func ErrorRate(original, base *dataset.Dataset, row []int32) (float64, error) {
	if err := sameRecords(original, base); err != nil {
		return 0, err
	}
	if len(row) != original.Len() {
		return 0, fmt.Errorf("rows of %d records for %d", len(row), original.Len())
	}
	if original.Len() == 0 {
		return 0, nil
	}
	sum := 0.0
	for u, at := range row {
		tx := original.Tx(u)
		sum += float64(flipped(tx, base.Tx(int(at)))) / float64(max(1, len(tx)))
	}
	return sum / float64(original.Len()), nil
}

// flipped is the size of the symmetric difference of two ascending sets.
func flipped(a, b []int32) int {
	common := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common, i, j = common+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return len(a) + len(b) - 2*common
}

func sameRecords(original, base *dataset.Dataset) error {
	if original == nil || base == nil {
		return errors.New("the original and the published bases are needed")
	}
	if original.Len() != base.Len() {
		return fmt.Errorf("%d published records for %d original ones", base.Len(), original.Len())
	}
	own, theirs := original.Dict(), base.Dict()
	if own != theirs && (theirs.Len() < own.Len() ||
		!slices.Equal(own.Labels(), theirs.Labels()[:own.Len()])) {
		return errors.New("the published file was not read with the dictionary of the original")
	}
	return nil
}

// BaseQueryOptions say what counts are asked of base bitmaps.
type BaseQueryOptions struct {
	Queries int // of each type; 0: 500
	Present int // items of a type I query, all of which must be present; 0: 3
	Absent  int // items of a type II query, none of which may be present; 0: 4
}

// BaseQueryLoss is QE of xue-2012 section 5.2, for both types of queries.
type BaseQueryLoss struct {
	Queries int     `json:"queries"`
	Present int     `json:"present"`
	Absent  int     `json:"absent"`
	TypeI   float64 `json:"type_1"`
	TypeII  float64 `json:"type_2"`
}

// BaseQueryError asks random queries of the original and of the published bases:
//
//	type I:   how many records have all items of In
//	type II:  how many records have no item of Ex
//	QE = |count in the original - count in the bases| / n, averaged over the queries.
//
// In and Ex are drawn uniformly from all items, as in the paper. For pumsb its sizes are (1, 5),
// for chess (3, 4).
func BaseQueryError(r *rand.Rand, original, base *dataset.Dataset,
	opts BaseQueryOptions,
) (BaseQueryLoss, error) {
	if err := sameRecords(original, base); err != nil {
		return BaseQueryLoss{}, err
	}
	if opts.Queries < 0 || opts.Present < 0 || opts.Absent < 0 {
		return BaseQueryLoss{}, errors.New("the number of queries and their sizes must not be " +
			"negative")
	}
	loss := BaseQueryLoss{
		Queries: cmp.Or(opts.Queries, 500), Present: cmp.Or(opts.Present, 3),
		Absent: cmp.Or(opts.Absent, 4),
	}
	items := original.Dict().Len()
	if items < max(loss.Present, loss.Absent) {
		return BaseQueryLoss{}, fmt.Errorf("queries of %d and %d items over %d", loss.Present,
			loss.Absent, items)
	}
	n := float64(max(1, original.Len()))
	o, p := newColumns(original), newColumns(base)
	for range loss.Queries {
		in, ex := draw(r, items, loss.Present), draw(r, items, loss.Absent)
		loss.TypeI += math.Abs(float64(o.all(in)-p.all(in))) / n
		loss.TypeII += math.Abs(float64(o.none(ex)-p.none(ex))) / n
	}
	loss.TypeI /= float64(loss.Queries)
	loss.TypeII /= float64(loss.Queries)
	return loss, nil
}

// draw takes count different items, each set as likely as another.
func draw(r *rand.Rand, items, count int) []int32 {
	out := make([]int32, 0, count)
	for len(out) < count {
		if it := int32(r.IntN(items)); !slices.Contains(out, it) {
			out = append(out, it)
		}
	}
	return out
}

// columns lists the records of every item.
type columns struct {
	n       int
	records [][]int32
	hits    []int32 // room: of each record, 0 between counts
}

func newColumns(d *dataset.Dataset) *columns {
	return &columns{n: d.Len(), records: transactionsOf(d), hits: make([]int32, d.Len())}
}

// all counts the records with all items.
func (c *columns) all(items []int32) int {
	return c.count(items, func(hits int) bool { return hits == len(items) })
}

// none counts the records with none of the items.
func (c *columns) none(items []int32) int {
	return c.n - c.count(items, func(hits int) bool { return hits > 0 })
}

// count counts the records that have at least one of the items and of whose hits accept is true.
func (c *columns) count(items []int32, accept func(hits int) bool) int {
	for _, it := range items {
		for _, u := range c.records[it] {
			c.hits[u]++
		}
	}
	out := 0
	for _, it := range items {
		for _, u := range c.records[it] {
			if c.hits[u] > 0 && accept(int(c.hits[u])) {
				out++
			}
			c.hits[u] = 0
		}
	}
	return out
}
