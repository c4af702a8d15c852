package cluster

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mingle/cluster/engine"
	"mingle/dataset"
)

// How many items the distinct transactions have: every item of a transaction has a name of its own,
// the hash of the transaction and a number, and the engine tells how many names there are.

// Distinct writes a name for each item of each distinct transaction that r has.
func (p *Plan) Distinct(ctx context.Context, r io.Reader, w io.Writer) error {
	tree, err := p.Tree()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	lines, items, names := int64(0), int64(0), int64(0)
	err = p.Chunks(ctx, r, func(d *dataset.Dataset) error {
		d, _, err := p.apart(tree, d)
		if err != nil {
			return err
		}
		lines, items = lines+int64(d.Len()), items+int64(d.Occurrences())
		var spelt []byte
		for _, tx := range dataset.Merge(d).All() {
			spelt = spelt[:0]
			for _, leaf := range tx {
				spelt = binary.LittleEndian.AppendUint32(spelt, uint32(leaf))
			}
			sum := sha256.Sum256(spelt)
			for i := range tx {
				fmt.Fprintf(out, "%x-%d\t1\n", sum[:16], i)
			}
			names += int64(len(tx))
		}
		return nil
	})
	if err != nil {
		return err
	}
	// one more than there are, so that every number that is lost makes a difference
	fmt.Fprintf(out, "@lines\t%d\n@items\t%d\n@names\t%d\n@version %s\t1\n", lines+1, items+1,
		names+1, p.Version)
	return out.Flush()
}

// Distinct implements exact.Counts.
func (c *counts) Distinct(ctx context.Context) (int, error) {
	c.tell("counting distinct lines")
	p := c.plan(Plan{Size: 1})
	told, err := c.engine.Run(ctx, engine.Job{
		Name: "count distinct", Input: c.files, Plan: p.encode(), Map: "distinct",
		Below: 1 << 62,
	})
	if err != nil {
		return 0, err
	}
	groups, different, all := map[string]int64{}, int64(0), int64(0)
	for _, line := range told {
		f := strings.Split(line, "\t")
		if len(f) != 4 || groups[f[0]] != 0 {
			return 0, defect("a line cannot be understood (%d bytes)", len(line))
		}
		sum, wrong := strconv.ParseInt(f[1], 10, 64)
		names, bad := strconv.ParseInt(f[2], 10, 64)
		if wrong != nil || bad != nil || sum <= 0 {
			return 0, defect("a line cannot be understood (%d bytes)", len(line))
		}
		groups[f[0]] = sum
		if strings.HasPrefix(f[0], "<") {
			different, all = different+names, all+sum
		}
	}
	workers := groups["@version "+c.version]
	if workers == 0 || groups["@lines"]-workers != c.seen.Lines ||
		groups["@items"]-workers != c.seen.Occurrences || groups["@names"]-workers != all {
		return 0, defect("of distinct lines %d items are told of, and not all came", all)
	}
	return int(different), nil
}
