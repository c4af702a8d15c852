package cluster

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"

	"mingle/dataset"
)

// How many items the distinct transactions have: every item of a transaction has a name of its own,
// the hash of the transaction and a number, and the engine tells how many names there are.

// distinct writes a name for each item of each distinct transaction that r has.
func (p *Plan) distinct(ctx context.Context, r io.Reader, w io.Writer) error {
	tree, err := p.Tree()
	if err != nil {
		return err
	}
	d := &distinct{out: bufio.NewWriterSize(w, 64<<10)}
	came := sent{}
	if p.Person != "" {
		came, err = p.people(ctx, r, func(string) error { return nil }, d.people)
	} else {
		err = p.Chunks(ctx, r, func(lines *dataset.Dataset) error {
			lines, _, err := p.apart(tree, lines)
			if err == nil {
				d.count(lines, dataset.Merge(lines), nil)
			}
			return err
		})
	}
	if err != nil {
		return err
	}
	// one more than there are, so that every number that is lost makes a difference
	fmt.Fprintf(d.out, "@lines\t%d\n@items\t%d\n@names\t%d\n@came\t%d\n@version %s\t1\n",
		d.lines+1, d.items+1, d.names+1, came.Sum+1, p.Version)
	return d.out.Flush()
}

// distinct is a run of "distinct".
type distinct struct {
	out                 *bufio.Writer
	lines, items, names int64
}

// people names the items of lines of persons: a line of somebody who has several others is one by
// itself, all others are as without persons.
func (d *distinct) people(p people) error {
	d.count(p.lines, dataset.MergeUnits(p.lines, p.units), p.names)
	return nil
}

// count names the items of merged lines. Writing fails, if at all, at the end.
func (d *distinct) count(lines *dataset.Dataset, merged *dataset.Merged, persons []string) {
	d.lines, d.items = d.lines+int64(lines.Len()), d.items+int64(lines.Occurrences())
	var spelt []byte
	for i, tx := range merged.All() {
		spelt = spelt[:0]
		for _, leaf := range tx {
			spelt = binary.LittleEndian.AppendUint32(spelt, uint32(leaf))
		}
		if merged.Units != nil && merged.Units[i] >= 0 {
			spelt = append(append(spelt, "of "...), persons[merged.Units[i]]...)
		}
		sum := sha256.Sum256(spelt)
		for i := range tx {
			fmt.Fprintf(d.out, "%x-%d\t1\n", sum[:16], i)
		}
		d.names += int64(len(tx))
	}
}
