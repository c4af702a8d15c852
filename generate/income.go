package generate

import (
	"math"
	"math/rand/v2"

	"mingle/dataset/bag"
)

// Income makes bags of yearly incomes by source, with the marginals that gkountouna-2014 (section
// 4) tells of the US Census 1990 data it used: eight skewed attributes, zeros left out, records
// without any value left out, 2.27 values a record, whole numbers from 0 to 197,297. It is not that
// data: nothing but these figures is known of it here, the shapes of the eight sources are made up.
type Income struct {
	Records int    // number of records; the paper has about 1,000,000
	Seed    uint64 // the same seed makes the same records; fewer records are the first of more
}

// source is one kind of income. Amounts are log-normal, people tell them rounded, and those above a
// top are published as the mean of such amounts in the person's state, as censuses do.
type source struct {
	share          float64 // of people who have it
	median, spread float64 // of the log-normal distribution
	top            int64
	rounding       []rounded
}

// rounded is a multiple that a share of the people round to; who is left over does not round.
type rounded struct {
	share float64
	to    int64
}

// states is the number of states, the District of Columbia among them; the mean above the top is
// higher in a state of a higher number, up to highest of the top.
const (
	states  = 51
	highest = 1.4092643 // 140,000 becomes 197,297
)

var sources = [8]source{
	// wages
	{0.750, 17_000, 0.95, 140_000, []rounded{{0.45, 1000}, {0.20, 500}, {0.20, 100}, {0.05, 50}}},
	// own business
	{0.120, 12_000, 1.20, 90_000, []rounded{{0.55, 1000}, {0.15, 500}, {0.15, 100}}},
	// farm
	{0.040, 6_000, 1.30, 54_000, []rounded{{0.55, 1000}, {0.15, 500}, {0.15, 100}}},
	// interest, dividends, rent
	{0.510, 900, 1.60, 40_000, []rounded{{0.15, 1000}, {0.15, 500}, {0.35, 100}, {0.20, 10}}},
	// social security
	{0.270, 6_300, 0.45, 17_000, []rounded{{0.25, 1000}, {0.10, 500}, {0.25, 100}, {0.30, 12}}},
	// public assistance
	{0.080, 3_600, 0.60, 10_000, []rounded{{0.20, 1000}, {0.10, 500}, {0.30, 100}, {0.30, 12}}},
	// retirement
	{0.205, 6_500, 0.95, 30_000, []rounded{{0.30, 1000}, {0.15, 500}, {0.30, 100}, {0.15, 12}}},
	// other
	{0.190, 2_400, 1.10, 20_000, []rounded{{0.20, 1000}, {0.20, 500}, {0.35, 100}, {0.10, 50}}},
}

// Bags makes the records. Record i depends on the seed and i alone.
func (g Income) Bags() *bag.Bags {
	records := make([][]int64, g.Records)
	for i := range records {
		rng := rand.New(rand.NewPCG(g.Seed, uint64(i)))
		state := rng.IntN(states)
		for len(records[i]) == 0 {
			for _, s := range sources {
				if rng.Float64() < s.share {
					records[i] = append(records[i], s.amount(rng, state))
				}
			}
		}
	}
	return bag.FromInts(records)
}

// amount is at least 1: zeros are nulls.
func (s source) amount(rng *rand.Rand, state int) int64 {
	v := int64(s.median * math.Exp(s.spread*rng.NormFloat64()))
	at := rng.Float64()
	for _, r := range s.rounding {
		if at -= r.share; at < 0 {
			v = (v + r.to/2) / r.to * r.to
			break
		}
	}
	if v > s.top {
		return int64(math.Round(float64(s.top) * (highest - 0.005*float64(states-1-state))))
	}
	return max(v, 1)
}
