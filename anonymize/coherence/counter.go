package coherence

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// problem is the input with what follows from it.
type problem struct {
	Input
	most []int32 // transactions -> how many of them may contain one private item
}

// Counting is a representation of the moles, or of the nuggets, in which they can be counted without listing them.
type Counting int

const (
	// Auto takes the first of the representations that does not become too large.
	Auto Counting = iota
	// Edges is the paper's: a border, as the pairs of its minimal and maximal sets, and differences of such pairs.
	Edges
	// Projection counts moles as what occurs less what is safe, by the transactions that contain all items but the last
	// two of a mole. For moles only: nuggets may be of any size.
	Projection
	// Diagram counts on a zero-suppressed decision diagram of all subsets of the maximal sets.
	Diagram
)

var countingNames = []string{"auto", "edges", "projection", "diagram"}

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
	return 0, fmt.Errorf("there is no way of counting named %q: choose one of %s", name, strings.Join(countingNames, ", "))
}

// counter counts a family of itemsets by item while public items are removed. Numbers it returns must not be changed.
type counter interface {
	// of is the number of remaining itemsets that contain an item.
	of(item int32) *big.Int
	// total is the number of remaining itemsets.
	total() *big.Int
	// remove takes away the itemsets that contain an item. It is no longer alive.
	remove(ctx context.Context, item int32, alive []bool) error
	counting() Counting
}

// errTooLarge is why a representation gives up: the next one is tried.
var errTooLarge = errors.New("coherence: this way of counting needs too many steps or too much memory; choose another, a smaller p, or a larger support of nuggets")

// way makes a counter of the itemsets whose public items are all alive.
type way func(ctx context.Context, p *problem, alive []bool) (counter, error)

// switching is a counter that goes on with the next way when one becomes too large.
type switching struct {
	counter
	p     *problem
	ways  []way // that are left
	alive []bool
}

func newSwitching(ctx context.Context, p *problem, ways []way, alive []bool) (*switching, error) {
	s := &switching{p: p, ways: ways, alive: alive}
	return s, s.next(ctx)
}

// next makes the first counter that can be made.
func (s *switching) next(ctx context.Context) error {
	for len(s.ways) > 0 {
		make := s.ways[0]
		s.ways = s.ways[1:]
		c, err := make(ctx, s.p, s.alive)
		if err == nil {
			s.counter = c
			return nil
		}
		if !errors.Is(err, errTooLarge) {
			return err
		}
	}
	return errTooLarge
}

// remove removes an item; it must be marked as no longer alive before.
func (s *switching) remove(ctx context.Context, item int32) error {
	err := s.counter.remove(ctx, item, s.alive)
	if errors.Is(err, errTooLarge) {
		return s.next(ctx)
	}
	return err
}

// moleWays are the ways to count moles, in the order in which they are tried.
func moleWays(p *problem) []way {
	switch p.Moles {
	case Edges:
		return []way{edgeWay(moleBorder, unbounded)}
	case Projection:
		return []way{newProjection}
	case Diagram:
		return []way{newMoleDiagrams}
	}
	return []way{edgeWay(moleBorder, autoSteps), cheapProjection, newMoleDiagrams}
}

// nuggetWays are the ways to count nuggets.
func nuggetWays(p *problem) []way {
	switch p.Nuggets {
	case Edges:
		return []way{edgeWay(nuggetBorder, unbounded)}
	case Diagram, Projection:
		return []way{newNuggetDiagram}
	}
	return []way{edgeWay(nuggetBorder, autoSteps), newNuggetDiagram}
}

// totals are exact counts by item and in all.
type totals struct {
	byItem []big.Int
	all    big.Int
}

func newTotals(items int) totals { return totals{byItem: make([]big.Int, items)} }

func (t *totals) of(item int32) *big.Int { return &t.byItem[item] }

func (t *totals) total() *big.Int { return &t.all }

// add adds sign times counts by item and in all.
func (t *totals) add(byItem []uint64, all uint64, sign int) {
	var x big.Int
	op := (*big.Int).Add
	if sign < 0 {
		op = (*big.Int).Sub
	}
	for it, n := range byItem {
		if n > 0 {
			op(&t.byItem[it], &t.byItem[it], x.SetUint64(n))
		}
	}
	op(&t.all, &t.all, x.SetUint64(all))
}
