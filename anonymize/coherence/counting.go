package coherence

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"mingle/anonymize"
	"mingle/internal/zdd"
)

// problem is the input with what follows from it.
type problem struct {
	Input
	most []int32 // transactions -> how many of them may contain one private item
}

// told makes the listener of a stage that tells how much of it is done.
func told(listener func(anonymize.Progress), stage string) func(done, total int64) {
	if listener == nil {
		return nil
	}
	return func(done, total int64) {
		listener(anonymize.Progress{Stage: stage, Done: done, Total: total})
	}
}

// nodes makes the listener of a diagram in the making; how large it gets is not known.
func nodes(listener func(anonymize.Progress)) func(n int64) {
	if listener == nil {
		return nil
	}
	return func(n int64) { listener(anonymize.Progress{Stage: "nodes of a diagram", Done: n}) }
}

// Counting is a representation of the moles in which they can be counted without listing them. It
// does not change the result, only what it costs.
type Counting int

const (
	// Auto takes the projection where it is cheap enough, else the diagram.
	Auto Counting = iota
	// Projection counts moles as what occurs less what is safe, by the transactions that contain
	// all items but the last two of a mole. Nuggets of few items are counted as what is safe is.
	Projection
	// Diagram counts the same on zero-suppressed decision diagrams.
	Diagram
)

var countingNames = []string{"auto", "projection", "diagram"}

func (c Counting) String() string {
	if c < 0 || int(c) >= len(countingNames) {
		return "counting " + strconv.Itoa(int(c))
	}
	return countingNames[c]
}

// ParseCounting finds a representation by its name.
func ParseCounting(name string) (Counting, error) {
	for i, n := range countingNames {
		if n == name {
			return Counting(i), nil
		}
	}
	return 0, fmt.Errorf("there is no way of counting named %q: choose one of %s",
		name, strings.Join(countingNames, ", "))
}

// counter counts a family of itemsets by item while public items are removed. Numbers it returns
// must not be changed.
type counter interface {
	// of is the number of remaining itemsets that contain an item.
	of(item int32) *big.Int
	// total is the number of remaining itemsets.
	total() *big.Int
	// remove takes away the itemsets that contain an item. It is no longer among the items left.
	remove(ctx context.Context, item int32, left []bool) error
	// fresh is a counter from which nothing is removed yet, where this one is such. Both share
	// what is large.
	fresh() counter
	counting() Counting
}

// totals are the numbers of a counter.
type totals struct{ zdd.Counts }

func (t *totals) copied() totals { return totals{t.Clone()} }

func (t *totals) of(item int32) *big.Int { return &t.ByItem[item] }

func (t *totals) total() *big.Int { return &t.All }

// errTooLarge is why the counting is given up.
var errTooLarge = errors.New("coherence: this way of counting needs too many steps or too much " +
	"memory; choose another, a smaller p, or a larger support of nuggets")

// newMoles makes a counter of the moles among the given public items.
func newMoles(ctx context.Context, p *problem, public []bool) (counter, error) {
	if p.Moles == Diagram {
		return newMoleDiagrams(ctx, p, public)
	}
	o := newOccurring(p, public)
	if p.Moles != Projection && o.cost() > maxProjection {
		return newMoleDiagrams(ctx, p, public)
	}
	return newProjection(ctx, p, public, o)
}

// maxProjection is how many words a projection may have to read to be chosen without being asked
// for: minutes.
const maxProjection = 1e12
