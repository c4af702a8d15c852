package pipeline

import (
	"encoding/hex"
	"fmt"

	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/report"
)

// lineOrder is the order in which the transactions of the original are published. The original is
// put into it as soon as it is read, so that no later step, the algorithm included, sees another:
// line i of the release is transaction i of the original as it stands then.
type lineOrder struct {
	shuffle bool // it is to be drawn from the seed
	// from[i] is the transaction that line i is of, both counted from 0; nil: as in the original
	from []int32
}

// orderOf finds the order of n transactions: as in the original, drawn, or that of an audit file.
func (e *env) orderOf(n int) ([]int32, error) {
	if e.order.shuffle {
		e.order.from = dataset.DrawOrder(e.seed, n)
	}
	if e.order.from != nil && len(e.order.from) != n {
		return nil, fmt.Errorf(
			"%s has %d transactions, and the audit file is of a release of %d: they do not belong together",
			name(e.originalPath), n, len(e.order.from),
		)
	}
	return e.order.from, nil
}

// inOrder is sets in the order in which they are published.
func (e *env) inOrder(d *dataset.Dataset) (*dataset.Dataset, error) {
	from, err := e.orderOf(d.Len())
	if err != nil || from == nil {
		return d, err
	}
	return d.Select(from), nil
}

// bagsInOrder is bags in the order in which they are published.
func (e *env) bagsInOrder(b *bag.Bags) (*bag.Bags, error) {
	from, err := e.orderOf(b.Len())
	if err != nil || from == nil {
		return b, err
	}
	return b.Select(from), nil
}

// placeOf is the transaction of the original that line i is of, both counted from 0.
func (e *env) placeOf(i int) int {
	if e.order.from == nil {
		return i
	}
	return int(e.order.from[i])
}

// orderLost is what is said where nothing remembers a random order.
const orderLost = "the lines are in a random order, and without an audit file (--audit) nobody can " +
	"compare them with the original again"

// note writes the order into the audit file, counted from 1 as people count lines.
func (o lineOrder) note(a *report.Audit, seed *[32]byte) {
	if !o.shuffle {
		return
	}
	a.Seed = hex.EncodeToString(seed[:])
	a.Order = make([]int32, len(o.from))
	for i, tx := range o.from {
		a.Order[i] = tx + 1
	}
}

// orderIn reads the order of the lines from an audit file; nil: it is that of the original.
func orderIn(audit *report.Audit, path string) ([]int32, error) {
	if audit.Order == nil {
		return nil, nil
	}
	from, taken := make([]int32, len(audit.Order)), make([]bool, len(audit.Order))
	for i, tx := range audit.Order {
		if tx < 1 || int(tx) > len(taken) || taken[tx-1] {
			return nil, fmt.Errorf("%s: the order of the lines is damaged: place %d has %d, "+
				"which is no transaction or one that another line is of", name(path), i+1, tx)
		}
		from[i], taken[tx-1] = tx-1, true
	}
	return from, nil
}
