package itemset

// cellTable has a cell for every set of so many of some things: how many records have it. The set
// x1 < x2 < ... < xs has the cell C(x1,1) + C(x2,2) + ... + C(xs,s), the combinatorial number
// system (Knuth, The Art of Computer Programming 4A, 7.2.1.3). So sets with the same elements but
// the least follow one another, and those with the same largest are one block.
type cellTable struct {
	choose [][]int // choose[j][x] is C(x,j)
	cells  []int32
}

// chooseTable is C(x,j) for j up to size and x up to n.
func chooseTable(n, size int) [][]int {
	choose := make([][]int, size+1)
	for j := range choose {
		choose[j] = make([]int, n+1)
		for x := range choose[j] {
			switch {
			case j == 0:
				choose[j][x] = 1
			case x > 0:
				choose[j][x] = choose[j][x-1] + choose[j-1][x-1]
			}
		}
	}
	return choose
}

// add counts the sets of a size in a row, together with what makes their cells begin at base.
func (t *cellTable) add(row []int32, size, base int, weight int32) {
	switch size {
	case 1:
		for _, x := range row {
			t.cells[base+int(x)] += weight
		}
		return
	case 2:
		for j, y := range row {
			first := base + t.choose[2][y]
			block := t.cells[first : first+int(y)]
			for _, x := range row[:j] {
				block[x] += weight
			}
		}
		return
	}
	for j := size - 1; j < len(row); j++ {
		t.add(row[:j], size-1, base+t.choose[size][row[j]], weight)
	}
}
