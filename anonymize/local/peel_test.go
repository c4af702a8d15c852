package local

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// What is left of rows when those with a rare set have left, as far as they may, is the same in
// whatever order they leave: it is what a plain look at all sets, again and again, leaves. So it is
// when some of those left have lost a node or are out, for another reason.
func TestPeelIsTheSameInAnyOrder(t *testing.T) {
	oneGoroutine(t)
	rng := rand.New(rand.NewPCG(61, 62))
	some, early, further := 0, 0, 0
	for range 3000 {
		c, rows := rowsToPeel(t, rng)
		for range 2 {
			c.check(func(set []int32, occs []occurrence) {
				if len(set) > 2 && c.pairs.on {
					further++
				}
				for _, o := range occs {
					if c.share[o.n].weight > 0 && rows.may[o.n] {
						c.drop(o.n)
					}
				}
			}, func(n int32) bool {
				if rows.may[n] {
					early++
					c.drop(n)
				}
				return rows.may[n]
			})
			rows.peel(c.k, c.m-1)
			for n, is := range rows.left {
				if is != (c.share[n].weight > 0) {
					t.Fatalf("k=%d, m=%d: row %d of %v: left is %v", c.k, c.m, n, rows.sets, is)
				}
				if !is {
					some++
				}
			}
			rows.spoil(rng, c)
		}
	}
	if some == 0 || early == 0 || further == 0 {
		t.Errorf("%d rows left, %d of them early, %d larger sets were rare", some, early, further)
	}
}

// plainRows are rows as a test knows them.
type plainRows struct {
	sets      [][]int32
	weights   []int32
	may, left []bool // leave, and have not left
}

// rowsToPeel are drawn rows, some of which may leave, and a counter of them.
func rowsToPeel(t *testing.T, rng *rand.Rand) (*counter, *plainRows) {
	c, rows := drawnCounter(rng), &plainRows{}
	c.m, c.k = 3+rng.IntN(3), 2+rng.IntN(4)
	c.space = newSpace(len(c.space.number), c.m)
	c.begin(0, int32(len(c.space.number)-1)) // the last is left out
	c.ctx = t.Context()
	c.space.cells.most *= rng.IntN(5) // without room for pairs, too
	heaviest := 1 + rng.Int32N(2)
	for n := range int32(5 + rng.IntN(60)) {
		set := drawnSet(rng, len(c.space.number)-1)
		slices.Sort(set) // as what is published is
		weight := 1 + rng.Int32N(heaviest)
		rows.sets, rows.weights = append(rows.sets, set), append(rows.weights, weight)
		rows.may, rows.left = append(rows.may, rng.IntN(6) > 0), append(rows.left, true)
		c.add(n, share{weight: weight}, set, false)
	}
	c.forget()
	c.ready()
	return c, rows
}

// spoil puts some of the rows out that are left, and takes nodes from others.
func (p *plainRows) spoil(rng *rand.Rand, c *counter) {
	for n, set := range p.sets {
		switch {
		case !p.left[n]:
		case rng.IntN(20) == 0:
			c.drop(int32(n))
			p.left[n] = false
		case rng.IntN(10) == 0 && len(set) > 0:
			at := rng.IntN(len(set))
			c.lose(int32(n), set[at], rng.IntN(8))
			p.sets[n] = slices.Delete(set, at, at+1)
		}
	}
}

// peel lets all leave that may, as long as they have a rare set of at most so many nodes.
func (p *plainRows) peel(k, most int) {
	for again := true; again; {
		again = false
		counts := map[someNodes]int{}
		for n, set := range p.sets {
			if !p.left[n] {
				continue
			}
			eachUpTo(most, set, 0, someNodes{}, func(key someNodes) {
				counts[key] += int(p.weights[n])
			})
		}
		for n, set := range p.sets {
			if !p.left[n] || !p.may[n] {
				continue
			}
			rare := false
			eachUpTo(most, set, 0, someNodes{}, func(key someNodes) {
				rare = rare || counts[key] < k
			})
			p.left[n], again = !rare, again || rare
		}
	}
}

// someNodes are at most four; zero stands for none.
type someNodes [4]int32

// eachUpTo calls do with a set that has n nodes, and with it and some of those given, up to so many
// in all.
func eachUpTo(most int, given []int32, n int, with someNodes, do func(key someNodes)) {
	if do(with); n == most {
		return
	}
	for at, y := range given {
		with[n] = y
		eachUpTo(most, given[at+1:], n+1, with, do)
	}
}

// When those in a rare set have left it, each by itself or by losing a node, none is left.
func TestNoRareSetIsLeft(t *testing.T) {
	oneGoroutine(t)
	rng := rand.New(rand.NewPCG(63, 64))
	lost := 0
	for range 3000 {
		c, rows := rowsToPeel(t, rng)
		c.check(func(set []int32, occs []occurrence) {
			for _, o := range occs {
				has := c.flat[c.begins(o.n):c.end[o.n]]
				switch {
				case c.share[o.n].weight == 0:
				case len(set) == 0 || rng.IntN(3) == 0:
					c.drop(o.n)
				default:
					v := set[rng.IntN(len(set))]
					if !slices.ContainsFunc(has, func(y int32) bool { return c.nodes[y] == v }) {
						continue // it has lost it in this look
					}
					lost++
					c.lose(o.n, v, rng.IntN(8))
				}
			}
		}, func(int32) bool { return false })
		counts := map[someNodes]int{}
		for n, share := range c.share {
			set := slices.DeleteFunc(slices.Clone(c.flat[c.begins(int32(n)):c.end[n]]),
				func(y int32) bool { return y == 0 })
			eachUpTo(c.m-1, set, 0, someNodes{}, func(key someNodes) {
				counts[key] += int(share.weight)
			})
		}
		for set, count := range counts {
			if count > 0 && count < c.k {
				t.Fatalf("k=%d, m=%d: %d of %v have %v", c.k, c.m, count, rows.sets, set)
			}
		}
	}
	if lost < 1000 {
		t.Errorf("%d nodes lost", lost)
	}
}
