package cluster

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
)

// Where the unit is a person a counting job has a step before "map": "whose" sends every line under
// the name of its person, so that "map" has all lines of a person at once. Then each person is
// counted in one place, and the counts of all places add up.
//
// Names are hashes with a secret salt, and lines are numbers of leaves. Lines of nobody have some
// names of their own; they add nothing to a support, and what they have occurs.

const (
	// nobody is how the names of lines of nobody known begin.
	nobody = "-"
	// nobodies is how many such names there are, so that they are counted in many places.
	nobodies = 997
	// mostAtOnce is about how many items of lines are held at once, or all of one person.
	mostAtOnce = 4 << 20
)

// whose writes a line under the name of its person for each line that r has.
func (p *Plan) whose(ctx context.Context, r io.Reader, w io.Writer) error {
	tree, err := p.Tree()
	if err != nil {
		return err
	}
	out, said := bufio.NewWriterSize(w, 64<<10), whose{Worker: p.Version}
	err = p.OfPersons(ctx, r, func(d *dataset.Dataset, persons []string) error {
		d, sensitive, err := p.apart(tree, d)
		if err != nil {
			return err
		}
		for i, tx := range d.All() {
			name := p.nameOf(persons[i], tx)
			if sensitive != nil {
				tx = behind(tx, sensitive.Tx(i), tree.Leaves())
			}
			text := numbered(tx)
			said.Sent.add(lineSum(name, text))
			if _, err := out.WriteString(name + "\t" + text + "\n"); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = writeJSON(out, control, "whose", said)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

// nameOf is the name of a person, or that of a line of nobody, which depends on its items alone.
func (p *Plan) nameOf(person string, tx []int32) string {
	if person == "" {
		return nobody + strconv.FormatUint(mix(1, tx)%nobodies, 10)
	}
	h := sha256.New()
	h.Write(p.Salt)
	h.Write([]byte(person))
	return fmt.Sprintf("%x", h.Sum(nil)[:16])
}

// lineSum is a line of a person as control records have it. Sums of it fit into what engines add
// up, for any number of lines there can be.
func lineSum(name, text string) sent { return sent{1, checksum(name, []byte(text)) & (1<<30 - 1)} }

// numbered is a line as text, which is never empty; see unnumbered.
func numbered(tx []int32) string {
	text := []byte{':'}
	for _, leaf := range tx {
		text = append(strconv.AppendInt(text, int64(leaf), 10), ' ')
	}
	return string(text)
}

var errPerson = errors.New("a line of a person cannot be understood")

func unnumbered(text string, leaves int) ([]int32, error) {
	text, whole := strings.CutPrefix(text, ":")
	if !whole {
		return nil, errPerson
	}
	var out []int32
	for text != "" {
		number, rest, ended := strings.Cut(text, " ")
		leaf, err := strconv.Atoi(number)
		if err != nil || !ended || leaf < 0 || leaf >= leaves {
			return nil, errPerson
		}
		out, text = append(out, int32(leaf)), rest
	}
	return out, nil
}

// people is some lines: all those of each of their persons.
type people struct {
	lines     *dataset.Dataset
	sensitive *dataset.Dataset // of the same lines; nil: none are listed
	units     []int32          // by line; -1: of nobody
	names     []string         // by unit
}

// peopleReader takes the lines that "whose" has sent.
type peopleReader struct {
	tree    *hierarchy.Tree
	most    int // about how many items are held at once
	do      func(people) error
	control func(text string) error

	came sent
	last string // name
	b    *dataset.Builder
	at   people
	held int // items

	items     *dataset.Dictionary // the sensitive ones; nil: there are none
	sensitive *dataset.Builder
}

// people hands lines on in parts, and what "whose" says of itself. It returns what came.
func (p *Plan) people(
	ctx context.Context, r io.Reader, control func(text string) error, do func(people) error,
) (sent, error) {
	tree, err := p.Tree()
	if err != nil {
		return sent{}, err
	}
	in := &peopleReader{
		tree: tree, most: mostAtOnce, do: do, control: control,
		b: dataset.NewBuilder(tree.LeafDict()),
	}
	if len(p.Sensitive) > 0 {
		in.items = dataset.MustDictionary(p.Sensitive)
		in.sensitive = dataset.NewBuilder(in.items)
	}
	if err = split.Named(ctx, r, in.take); err == nil {
		err = in.end()
	}
	return in.came, err
}

func (r *peopleReader) take(name, text string) error {
	if name == control {
		return r.control(text)
	}
	numbers := r.tree.Leaves()
	if r.items != nil {
		numbers += r.items.Len()
	}
	tx, err := unnumbered(text, numbers)
	if err != nil {
		return err
	}
	r.came.add(lineSum(name, text))
	if name < r.last {
		return errors.New("the lines of persons are not in the order of their names")
	}
	is := !strings.HasPrefix(name, nobody)
	if begins := name != r.last; begins || !is {
		if r.held > r.most {
			if err := r.end(); err != nil {
				return err
			}
		}
		if begins && is {
			r.at.names = append(r.at.names, name)
		}
	}
	unit := int32(-1)
	if is {
		unit = int32(len(r.at.names)) - 1
	}
	r.last, r.held = name, r.held+len(tx)+1
	r.at.units = append(r.at.units, unit)
	if r.items != nil {
		var sensitive []int32
		for len(tx) > 0 && int(tx[len(tx)-1]) >= r.tree.Leaves() {
			sensitive = append(sensitive, tx[len(tx)-1]-int32(r.tree.Leaves()))
			tx = tx[:len(tx)-1]
		}
		r.sensitive.Add(sensitive)
	}
	r.b.Add(tx)
	return nil
}

// end hands on what is held.
func (r *peopleReader) end() error {
	if len(r.at.units) == 0 {
		return nil
	}
	own := r.at
	own.lines = r.b.Build()
	if r.items != nil {
		own.sensitive, r.sensitive = r.sensitive.Build(), dataset.NewBuilder(r.items)
	}
	r.at, r.held, r.b = people{}, 0, dataset.NewBuilder(r.tree.LeafDict())
	return r.do(own)
}

// people counts persons.
func (m *mapper) people(ctx context.Context, r io.Reader) error {
	pass := func(text string) error {
		_, err := m.out.WriteString(control + "\t" + text + "\n")
		return err
	}
	came, err := m.Plan.people(ctx, r, pass, func(p people) error {
		m.look(p.lines, p.sensitive)
		d := m.within(p.lines)
		for leaf, n := range d.Supports() {
			m.supports[leaf] += int64(n)
		}
		m.supports[m.tree.Leaves()] += int64(len(p.names))
		filled := make([]bool, len(p.names))
		for i, tx := range d.All() {
			if u := p.units[i]; u >= 0 && len(tx) > 0 && !filled[u] {
				filled[u] = true
				m.said.Filled++
			}
		}
		m.said.Longest = max(m.said.Longest, d.MaxLen())
		m.most(d, p)
		err := m.lines(ctx, dataset.MergeUnits(d, p.units), noItem)
		if err == nil {
			err = m.besidePersons(ctx, d, p)
		}
		return err
	})
	m.said.Came = came
	return err
}
