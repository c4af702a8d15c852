package nonreciprocal

import "math"

// flipCosts is what blocks cost by nothing but how many of their records have each item; refine aside, it is what all
// changes of blocks lessen.
//
// Of the l-1 other preimages of a slot, more than half of l must differ from its record in an item to flip it. So a record
// needs half of l, itself among them, that are like it. If fewer records of a block have an item, or have it not, then all
// of them are flipped in it, whatever the graph: each costs flipped. From there on the graph can save them all, but the
// more it must prefer them to others the fewer other items it can save. In a random graph they would find few·l/size
// like them; what is missing to half of l is the bias that the graph needs. Its third power is what was best of those
// tried: a single item that needs much bias is worse than several that need little.
//
// To it comes a part for every pair that differs, by the size of the block. It keeps blocks near: without it error rates are
// hardly lower, and uncertain sets and thresholds are a half larger.
type flipCosts struct {
	l      int
	rows   [][]int32  // by size of the block, then by how many records have the item
	tables [][]prices // the same with all that follows
}

const (
	flipped  = 1000 // the cost of an item flipped in a slot, the unit of the others
	mostBias = 300  // of a record in an item of which the block has just enough
	differs  = 200  // of a record that differs from all others
)

// of are the costs of an item in a block, by how many records have it.
func (f *flipCosts) of(size int) []int32 {
	for len(f.rows) <= size {
		f.rows = append(f.rows, nil)
	}
	if f.rows[size] == nil {
		f.rows[size] = f.row(size)
	}
	return f.rows[size]
}

func (f *flipCosts) row(size int) []int32 {
	row := make([]int32, size+1)
	need := float64((f.l + 1) / 2)
	random := float64(f.l) / float64(max(1, size)) // like it, for every record that is
	for c := range row {
		few, cost := float64(min(c, size-c)), 0.0
		switch {
		case few < need:
			cost = flipped * few
		case 2*few < float64(size):
			cost = mostBias * few * math.Pow(max(0, (need-few*random)/(need-need*random)), 3)
		}
		row[c] = int32(cost + differs*float64(c)*float64(size-c)/float64(max(1, size)))
	}
	return row
}

// prices are what an item costs and how that changes.
type prices struct {
	cost            int32
	fall, rise      int32 // if one record less has it, or one more, of as many
	leaving, leave  int32 // if a record without it leaves the block, and how much more if it has it
	entering, enter int32 // if a record without it enters the block, and how much more if it has it
}

// table are the prices in a block of that size, by how many records have the item. Where none can lose it, or have it not,
// the price is none.
func (f *flipCosts) table(size int) []prices {
	for len(f.tables) <= size {
		f.tables = append(f.tables, nil)
	}
	if f.tables[size] != nil {
		return f.tables[size]
	}
	here, less, more := f.of(size), f.of(size-1), f.of(size+1)
	table := make([]prices, size+1)
	for c, cost := range here {
		without := less[min(size-1, c)]
		table[c] = prices{
			cost: cost, fall: here[max(0, c-1)] - cost, rise: here[min(size, c+1)] - cost,
			leaving: without - cost, leave: less[max(0, c-1)] - without,
			entering: more[c] - cost, enter: more[c+1] - more[c],
		}
	}
	f.tables[size] = table
	return table
}
