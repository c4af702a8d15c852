package judge

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

	"mingle/cluster/engine"
	"mingle/cluster/split"
	"mingle/dataset"
	"mingle/hierarchy"
)

// Where the unit is a person, the support of a set of labels is the number of distinct persons with
// a single line that publishes all of it, and a set that occurs in lines of nobody known alone has
// none. Whose a line is stands in the original alone. What is published as the lines of a global
// recoding is known of each line of the original, wherever its line stands; that the published
// lines are these, all of them and no others, is seen by their digests. So persons are counted on
// the lines of the original as they must be published, each under the name of its person: the
// engine brings all lines of a person to one place, a worker counts each set once a person there,
// and the engine adds up.

// workWhose is the verb of the step before "verify".
const workWhose = "verify-whose"

// Verbs are what workers of the judge are asked to do.
var Verbs = []string{"verify", workWhose, workPairs, workCount}

const (
	// unit is what a person adds to the number that is sent of a set. Every number has one more, so
	// that a set of no person makes a difference when it is lost, too.
	unit = 1 << 20
	// control is the name of what the step before says of itself.
	control = "@"
	// nobody is how the names of lines of nobody known begin, of which there are nobodies.
	nobody   = "-"
	nobodies = 997
)

// whose writes every line of the original as it must be published, under the name of its person.
func (p *plan) whose(ctx context.Context, t *hierarchy.Tree, r io.Reader, w *bufio.Writer) error {
	if p.Placed {
		return p.whosePlaced(ctx, t, r, w)
	}
	as, err := p.publishedAs(t)
	if err != nil {
		return err
	}
	told, line := came{}, 0
	err = p.OfPersons(ctx, r, func(d *dataset.Dataset, persons []string) error {
		d, sensitive, err := p.Apart(d)
		if err == nil {
			d, err = t.Encode(d)
		}
		if err != nil {
			return err
		}
		for i, tx := range d.All() {
			name := nobody + strconv.Itoa(line%nobodies)
			if persons[i] != "" {
				name = fmt.Sprintf("%x", sha256.Sum256(append(slices.Clone(p.Salt), persons[i]...)))
			}
			labels, err := labelsOf(t, as, tx)
			if err != nil {
				return err
			}
			if sensitive != nil {
				labels = behind(t, labels, sensitive.Tx(i))
			}
			text := string(spelt([]byte("="), labels))
			told.add(name, text)
			fmt.Fprintf(w, "%s\t%s\n", name, text)
			line++
		}
		return nil
	})
	fmt.Fprintf(w, "%s\t%d %d %s\n", control, told.lines, told.sum, p.Version)
	return err
}

// labelsOf is what a line is published as, ascending.
func labelsOf(t *hierarchy.Tree, as, tx []int32) ([]int32, error) {
	var out []int32
	for _, leaf := range tx {
		if as[leaf] < 0 {
			return nil, fmt.Errorf("item %q is published as nothing", t.Label(leaf))
		}
		out = append(out, as[leaf])
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// came is some lines of persons: how many, and the sum of short hashes.
type came struct{ lines, sum int64 }

func (c *came) add(name, text string) {
	h := sha256.Sum256([]byte(name + "\t" + text))
	c.lines++
	c.sum += int64(binary.LittleEndian.Uint32(h[:]) >> 2)
}

// personCounter counts the persons of the sets of at most m labels.
type personCounter struct {
	*plan
	tree *hierarchy.Tree
	out  *bufio.Writer
	sets map[string]*personCount // spelt
	name string                  // of the person, or of lines of nobody, under way

	own    *classes // of the person under way; nil: sets are counted
	beside []int32  // the sensitive items of the line under way
	turn   int64    // a number for each person
	told   came     // by the step before
	came

	flushes, persons, sum int64
	crossed               int64 // persons with a label above another of theirs
}

// personCount is how many persons have a set, and the one that was counted last; where lines are
// counted how many have it, how many of the last person, and the most of one.
type personCount struct{ n, last, own, most int64 }

// persons counts the persons of the lines of r, which come by the names of these.
func (p *plan) persons(ctx context.Context, t *hierarchy.Tree, r io.Reader, w *bufio.Writer) error {
	c := &personCounter{plan: p, tree: t, out: w, sets: map[string]*personCount{}}
	if p.What == ofClasses {
		c.own = newClasses(t)
	}
	if err := split.Named(ctx, r, c.take); err != nil {
		return err
	}
	c.endPerson()
	c.flush()
	all := int64(0)
	for _, n := range []struct {
		name string
		n    int64
	}{
		{"@lines", c.lines},
		{"@lines of", c.came.sum},
		{"@told", c.told.lines},
		{"@told of", c.told.sum},
		{"@persons", c.persons},
		{"@crossed", c.crossed},
		{"@flushes", c.flushes},
		{"@sum", c.sum},
	} { // one more than there are, so that every number that is lost makes a difference
		fmt.Fprintf(w, "%s\t%d\n", n.name, n.n+1)
		all += n.n + 1
	}
	fmt.Fprintf(w, "@version %s\t1\n@check\t%d\n", p.Version, all+1)
	return nil
}

func (c *personCounter) take(name, text string) error {
	if name == control {
		return readControl(text, c.Version, &c.told)
	}
	if name < c.name {
		return errors.New("the lines of persons are not in the order of their names")
	}
	if name != c.name {
		if c.endPerson(); len(c.sets) > mostSets {
			c.flush() // never while a person is under way
		}
		c.name = name
		c.turn++
		if !strings.HasPrefix(name, nobody) {
			c.persons++
		}
	}
	c.add(name, text)
	labels, err := c.labels(text)
	if err == nil {
		labels, c.beside = apart(c.tree, labels)
		if c.own != nil {
			c.own.add(labels, c.beside)
			return nil
		}
		err = split.Fits(len(labels), min(c.M, len(labels)))
	}
	if err == nil {
		somebody := !strings.HasPrefix(name, nobody)
		if c.shares() {
			c.with(nil, somebody)
		}
		c.extend(labels, nil, somebody)
	}
	return err
}

// readControl adds what a run of the step before says of itself.
func readControl(text, version string, told *came) error {
	f := strings.SplitN(text, " ", 3)
	if len(f) != 3 || f[2] != version {
		return errPart
	}
	lines, err := strconv.ParseInt(f[0], 10, 64)
	sum, wrong := strconv.ParseInt(f[1], 10, 64)
	told.lines, told.sum = told.lines+lines, told.sum+sum
	return errors.Join(err, wrong)
}

func (c *personCounter) labels(text string) ([]int32, error) {
	rest, whole := strings.CutPrefix(text, "=")
	if !whole {
		return nil, errPart
	}
	return numbers(rest, c.tree.Nodes()+len(c.Sensitive))
}

// extend counts the sets that begin with a set, spelt, and go on with rest, of a line of somebody
// or of nobody known.
func (c *personCounter) extend(rest []int32, spelt []byte, somebody bool) {
	for i, u := range rest {
		own := binary.BigEndian.AppendUint32(spelt, uint32(u))
		c.with(own, somebody)
		if len(own)/4 < c.M {
			c.extend(rest[i+1:], own, somebody)
		}
	}
}

// flush hands the counts on. The error of writing is that of the last flush of out.
func (c *personCounter) flush() {
	for set, of := range c.sets {
		name, times := c.spell(set)
		c.tell(name, of.n*times)
		if c.What == ofLines && c.Share > 0 && of.most > 0 && times == 1 {
			// the last person of a flush is in no other
			c.tell(append(name, "/#"+c.name...), of.most*int64(c.Share))
		}
	}
	c.flushes++
	clear(c.sets)
}

// persons has the persons of all sets counted, and says where they are too few.
func (r Release) persons(ctx context.Context, f *Finding, p plan) error {
	r.tell("verifying the persons of the published labels")
	p.What = ofPersons
	p.L, p.Share = r.L, r.PersonShare
	job := engine.Job{
		Name: "verify persons", Input: r.Original, Plan: encode(p), By: workWhose, Map: "verify",
		Below: int64(r.K) * unit,
	}
	if r.Placed != nil {
		p.Placed = true
		job.Input, job.Plan = r.Placed, encode(p)
	}
	if p.shares() {
		job.Share = 1
	}
	if err := r.personsOf(ctx, f, job); err != nil || !p.shares() {
		return err
	}
	r.tell("verifying the lines of the persons of the published labels")
	p.What = ofLines
	job.Name, job.Plan, job.Below = "verify lines of persons", encode(p), 1
	return r.personsOf(ctx, f, job)
}

// personsOf has persons counted, or their lines.
func (r Release) personsOf(ctx context.Context, f *Finding, job engine.Job) error {
	told, err := r.Engine.Run(ctx, job)
	if err != nil {
		return err
	}
	slices.Sort(told) // the first breaches are the same in every run
	sums, sets, sum := map[string]int64{}, int64(0), int64(0)
	for _, line := range told {
		group, n, names, least, err := readGroup(line)
		if err != nil {
			return err
		}
		if _, twice := sums[group]; twice {
			return fmt.Errorf("the judge was told of group %q twice", group)
		}
		if sums[group] = n; group[0] == '@' {
			continue
		}
		sets, sum = sets+names, sum+n
		if group[0] == '<' || group[0] == '/' {
			if err := r.tooFew(f, job, group, least, names); err != nil {
				return err
			}
		}
	}
	if f.Sets = sets - int64(len(f.Supports)); job.Share > 0 && f.Lines > 0 {
		f.Sets-- // the empty one
	}
	return r.whole(f, sums, sum)
}

// tooFew is some sets of too few persons, or of which somebody has too much, one of them by its
// name.
func (r Release) tooFew(f *Finding, job engine.Job, group, least string, names int64) error {
	var set []int32
	if least != emptySet {
		var err error
		if set, err = r.nodes(least); err != nil {
			return err
		}
	}
	b := Breach{Text: fmt.Sprintf("in lines of fewer than %d persons", r.K)}
	if group[0] == '/' {
		b.Text = r.tooMuch(job.Below == 1)
	}
	for _, u := range set {
		b.Items = append(b.Items, r.Tree.Label(u))
	}
	f.breach(b)
	f.Broken += names - 1
	return nil
}

// whole refuses what is not all that was sent, and looks at how many persons there are.
func (r Release) whole(f *Finding, sums map[string]int64, sum int64) error {
	workers, all := sums["@version "+r.Version], int64(0)
	for _, name := range []string{
		"@lines", "@lines of", "@told", "@told of", "@persons", "@crossed", "@flushes", "@sum",
	} {
		all += sums[name]
		sums[name] -= workers
	}
	switch {
	case workers == 0 || sums["@check"] != all+workers || sums["@sum"] != sum:
		return errors.New("the judge was not told of all sets of persons")
	case sums["@lines"] != sums["@told"] || sums["@lines of"] != sums["@told of"]:
		return fmt.Errorf("%d lines of persons were sent to be judged, and %d came, or others",
			sums["@told"], sums["@lines"])
	case sums["@lines"] != f.Lines:
		return fmt.Errorf("the original had %d lines when they were compared, and now has %d", f.Lines,
			sums["@lines"])
	case sums["@flushes"] >= unit:
		return errors.New("there are too many sets to be judged at once")
	}
	f.Persons, f.crossed = sums["@persons"], sums["@crossed"]
	if sums["@lines"] > 0 && f.Persons < int64(r.K) && r.L == 0 && r.PersonShare == 0 {
		f.breach(Breach{Text: fmt.Sprintf("the lines are of %d persons, fewer than k", f.Persons)})
	}
	return nil
}
