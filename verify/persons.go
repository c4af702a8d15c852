package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"mingle/dataset"
	"mingle/privacy"
)

// Where the unit is a person, who may have several lines, the support of a combination is the
// number of distinct persons with a single line that has all of it. Lines of nobody known must meet
// the condition and add nothing.
//
// Knowledge of original items of one line follows as for lines. Proof. The published line has, for
// each item of J, a node at or above it. Choose one for each: a combination of at most m nodes that
// occurs, so single lines of at least k persons publish all of it, and each of these lines matches
// J.
//
// Shares of sensitive items do not follow where an item may be published at several nodes. The
// lines that match J are a union over the ways to publish it, and a person may be in several of
// them, so that the persons of the union are fewer than the sum. Persons p and q match one way, p
// with s, and r and q another, r with s: 1/2 of each, and 2/3 of all. So knowledge is checked one
// combination after the other there, or the shares add up (persons_unions.go), or it is not checked
// at all (errSteps). In a global recoding there is one way. The lines of a person, whose share may
// be bounded too, do add up, as long as a line matches in one way only: as long as no label of a
// line is above another.

// nobody is the person of a line of nobody known.
const nobody = -1

// checkPersons refuses a promise about persons where it is not known who they are.
func (in *KMInput) checkPersons() error {
	switch {
	case !in.Promise.Persons:
		return nil
	case in.Original == nil:
		return errors.New("verify: whose each line is stands in the original alone: a promise " +
			"about persons cannot be checked without it")
	case len(in.Persons) != in.Original.Len():
		return fmt.Errorf("verify: the persons of %d lines are given, and the original has %d",
			len(in.Persons), in.Original.Len())
	case in.Published != nil && in.Published.Len() < in.Original.Len() && in.MaySuppress:
		return errors.New("verify: lines of the original are missing from the published file: " +
			"it is not known whose the others are")
	}
	for i, p := range in.Persons {
		if p < nobody || int(p) >= len(in.Persons) {
			return fmt.Errorf("verify: the person of line %d has the number %d: persons are "+
				"numbered from 0", i+1, p)
		}
	}
	return nil
}

// persons finds whose each published line is.
func (j *judgement) persons(context.Context) error {
	if !j.in.Promise.Persons {
		return nil
	}
	if j.in.Original.Len() != j.in.Published.Len() {
		j.f.note("persons were not looked at: it is not known whose the lines are")
		return nil
	}
	j.person = j.in.Persons
	return nil
}

// byPersons checks the published view: every combination of at most m published nodes that occurs,
// the empty one included. Where it is not known whose the lines are there is none to look at.
func (j *judgement) byPersons(ctx context.Context, p privacy.KM, silent []bool) error {
	u := newPersonLines(j.in.Published, j.person)
	w := &walk{
		ids: j.in.Tree.Nodes(), records: len(u.order), k: 1, most: p.M,
		record: func(i int) []int32 { return u.lines.Tx(int(u.order[i])) },
		look:   func() look { return u.look(p, j.sens, silent) },
	}
	found, counted, err := w.run(ctx, j.pool, "itemsets")
	if err != nil {
		return err
	}
	j.f.Itemsets = counted
	j.f.breach(found.count, j.spell(found, KindSupport)...)
	return nil
}

// personLines are published lines, those of a person one after the other.
type personLines struct {
	lines  *dataset.Dataset
	order  []int32 // lines
	person []int32 // by place in the order
}

func newPersonLines(lines *dataset.Dataset, person []int32) *personLines {
	u := &personLines{lines: lines.Flat(), order: make([]int32, len(person))}
	for i := range u.order {
		u.order[i] = int32(i)
	}
	slices.SortStableFunc(u.order, func(a, b int32) int {
		return cmp.Compare(person[a], person[b])
	})
	for _, i := range u.order {
		u.person = append(u.person, person[i])
	}
	return u
}

// count is the number of distinct persons of places in the order, which ascend, and of how many of
// the places one of them is, at most.
func (u *personLines) count(in []holder) (n, most int) {
	own, last := 0, int32(nobody)
	for _, h := range in {
		p := u.person[h.record]
		if p == nobody {
			continue
		}
		if p != last {
			n, last, own = n+1, p, 0
		}
		own++
		most = max(most, own)
	}
	return n, most
}

// look judges combinations by their persons and, where l is promised, by the shares of sensitive
// items. No share of these is taken of silent lines.
func (u *personLines) look(p privacy.KM, sens *dataset.Dataset, silent []bool) look {
	var s *shares
	if p.Diverse() {
		s = newShares(sens)
	}
	return func(found *witnesses, set []int32, in []holder) bool {
		n, most := u.count(in)
		if n < p.K {
			found.addPersons(set, -1, n, p.K)
			return false
		}
		if needed := most * p.PersonShare; needed > len(in) {
			found.file(witness{set, -1, len(in), needed, ofOne})
		}
		if s == nil {
			return true
		}
		if len(set) == 0 && silent != nil {
			in = slices.DeleteFunc(slices.Clone(in), func(h holder) bool {
				return silent[u.order[h.record]]
			})
			n, _ = u.count(in)
		}
		s.begin()
		for _, h := range in {
			s.add(u.order[h.record], u.person[h.record])
		}
		s.judge(found, set, p.L, len(in), n)
		return true
	}
}

// shares counts the lines and the persons with each sensitive item.
type shares struct {
	sens           *dataset.Cursor
	lines, persons []int   // by sensitive item
	last           []int32 // by sensitive item: the person counted last
	met            []int32 // the sensitive items that were met
}

func newShares(sens *dataset.Dataset) *shares {
	n := sens.Dict().Len()
	return &shares{
		sens: sens.Cursor(), lines: make([]int, n), persons: make([]int, n),
		last: make([]int32, n),
	}
}

func (s *shares) begin() {
	for _, x := range s.met {
		s.lines[x], s.persons[x] = 0, 0
	}
	s.met = s.met[:0]
}

// add counts a line; those of a person come one after the other, and those of nobody first.
func (s *shares) add(line, person int32) {
	for _, x := range s.sens.Tx(int(line)) {
		if s.lines[x] == 0 {
			s.met, s.last[x] = append(s.met, x), nobody
		}
		s.lines[x]++
		if person != s.last[x] {
			s.persons[x]++
			s.last[x] = person
		}
	}
}

// judge files what is in more than 1/l of the lines, or of the persons.
func (s *shares) judge(found *witnesses, set []int32, l, lines, persons int) {
	slices.Sort(s.met)
	for _, x := range s.met {
		if n := l * s.lines[x]; n > lines {
			found.add(set, x, lines, n)
		}
		if n := l * s.persons[x]; n > persons {
			found.addPersons(set, x, persons, n)
		}
	}
}

// byPersons makes the reading one of the lines of each person.
func (v *reading) byPersons(published *dataset.Dataset, person []int32) {
	u := newPersonLines(published, person)
	v.sets, v.weight, v.person = v.sets[:0], v.weight[:0], u.person
	for _, i := range u.order {
		v.sets = append(v.sets, v.arrange(u.lines.Tx(int(i))))
		v.weight = append(v.weight, 1)
	}
	v.listLines()
}

// stamps tells which persons were counted already.
type stamps struct {
	of    []int64 // by person: the round in which it was counted last
	own   []int32 // by person: its lines in that round, where these are counted
	round int64
}

// begin begins a round.
func (s *stamps) begin(person []int32) {
	if s.of == nil {
		persons := 1 + max(0, slices.Max(person))
		s.of, s.own = make([]int64, persons), make([]int32, persons)
	}
	s.round++
}

// mostOfOne is how many of a set of published lines one person has, at most.
func (s *stamps) mostOfOne(lines []uint64, person []int32) int {
	s.begin(person)
	most := int32(0)
	for i, w := range lines {
		for ; w != 0; w &= w - 1 {
			p := person[64*i+bits.TrailingZeros64(w)]
			if p == nobody {
				continue
			}
			if s.of[p] != s.round {
				s.of[p], s.own[p] = s.round, 0
			}
			s.own[p]++
			most = max(most, s.own[p])
		}
	}
	return int(most)
}

// personsIn is the number of distinct persons of a set of published lines; of those in has too,
// where that is not nil.
func (s *stamps) personsIn(lines, has []uint64, person []int32) int {
	s.begin(person)
	n := 0
	for i, w := range lines {
		if has != nil {
			w &= has[i]
		}
		for ; w != 0; w &= w - 1 {
			p := person[64*i+bits.TrailingZeros64(w)]
			if p != nobody && s.of[p] != s.round {
				s.of[p] = s.round
				n++
			}
		}
	}
	return n
}

// ratiosOfPersons files what more than 1/l of the matching persons have.
func (s *seeker) ratiosOfPersons(knowledge []int32, match []uint64, persons int) {
	for item, has := range s.sensitive {
		if has == nil {
			continue
		}
		if n := s.promise.L * s.personsIn(match, has, s.person); n > persons {
			s.found.addPersons(knowledge, int32(item), persons, n)
		}
	}
}

// shareOfOne files that more than the share of the n matching lines that may be is of one person.
func (s *seeker) shareOfOne(knowledge []int32, match []uint64, n int) {
	if s.promise.PersonShare == 0 {
		return
	}
	if needed := s.mostOfOne(match, s.person) * s.promise.PersonShare; needed > n {
		s.found.file(witness{knowledge, -1, n, needed, ofOne})
	}
}
