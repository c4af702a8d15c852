package local

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize/brute"
	"mingle/dataset"
)

// naive is a counter's twin: what each row publishes besides the node, nil of one that is dropped.
type naive struct {
	rule    rule
	sets    [][]int32
	weights []int32
}

// breaks tells whether a set of nodes breaks the promise among the rows, and the rows that have it.
func (v *naive) breaks(set []int32) (breaks bool, rows []int32) {
	weight, sensitive := int32(0), map[int32]int32{}
	for n, have := range v.sets {
		if have == nil || slices.ContainsFunc(set, func(y int32) bool { return !slices.Contains(have, y) }) {
			continue
		}
		rows = append(rows, int32(n))
		weight += v.weights[n]
		if v.rule.div != nil {
			for _, x := range v.rule.div.sensitive.Tx(n) {
				sensitive[x] += v.weights[n]
			}
		}
	}
	breaks = weight > 0 && int(weight) < v.rule.k
	for _, s := range sensitive {
		breaks = breaks || int64(s)*v.rule.div.l > int64(weight)
	}
	return breaks, rows
}

// Every set that the counter hands over breaks the promise, with the rows that have it, and when
// these are dropped until it is content, none that breaks it is left: for all sizes of sets, with a
// table for pairs and without room for one, with diversity, and when rows were dropped or lost nodes
// in between.
func TestCounterAgainstNaiveTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	handed := 0
	for round := range 600 {
		v, c := counters(rng, round)
		clean := func() {
			c.check(func(set []int32, occs []occurrence) {
				breaks, want := v.breaks(set)
				var got []int32
				for _, o := range occs {
					if c.rows[o.n].weight > 0 {
						got = append(got, o.n)
					}
				}
				if len(got) == 0 {
					return // dropped since it was counted
				}
				if slices.Sort(got); !breaks || !slices.Equal(got, want) {
					t.Fatalf("round %d: %v is handed over with rows %v, and is in %v", round, set, got, want)
				}
				handed++
				for _, n := range got {
					c.drop(n)
					v.sets[n] = nil
				}
			})
			for _, have := range v.sets {
				brute.Sets(have, c.rule.m-1, func(set []int32) {
					if breaks, rows := v.breaks(set); breaks {
						t.Fatalf("round %d: %v is in %v, and was not found", round, set, rows)
					}
				})
			}
		}
		clean()
		for range 5 {
			v.change(rng, c)
			clean()
		}
	}
	if handed < 1000 {
		t.Errorf("%d sets only", handed)
	}
}

// counters are a counter and its twin of random rows.
func counters(rng *rand.Rand, round int) (*naive, *counter) {
	const node, nodes = 0, 9
	r := rule{k: 2 + rng.IntN(3), m: 1 + rng.IntN(4)}
	rows := 3 + rng.IntN(20)
	sensitive := dataset.NewBuilder(dataset.Unnamed(2))
	for range rows {
		sensitive.Add([]int32{0, 1}[:max(0, rng.IntN(5)-2)])
	}
	if round%4 == 0 {
		r.div = &diversity{2, sensitive.Build(), make([]int64, 2)}
	}
	space := newSpace(nodes, r.m)
	space.cells.most *= round % 2
	space.cells.begin()
	c := &counter{rule: r, meter: &meter{ctx: context.Background(), limit: math.MaxInt64}, space: space}
	v := &naive{rule: r}
	c.begin(node, -1)
	for n := range int32(rows) {
		set := []int32{}
		for y := int32(1); y < nodes; y++ {
			if rng.IntN(3) > 0 {
				set = append(set, y)
			}
		}
		v.sets, v.weights = append(v.sets, set), append(v.weights, 1+rng.Int32N(2))
		s := share{weight: v.weights[n]}
		if r.div != nil && len(r.div.sensitive.Tx(int(n))) > 0 {
			s.sensitive = s.weight
		}
		c.add(entry{row: n, tx: n, share: s}, set, false)
	}
	c.forget()
	c.ready(round%3 == 0)
	return v, c
}

// change drops a row, or takes a node from it.
func (v *naive) change(rng *rand.Rand, c *counter) {
	n := int32(rng.IntN(len(v.sets)))
	switch set := v.sets[n]; {
	case set == nil:
	case len(set) == 0 || rng.IntN(2) == 0:
		c.drop(n)
		v.sets[n] = nil
	default:
		at := rng.IntN(len(set))
		c.lose(n, set[at])
		v.sets[n] = slices.Delete(slices.Clone(set), at, at+1)
	}
}
