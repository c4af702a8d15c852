package webui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"mingle/attack"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/pipeline"
	"mingle/privacy"
	"mingle/report/chart"
)

// table is what other k and m would lose, tried on a sample.
type table struct {
	Ks, Ms  []int
	Cells   map[[2]int]*cell
	Persons string // the column of the persons that are counted; "": transactions are
	By      string // the algorithm
	Lines   int    // of the sample; when all cells are of the data, of these
	Of      int    // of the data
	Running bool
	Err     error // why it is not filled
	stop    context.CancelFunc
	round   int
}

// cell is one k and m.
type cell struct {
	K, M   int
	Loss   float64
	Risk   float64 // share of persons whom 3 known items leave with nobody else
	Known  bool
	Exact  bool // of all lines, where others are of a sample
	Failed string
}

// Sampled tells whether not all lines were looked at.
func (t table) Sampled() bool { return t.Lines < t.Of }

// Cell is one cell; nil: nothing is known of it yet.
func (t table) Cell(k, m int) *cell { return t.Cells[[2]int{k, m}] }

const (
	sampleLines = 2000
	riskKnown   = 3
	riskDraws   = 4000
)

// tabulate tries all k and m, the cheap ones first: on a sample, or on all of the data, which takes
// the place of what the sample showed cell by cell.
func (p *project) tabulate(all bool) {
	ctx, stop := context.WithCancel(p.ctx)
	var f filling
	p.change(func() { f = p.emptyTable(all, stop) })
	p.server.within(ctx, bounded{
		do: func(ctx context.Context) error {
			defer stop()
			return p.fill(ctx, f)
		},
		ended: func(err error) {
			p.filled(f, func(t *table) { t.Running, t.Err = false, err })
		},
	})
}

// filled changes the table, unless it was emptied since.
func (p *project) filled(f filling, change func(t *table)) {
	p.change(func() {
		if p.table.round == f.round {
			change(&p.table)
		}
	})
}

// forgetTable ends the filling of the table and empties it: what it was filled by is no longer so.
// The project is locked.
func (p *project) forgetTable() {
	if p.table.stop != nil {
		p.table.stop()
	}
	p.table = table{round: p.table.round + 1}
}

// emptyTable begins a round of filling the table, and ends the one before. The project is locked.
func (p *project) emptyTable(all bool, stop context.CancelFunc) filling {
	before, c := p.table, p.choice
	if before.stop != nil {
		before.stop()
	}
	f := filling{round: before.round + 1, all: all, choice: c, sets: p.data.sets}
	f.persons, f.err = p.personsOfLines()
	p.table = table{
		Ks: columnsOf(number(c.K)), Ms: []int{1, 2, 3}, Cells: map[[2]int]*cell{}, Running: true,
		stop: stop, round: f.round, Lines: before.Lines, Of: before.Of, By: tableBy,
	}
	if f.persons != nil {
		p.table.Persons = p.layout.Person
	}
	if all && before.Cells != nil {
		p.table.Cells = before.Cells
	}
	return f
}

var errUnread = errors.New("the data are not read yet: wait until they are, and try again")

// columnsOf are values of k around the one that is chosen.
func columnsOf(k int) []int {
	ks := []int{2, 5, 10, 25}
	if k >= 2 && !slices.Contains(ks, k) {
		ks = append(ks, k)
	}
	slices.Sort(ks)
	return ks
}

// filling is one round of filling the table.
type filling struct {
	round   int
	all     bool // on all of the data
	choice  choice
	sets    *dataset.Dataset
	persons []string // by transaction; nil: they are not counted
	err     error    // why they cannot be, where they are to be
}

// tableBy is the algorithm that the table is filled by.
const tableBy = "local"

// fill tries one k and m after the other.
func (p *project) fill(ctx context.Context, f filling) error {
	c, d := f.choice, f.sets
	switch {
	case d == nil:
		return errUnread
	case f.err != nil:
		return f.err
	}
	t, err := p.current(ctx)
	if err != nil {
		return err
	}
	of, some := d.Len(), d
	if !f.all {
		some, f.persons = sample(d, f.persons)
	}
	source, err := sourceOf(some, t, c.sensitive())
	if err != nil {
		return err
	}
	column := ""
	if source.Persons = f.persons; f.persons != nil {
		column = "person"
	}
	p.filled(f, func(t *table) {
		if t.Of = of; !f.all || t.Lines == 0 {
			t.Lines = source.Sets.Len()
		}
	})
	entry, err := pipeline.FindAlgorithm("km", tableBy)
	if err != nil {
		return err
	}
	l := 0
	if source.Sensitive != nil {
		l = number(c.L)
	}
	for _, m := range []int{1, 2, 3} {
		for _, k := range columnsOf(number(c.K)) {
			family := pipeline.KM{
				Promise: privacy.KM{K: k, M: m, L: l}, Algorithm: entry.Make(pipeline.Settings{}),
				PersonColumn: column,
			}
			trial := pipeline.Trial{Family: family, Source: source, Seed: &[32]byte{}}
			made := try(ctx, trial, k, m)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			made.Exact = f.all
			p.filled(f, func(t *table) { t.Cells[[2]int{k, m}] = made })
		}
	}
	if f.all { // no cell is of a sample any more
		p.filled(f, func(t *table) { t.Lines = t.Of })
	}
	return nil
}

// sample is some lines of large data, drawn with a fixed seed so that a look again shows the same:
// all lines of some persons, where these are counted, for a part of a person is none.
func sample(d *dataset.Dataset, persons []string) (*dataset.Dataset, []string) {
	if d.Len() <= sampleLines {
		return d, persons
	}
	order := rand.New(rand.NewPCG(1, 2)).Perm(d.Len())
	var out []int32
	if persons == nil {
		for _, i := range order[:sampleLines] {
			out = append(out, int32(i))
		}
		slices.Sort(out)
		return d.Select(out), nil
	}
	lines := map[string][]int32{}
	for i, person := range persons {
		if person == "" { // nobody known, who has this line alone
			continue
		}
		lines[person] = append(lines[person], int32(i))
	}
	for _, i := range order {
		if len(out) >= sampleLines {
			break
		}
		if persons[i] == "" {
			out = append(out, int32(i))
		}
		out = append(out, lines[persons[i]]...)
		delete(lines, persons[i])
	}
	slices.Sort(out)
	var whose []string
	for _, i := range out {
		whose = append(whose, persons[i])
	}
	return d.Select(out), whose
}

// personsOfLines are the persons of all transactions; nil: they are not counted. Where they are to
// be and nobody knows them, the table would show less than what a release loses: that is an error.
// The project is locked.
func (p *project) personsOfLines() ([]string, error) {
	name, d := p.layout.Person, p.data.sets
	if name == "" || d == nil || d.Len() == 0 {
		return nil, nil
	}
	for _, c := range p.data.Columns {
		if c.Name == name && len(c.Values) == d.Len() {
			return c.Values, nil
		}
	}
	if !p.data.Looked && p.data.Err == nil {
		return nil, errUnread
	}
	return nil, fmt.Errorf("persons cannot be counted: there is no column %q with one value a "+
		"transaction", name)
}

// sourceOf binds data to the hierarchy, sensitive items apart.
func sourceOf(d *dataset.Dataset, t *hierarchy.Tree, sensitive []string) (pipeline.Source, error) {
	var out pipeline.Source
	var err error
	if len(sensitive) > 0 {
		if t, err = t.Without(sensitive); err != nil {
			return out, err
		}
		if d, out.Sensitive, err = dataset.Split(d, sensitive); err != nil {
			return out, err
		}
	}
	out.Tree = t
	out.Sets, err = t.Encode(d)
	return out, err
}

// try makes one release of the sample.
func try(ctx context.Context, trial pipeline.Trial, k, m int) *cell {
	out := &cell{K: k, M: m}
	made, err := trial.Run(ctx)
	if err != nil {
		out.Failed = err.Error()
		return out
	}
	out.Loss, out.Known = made.Loss("NCP")
	adversary, err := made.Attack()
	if err == nil && adversary != nil {
		var seen *attack.Singling
		seen, err = adversary.SingleOut(ctx, attack.Options{
			M: riskKnown, K: 2, Exact: -1, Draws: riskDraws, Seed: 1,
		})
		if err == nil && seen != nil { // else nobody has so many items
			out.Risk = seen.After.UnderK.Value
		}
	}
	if err != nil {
		out.Failed = err.Error()
	}
	return out
}

// Chart draws loss against k, a line for each m.
func (t table) Chart(x, y, title string) string {
	lines := chart.Lines{Title: title, X: x, Y: y}
	for _, m := range t.Ms {
		s := chart.Series{Name: "m = " + strconv.Itoa(m)}
		for _, k := range t.Ks {
			if c := t.Cell(k, m); c != nil && c.Known {
				s.Points = append(s.Points, chart.Point{X: float64(k), Y: 100 * c.Loss})
			}
		}
		slices.SortFunc(s.Points, func(a, b chart.Point) int { return cmp.Compare(a.X, b.X) })
		lines.Series = append(lines.Series, s)
	}
	return chart.Unstyled(lines.SVG())
}
