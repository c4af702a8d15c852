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
	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/privacy"
)

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

// anonymize makes the release of each part, whose lines r has, and writes its lines with their
// places. It is an error if a part is not what the plan says.
func (p *Plan) anonymize(ctx context.Context, r io.Reader, w io.Writer) error {
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

// place writes the lines of parts in the format of the release, with their places, but for lines of
// persons.
func (p *Plan) place(ctx context.Context, r io.Reader, w io.Writer) error {
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
