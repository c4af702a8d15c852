package anonymize

import (
	"fmt"
	"math"
	"time"

	"mingle/dataset"
	"mingle/privacy"
)

// MostSets is how many occurrences of sets of one size are counted at most: more than a day's work
// at 100 million a second, which is what a processor of 2020 does.
const MostSets = 1e13

// TooMuch is the error of a count that was not begun, as it would take more than a day.
type TooMuch struct {
	Size    int     // of the sets
	Sets    float64 // occurrences of them
	Longest int     // labels of the longest transaction, at the cut
}

func (e *TooMuch) Error() string {
	return fmt.Sprintf("about %.0f billion occurrences of sets of %d labels would have to be "+
		"counted, more than a day's work: nothing was written. Choose a smaller m, or publish "+
		"shorter transactions (the longest still has %d labels)",
		e.Sets/1e9, e.Size, e.Longest)
}

// Is tells that it is a [privacy.ErrTooMuch].
func (*TooMuch) Is(kind error) bool { return kind == privacy.ErrTooMuch }

// Choose is the number of sets of a size of n things.
func Choose(n, size int) float64 {
	if size > n {
		return 0
	}
	total := 1.0
	for j := range size {
		total = total * float64(n-j) / float64(j+1)
	}
	return total
}

// Sets is how many occurrences of sets of items the transactions have, by size: first of one item,
// last of m. An algorithm that goes from size to size counts the sets of one item and of two, and
// of more what generalizing for these has left.
func Sets(d *dataset.Dataset, m int) []float64 {
	times := make([]int, d.MaxLen()+1)
	lines := d.Cursor()
	for i := range d.Len() {
		times[len(lines.Tx(i))]++
	}
	return SetsOf(times, m)
}

// SetsOf is the same by how many transactions have n items, for each n. What is too large for a
// number is the largest one.
func SetsOf(times []int, m int) []float64 {
	out := make([]float64, min(m, max(1, len(times)-1)))
	for n, lines := range times {
		if lines == 0 {
			continue
		}
		sets := float64(lines)
		for size := 1; size <= min(len(out), n); size++ {
			sets = min(math.MaxFloat64, sets*float64(n-size+1)/float64(size))
			out[size-1] = min(math.MaxFloat64, out[size-1]+sets)
		}
	}
	return out
}

// CountRate is how many occurrences of sets one processor counts a second, as measured now by
// counting pairs of the first transactions for some milliseconds; 0: there are none.
func CountRate(d *dataset.Dataset) float64 {
	const enough = 1 << 20
	cells := make([]int32, 1<<18) // as much as a table of which most is in the processor's cache
	counted := 0
	lines := d.Cursor()
	start := time.Now()
	for i := 0; i < d.Len() && counted < enough; i++ {
		tx := lines.Tx(i)
		for j, a := range tx {
			for _, b := range tx[:j] {
				cells[(uint32(a)*0x9E3779B1+uint32(b))%uint32(len(cells))]++
			}
			if counted += j; counted >= enough {
				break
			}
		}
	}
	if took := time.Since(start).Seconds(); counted > 0 && took > 0 {
		return float64(counted) / took
	}
	return 0
}
