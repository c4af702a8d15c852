package local

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/brute"
	"mingle/anonymize/conformance"
	"mingle/dataset"
	"mingle/privacy"
)

// However the coins take merged transactions apart, a set of items is in transactions of as many
// persons as it was, every line has the items that it had, and those of a person follow each other.
func TestSplitKeepsThePersons(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	refused := 0
	for range 500 {
		in := ofPersons(rng, brute.Random(rng))
		merged, _ := merge(in)
		split, _, thrown := throwFor(newCoins(in, rng, rng.Float64()), merged, nil)
		refused += len(thrown.nodes)
		for j, i := range split.Of {
			if !slices.Equal(split.Tx(int(i)), in.Data.Tx(j)) {
				t.Fatalf("line %d is %v, was %v", j, split.Tx(int(i)), in.Data.Tx(j))
			}
		}
		adjacent(t, split.Units)
		sameCrowds(t, in, split)
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

// sameCrowds fails where the persons of a set of at most two items are not counted right.
func sameCrowds(t *testing.T, in anonymize.Input, split *dataset.Merged) {
	t.Helper()
	c := newCrowd(split)
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
func TestCrowd(t *testing.T) {
	m := &dataset.Merged{
		Units: []int32{-1, -1, 4, 4, 5, 6, 6}, Weights: []int32{3, 0, 1, 1, 1, 1, 1},
	}
	c := newCrowd(m)
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

// Parts of the transactions of persons keep the promise, each by itself and all together.
func TestPartsOfPersons(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 74))
	rounds, parted := 200, 0
	if testing.Short() {
		rounds = 20 // enumeration has nothing for the race detector
	}
	for range rounds {
		in := ofPersons(rng, brute.Random(rng))
		in.Seed = &[32]byte{byte(rng.Uint32())}
		g, err := Algorithm{Parts: 2}.Anonymize(t.Context(), in)
		if infeasible := (*privacy.Infeasible)(nil); errors.As(err, &infeasible) {
			continue
		}
		if err != nil || !brute.KeepsInput(in, g.Published()) {
			t.Fatalf("%v\n%s", err, conformance.Describe(in))
		}
		if g.Parts != nil {
			parted++
		}
	}
	if parted < rounds/10 {
		t.Errorf("%d in parts", parted)
	}
}

// Shares are refused.
func TestPersonsWithShares(t *testing.T) {
	for _, p := range []privacy.KM{
		{K: 2, M: 2, Persons: true, L: 2},
		{K: 2, M: 2, Persons: true, PersonShare: 2},
	} {
		in := conformance.Medium(3)
		in.Promise = p
		in.Persons = make([]int32, in.Data.Len())
		for i := range in.Persons {
			in.Persons[i] = int32(i / 2)
		}
		in.Sensitive = dataset.FromLabels(make([][]string, in.Data.Len()))
		_, err := Algorithm{}.Anonymize(t.Context(), in)
		if err == nil || !strings.Contains(err.Error(), "choose peel") {
			t.Errorf("%v: %v", p, err)
		}
	}
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
	if st.len[0] != 1 || st.len[1] != 2 || st.len[2] != 2 || compatibleByDefinition(in, st) {
		t.Fatalf("%v: the test tests nothing", st.release(in).Published())
	}
	c := &compatibility{state: st}
	if c.findBranches(); c.look(t.Context(), watched{workers: 1}).none() {
		t.Error("nothing is found")
	}
	if s.mend(t.Context(), st); !compatibleByDefinition(in, st) {
		t.Error("it is not mended")
	}
}
