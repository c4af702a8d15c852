package cluster

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mingle/anonymize"
	"mingle/anonymize/local"
	"mingle/anonymize/partition"
	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
)

// What local and partition publish of a line depends on all others, so no counts of them are
// enough. The lines are dealt into parts, a worker makes the release of each part by the algorithm
// of one machine, and all of these together are the release. It keeps the promise: a set of labels
// that occurs has its k lines in each part that it occurs in; whether a set of items is compatible
// with a line is decided by that line alone, and where it is compatible with one of a part it is
// with k of that part. What a set of labels or of items leaves is a disjoint union over parts, so
// that a share of at most 1/l in each is one of at most 1/l in all. The judge is not told of parts.
//
// local is dealt by chance alone, by a secret hash of the number of the line, as on one machine:
// nothing in the data decides which part a line is in, so that what is said of an adversary who
// runs the algorithm in mind holds of each part. partition is dealt by likeness: as it begins by
// telling transactions apart by the children of the root that they have, those with the same stay
// together, and where these are too many for a part, those that have the same below, and so on.
// Equal lines stay together, and what is published does not depend on the order of the lines.

// parted are the algorithms that work on parts, each with whether lines are dealt by chance.
var parted = map[string]struct {
	anonymize.Algorithm
	chance bool
}{
	"local":     {local.Algorithm{}, true},
	"partition": {partition.Algorithm{}, false},
}

// Deal says how lines are dealt into parts.
type Deal struct {
	Algorithm string          `json:"algorithm"`
	Numbers   split.Numbering `json:"numbers"`
	M         int             `json:"m"`
	L         int             `json:"l,omitempty"`    // of the sensitive items; 0: there are none
	Seed      []byte          `json:"seed,omitempty"` // secret; of lines that are dealt by chance
	Splits    []uint64        `json:"splits"`         // hands that are split, ascending
	Hands     []uint64        `json:"hands"`          // ascending
	Of        []int32         `json:"of"`             // the part of each hand
	Parts     []Part          `json:"parts"`          // what each must be; none: lines go by hands
	// PersonShare, of persons, is n where none has more than 1/n of the lines of a set; 0:
	// unbounded
	PersonShare int `json:"personShare,omitempty"`
}

// Part is what a part has.
type Part struct {
	Lines int64  `json:"lines"`
	Sum   uint64 `json:"sum"` // of the lines as they are sent
}

const (
	// chances is into how many hands lines are dealt by chance.
	chances = 4096
	// likes is into how many a hand of like lines is split.
	likes = 1024
)

// dealer knows the hand of a line.
type dealer struct {
	*Deal
	tree    *hierarchy.Tree
	persons bool
	deepest int // leaf: hands of like lines are not split below it
	nodes   []int32
}

func (p *Plan) dealer(t *hierarchy.Tree) *dealer {
	out := &dealer{Deal: p.Deal, tree: t, persons: p.Person != ""}
	for u := range int32(t.Leaves()) {
		out.deepest = max(out.deepest, t.Depth(u))
	}
	return out
}

// handOf is the hand that a line is in, of a person; "": of nobody. Hands of like lines are split
// where the plan says so: by the nodes of the next depth that they have, and at last by their
// items.
func (d *dealer) handOf(line int64, tx []int32, person string) uint64 {
	if parted[d.Algorithm].chance || d.persons {
		text := binary.LittleEndian.AppendUint64([]byte("hand"), uint64(line))
		if person != "" { // all lines of a person are in one part, so that persons add up
			text = append([]byte("hand of "), person...)
		}
		sum := sha256.Sum256(append(text, d.Seed...))
		return binary.LittleEndian.Uint64(sum[:]) % chances
	}
	hand := uint64(0)
	for depth := 1; ; depth++ {
		if depth > 1 {
			if _, is := slices.BinarySearch(d.Splits, hand); !is {
				return hand
			}
		}
		d.nodes = d.nodes[:0]
		for _, u := range tx {
			for d.tree.Depth(u) > depth {
				u = d.tree.Parent(u)
			}
			d.nodes = append(d.nodes, u)
		}
		slices.Sort(d.nodes)
		d.nodes = slices.Compact(d.nodes)
		own := mix(uint64(depth), d.nodes) % likes
		hand = mix(hand, []int32{int32(own), int32(depth)})
		if depth > d.deepest { // by the items
			return hand
		}
	}
}

// partOf is the part that a hand is in.
func (d *dealer) partOf(hand uint64) (int32, error) {
	at, known := slices.BinarySearch(d.Hands, hand)
	if !known {
		return 0, errors.New("a line is of no part: do the data change?")
	}
	return d.Of[at], nil
}

// lineOf reads a line and the name of its person, "" where none are told, from what oneLine.text
// has written.
func lineOf(text string, limit int) (line int64, name string, tx []int32, err error) {
	head, _, _ := strings.Cut(text, ":")
	number, name, _ := strings.Cut(head, " ")
	if line, err = strconv.ParseInt(number, 10, 64); err != nil || line < 0 {
		return 0, "", nil, errPerson
	}
	tx, err = unnumbered(text[len(head):], limit)
	return line, name, tx, err
}

// oneLine is a line of the original.
type oneLine struct {
	line          int64
	tx, sensitive []int32
	person, name  string // the name that stands for the person; "": none are told
}

// text is the line with its number as text; sensitive items are numbered behind the leaves.
func (l oneLine) text(leaves int) string {
	head := strconv.FormatInt(l.line, 10)
	if l.name != "" {
		head += " " + l.name
	}
	return head + numbered(behind(l.tx, l.sensitive, leaves))
}

// eachLine reads the lines of files with their numbers.
func (p *Plan) eachLine(
	ctx context.Context, t *hierarchy.Tree, r io.Reader, do func(l oneLine) error,
) error {
	return split.NumberedLines(r, p.Deal.Numbers, func(_ int, first int64, text []byte) error {
		return p.Read(ctx, text, func(d *dataset.Dataset, persons []string) error {
			d, sensitive, err := p.apart(t, d)
			if err != nil {
				return err
			}
			for i, tx := range d.All() {
				l := oneLine{line: first + int64(i), tx: tx, person: persons[i]}
				if sensitive != nil {
					l.sensitive = sensitive.Tx(i)
				}
				if p.Person != "" {
					l.name = p.nameOf(l.person, tx)
				}
				if err := do(l); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// behind is numbers, and others behind the first n.
func behind(tx, others []int32, n int) []int32 {
	if len(others) == 0 {
		return tx
	}
	tx = slices.Clone(tx)
	for _, x := range others {
		tx = append(tx, int32(n)+x)
	}
	return tx
}

// before takes apart what behind has put together.
func before(all []int32, n int) (tx, others []int32) {
	at := len(all)
	for ; at > 0 && int(all[at-1]) >= n; at-- {
		others = append(others, all[at-1]-int32(n))
	}
	return all[:at], others
}

// sizes says how large each hand is, in the lines that r has; of persons all lines of each hand
// come by its name.
func (p *Plan) sizes(ctx context.Context, r io.Reader, w io.Writer) error {
	tree, err := p.Tree()
	if err != nil {
		return err
	}
	of := map[uint64]*hand{}
	add := func(id uint64, l oneLine, text string) {
		if of[id] == nil {
			of[id] = &hand{id: id, own: map[string]*ofPerson{}}
		}
		of[id].line(tree, l, text)
	}
	if p.Person != "" {
		err = split.Named(ctx, r, func(name, text string) error {
			id, err := strconv.ParseUint(name, 10, 64)
			l := oneLine{}
			if err == nil {
				l.line, l.name, l.tx, err = lineOf(text, tree.Leaves()+len(p.Sensitive))
			}
			if err == nil {
				l.tx, l.sensitive = before(l.tx, tree.Leaves())
				add(id, l, text)
			}
			return err
		})
	} else {
		deal := p.dealer(tree)
		err = p.eachLine(ctx, tree, r, func(l oneLine) error {
			add(deal.handOf(l.line, l.tx, ""), l, l.text(tree.Leaves()))
			return nil
		})
	}
	out := bufio.NewWriter(w)
	for id, h := range of {
		h.tally()
		fmt.Fprintf(out, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\n", id, h.lines, h.filled,
			h.occurrences, h.pairs, h.persons, h.filledPersons, h.most, h.mostFilled, h.sum,
			spellSensitive(h.sensitive), p.Version)
	}
	return errors.Join(err, out.Flush())
}

// dealOut writes every line that r has under the name of its part, or of its hand where no parts
// are known.
func (p *Plan) dealOut(ctx context.Context, r io.Reader, w io.Writer) error {
	tree, err := p.Tree()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	deal := p.dealer(tree)
	err = p.eachLine(ctx, tree, r, func(l oneLine) error {
		name := deal.handOf(l.line, l.tx, l.person)
		if len(deal.Parts) > 0 {
			part, err := deal.partOf(name)
			if err != nil {
				return err
			}
			name = uint64(part)
		}
		_, err = fmt.Fprintf(out, "%d\t%s\n", name, l.text(tree.Leaves()))
		return err
	})
	return errors.Join(err, out.Flush())
}
