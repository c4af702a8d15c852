package local

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/dataset"
	"mingle/internal/brute"
	"mingle/privacy"
)

// However the draws take merged transactions apart, a set of items is in transactions of as many
// persons as it was, every line has the items that it had, and those of a person follow each other.
func TestSplitKeepsThePersons(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	refused := 0
	for range 500 {
		in := ofPersons(rng, brute.Random(rng))
		merged, _ := merge(in)
		split, _, drawn := drawFor(newDraws(in, rng, rng.Float64()), merged, nil)
		refused += len(drawn.nodes)
		for j, i := range split.Of {
			if !slices.Equal(split.Tx(int(i)), in.Data.Tx(j)) {
				t.Fatalf("line %d is %v, was %v", j, split.Tx(int(i)), in.Data.Tx(j))
			}
		}
		adjacent(t, split.Units)
		samePersons(t, in, split)
	}
	if refused < 1000 {
		t.Errorf("%d refusals only", refused)
	}
}

// adjacent fails where a person has transactions before and after those of another.
func adjacent(t *testing.T, units []int32) {
	t.Helper()
	done := map[int32]bool{}
	for i, unit := range units {
		if unit >= 0 && done[unit] && units[i-1] != unit {
			t.Fatalf("transactions of person %d do not follow each other: %v", unit, units)
		}
		done[unit] = true
	}
}

// samePersons fails where the persons of a set of at most two items are not counted right.
func samePersons(t *testing.T, in anonymize.Input, split *dataset.Merged) {
	t.Helper()
	c := newPersonCounter(split)
	for x := range int32(in.Tree.Leaves()) {
		for y := range x + 1 {
			has := func(tx []int32) bool { return slices.Contains(tx, x) && slices.Contains(tx, y) }
			want := in.PersonsWith(func(j int) bool { return has(in.Data.Tx(j)) })
			c.begin()
			got := 0
			for i := range int32(split.Len()) {
				if has(split.Tx(int(i))) {
					got += int(c.meet(i))
				}
			}
			if got != want {
				t.Fatalf("%d persons have %d and %d, and %d are counted\n%s", want, x, y, got,
					conformance.Describe(in))
			}
		}
	}
}

// A person counts once in every count, whatever the others were.
func TestPersonCounter(t *testing.T) {
	m := &dataset.Merged{
		Units: []int32{-1, -1, 4, 4, 5, 6, 6}, Weights: []int32{3, 0, 1, 1, 1, 1, 1},
	}
	c := newPersonCounter(m)
	for range 2 {
		c.begin()
		for i, want := range []int32{3, 0, 1, 0, 1, 1, 0} {
			if got := c.meet(int32(i)); got != want {
				t.Errorf("transaction %d adds %d, not %d", i, got, want)
			}
		}
		if c.met(0) || !c.met(3) {
			t.Error("met")
		}
	}
}

// Parts of the transactions of persons keep the promise, each by itself and all together, shares
// too: then all transactions of a person are in one part.
func TestPartsOfPersons(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 74))
	rounds, parted := 900, map[bool]int{}
	if testing.Short() {
		rounds = 90 // enumeration has nothing for the race detector
	}
	for n := range rounds {
		random, shares := ofPersons, n%5 > 0
		if shares {
			random = ofPersonsWithShares
		}
		in := random(rng, brute.Random(rng))
		if rng.IntN(4) > 0 {
			in.Seed = &[32]byte{byte(rng.Uint32())}
		}
		g, err := Algorithm{Parts: 2}.Anonymize(t.Context(), in)
		if infeasible := (*privacy.Infeasible)(nil); errors.As(err, &infeasible) {
			continue
		}
		if err != nil || !brute.KeepsInput(in, g.Published()) {
			t.Fatalf("%v\n%s", err, conformance.Describe(in))
		}
		if g.Parts == nil {
			continue
		}
		shares = in.Promise.Diverse() || in.Promise.PersonShare > 0
		parted[shares]++
		of := map[int32]int32{}
		for i, person := range in.Persons {
			if part, is := of[person]; shares && is && person >= 0 && part != g.Parts[i] {
				t.Fatalf("person %d is in two parts\n%s", person, conformance.Describe(in))
			}
			of[person] = g.Parts[i]
		}
	}
	if parted[false] < rounds/45 || parted[true] < rounds/60 {
		t.Errorf("%v in parts", parted)
	}
}

// Equal lines of a person are one where shares are bounded, and each line is counted.
func TestMergeOfPersons(t *testing.T) {
	rng := rand.New(rand.NewPCG(79, 80))
	merged := 0
	for range 500 {
		in := ofPersonsWithShares(rng, brute.Random(rng))
		m, div := merge(in)
		if div == nil {
			continue
		}
		lines := 0
		for i, n := range div.lines {
			lines += int(n)
			merged += int(n) - 1
			if i > 0 && m.Units[i-1] > m.Units[i] {
				t.Fatal("those of a person do not follow each other")
			}
		}
		for j, i := range m.Of {
			if !slices.Equal(m.Tx(int(i)), in.Data.Tx(j)) || m.Units[i] != in.Persons[j] ||
				m.Weights[i] != min(1, in.Persons[j]+1) || in.Promise.Diverse() &&
				!slices.Equal(div.sensitive.Tx(int(i)), in.Sensitive.Tx(j)) {
				t.Fatalf("line %d has become another\n%s", j, conformance.Describe(in))
			}
		}
		if lines != in.Data.Len() {
			t.Fatalf("%d lines of %d", lines, in.Data.Len())
		}
	}
	if merged < 100 {
		t.Errorf("%d merged only", merged)
	}
}

// What a mixture says of shares is what counting says, however transactions came and left; and so
// many lines may leave as it says.
func TestMixtureOfPersons(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	verdicts := map[bool]int{}
	for range 2000 {
		in := ofPersonsWithShares(rng, brute.Random(rng))
		merged, div := merge(in)
		if div == nil || !in.Promise.Persons {
			continue
		}
		m, is := div.mixture(), make([]bool, merged.Len())
		for range 2 * merged.Len() {
			i := rng.IntN(merged.Len())
			if is[i] = !is[i]; is[i] {
				m.add(int32(i), div.lines[i])
			} else {
				m.add(int32(i), -div.lines[i])
			}
		}
		want := spareByDefinition(in, merged, is)
		if got := m.spare(); got != want || m.fails() != (want < 0) {
			t.Fatalf("spare %d, want %d, fails %v\n%s", got, want, m.fails(),
				conformance.Describe(in))
		}
		verdicts[want < 0]++
		if m.end(); div.mixture().fails() {
			t.Fatal("something is left")
		}
	}
	if verdicts[true] < 100 || verdicts[false] < 100 {
		t.Error(verdicts)
	}
}

// spareByDefinition counts lines and persons one by one.
func spareByDefinition(in anonymize.Input, merged *dataset.Merged, is []bool) int64 {
	all, with, whose := lineTally{}, map[int32]*lineTally{}, map[int32]*lineTally{}
	add := func(to map[int32]*lineTally, x, person int32) {
		if to[x] == nil {
			to[x] = &lineTally{}
		}
		to[x].add(person)
	}
	for j, i := range merged.Of {
		if !is[i] {
			continue
		}
		person := in.Persons[j]
		all.add(person)
		if person >= 0 {
			add(whose, person, person)
		}
		for _, x := range sensitiveOf(in, j) {
			add(with, x, person)
		}
	}
	spare := all.lines
	for _, n := range with {
		l := in.Promise.L
		spare = min(spare, all.lines-l*n.lines, len(all.persons)-l*len(n.persons))
	}
	for _, n := range whose {
		spare = min(spare, all.lines-in.Promise.PersonShare*n.lines)
	}
	return int64(spare)
}

// sensitiveOf are the sensitive items of a line whose shares are bounded.
func sensitiveOf(in anonymize.Input, line int) []int32 {
	if !in.Promise.Diverse() {
		return nil
	}
	return in.Sensitive.Tx(line)
}

// Nobody's line is ALL, two persons' are "a1 ALL": a2 can be in nobody's line alone, which is no
// line of k persons. That is found, and mended.
func TestNobodyAlone(t *testing.T) {
	in := brute.Figure2()
	in.Promise = privacy.KM{K: 2, M: 1, Persons: true}
	in.Persons = []int32{-1, 0, 1}
	var err error
	in.Data, err = in.Tree.Encode(dataset.FromLabels([][]string{{"a2"}, {"a1", "b1"}, {"a1", "b2"}}))
	if err != nil {
		t.Fatal(err)
	}
	merged, _ := in.Apart()
	refused := &refusals{start: []int32{0}}
	for _, label := range []string{"A", "B", "B"} { // the lines are in this order
		v, _ := in.Tree.Node(label)
		refused.nodes = append(refused.nodes, v)
		refused.start = append(refused.start, int32(len(refused.nodes)))
	}
	s := newSearchOf(t.Context(), in, 1)(merged, nil, refused)
	st := s.walk(s.byGain(each, 2))
	if st.txs[0].len != 1 || st.txs[1].len != 2 || st.txs[2].len != 2 ||
		compatibleByDefinition(in, st) {
		t.Fatalf("%v: the test tests nothing", st.release(in).Published())
	}
	c := &compatibility{state: st}
	if c.findBranches(); c.look(t.Context(), watched{workers: 1}).none() {
		t.Error("nothing is found")
	}
	if s.mend(t.Context(), st, nil); !compatibleByDefinition(in, st) {
		t.Error("it is not mended")
	}
}
