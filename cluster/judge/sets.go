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

// counter counts the sets of at most m labels of published lines.
type counter struct {
	m      int
	out    *bufio.Writer
	dense  [][]int64         // pairs, by the first label, then the second; nil: they are among sets
	sets   map[string]*int64 // the others of two and more, spelt
	singly map[int32]int64
	lines  int64
	sum    int64 // of all counts of sets of two or more
	line   []byte
}

func (p *plan) sets(ctx context.Context, t *hierarchy.Tree, r io.Reader, w *bufio.Writer) error {
	c := &counter{m: p.M, out: w, sets: map[string]*int64{}, singly: map[int32]int64{}}
	if t.Nodes() <= mostDense {
		c.dense = make([][]int64, t.Nodes())
	}
	err := p.Chunks(ctx, r, func(d *dataset.Dataset) error {
		d, err := t.EncodePublished(d)
		if err != nil {
			return err
		}
		c.lines += int64(d.Len())
		spelt := make([]byte, 0, 64)
		for i, tx := range d.All() {
			if i%4096 == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := split.Fits(len(tx), min(p.M, len(tx))); err != nil {
				return err
			}
			for _, u := range tx {
				c.singly[u]++
			}
			c.extend(tx, spelt, 0)
			if len(c.sets) > mostSets {
				c.flush()
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.flush()
	c.flushPairs()
	labels := int64(0)
	for u, n := range c.singly {
		fmt.Fprintf(w, "@label %d\t%d\n", u, n)
		labels += n
	}
	// one more than there are, so that every number that is lost makes a difference
	fmt.Fprintf(w, "@lines\t%d\n@sum\t%d\n@version %s\t1\n", c.lines+1, c.sum+1, p.Version)
	fmt.Fprintf(w, "@check\t%d\n", c.lines+c.sum+labels+3)
	return nil
}

// extend counts the sets that begin with a set of so many labels, spelt, and go on with rest.
func (c *counter) extend(rest []int32, spelt []byte, size int) {
	for i, u := range rest {
		own := binary.BigEndian.AppendUint32(spelt, uint32(u))
		switch {
		case size == 0:
		case size == 1 && c.dense != nil:
			c.pair(int32(binary.BigEndian.Uint32(spelt)), u)
		default:
			n := c.sets[string(own)]
			if n == nil {
				n = new(int64)
				c.sets[string(own)] = n
			}
			*n++
			c.sum++
		}
		if size+1 < c.m {
			c.extend(rest[i+1:], own, size+1)
		}
	}
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
			line = strconv.AppendUint(line, uint64(binary.BigEndian.Uint32([]byte(set[i:i+4]))), 10)
			line = append(line, ' ')
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
