package cluster

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// merger adds up the blocks of one name after the other.
type merger struct {
	*Plan
	named
	said merged
}

// merge adds up the blocks in the lines that r has, all of one name one after another, and writes
// those sets that are in fewer than k transactions.
func (p *Plan) merge(ctx context.Context, r io.Reader, w io.Writer) error {
	m := &merger{Plan: p, named: newNamed(w, p.width())}
	return m.eachName(ctx, r, m.end)
}

// end writes what is to be said of a name.
func (m *merger) end() error {
	m.said = merged{Worker: m.Version, Came: m.came}
	w := newWriter(m.Size, func(block []byte) error {
		m.said.Gone.add(sent{1, checksum(m.name, block)})
		return writeLine(m.out, m.name, "rare", spell(block))
	})
	sum := summed{merger: m, out: w}
	err := m.all.each(sum.add)
	if err == nil {
		err = sum.end()
	}
	if err == nil {
		err = w.flush()
	}
	if err != nil {
		return err
	}
	return writeJSON(m.out, m.name, "merge", m.said)
}

// summed is a set whose counts come one after another.
type summed struct {
	*merger
	out   *writer
	any   bool // there is one
	set   []int32
	n     int64 // of lines, or of persons
	lines int64 // where persons are counted
	tells bool
}

// add takes a count: that of a set, which comes first, or of a set with a sensitive item; where
// persons are counted, then the same of lines, and how many lines one person has.
func (s *summed) add(set []int32, n int64) error {
	s.said.Sets += n
	of := set[:s.Size]
	if len(set) == s.Size || set[s.Size] == s.number(noItem) {
		if err := s.end(); err != nil {
			return err
		}
		s.any, s.set, s.n, s.lines, s.tells = true, append(s.set[:0], of...), n, 0, false
		return nil
	}
	if !s.any || !slices.Equal(s.set, of) {
		return fmt.Errorf("a set has a sensitive item, and no line")
	}
	code, within := set[s.Size], s.n
	switch {
	case code < s.number(s.ofLines(noItem)):
	case code == s.number(s.ofLines(noItem)):
		// a person has one line at least; with none it is rare anyhow
		s.lines, s.tells = n, s.tells || s.Share > n
		return nil
	case code < s.number(s.ofOne(0)):
		within = s.lines
	default:
		s.tells = s.tells || int64(code-s.number(s.ofOne(0)))*s.Share > s.lines
		return nil
	}
	if within < n {
		return fmt.Errorf("a set is in more lines with a sensitive item than it is in")
	}
	s.tells = s.tells || n*s.L > within
	return nil
}

// end delivers the set if that is asked for.
func (s *summed) end() error {
	if !s.any {
		return nil
	}
	s.said.Different++
	if s.K > 0 && s.n >= s.K && !s.tells {
		return nil
	}
	s.said.Rare++
	if s.Number {
		return nil
	}
	return s.out.add(s.set, s.n)
}
