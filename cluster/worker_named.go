package cluster

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"mingle/cluster/split"
)

// named gathers the blocks of one name after the other.
type named struct {
	out  *bufio.Writer
	size int // of the sets in the blocks

	name string
	came sent    // under the name
	all  *gather // nil: there is no name yet
	past map[string]bool
}

func newNamed(w io.Writer, size int) named {
	return named{out: bufio.NewWriterSize(w, 64<<10), size: size, past: map[string]bool{}}
}

// eachName takes the lines that r has, all of one name one after another, and calls end when all
// blocks of a name are there. The records of other workers pass through.
func (n *named) eachName(ctx context.Context, r io.Reader, end func() error) error {
	err := split.Named(ctx, r, func(name, text string) error {
		if name == control {
			_, err := n.out.WriteString(name + "\t" + text + "\n")
			return err
		}
		return n.take(name, text, end)
	})
	if err == nil && n.all != nil {
		err = end()
	}
	if err != nil {
		return err
	}
	return n.out.Flush()
}

// take takes one line with a block.
func (n *named) take(name, text string, end func() error) error {
	text, isBlock := strings.CutPrefix(text, "block:")
	if !isBlock {
		return fmt.Errorf("a line that is no block (%d bytes)", len(text))
	}
	if n.all == nil || name != n.name {
		if n.all != nil {
			if err := end(); err != nil {
				return err
			}
		}
		if n.past[name] {
			return fmt.Errorf("name %s comes twice", name)
		}
		n.past[name] = true
		n.name, n.all, n.came = name, &gather{size: n.size}, sent{}
	}
	block, err := unspell(text)
	if err != nil {
		return err
	}
	n.came.add(sent{1, checksum(name, block)})
	return n.all.add(run{{raw: block}})
}
