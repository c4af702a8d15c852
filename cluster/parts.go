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

// Sizes says how large each hand is, in the lines that r has; of persons all lines of each hand
// come by its name.
func (p *Plan) Sizes(ctx context.Context, r io.Reader, w io.Writer) error {
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

// DealOut writes every line that r has under the name of its part, or of its hand where no parts
// are known.
func (p *Plan) DealOut(ctx context.Context, r io.Reader, w io.Writer) error {
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

// parter makes the releases of parts, one after the other.
type parter struct {
	*Plan
	ctx  context.Context
	tree *hierarchy.Tree
	out  *bufio.Writer

	name  string
	past  map[string]bool // names that are done
	lines []int64
	names []string // of their persons
	b     *dataset.Builder
	s     *dataset.Builder // of the sensitive items of the same lines; nil: there are none
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

func (m *parter) take(part, text string) error {
	if m.b == nil || part != m.name {
		if err := m.end(); err != nil {
			return err
		}
		if m.past[part] {
			return fmt.Errorf("part %s comes twice", part)
		}
		m.past[part] = true
		m.name, m.own, m.lines, m.names = part, Part{}, nil, nil
		m.b = dataset.NewBuilder(m.tree.LeafDict())
		if m.s = nil; len(m.Sensitive) > 0 {
			m.s = dataset.NewBuilder(dataset.MustDictionary(m.Sensitive))
		}
	}
	line, name, tx, err := lineOf(text, m.tree.Leaves()+len(m.Sensitive))
	if err != nil {
		return err
	}
	tx, sensitive := before(tx, m.tree.Leaves())
	if m.s != nil {
		m.s.Add(sensitive)
	}
	m.own.Lines++
	m.own.Sum += checksum("", []byte(text))
	m.lines, m.names = append(m.lines, line), append(m.names, name)
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
	if m.Person != "" && parted[m.Deal.Algorithm].chance { // as on one machine
		seed := seedOfPart(m.Deal, part)
		lines := slices.Clone(order)
		for i, at := range dataset.DrawOrder(&seed, len(order)) {
			order[i] = lines[at]
		}
	}
	in, err := m.input(part, order)
	if err != nil {
		return err
	}
	g, err := parted[m.Deal.Algorithm].Anonymize(m.ctx, in)
	if err != nil {
		return fmt.Errorf("part %d: %w", part, err)
	}
	var sensitive []int32
	for i, labels := range g.Published().All() {
		if in.Sensitive != nil {
			sensitive = in.Sensitive.Tx(i)
		}
		at, text := placeOf(m.lines[order[i]]), numbered(behind(labels, sensitive, m.tree.Nodes()))
		if name := m.names[order[i]]; name != "" {
			at += " " + name
		}
		sum := checksum(at, []byte(text))
		if _, err := fmt.Fprintf(m.out, "%s\t%x%s\n", at, sum, text); err != nil {
			return err
		}
	}
	return nil
}

// input is what the release of a part is made of, in the order of its lines.
func (m *parter) input(part int, order []int32) (in anonymize.Input, err error) {
	if err := m.b.Err(); err != nil {
		return in, err
	}
	in = anonymize.Input{
		Data: m.b.Build().Select(order), Tree: m.tree, Workers: 1,
		Promise: privacy.KM{
			K: int(m.K), M: m.Deal.M, L: m.Deal.L, PersonShare: m.Deal.PersonShare,
			Persons: m.Person != "",
		},
	}
	m.b = nil
	if m.Person != "" { // numbered in the order of their first lines, as on one machine
		numbers := map[string]int32{}
		for _, i := range order {
			p, known := numbers[m.names[i]]
			switch {
			case strings.HasPrefix(m.names[i], nobody):
				p = -1
			case !known:
				p = int32(len(numbers))
				numbers[m.names[i]] = p
			}
			in.Persons = append(in.Persons, p)
		}
	}
	if m.s != nil {
		if err := m.s.Err(); err != nil {
			return in, err
		}
		in.Sensitive = m.s.Build().Select(order)
	}
	if parted[m.Deal.Algorithm].chance {
		seed := seedOfPart(m.Deal, part)
		in.Seed = &seed
	}
	return in, nil
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

// Place writes the lines of parts in the format of the release, with their places, but for lines of
// persons.
func (p *Plan) Place(ctx context.Context, r io.Reader, w io.Writer) error {
	tree, err := p.Tree()
	if err != nil {
		return err
	}
	m := &placing{Plan: p, tree: tree, out: bufio.NewWriterSize(w, 64<<10)}
	m.begin()
	if err = split.Named(ctx, r, m.take); err == nil {
		err = m.end()
	}
	return errors.Join(err, m.out.Flush())
}

// placing spells lines of parts.
type placing struct {
	*Plan
	tree   *hierarchy.Tree
	out    *bufio.Writer
	places []string
	b      *dataset.Builder
	s      *dataset.Builder // of the sensitive items of the same lines; nil: there are none
}

func (m *placing) begin() {
	m.places, m.b = m.places[:0], dataset.NewBuilder(m.tree.Dict())
	if len(m.Sensitive) > 0 {
		m.s = dataset.NewBuilder(dataset.MustDictionary(m.Sensitive))
	}
}

func (m *placing) take(place, text string) error {
	sum, _, _ := strings.Cut(text, ":")
	text = text[len(sum):]
	all, err := unnumbered(text, m.tree.Nodes()+len(m.Sensitive))
	if err == nil && sum != fmt.Sprintf("%x", checksum(place, []byte(text))) {
		err = errors.New("a line of a part has changed")
	}
	if err != nil {
		return err
	}
	labels, sensitive := before(all, m.tree.Nodes())
	m.places = append(m.places, place)
	m.b.Add(labels)
	if m.s != nil {
		m.s.Add(sensitive)
	}
	if len(m.places) == mostPlaced {
		return m.end()
	}
	return nil
}

// end writes the lines that are held.
func (m *placing) end() error {
	d := m.b.Build()
	if m.s != nil {
		var err error
		if d, err = dataset.Join(d, m.s.Build()); err != nil {
			return err
		}
	}
	var text strings.Builder
	if err := dataset.Write(&text, d, m.Options()); err != nil {
		return err
	}
	lines := strings.SplitAfter(text.String(), "\n")
	if len(lines) != len(m.places)+1 || lines[len(m.places)] != "" {
		return fmt.Errorf("%d lines are spelt as %d", len(m.places), len(lines)-1)
	}
	for i, at := range m.places {
		if m.Person == "" {
			lines[i] = at + "\t" + lines[i]
		}
		if _, err := m.out.WriteString(lines[i]); err != nil {
			return err
		}
	}
	m.begin()
	return nil
}
