package judge

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mingle/cluster/engine"
	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
)

// Where an item is not the same label everywhere, what a line is published as is not known from its
// original alone. So the lines of both are numbered, the engine brings line i of both together, and
// a worker compares them: every item is at the lowest published label above it, with no label at or
// below the child that leads to the item, every label has an item at it, and sensitive items are
// the same.

// workPairs is the verb of the step before "verify", and workCount that of counting lines.
const (
	workPairs = "verify-pairs"
	workCount = "verify-count"
)

// publishedAs begins the group of how many occurrences are published as a node.
const publishedAs = "@at"

// together is how many lines of a file are sent under one name.
const together = 512

// rows writes every line of both kinds of files under the name of its place.
func (p *plan) rows(ctx context.Context, t *hierarchy.Tree, r io.Reader, w *bufio.Writer) error {
	if p.Person != "" {
		return p.rowsOfPersons(ctx, t, r, w)
	}
	told := came{}
	err := p.Numbered(ctx, r, p.Numbers, func(file int, first int64, d *dataset.Dataset) error {
		d, sensitive, err := p.Apart(d)
		kind := "p"
		switch {
		case err != nil:
		case file < p.Originals:
			kind = "o"
			d, err = t.Encode(d)
		default:
			d, err = t.EncodePublished(d)
		}
		if err != nil {
			return err
		}
		for i, tx := range d.All() {
			line := first + int64(i)
			text := fmt.Appendf(nil, "%s %d =", kind, line)
			text = append(spelt(text, tx), '/')
			if sensitive != nil {
				text = spelt(text, sensitive.Tx(i))
			}
			name := strconv.FormatInt(line/together, 10)
			told.add(name, string(text))
			if _, err := fmt.Fprintf(w, "%s\t%s\n", name, text); err != nil {
				return err
			}
		}
		return nil
	})
	fmt.Fprintf(w, "%s\t%d %d %s\n", control, told.lines, told.sum, p.Version)
	return err
}

// row is a line of a file.
type row struct {
	nodes, sensitive []int32
	whose            string // the name of its person; "": none are told
}

// pairing compares lines with their originals.
type pairing struct {
	*plan
	*reading
	out  *bufio.Writer
	name string
	rows [2]map[int64]row // of the originals, and published
	used []int64          // by node: the line in which an item is at it

	came, told         came // of the step before
	lines, occurrences int64
	at                 []int64 // by node: the occurrences that are published as it
}

// pairs compares the lines of r, which come by the names of their places.
func (p *plan) pairs(ctx context.Context, t *hierarchy.Tree, r io.Reader, w *bufio.Writer) error {
	c := &pairing{
		plan: p, reading: newReading(t), out: w, used: make([]int64, t.Nodes()),
		at: make([]int64, t.Nodes()),
	}
	c.rows = [2]map[int64]row{{}, {}}
	if err := split.Named(ctx, r, c.take); err != nil {
		return err
	}
	if err := c.end(); err != nil {
		return err
	}
	sum := int64(0)
	for _, n := range []struct {
		name string
		n    int64
	}{
		{"@lines", c.lines},
		{"@came", c.came.lines},
		{"@came of", c.came.sum},
		{"@told", c.told.lines},
		{"@told of", c.told.sum},
		{"@occurrences", c.occurrences},
	} { // one more than there are, so that every number that is lost makes a difference
		fmt.Fprintf(w, "%s\t%d\n", n.name, n.n+1)
		sum += n.n + 1
	}
	for u, n := range c.at {
		if n > 0 {
			fmt.Fprintf(w, "%s %d\t%d\n", publishedAs, u, n)
			sum += n
		}
	}
	_, err := fmt.Fprintf(w, "@version %s\t1\n@check\t%d\n", p.Version, sum+1)
	return err
}

func (c *pairing) take(name, text string) error {
	if name == control {
		return readControl(text, c.Version, &c.told)
	}
	if name != c.name {
		if name < c.name {
			return errors.New("the lines are not in the order of their names")
		}
		if err := c.end(); err != nil {
			return err
		}
		c.name = name
	}
	c.came.add(name, text)
	head, rest, ok := strings.Cut(text, "=")
	kind, number, _ := strings.Cut(strings.TrimSuffix(head, " "), " ")
	number, whose, _ := strings.Cut(number, " ")
	line, err := strconv.ParseInt(number, 10, 64)
	nodes, sensitive, both := strings.Cut(rest, "/")
	if !ok || !both || err != nil || line < 0 || kind != "o" && kind != "p" {
		return errPart
	}
	own := row{whose: whose}
	limit := c.tree.Nodes()
	if kind == "o" {
		limit = c.tree.Leaves()
	}
	if own.nodes, err = numbers(nodes, limit); err == nil {
		own.sensitive, err = numbers(sensitive, len(c.Sensitive))
	}
	if err != nil {
		return err
	}
	of := c.rows[0]
	if kind == "p" {
		of = c.rows[1]
	}
	if _, twice := of[line]; twice {
		return errors.New("a line came twice")
	}
	of[line] = own
	return nil
}

// spelt adds numbers to a text; see numbers.
func spelt(text []byte, all []int32) []byte {
	for _, u := range all {
		text = append(strconv.AppendInt(text, int64(u), 10), ' ')
	}
	return text
}

// numbers reads numbers below a limit.
func numbers(text string, limit int) ([]int32, error) {
	var out []int32
	for s := range strings.FieldsSeq(text) {
		u, err := strconv.Atoi(s)
		if err != nil || u < 0 || u >= limit {
			return nil, errPart
		}
		out = append(out, int32(u))
	}
	return out, nil
}

// end compares the lines of a name.
func (c *pairing) end() error {
	originals, published := c.rows[0], c.rows[1]
	if len(originals) != len(published) {
		return errors.New("a line came without its original, or an original without its line")
	}
	for line, of := range originals {
		own, is := published[line]
		if !is {
			return errors.New("a line came without its original")
		}
		c.lines++
		if !c.comes(of, own) {
			fmt.Fprintf(c.out, "%015d\t1\n", line)
		}
	}
	clear(originals)
	clear(published)
	return nil
}

// comes tells whether a published line comes from an original one.
func (c *pairing) comes(original, published row) bool {
	c.read(published.nodes)
	good := slices.Equal(original.sensitive, published.sensitive) &&
		original.whose == published.whose
	for _, x := range original.nodes {
		u, _ := c.place(x)
		if u < 0 || !c.may(x) {
			good = false
			continue
		}
		c.used[u] = c.now
		c.at[u]++
	}
	c.occurrences += int64(len(original.nodes))
	for _, u := range published.nodes {
		good = good && c.used[u] == c.now
	}
	return good
}

// pairs compares every published line with its original.
func (r Release) pairs(ctx context.Context, f *Finding) error {
	for tries := 0; ; tries++ { // a machine that comes or goes may cut the files otherwise
		err := r.pairsOnce(ctx, f)
		if err == nil || tries == 2 || !strings.Contains(err.Error(), split.Moved) {
			return err
		}
	}
}

func (r Release) pairsOnce(ctx context.Context, f *Finding) error {
	r.tell("verifying each line against its original")
	p, files := r.plan(ofPairs), r.Published
	if r.Placed != nil {
		files, p.Salt = r.Placed, r.Salt
	}
	both := slices.Concat(r.Original, files)
	told, err := r.Engine.Run(ctx, engine.Job{
		Name: "verify count", Input: both, Origin: true, Plan: encode(p), Map: workCount,
	})
	if err != nil {
		return err
	}
	p.Numbers, err = split.Number(told, r.Version, r.Original, files)
	if err != nil {
		return err
	}
	p.Originals = len(r.Original)
	lines := p.Numbers.Lines(p.Originals)
	published := p.Numbers.Lines(len(both)) - lines
	if published != f.Lines {
		return fmt.Errorf("the published files had %d lines when their sets were counted, and now "+
			"have %d", f.Lines, published)
	}
	if published != lines {
		f.unlike(otherLines, lines, published)
		return nil
	}
	told, err = r.Engine.Run(ctx, engine.Job{
		Name: "verify pairs", Input: both, Origin: true, Plan: encode(p), By: workPairs, Map: "verify",
		Below: 2,
	})
	if err != nil {
		return err
	}
	return r.paired(f, told, lines)
}

// paired makes a finding of what was told of so many pairs of lines.
func (r Release) paired(f *Finding, told []string, lines int64) error {
	s, err := r.sumPairs(told)
	if err != nil {
		return err
	}
	workers, all := s.of["@version "+r.Version], s.at
	for _, name := range []string{
		"@lines", "@came", "@came of", "@told", "@told of", "@occurrences",
	} {
		all += s.of[name]
		s.of[name] -= workers
	}
	switch {
	case lines == 0 && len(told) == 0:
		return nil
	case workers == 0 || s.of["@check"] != all+workers,
		s.wrong == 0 && s.at != s.of["@occurrences"]:
		return errors.New("the judge was not told of all lines")
	case s.of["@came"] != s.of["@told"] || s.of["@came of"] != s.of["@told of"] ||
		s.of["@came"] != 2*lines || s.of["@lines"] != lines:
		return fmt.Errorf("%d lines were sent to be compared, and %d came, or others",
			s.of["@told"], s.of["@came"])
	}
	if s.wrong > 0 {
		at, err := strconv.ParseInt(s.first, 10, 64)
		if err != nil {
			return errPart
		}
		f.unlike("%d lines are not what their originals are published as, the first of them line %d",
			s.wrong, at+1)
		f.Broken += s.wrong - 1
	}
	f.Occurrences, f.At = s.of["@occurrences"], s.published
	penalty := int64(0)
	for u, n := range f.At {
		penalty += n * r.Tree.Penalty(u)
	}
	if n := float64(f.Occurrences) * float64(r.Tree.Leaves()); n > 0 {
		f.NCP = float64(penalty) / n
	}
	return nil
}

// pairSums is what the workers told that compared lines.
type pairSums struct {
	of        map[string]int64
	published map[int32]int64 // occurrences by the node they are published as
	at        int64           // the sum of these
	wrong     int64           // lines that are not what their originals are published as
	first     string          // the first of them
}

// sumPairs reads what the workers told.
func (r Release) sumPairs(told []string) (*pairSums, error) {
	s := &pairSums{of: map[string]int64{}, published: map[int32]int64{}}
	for _, line := range told {
		group, n, names, least, err := readGroup(line)
		if err != nil {
			return nil, err
		}
		if _, twice := s.of[group]; twice {
			return nil, fmt.Errorf("the judge was told of group %q twice", group)
		}
		s.of[group] = n
		name, rest, _ := strings.Cut(group, " ")
		switch {
		case name == publishedAs:
			u, err := r.nodes(rest)
			if err != nil {
				return nil, err
			}
			s.published[u[0]] = n
			s.at += n
		case group[0] != '@':
			s.wrong += names
			if s.first == "" || least < s.first {
				s.first = least
			}
		}
	}
	return s, nil
}
