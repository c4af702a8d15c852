package verify

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/privacy"
)

// origins are all originals a line may come from, as bit sets of leaves: every item at the lowest
// published node above it, an item for every node.
func origins(t *hierarchy.Tree, line []int32) (out []uint) {
	for set := range uint(1) << t.Leaves() {
		var got []int32
		fits := true
		for x := range int32(t.Leaves()) {
			if set>>x&1 == 0 {
				continue
			}
			at := slices.IndexFunc(t.Path(x),
				func(u int32) bool { return slices.Contains(line, u) })
			if fits = fits && at >= 0; fits {
				got = append(got, t.Path(x)[at])
			}
		}
		slices.Sort(got)
		if fits && slices.Equal(slices.Compact(got), line) {
			out = append(out, set)
		}
	}
	return out
}

// defies tells, by the definition read aloud, whether a release keeps the condition.
func defies(t *hierarchy.Tree, lines [][]int32, k, m int) bool {
	var of [][]uint
	for _, line := range lines {
		of = append(of, origins(t, line))
	}
	for set := uint(1); set < 1<<t.Leaves(); set++ {
		if count(set) > m {
			continue
		}
		for i := range lines {
			if !slices.ContainsFunc(of[i], func(o uint) bool { return o&set == set }) {
				continue
			}
			n := 0
			for j := range lines {
				lacks := func(o uint) bool { return o&set != set }
				if slices.Equal(lines[i], lines[j]) || len(of[j]) > 0 &&
					!slices.ContainsFunc(of[j], lacks) {
					n++
				}
			}
			if n < k {
				return false
			}
		}
	}
	return true
}

func count(set uint) (n int) {
	for ; set != 0; set &= set - 1 {
		n++
	}
	return n
}

// The check finds what the definition finds, on random releases, safe or not.
func TestSoakCertainAgainstDefinition(t *testing.T) {
	r := soak.Rand(16, 2)
	kept, broken := 0, 0
	for range soak.Rounds(t, soak.Share(short(3000, 600), 100_000)) {
		in := randomInput(r)
		in.MaySuppress, in.Original, in.OriginalSensitive, in.PublishedSensitive = false, nil, nil,
			nil
		in.Promise = privacy.KM{K: 2 + r.IntN(3), M: 1 + r.IntN(5), Knows: privacy.OfAlgorithm}
		if r.IntN(2) == 0 {
			in = mutate(r, withAnySensitive(r, in))
		}
		var lines [][]int32
		for i := range in.Published.Len() {
			if tx := in.Published.Tx(i); len(tx) > 0 {
				lines = append(lines, tx)
			}
		}
		want := defies(in.Tree, lines, in.Promise.K, in.Promise.M)
		found := certainBreaches(t, in)
		if want != (len(found) == 0) {
			t.Fatalf("the definition says %v, the check finds %v\n%v %v", want, found, in.Promise,
				in.Published)
		}
		if want {
			kept++
		} else {
			broken++
		}
	}
	if kept < 60 || broken < 60 {
		t.Errorf("one-sided: %d kept, %d broken", kept, broken)
	}
}

func withAnySensitive(r *rand.Rand, in KMInput) KMInput {
	in.PublishedSensitive = randomSensitive(r, in.Published.Len())
	return in
}

// certainBreaches are the breaches of the condition alone.
func certainBreaches(t *testing.T, in KMInput) []Breach {
	t.Helper()
	j := &judgement{in: in, pool: newPool(in.Workers, nil), f: &Finding{}}
	if err := j.certain(t.Context()); err != nil {
		t.Fatal(err)
	}
	return j.f.Breaches
}

// The condition is exact: of all releases of three lines, those keep it that no algorithm can
// defeat. An algorithm that treats transactions alike and publishes an original as R publishes each
// exchange of transactions within classes of identical lines as R; the one that publishes nothing
// else as R leaves the fewest candidates.
func TestSoakCertainIsExact(t *testing.T) {
	paths := [][]string{{"a1", "A", "*"}, {"a2", "A", "*"}, {"b", "*"}}
	if soak.All() {
		paths = [][]string{{"a1", "A", "*"}, {"a2", "A", "*"}, {"b1", "B", "*"}, {"b2", "B", "*"}}
	}
	tree := treeOfPaths(t, paths)
	var lines [][]int32
	var of [][]uint
	for set := 1; set < 1<<tree.Nodes(); set++ {
		var line []int32
		for u := range int32(tree.Nodes()) {
			if set>>u&1 == 1 {
				line = append(line, u)
			}
		}
		if from := origins(tree, line); len(from) > 0 {
			lines, of = append(lines, line), append(of, from)
		}
	}
	releases, kept := 0, 0
	for a := range lines {
		for b := a; b < len(lines); b++ {
			for c := b; c < len(lines); c++ {
				for m := 1; m <= 2; m++ {
					for k := 2; k <= 3; k++ {
						want := undefeated([]int{a, b, c}, of, k, m)
						in := KMInput{
							Tree:      tree,
							Published: ofNodes(tree, lines[a], lines[b], lines[c]),
							Promise:   privacy.KM{K: k, M: m, Knows: privacy.OfAlgorithm},
						}
						if got := len(certainBreaches(t, in)) == 0; got != want {
							t.Fatalf("k=%d m=%d %v: undefeated is %v, the check says %v", k, m,
								in.Published, want, got)
						}
						releases++
						if want {
							kept++
						}
					}
				}
			}
		}
	}
	t.Logf("%d releases, %d of them undefeated", releases, kept)
}

// undefeated tries every original of a release of three lines, each numbered by what it publishes.
func undefeated(line []int, of [][]uint, k, m int) bool {
	for _, x := range of[line[0]] {
		for _, y := range of[line[1]] {
			for _, z := range of[line[2]] {
				if !hidden(line, []uint{x, y, z}, k, m) {
					return false
				}
			}
		}
	}
	return true
}

// hidden tells whether everybody keeps k candidates when the exchanges of this original within the
// classes are all that is left.
func hidden(line []int, original []uint, k, m int) bool {
	for _, o := range original {
		for set := o; set != 0; set = (set - 1) & o {
			if count(set) > m {
				continue
			}
			n := 0
			for i := range line {
				for j, other := range original {
					if line[i] == line[j] && other&set == set {
						n++
						break
					}
				}
			}
			if n < k {
				return false
			}
		}
	}
	return true
}

func treeOfPaths(t *testing.T, paths [][]string) *hierarchy.Tree {
	t.Helper()
	b := hierarchy.NewBuilder()
	for _, p := range paths {
		if err := b.Path(p, 0); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func ofNodes(tree *hierarchy.Tree, lines ...[]int32) *dataset.Dataset {
	b := dataset.NewBuilder(tree.Dict())
	for _, line := range lines {
		b.Add(line)
	}
	return b.Build()
}

// The release that only one original has is safe by the data, and refused against the
// algorithm, with a witness.
func TestCertainRefusesMinimality(t *testing.T) {
	tree := figure1(t)
	in := KMInput{
		Tree: tree, Promise: privacy.KM{K: 2, M: 1},
		Original: encode(t, tree, [][]string{
			{"a1"},
			{"a1", "b1"},
			{"a2", "b1"},
			{"a2", "b1", "b2"},
		}),
		Published: publish(t, tree, [][]string{
			{"a1"},
			{"B", "a1"},
			{"a2", "b1"},
			{"B", "a2", "b1"},
		}),
	}
	if f := check(t, in); !f.Holds {
		t.Fatalf("by the data alone: %+v", f.Breaches)
	}
	in.Promise.Knows = privacy.OfAlgorithm
	f := check(t, in)
	if f.Holds || f.Breaches[0].Kind != KindCertain ||
		!slices.Equal(f.Breaches[0].Itemset, []string{"b2"}) || f.Breaches[0].Lines[0] != 4 {
		t.Fatalf("%+v", f.Breaches)
	}
	if !strings.Contains(f.Breaches[0].Message, "1 line publishes {a2, b1, B} and may have {b2}") {
		t.Fatal(f.Breaches[0].Message)
	}
}

func TestCertainRefusesWhatItCannotJudge(t *testing.T) {
	tree := figure1(t)
	in := KMInput{
		Tree: tree, Promise: privacy.KM{K: 2, M: 1, Knows: privacy.OfAlgorithm},
		MaySuppress: true, Published: publish(t, tree, [][]string{{"a1"}, {"a1"}}),
	}
	for _, change := range []func(){
		func() {},
		func() { in.MaySuppress, in.Promise.NegativeKnowledge = false, true },
		func() { in.Promise.NegativeKnowledge, in.Promise.L = false, 2 },
		func() { in.Promise.L, in.Promise.Knows = 0, "gossip" },
	} {
		change()
		if _, err := KM(t.Context(), in); err == nil ||
			!strings.Contains(err.Error(), "adversary") {
			t.Errorf("%+v: %v", in.Promise, err)
		}
	}
}
