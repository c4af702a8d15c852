package judge

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"mingle/cluster/engine"
	"mingle/dataset"
	"mingle/hierarchy"
)

const (
	// mostLines is a number of which no name has as many.
	mostLines = 1 << 62
	// mostListed is how many names are told one by one at most.
	mostListed = 1 << 22
)

// listed is what is told of names one by one.
type listed struct {
	sums   map[string]int64 // of those below the bound
	uneven map[string]int64 // of those with too large a part
	above  int64            // how many the others are
	lines  int64

	fixed map[string]int64 // groups that are not of names
}

// take takes a group.
func (l *listed) take(line string) error {
	group, n, names, _, err := readGroup(line)
	if err == nil && group == "" {
		err = errPart
	}
	if err != nil {
		return err
	}
	of, is := map[byte]map[string]int64{'<': l.sums, '/': l.uneven}[group[0]]
	if !is {
		of = l.fixed
	}
	if _, twice := of[group[1:]]; twice || is && names != 1 {
		return fmt.Errorf("the judge was told of group %q twice", group)
	}
	if is && len(of) == mostListed {
		return errTooMuch
	}
	if of[group[1:]] = n; group == ">" {
		l.above = names
	}
	return nil
}

// listed has what a job makes of the lines of files added up, and all told whose sum is below a
// bound, or has too large a part.
func (r Release) listed(
	ctx context.Context, p plan, files []string, job engine.Job,
) (*listed, error) {
	told := &listed{
		sums: map[string]int64{}, uneven: map[string]int64{}, fixed: map[string]int64{},
	}
	if p.Placed = r.Placed != nil && p.What != ofHad; p.Placed {
		files, job.By = r.Placed, workWhose
	}
	job.Name, job.Input, job.Plan, job.Map = "verify "+p.What, files, encode(p), "verify"
	job.Listed, job.Each = true, told.take
	if _, err := r.Engine.Run(ctx, job); err != nil {
		return nil, err
	}
	fixed := told.fixed
	workers, sum := fixed["version "+r.Version], fixed[""] // the latter of all above
	for _, of := range []map[string]int64{told.sums, told.uneven} {
		for _, n := range of {
			sum += n
		}
	}
	whole := fixed["lines"] + fixed["flushes"] + fixed["sum"]
	for _, name := range []string{"came", "came of", "told", "told of"} { // of persons
		whole += fixed[name]
	}
	if fixed["came"] != fixed["told"] || fixed["came of"] != fixed["told of"] {
		return nil, errors.New("lines of persons were sent to be judged, and others came")
	}
	if workers == 0 || fixed["check"] != whole+workers || fixed["sum"]-workers != sum {
		return nil, errors.New("the judge was not told of all sets of labels and children")
	}
	if fixed["flushes"]-workers >= unit {
		return nil, errTooMuch
	}
	told.lines = fixed["lines"] - workers
	return told, nil
}

var errTooMuch = errors.New("there are too many labels above others in one line: the release " +
	"cannot be judged on a cluster; judge it on one machine")

// listing counts sets by their names.
type listing struct {
	*plan
	out     *bufio.Writer
	sets    map[string]int64
	name    []byte
	lines   int64
	flushes int64
	sum     int64
	own     *ofPerson        // nil: they come in any order, and lines are counted
	most    map[string]int64 // with Share: the most lines that one person has of a set
}

func (p *plan) listing(w *bufio.Writer) *listing {
	return &listing{plan: p, out: w, sets: map[string]int64{}, most: map[string]int64{}}
}

// add adds lines to a set, that have all of it.
func (l *listing) add(name []byte, n int64) {
	switch {
	case l.own != nil && l.Share > 0:
		l.own.sets[string(name)] += n
	case l.own != nil:
		l.own.sets[string(name)] = max(l.own.sets[string(name)], n)
		return
	}
	l.sets[string(name)] += n
	if l.own == nil && len(l.sets) > mostSets {
		l.flush()
	}
}

// flush hands the counts on. The error of writing is that of the last flush of out.
func (l *listing) flush() {
	for name, n := range l.sets {
		switch _, part, is := strings.Cut(name, "/"); {
		case is && part[0] == '#': // of a person
			n *= int64(l.Share)
		case is: // of a sensitive item
			n *= int64(l.L)
		}
		l.tell(name, n)
	}
	for name, n := range l.most { // the last person of a flush is in no other
		l.tell(name+"/#"+l.own.name, n*int64(l.Share))
	}
	l.flushes++
	clear(l.sets)
	clear(l.most)
}

// tell writes a number.
func (l *listing) tell(name string, n int64) {
	n = n*unit + 1
	l.sum += n
	fmt.Fprintf(l.out, "%s\t%d\n", name, n)
}

// end says what there was.
func (l *listing) end() {
	l.flush()
	// one more than there are, so that every number that is lost makes a difference
	fmt.Fprintf(l.out, "@lines\t%d\n@flushes\t%d\n@sum\t%d\n@version %s\t1\n", l.lines+1,
		l.flushes+1, l.sum+1, l.Version)
	check := l.lines + l.flushes + l.sum + 4
	if l.own != nil {
		came, told := l.own.came, l.own.told
		fmt.Fprintf(l.out, "@came\t%d\n@came of\t%d\n@told\t%d\n@told of\t%d\n", came.lines+1,
			came.sum+1, told.lines+1, told.sum+1)
		check += came.lines + came.sum + told.lines + told.sum + 4
	}
	fmt.Fprintf(l.out, "@check\t%d\n", check)
}

// each reads lines, and their sensitive items.
func (l *listing) each(
	ctx context.Context, t *hierarchy.Tree, r io.Reader,
	do func(v *reading, sensitive []int32) error,
) error {
	if l.Placed {
		return l.eachOfPersons(ctx, t, r, do)
	}
	v := newReading(t)
	err := l.Chunks(ctx, r, func(d *dataset.Dataset) error {
		d, sensitive, err := l.Apart(d)
		if err == nil {
			d, err = t.EncodePublished(d)
		}
		if err != nil {
			return err
		}
		var beside []int32
		l.lines += int64(d.Len())
		for i, tx := range d.All() {
			if i%4096 == 0 && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if sensitive != nil {
				beside = sensitive.Tx(i)
			}
			v.read(tx)
			if err := do(v, beside); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		l.end()
	}
	return err
}
