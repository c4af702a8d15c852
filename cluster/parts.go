package cluster

import (
	"bufio"
	"cmp"
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
	"mingle/privacy"
)

// What local and partition publish of a line depends on all others, so no counts of them are
// enough. The lines are dealt into parts, a worker makes the release of each part by the algorithm
// of one machine, and all of these together are the release. It keeps the promise: a set of labels
// that occurs has its k lines in each part that it occurs in; whether a set of items is compatible
// with a line is decided by that line alone, and where it is compatible with one of a part it is
// with k of that part. The judge is not told of parts.
//
// local is dealt by chance alone, by a secret hash of the number of the line, as on one machine:
// nothing in the data decides which part a line is in, so that what is said of an adversary who
// runs the algorithm in mind holds of each part. partition is dealt by likeness: as it begins by
// telling transactions apart by the children of the root that they have, those with the same stay
// together, and where these are too many for a part, those that have the same below, and so on.
// Equal lines stay together, and what is published does not depend on the order of the lines.

// parted are the algorithms that work on parts, each with whether lines are dealt by chance.
var parted = map[string]struct {
	anonymize.Forecaster
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
	Seed      []byte          `json:"seed,omitempty"` // secret; of lines that are dealt by chance
	Splits    []uint64        `json:"splits"`         // hands that are split, ascending
	Hands     []uint64        `json:"hands"`          // ascending
	Of        []int32         `json:"of"`             // the part of each hand
	Parts     []Part          `json:"parts"`          // what each must be
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
	deepest int // leaf: hands of like lines are not split below it
	nodes   []int32
}

func newDealer(d *Deal, t *hierarchy.Tree) *dealer {
	out := &dealer{Deal: d, tree: t}
	for u := range int32(t.Leaves()) {
		out.deepest = max(out.deepest, t.Depth(u))
	}
	return out
}

// handOf is the hand that a line is in. Hands of like lines are split where the plan says so: by
// the nodes of the next depth that they have, and at last by their items.
func (d *dealer) handOf(line int64, tx []int32) uint64 {
	if parted[d.Algorithm].chance {
		text := binary.LittleEndian.AppendUint64([]byte("hand"), uint64(line))
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

// partOf is the part that a line is in.
func (d *dealer) partOf(line int64, tx []int32) (int32, error) {
	at, known := slices.BinarySearch(d.Hands, d.handOf(line, tx))
	if !known {
		return 0, errors.New("a line is of no part: do the data change?")
	}
	return d.Of[at], nil
}

// numberedLine is a line with its number as text.
func numberedLine(line int64, tx []int32) string {
	return strconv.FormatInt(line, 10) + numbered(tx)
}

// lineOf reads that.
func lineOf(text string, limit int) (line int64, tx []int32, err error) {
	number, _, _ := strings.Cut(text, ":")
	if line, err = strconv.ParseInt(number, 10, 64); err != nil || line < 0 {
		return 0, nil, errPerson
	}
	tx, err = unnumbered(text[len(number):], limit)
	return line, tx, err
}

// eachLine reads the lines of files with their numbers.
func (p *Plan) eachLine(
	ctx context.Context, t *hierarchy.Tree, r io.Reader, do func(line int64, tx []int32) error,
) error {
	return p.Numbered(ctx, r, p.Deal.Numbers, func(_ int, first int64, d *dataset.Dataset) error {
		d, err := t.Encode(d)
		if err != nil {
			return err
		}
		for i, tx := range d.All() {
			if err := do(first+int64(i), tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// Sizes says how large each hand is, in the lines that r has.
func (p *Plan) Sizes(ctx context.Context, r io.Reader, w io.Writer) error {
	tree, err := p.Tree()
	if err != nil {
		return err
	}
	of := map[uint64]*hand{}
	deal := newDealer(p.Deal, tree)
	err = p.eachLine(ctx, tree, r, func(line int64, tx []int32) error {
		id := deal.handOf(line, tx)
		h := of[id]
		if h == nil {
			h = &hand{}
			of[id] = h
		}
		own := hand{
			lines: 1, occurrences: int64(len(tx)), sum: checksum("", []byte(numberedLine(line, tx))),
		}
		if len(tx) > 0 {
			own.filled = 1
		}
		for _, u := range tx {
			own.pairs += int64(tree.Depth(u))
		}
		h.add(own)
		return nil
	})
	out := bufio.NewWriter(w)
	for id, h := range of {
		fmt.Fprintf(out, "%d\t%d\t%d\t%d\t%d\t%d\t%s\n", id, h.lines, h.filled, h.occurrences,
			h.pairs, h.sum, p.Version)
	}
	return errors.Join(err, out.Flush())
}

// hand is some lines that stay together.
type hand struct {
	id                                uint64
	lines, filled, occurrences, pairs int64
	sum                               uint64
}

func (h *hand) add(o hand) {
	h.lines += o.lines
	h.filled += o.filled
	h.occurrences += o.occurrences
	h.pairs += o.pairs
	h.sum += o.sum
}

// handsOf adds up what workers of Sizes told, ascending.
func handsOf(told []string, version string) ([]hand, error) {
	of := map[uint64]*hand{}
	for _, line := range told {
		f := strings.Split(line, "\t")
		if len(f) != 7 {
			return nil, defect("what a worker says of parts cannot be understood")
		}
		var n [6]uint64
		for i := range n {
			var err error
			if n[i], err = strconv.ParseUint(f[i], 10, 64); err != nil ||
				0 < i && i < 5 && n[i] > 1<<50 {
				return nil, defect("what a worker says of parts cannot be understood")
			}
		}
		if err := sameVersion(f[6], version); err != nil {
			return nil, err
		}
		if of[n[0]] == nil {
			of[n[0]] = &hand{id: n[0]}
		}
		of[n[0]].add(hand{
			lines: int64(n[1]), filled: int64(n[2]), occurrences: int64(n[3]), pairs: int64(n[4]),
			sum: n[5],
		})
	}
	var out []hand
	for _, h := range of {
		out = append(out, *h)
	}
	slices.SortFunc(out, func(a, b hand) int { return cmp.Compare(a.id, b.id) })
	return out, nil
}

// Deal writes every line that r has under the name of its part.
func (p *Plan) DealOut(ctx context.Context, r io.Reader, w io.Writer) error {
	tree, err := p.Tree()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	deal := newDealer(p.Deal, tree)
	err = p.eachLine(ctx, tree, r, func(line int64, tx []int32) error {
		part, err := deal.partOf(line, tx)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%d\t%s\n", part, numberedLine(line, tx))
		return err
	})
	return errors.Join(err, out.Flush())
}

// parter makes the releases of parts, one after the other.
type parter struct {
	*Plan
	ctx  context.Context
	tree *hierarchy.Tree
	out  *bufio.Writer

	name  string
	past  map[string]bool // names that are done
	lines []int64
	b     *dataset.Builder
	own   Part
}

// Anonymize makes the release of each part, whose lines r has, and writes its lines with their
// places. It is an error if a part is not what the plan says.
func (p *Plan) Anonymize(ctx context.Context, r io.Reader, w io.Writer) error {
	tree, err := p.Tree()
	if err != nil {
		return err
	}
	m := &parter{
		Plan: p, ctx: ctx, tree: tree, out: bufio.NewWriterSize(w, 64<<10), past: map[string]bool{},
	}
	if err = split.Named(ctx, r, m.take); err == nil {
		err = m.end()
	}
	return errors.Join(err, m.out.Flush())
}

func (m *parter) take(name, text string) error {
	if m.b == nil || name != m.name {
		if err := m.end(); err != nil {
			return err
		}
		if m.past[name] {
			return fmt.Errorf("part %s comes twice", name)
		}
		m.past[name] = true
		m.name, m.own, m.lines = name, Part{}, nil
		m.b = dataset.NewBuilder(m.tree.LeafDict())
	}
	line, tx, err := lineOf(text, m.tree.Leaves())
	if err != nil {
		return err
	}
	m.own.Lines++
	m.own.Sum += checksum("", []byte(text))
	m.lines = append(m.lines, line)
	m.b.Add(tx)
	return nil
}

// end makes the release of a part.
func (m *parter) end() error {
	if m.b == nil {
		return nil
	}
	part, err := strconv.Atoi(m.name)
	if err != nil || part < 0 || part >= len(m.Deal.Parts) {
		return fmt.Errorf("part %q is none", m.name)
	}
	if m.own != m.Deal.Parts[part] {
		return fmt.Errorf("part %d has %d lines, and %d were sent, or others", part, m.own.Lines,
			m.Deal.Parts[part].Lines)
	}
	order := make([]int32, len(m.lines))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(m.lines[a], m.lines[b]) })
	if err := m.b.Err(); err != nil {
		return err
	}
	data := m.b.Build().Select(order)
	m.b = nil
	of := parted[m.Deal.Algorithm]
	in := anonymize.Input{
		Data: data, Tree: m.tree, Workers: 1, Promise: privacy.KM{K: int(m.K), M: m.Deal.M},
	}
	if of.chance {
		seed := seedOfPart(m.Deal, part)
		in.Seed = &seed
	}
	g, err := of.Anonymize(m.ctx, in)
	if err != nil {
		return fmt.Errorf("part %d: %w", part, err)
	}
	for i, labels := range g.Published().All() {
		at, text := placeOf(m.lines[order[i]]), numbered(labels)
		sum := checksum(at, []byte(text))
		if _, err := fmt.Fprintf(m.out, "%s\t%x%s\n", at, sum, text); err != nil {
			return err
		}
	}
	return nil
}

// seedOfPart is what one part leaves to chance: where there is one part alone, what one machine
// does.
func seedOfPart(d *Deal, part int) (seed [32]byte) {
	copy(seed[:], d.Seed)
	if len(d.Parts) == 1 {
		return seed
	}
	text := binary.LittleEndian.AppendUint64([]byte("part"), uint64(part))
	return sha256.Sum256(append(text, seed[:]...))
}

// placeOf is the number of a line as text, in which numbers are in order.
func placeOf(line int64) string { return fmt.Sprintf("%018d", line) }

// mostPlaced is how many lines are spelt at once.
const mostPlaced = 1 << 14

// Place writes the lines of parts in the format of the release, with their places.
func (p *Plan) Place(ctx context.Context, r io.Reader, w io.Writer) error {
	tree, err := p.Tree()
	if err != nil {
		return err
	}
	out, b := bufio.NewWriterSize(w, 64<<10), dataset.NewBuilder(tree.Dict())
	var places []string
	end := func() error {
		var text strings.Builder
		if err := dataset.Write(&text, b.Build(), p.Options()); err != nil {
			return err
		}
		lines := strings.SplitAfter(text.String(), "\n")
		if len(lines) != len(places)+1 || lines[len(places)] != "" {
			return fmt.Errorf("%d lines are spelt as %d", len(places), len(lines)-1)
		}
		for i, at := range places {
			if _, err := out.WriteString(at + "\t" + lines[i]); err != nil {
				return err
			}
		}
		places, b = places[:0], dataset.NewBuilder(tree.Dict())
		return nil
	}
	err = split.Named(ctx, r, func(place, text string) error {
		sum, _, _ := strings.Cut(text, ":")
		text = text[len(sum):]
		labels, err := unnumbered(text, tree.Nodes())
		if err == nil && sum != fmt.Sprintf("%x", checksum(place, []byte(text))) {
			err = errors.New("a line of a part has changed")
		}
		if err != nil {
			return err
		}
		places = append(places, place)
		b.Add(labels)
		if len(places) == mostPlaced {
			return end()
		}
		return nil
	})
	if err == nil {
		err = end()
	}
	return errors.Join(err, out.Flush())
}
