package judge

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
)

// What a line of a local recoding is published as is not known from its original alone, and where
// the unit is a person the published lines do not tell whose they are. So whoever made them gives
// files of the same lines as well, placed ones, each with the number of its original line and the
// name that its person goes under there: a hash with a secret salt, or one that begins with "-" for
// nobody. None of that is believed. The published lines must be the placed ones, in any order; and
// each placed line, of the original with its number, a recoding with the same person. Then persons
// are counted on the placed lines.

// placedLine is a placed line.
type placedLine struct {
	line              int64
	whose             string
	labels, sensitive []int32 // ascending
}

var errPlaced = errors.New("a placed line cannot be understood")

// readPlaced reads a placed line: its number, the name of its person, a tab, a checksum, a colon
// and its labels by their numbers; those of sensitive items are behind the nodes.
func (p *plan) readPlaced(text string, t *hierarchy.Tree) (placedLine, error) {
	head, rest, tab := strings.Cut(text, "\t")
	number, whose, both := strings.Cut(head, " ")
	_, labels, colon := strings.Cut(rest, ":")
	line, err := strconv.ParseInt(number, 10, 64)
	if !tab || !both || !colon || err != nil || line < 0 || whose == "" {
		return placedLine{}, errPlaced
	}
	all, err := numbers(labels, t.Nodes()+len(p.Sensitive))
	out := placedLine{line: line, whose: whose}
	out.labels, out.sensitive = apart(t, all)
	return out, err
}

// apart takes sensitive items, which are numbered behind the nodes, from the labels of a line. Both
// ascend.
func apart(t *hierarchy.Tree, all []int32) (labels, sensitive []int32) {
	slices.Sort(all)
	at, _ := slices.BinarySearch(all, int32(t.Nodes()))
	for _, x := range all[at:] {
		sensitive = append(sensitive, x-int32(t.Nodes()))
	}
	return all[:at], sensitive
}

// behind puts sensitive items behind the labels of a line.
func behind(t *hierarchy.Tree, labels, sensitive []int32) []int32 {
	for _, x := range sensitive {
		labels = append(labels, int32(t.Nodes())+x)
	}
	return labels
}

// nameOf is the name that a person goes under in placed lines.
func (p *plan) nameOf(person string) string {
	if person == "" {
		return nobody
	}
	sum := sha256.Sum256(append(slices.Clone(p.Salt), person...))
	return fmt.Sprintf("%x", sum[:16])
}

// anybody is a name of placed lines, with one name for nobody.
func anybody(name string) string {
	if strings.HasPrefix(name, nobody) {
		return nobody
	}
	return name
}

// byPlaced judges what is published of persons by its placed lines.
func (r Release) byPlaced(ctx context.Context, f *Finding, s *sums, torn []int32) error {
	if s.nested > 0 && r.L > 0 {
		f.breach(Breach{Support: s.nested, Text: "they have labels above one another: shares of persons " +
			"with sensitive items are then judged on one machine alone"})
		return nil
	}
	p := r.plan(ofPublished)
	p.At, p.Salt = [2]uint64{1, 1}, make([]byte, 16) // every order has the same digest
	if _, err := rand.Read(p.Salt); err != nil {
		return err
	}
	published, err := r.digest(ctx, p, r.Published)
	if err != nil {
		return err
	}
	p.What = ofPlaced
	placed, err := r.digest(ctx, p, r.Placed)
	if err != nil {
		return err
	}
	f.Ascending = published.ascend
	if published.lines != f.Lines || placed.lines != f.Lines || published.digest != placed.digest {
		return errors.New("the published lines are not those that tell their persons")
	}
	if err := r.pairs(ctx, f); err != nil || f.Broken > 0 {
		return err
	}
	if err := r.persons(ctx, f, r.plan(ofPersons)); err != nil || f.Broken > 0 {
		return err
	}
	if r.L > 0 && f.Local {
		return r.addUp(ctx, f)
	}
	if len(torn) > 0 {
		err = r.compatibleIn(ctx, f, torn)
	}
	if err == nil && f.Broken == 0 && s.nested > 0 && r.PersonShare > 0 {
		err = r.unevenIn(ctx, f, s)
	}
	return err
}

// placedDigests writes a line for each part of placed files, as digests does.
func (p *plan) placedDigests(
	_ context.Context, t *hierarchy.Tree, r io.Reader, w *bufio.Writer,
) error {
	h := newHash(p.Salt)
	s := segment{}
	end := func() {
		if s.lines > 0 {
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t0\t0\t%s\t\t\ttrue\n", s.file, s.place, s.lines,
				s.digest[0], s.digest[1], p.Version)
		}
	}
	err := split.RawParts(r, func(file, place string, text []byte) error {
		if s.file != file || s.place != place {
			end()
			s = segment{file: file, place: place}
		}
		for line := range bytes.Lines(text) {
			one, err := p.readPlaced(string(line), t)
			if err != nil {
				return err
			}
			for j, own := range h.of(behind(t, one.labels, one.sensitive)) {
				s.digest[j] = plus(s.digest[j], own)
			}
			s.lines++
		}
		return nil
	})
	end()
	return err
}

// rowsOfPersons is rows of original lines with their persons, and of placed lines.
func (p *plan) rowsOfPersons(
	ctx context.Context, t *hierarchy.Tree, r io.Reader, w *bufio.Writer,
) error {
	told := came{}
	tell := func(kind string, line int64, whose string, nodes, sensitive []int32) {
		text := fmt.Appendf(nil, "%s %d %s =", kind, line, whose)
		text = append(spelt(text, nodes), '/')
		text = spelt(text, sensitive)
		name := strconv.FormatInt(line/together, 10)
		told.add(name, string(text))
		fmt.Fprintf(w, "%s\t%s\n", name, text)
	}
	err := split.NumberedLines(r, p.Numbers, func(file int, first int64, text []byte) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if file < p.Originals {
			return p.Read(ctx, text, func(d *dataset.Dataset, persons []string) error {
				d, sensitive, err := p.Apart(d)
				if err == nil {
					d, err = t.Encode(d)
				}
				if err != nil {
					return err
				}
				var beside []int32
				for i, tx := range d.All() {
					if sensitive != nil {
						beside = sensitive.Tx(i)
					}
					tell("o", first+int64(i), p.nameOf(persons[i]), tx, beside)
				}
				return nil
			})
		}
		for line := range bytes.Lines(text) {
			one, err := p.readPlaced(string(line), t)
			if err != nil {
				return err
			}
			tell("p", one.line, anybody(one.whose), one.labels, one.sensitive)
		}
		return nil
	})
	fmt.Fprintf(w, "%s\t%d %d %s\n", control, told.lines, told.sum, p.Version)
	return err
}

// whosePlaced writes every placed line under the name of its person.
func (p *plan) whosePlaced(
	ctx context.Context, t *hierarchy.Tree, r io.Reader, w *bufio.Writer,
) error {
	told := came{}
	err := split.Named(ctx, r, func(head, rest string) error {
		one, err := p.readPlaced(head+"\t"+rest, t)
		if err != nil {
			return err
		}
		text := string(spelt([]byte("="), behind(t, one.labels, one.sensitive)))
		told.add(one.whose, text)
		_, err = fmt.Fprintf(w, "%s\t%s\n", one.whose, text)
		return err
	})
	fmt.Fprintf(w, "%s\t%d %d %s\n", control, told.lines, told.sum, p.Version)
	return err
}

// ofPerson is what a listing has of the person under way. A set is counted once a person, and not
// for lines of nobody; what these have occurs.
type ofPerson struct {
	name       string
	sets       map[string]int64
	cells      map[int][][]int32 // by tuple: those that lines say they may have
	came, told came
}

// eachOfPersons is each for placed lines, which come by the names of their persons.
func (l *listing) eachOfPersons(
	ctx context.Context, t *hierarchy.Tree, r io.Reader,
	do func(v *reading, sensitive []int32) error,
) error {
	v := newReading(t)
	l.own = &ofPerson{sets: map[string]int64{}, cells: map[int][][]int32{}}
	err := split.Named(ctx, r, func(name, text string) error {
		if name == control {
			return readControl(text, l.Version, &l.own.told)
		}
		if name < l.own.name {
			return errors.New("the lines of persons are not in the order of their names")
		}
		if name != l.own.name {
			if err := l.endPerson(t); err != nil {
				return err
			}
			l.own.name = name
		}
		l.own.came.add(name, text)
		l.lines++
		spelt, whole := strings.CutPrefix(text, "=")
		all, err := numbers(spelt, t.Nodes()+len(l.Sensitive))
		if err != nil || !whole {
			return errPart
		}
		labels, sensitive := apart(t, all)
		v.read(labels)
		return do(v, sensitive)
	})
	if err == nil {
		err = l.endPerson(t)
	}
	if err == nil {
		l.end()
	}
	return err
}

// endPerson counts the person under way.
func (l *listing) endPerson(t *hierarchy.Tree) error {
	somebody := int64(1)
	if strings.HasPrefix(l.own.name, nobody) {
		somebody = 0
	}
	if l.Share == 0 {
		for set, n := range l.own.sets {
			l.sets[set] += n * somebody
		}
	} else if somebody > 0 {
		l.linesOfPerson()
	}
	left := mostCells
	for i, cells := range l.own.cells {
		l.disjoint(t, i, slices.Clone(l.Tuples[i]), cells, somebody, &left)
	}
	if left < 0 {
		return errTooMuch
	}
	clear(l.own.sets)
	clear(l.own.cells)
	if len(l.sets) > mostSets {
		l.flush()
	}
	return nil
}

// linesOfPerson counts the lines of the person under way, which are those of each set: the most
// that one person has or, of cells, those of all who may have too many.
func (l *listing) linesOfPerson() {
	if !l.Deep {
		for set, n := range l.own.sets {
			l.most[set] = max(l.most[set], n)
		}
		return
	}
	own := make([]int64, len(l.Tuples)) // of a tuple: no J below it leaves more of the person
	for cell, n := range l.own.sets {
		own[tupleOf(cell)] += n
	}
	for cell, n := range l.own.sets {
		if i := tupleOf(cell); own[i]*int64(l.Share) > l.Certain[i] {
			l.sets[cell+"/#"+l.own.name] += n
		}
	}
}

// tupleOf is the number of the tuple in the name of a cell.
func tupleOf(cell string) int {
	number, _, _ := strings.Cut(cell, " ")
	i, err := strconv.Atoi(number)
	if err != nil {
		panic(err) // cellName has written it
	}
	return i
}

// disjoint counts the tuples of items below the nodes of a tuple that are in some of its cells,
// once each: cells of several lines of a person may overlap.
func (l *listing) disjoint(
	t *hierarchy.Tree, number int, tuple []int32, cells [][]int32, n int64, left *int,
) {
	if *left--; *left < 0 {
		return
	}
	var related [][]int32
	for _, c := range cells {
		is, covers := true, true
		for j, u := range c {
			is, covers = is && t.Related(u, tuple[j]), covers && t.Covers(u, tuple[j])
		}
		if covers {
			l.sets[string(cellName(nil, number, tuple))] += n
			return
		}
		if is {
			related = append(related, c)
		}
	}
	if len(related) == 0 {
		return
	}
	eachBelow(t, tuple, aboveIn(t, tuple, related[0]), func(int32) {
		l.disjoint(t, number, tuple, related, n, left)
	})
}

// cellName is the name of a cell of a tuple.
func cellName(to []byte, number int, nodes []int32) []byte {
	to = strconv.AppendInt(to, int64(number), 10)
	for _, u := range nodes {
		to = strconv.AppendInt(append(to, ' '), int64(u), 10)
	}
	return to
}
