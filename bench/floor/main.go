// Command floor reads a file of transactions and counts all sets of at most m items that occur in
// it, once, with a plain kernel on one core. That is the floor below what publishes the file: who
// makes or checks k^m-anonymity has to read the data and to have looked at these sets.
//
// The kernel: items are numbered by ascending support; each is projected on in turn; the last two
// levels of a set are counted in a triangle. Nothing is merged, nothing is left out.
//
// Usage: go run ./bench/floor -m 3 -k 5 published.dat
package main

import (
	"bufio"
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
)

func main() {
	m := flag.Int("m", 3, "count sets of at most this many items")
	k := flag.Int("k", 5, "tell how many sets are in fewer transactions than this")
	flag.Parse()
	if flag.NArg() != 1 || *m < 1 {
		fmt.Fprintln(os.Stderr, "usage: floor -m 3 -k 5 transactions.dat")
		os.Exit(2)
	}
	file, err := os.Open(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(2)
	}
	defer file.Close()
	data, err := read(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, "floor:", err)
		os.Exit(2)
	}
	c := newCounter(data, *k)
	c.count(*m)
	fmt.Printf("%d transactions, %d items, %d occurrences: %d sets of at most %d, %d of them "+
		"in fewer than %d\n",
		data.len(), data.items, len(data.ids), c.sets, *m, c.rare, *k)
}

// transactions are item numbers, one transaction after the other.
type transactions struct {
	start []int32 // transaction i is ids[start[i]:start[i+1]]
	ids   []int32
	items int
}

func (t *transactions) len() int { return len(t.start) - 1 }

// read takes a transaction a line, items divided by blanks. Items that stand twice in a line count
// once.
func read(from io.Reader) (*transactions, error) {
	t := &transactions{start: []int32{0}}
	number := map[string]int32{}
	lines := bufio.NewReaderSize(from, 1<<20)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil && (err != io.EOF || len(line) == 0) {
			if err == io.EOF {
				err = nil
			}
			t.items = len(number)
			return t, err
		}
		begin := len(t.ids)
		for word := range bytes.FieldsSeq(line) {
			id, known := number[string(word)]
			if !known {
				id = int32(len(number))
				number[string(word)] = id
			}
			t.ids = append(t.ids, id)
		}
		slices.Sort(t.ids[begin:])
		t.ids = t.ids[:begin+len(slices.Compact(t.ids[begin:]))]
		t.start = append(t.start, int32(len(t.ids)))
	}
}

// renumber gives the items numbers by ascending support, and sorts the transactions by them.
func (t *transactions) renumber() {
	support, order := make([]int, t.items), make([]int32, t.items)
	for i := range order {
		order[i] = int32(i)
	}
	for _, id := range t.ids {
		support[id]++
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(support[a], support[b]) })
	rank := make([]int32, t.items)
	for r, id := range order {
		rank[id] = int32(r)
	}
	for i, id := range t.ids {
		t.ids[i] = rank[id]
	}
	for i := range t.len() {
		slices.Sort(t.ids[t.start[i]:t.start[i+1]])
	}
}

// widest is the number of items up to which a triangle of their pairs is laid out: 64 MB.
const widest = 5792

// counter is the kernel's working space.
type counter struct {
	data       *transactions
	k          int32
	sets, rare int64
	number     []int32 // count of an item, then its number among those that occur
	triangle   []int32
}

func newCounter(t *transactions, k int) *counter {
	t.renumber()
	return &counter{data: t, k: int32(k), number: make([]int32, t.items)}
}

// place is where what extends a set begins in a transaction that has the set, and where it ends.
type place struct{ from, to int32 }

func (c *counter) count(m int) {
	all := make([]place, c.data.len())
	for i := range all {
		all[i] = place{c.data.start[i], c.data.start[i+1]}
	}
	c.extend(all, m)
}

// extend counts the sets of at most size items behind the places.
func (c *counter) extend(at []place, size int) {
	present, total := c.singles(at)
	switch {
	case size == 1 || len(present) < 2:
		c.forget(present)
	case size == 2 && len(present) <= widest:
		c.pairs(at, present)
	default:
		c.project(at, present, total, size)
	}
}

// singles counts the items at the places. It returns those that occur, ascending, and leaves their
// counts in c.number.
func (c *counter) singles(at []place) (present []int32, total int) {
	for _, p := range at {
		for _, id := range c.data.ids[p.from:p.to] {
			if c.number[id] == 0 {
				present = append(present, id)
			}
			c.number[id]++
		}
	}
	slices.Sort(present)
	for _, id := range present {
		c.counted(c.number[id])
		total += int(c.number[id])
	}
	return present, total
}

func (c *counter) counted(n int32) {
	c.sets++
	if n < c.k {
		c.rare++
	}
}

func (c *counter) forget(present []int32) {
	for _, id := range present {
		c.number[id] = 0
	}
}

// pairs counts the pairs of the items that are present.
func (c *counter) pairs(at []place, present []int32) {
	n := len(present)
	for i, id := range present {
		c.number[id] = int32(i)
	}
	c.triangle = slices.Grow(c.triangle[:0], n*(n-1)/2)[:n*(n-1)/2]
	clear(c.triangle)
	var local []int32
	for _, p := range at {
		local = local[:0]
		for _, id := range c.data.ids[p.from:p.to] {
			local = append(local, c.number[id])
		}
		for i, a := range local {
			before := int(a)*(2*n-int(a)-3)/2 - 1 // the cell of (a, 0), if there were one
			for _, b := range local[i+1:] {
				c.triangle[before+int(b)]++
			}
		}
	}
	for _, n := range c.triangle {
		if n > 0 {
			c.counted(n)
		}
	}
	c.forget(present)
}

// project goes on behind each of the items that are present.
func (c *counter) project(at []place, present []int32, total, size int) {
	ends := make([]int32, len(present))
	next := int32(0)
	for i, id := range present {
		next, c.number[id] = next+c.number[id], next
		ends[i] = next
	}
	behind := make([]place, total)
	for _, p := range at {
		for pos := p.from; pos < p.to; pos++ {
			id := c.data.ids[pos]
			behind[c.number[id]] = place{pos + 1, p.to}
			c.number[id]++
		}
	}
	c.forget(present)
	from := int32(0)
	for _, end := range ends {
		c.extend(behind[from:end], size-1)
		from = end
	}
}
