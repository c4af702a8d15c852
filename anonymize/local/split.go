package local

import (
	"cmp"
	"slices"

	"mingle/dataset"
)

// split makes several of a merged transaction whose lines are refused different nodes.
type split struct {
	of        *dataset.Merged
	div       *diversity
	persons   []int32 // by original transaction; nil: transactions are counted
	refused   *refusals
	items     *dataset.Builder
	sensitive *dataset.Builder // nil without diversity
	out       *dataset.Merged
}

func newSplit(merged *dataset.Merged, div *diversity, persons []int32) *split {
	s := &split{
		of: merged, div: div, persons: persons, refused: &refusals{start: []int32{0}},
		items: dataset.NewBuilder(merged.Dict()),
		out:   &dataset.Merged{Of: slices.Clone(merged.Of)},
	}
	if div != nil {
		s.sensitive = dataset.NewBuilder(div.sensitive.Dict())
	}
	if persons != nil {
		s.out.Units = []int32{}
	}
	return s
}

// add adds merged transaction i, given its lines and what is refused some of them.
func (s *split) add(i int, lines []int32, drawn map[int32][]int32) {
	unit := int32(-1)
	if s.persons != nil {
		unit = s.of.Units[i]
	}
	if len(drawn) == 0 {
		row := s.row(i, s.of.Weights[i], unit, nil)
		for _, j := range lines {
			s.out.Of[j] = row
		}
		return
	}
	s.takeApart(i, lines, drawn)
}

// takeApart adds merged transaction i, of which lines with refusals go apart. A person of whom a
// line does has the others, too, apart from those of other persons; and those of a person follow
// each other.
func (s *split) takeApart(i int, lines []int32, drawn map[int32][]int32) {
	unit, weight := s.unitsApart(i, drawn)
	lines = slices.Clone(lines)
	slices.SortStableFunc(lines, func(a, b int32) int { return cmp.Compare(unit(a), unit(b)) })
	plain := map[int32]int32{} // by unit: the row of the lines that nothing is refused
	for _, j := range lines {
		u := unit(j)
		if refused, is := drawn[j]; is {
			s.out.Of[j] = s.row(i, s.alone(j), u, refused)
			continue
		}
		row, is := plain[u]
		if !is {
			row = s.row(i, s.alone(j), u, nil)
			if plain[u] = row; u < 0 {
				s.out.Weights[row] = weight
			}
		}
		s.out.Of[j] = row
	}
}

// unitsApart says by which unit each line of merged transaction i is counted once those with
// refusals are apart, and what the others weigh together.
func (s *split) unitsApart(
	i int, drawn map[int32][]int32,
) (unit func(j int32) int32, weight int32) {
	weight = s.of.Weights[i]
	if s.persons == nil {
		return func(int32) int32 { return -1 }, weight - int32(len(drawn))
	}
	apart := map[int32]bool{}
	for j := range drawn {
		if p := s.persons[j]; p >= 0 {
			apart[p] = true
		}
	}
	return func(j int32) int32 {
		if p := s.persons[j]; apart[p] || s.of.Units[i] >= 0 {
			return p
		}
		return -1
	}, weight - int32(len(apart))
}

// alone is the weight of one original transaction.
func (s *split) alone(j int32) int32 {
	if s.persons != nil && s.persons[j] < 0 {
		return 0
	}
	return 1
}

// row adds a transaction, equal to merged transaction i, and returns its number.
func (s *split) row(i int, weight, unit int32, refused []int32) int32 {
	s.items.Add(slices.Clone(s.of.Tx(i)))
	if s.div != nil {
		s.sensitive.Add(slices.Clone(s.div.sensitive.Tx(i)))
	}
	s.out.Weights = append(s.out.Weights, weight)
	if s.persons != nil {
		s.out.Units = append(s.out.Units, unit)
	}
	s.refused.nodes = append(s.refused.nodes, refused...)
	s.refused.start = append(s.refused.start, int32(len(s.refused.nodes)))
	return int32(len(s.out.Weights) - 1)
}

func (s *split) done() (*dataset.Merged, *diversity) {
	s.out.Dataset = s.items.Build()
	if s.div == nil {
		return s.out, nil
	}
	return s.out, s.div.of(s.out, s.sensitive.Build())
}

// members lists the original transactions of a merged one.
func members(m *dataset.Merged) func(i int) []int32 {
	start := make([]int32, m.Len()+1)
	for _, i := range m.Of {
		start[i+1]++
	}
	for i := range m.Len() {
		start[i+1] += start[i]
	}
	next, list := slices.Clone(start), make([]int32, len(m.Of))
	for j, i := range m.Of {
		list[next[i]] = int32(j)
		next[i]++
	}
	return func(i int) []int32 { return list[start[i]:start[i+1]] }
}
