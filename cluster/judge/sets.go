package judge

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"

	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
)

const (
	// mostSets is how many sets of three and more a worker counts before it hands the counts on.
	mostSets = 1 << 20
	// mostDense is up to how many labels every pair of labels has a counter of its own.
	mostDense = 4096
)

// counter counts the sets of at most m labels of published lines, and with l-diversity in how many
// of their lines each sensitive item is.
type counter struct {
	m, l    int // l is 0 where sets are not counted beside sensitive items
	nodes   int // with as many, and more, sensitive items are spelt
	out     *bufio.Writer
	dense   [][]int64         // pairs, by their first label, then the second; nil: among sets
	sets    map[string]*int64 // the others of two and more, spelt
	triples triples           // of lines without sensitive items
	singly  map[int32]int64
	with    map[int32]int64 // by sensitive item: the lines that have it
	read    int64           // lines
	sum     int64           // of all counts of sets, and of sets with a sensitive item
	line    []byte

	levels   *levels // of the labels seen
	reading  *reading
	repeats  int64           // items that lines have more than once
	unsorted int64           // 1: some line is not sorted
	empty    int64           // fields without an item
	nested   int64           // lines that have a label above another
	torn     map[int32]int64 // by torn child: in how many lines it is
	unlikely map[int32]int64 // by label: lines in which no item may be at it
	unions   bool            // shares in unions of lines will be looked at (shares.go)
	split    map[int32]int64 // with unions: by split child, how often one is
	lower    map[int32]int64 // with unions: by label, the lines in which it is below another
}

func (p *plan) counter(t *hierarchy.Tree, w *bufio.Writer) *counter {
	c := &counter{
		m: p.M, l: p.L, nodes: t.Nodes(), out: w,
		sets: map[string]*int64{}, singly: map[int32]int64{},
		with: map[int32]int64{}, levels: newLevels(t), reading: newReading(t),
		torn: map[int32]int64{}, unlikely: map[int32]int64{}, split: map[int32]int64{},
		lower: map[int32]int64{}, unions: p.shares(),
	}
	c.triples.rank = make([]int32, t.Nodes())
	if t.Nodes() <= mostDense {
		c.dense = make([][]int64, t.Nodes())
	}
	return c
}

func (p *plan) sets(ctx context.Context, t *hierarchy.Tree, r io.Reader, w *bufio.Writer) error {
	c := p.counter(t, w)
	err := p.Chunks(ctx, r, func(d *dataset.Dataset) error {
		d, sensitive, err := p.Apart(d)
		if err == nil {
			d, err = t.EncodePublished(d)
		}
		if err != nil {
			return err
		}
		c.beside(d)
		return c.lines(ctx, d, sensitive)
	})
	if err != nil {
		return err
	}
	c.flush()
	c.flushPairs()
	c.flushTriples()
	own := int64(0)
	for u, n := range c.singly {
		fmt.Fprintf(w, "@label %d\t%d\n", u, n)
		own += n
		if p.L > 0 { // sensitive items have a part of it
			fmt.Fprintf(w, "%d\t%d\n", u, n)
			c.sum += n
		}
	}
	for _, of := range []struct {
		name string
		n    map[int32]int64
	}{
		{"with", c.with},
		{"torn", c.torn},
		{"impossible", c.unlikely},
		{"split", c.split},
		{"lower", c.lower},
		{"nested", map[int32]int64{0: c.nested + 1}},
		{"repeats", map[int32]int64{0: c.repeats + 1}},
		{"unsorted", map[int32]int64{0: c.unsorted + 1}},
		{"empty", map[int32]int64{0: c.empty + 1}},
	} {
		for x, n := range of.n {
			fmt.Fprintf(w, "@%s %d\t%d\n", of.name, x, n)
			own += n
		}
	}
	// one more than there are, so that every number that is lost makes a difference
	fmt.Fprintf(w, "@lines\t%d\n@sum\t%d\n@version %s\t1\n", c.read+1, c.sum+1, p.Version)
	fmt.Fprintf(w, "@check\t%d\n", c.read+c.sum+own+3)
	return nil
}

// beside counts what lines show beside their sets.
func (c *counter) beside(d *dataset.Dataset) {
	c.repeats += int64(d.Repeats.Count)
	c.empty += int64(d.Surplus.Empty)
	if d.Surplus.Unsorted > 0 {
		c.unsorted = 1
	}
}

// lines counts the sets of lines; sensitive is nil where no sensitive items are listed.
func (c *counter) lines(ctx context.Context, d, sensitive *dataset.Dataset) error {
	c.read += int64(d.Len())
	spelt := make([]byte, 0, 64)
	var beside []int32 // the sensitive items of a line
	for i, tx := range d.All() {
		if i%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := split.Fits(len(tx), min(c.m, len(tx))); err != nil {
			return err
		}
		for _, u := range tx {
			c.singly[u]++
			c.levels.see(u)
		}
		if c.levels.nest {
			c.nest(tx)
		}
		if sensitive != nil {
			beside = sensitive.Tx(i)
		}
		for _, x := range beside {
			c.with[x]++
		}
		if c.l == 0 {
			beside = nil
		}
		if c.triples.full() {
			c.flushTriples()
		}
		if c.m > 2 && len(beside) == 0 && c.triples.add(tx) {
			c.extend(tx, nil, spelt, 1, 2)
			if c.m > 3 {
				c.extend(tx, nil, spelt, 4, c.m)
			}
		} else {
			c.extend(tx, beside, spelt, 1, c.m)
		}
		if len(c.sets) > mostSets {
			c.flush()
		}
	}
	return nil
}

// nest looks at a line that may have a label above another.
func (c *counter) nest(labels []int32) {
	v := c.reading
	if v.read(labels); !v.nested() {
		return
	}
	c.nested++
	v.torn(func(child int32) { c.torn[child]++ })
	if u := v.impossible(); u >= 0 {
		c.unlikely[u]++
	}
	if !c.unions {
		return
	}
	v.split(func(child int32) { c.split[child]++ })
	for _, u := range labels {
		if v.lower(u) {
			c.lower[u]++
		}
	}
}

// extend counts the sets of a size from least to most that begin with a set of labels, spelt, and
// go on with rest, of a line that has some sensitive items.
func (c *counter) extend(rest, sensitive []int32, spelt []byte, least, most int) {
	size := len(spelt) / 4
	for i, u := range rest {
		own := binary.BigEndian.AppendUint32(spelt, uint32(u))
		switch {
		case size == 0, size+1 < least:
		case size == 1 && c.dense != nil:
			c.pair(int32(binary.BigEndian.Uint32(spelt)), u)
		default:
			c.one(own)
		}
		for _, x := range sensitive {
			c.one(binary.BigEndian.AppendUint32(own, uint32(c.nodes)+uint32(x)))
		}
		if size+1 < most {
			c.extend(rest[i+1:], sensitive, own, least, most)
		}
	}
}

// one counts a set that is spelt.
func (c *counter) one(spelt []byte) {
	n := c.sets[string(spelt)]
	if n == nil {
		n = new(int64)
		c.sets[string(spelt)] = n
	}
	*n++
	c.sum++
}

// pair counts a pair.
func (c *counter) pair(u, v int32) {
	if c.dense[u] == nil {
		c.dense[u] = make([]int64, len(c.dense))
	}
	c.dense[u][v]++
	c.sum++
}

// flush hands the counts of sets on. The error of writing is that of the last flush of out.
func (c *counter) flush() {
	for set, n := range c.sets {
		line := c.line[:0]
		for i := 0; i < len(set); i += 4 {
			u := uint64(binary.BigEndian.Uint32([]byte(set[i : i+4])))
			if u >= uint64(c.nodes) {
				line[len(line)-1] = '/'
				u -= uint64(c.nodes)
			}
			line = append(strconv.AppendUint(line, u, 10), ' ')
		}
		c.tell(line, *n)
	}
	clear(c.sets)
}

// flushPairs hands the counts of pairs on.
func (c *counter) flushPairs() {
	for u, behind := range c.dense {
		for v, n := range behind {
			if n > 0 {
				line := append(strconv.AppendInt(c.line[:0], int64(u), 10), ' ')
				c.tell(append(strconv.AppendInt(line, int64(v), 10), ' '), n)
			}
		}
	}
}

// tell writes a count; the set ends with a blank.
func (c *counter) tell(set []byte, n int64) {
	set[len(set)-1] = '\t'
	c.line = append(strconv.AppendInt(set, n, 10), '\n')
	c.out.Write(c.line)
}
