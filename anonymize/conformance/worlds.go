package conformance

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/privacy"
	"mingle/verify"
)

// Worlds lets an algorithm anonymize every original of three and four lines over small hierarchies,
// alone and with diversity, against negative knowledge or without. Each line comes from its
// original, the release keeps the promise by enumeration and by the verifier, and an input is
// refused only where not even the root keeps it. A soak takes a third; three with the numbers 1 to
// 3 take all.
func Worlds(t *testing.T, a anonymize.Algorithm, negative bool) {
	t.Helper()
	worlds(t, a, func(data *dataset.Dataset, tree *hierarchy.Tree) []anonymize.Input {
		return promises(data, tree, negative)
	})
}

// WorldsWithoutSecrets is Worlds against negative knowledge, without diversity.
func WorldsWithoutSecrets(t *testing.T, a anonymize.Algorithm) {
	t.Helper()
	worlds(t, a, func(data *dataset.Dataset, tree *hierarchy.Tree) []anonymize.Input {
		return slices.DeleteFunc(promises(data, tree, true), func(in anonymize.Input) bool {
			return in.Promise.Diverse()
		})
	})
}

func worlds(
	t *testing.T, a anonymize.Algorithm,
	promises func(data *dataset.Dataset, tree *hierarchy.Tree) []anonymize.Input,
) {
	t.Helper()
	worlds, released, stride := 0, 0, soak.Share(151, 3)
	for _, groups := range []string{
		"x | y | z", "A a1 a2 | b", "U x | V y z", "A a1 a2 | C c",
		"A a1 a2 | C c d",
	} {
		tree := tree(t, groups)
		for _, size := range []int{3, 4} {
			eachOriginal(tree, size, func(data *dataset.Dataset) {
				for _, in := range promises(data, tree) {
					if worlds++; worlds%stride != soak.Turn()%stride {
						continue
					}
					if world(t, a, in) {
						released++
					}
				}
			})
		}
	}
	t.Logf("%s: %d worlds, %d releases", a.Name(), worlds, released)
	if released == 0 {
		t.Error("nothing was released: the test tests nothing")
	}
}

// world tells whether there is a release.
func world(t *testing.T, a anonymize.Algorithm, in anonymize.Input) bool {
	t.Helper()
	g, err := a.Anonymize(t.Context(), in)
	var out *privacy.Infeasible
	if errors.As(err, &out) {
		if rootKeeps(in) {
			t.Fatalf("refused though the root keeps the promise: %v\n%s", err, Describe(in))
		}
		return false
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, Describe(in))
	}
	seen := in
	if g.Withheld != nil {
		seen.Sensitive = g.Sensitive
	}
	if !keeps(seen, g.Published()) {
		t.Fatalf("the release does not keep %v\n%s\npublished %v", in.Promise, Describe(in),
			Spell(g.Published()))
	}
	f, err := verify.KM(t.Context(), verify.KMInput{
		Tree: in.Tree, Published: g.Published(), PublishedSensitive: seen.Sensitive,
		Original: in.Data, OriginalSensitive: in.Sensitive,
		Promise: in.Promise, MaySuppress: g.Withheld != nil, Workers: 1,
	})
	if err != nil || !f.Holds {
		t.Fatalf("%s\npublished %v\n%v %+v", Describe(in), Spell(g.Published()), err, f)
	}
	covers(t, in, g)
	return true
}

// promises are inputs with the same data: without sensitive items, and with one in some of the
// lines.
func promises(data *dataset.Dataset, tree *hierarchy.Tree, negative bool) []anonymize.Input {
	var out []anonymize.Input
	for _, km := range [][2]int{{2, 1}, {2, 2}, {3, 2}} {
		in := anonymize.Input{
			Data: data, Tree: tree, Workers: 1,
			Promise: privacy.KM{K: km[0], M: km[1], NegativeKnowledge: negative},
		}
		out = append(out, in)
		for line := range data.Len() {
			sensitive := make([][]string, data.Len())
			sensitive[line] = []string{"s"}
			in.Sensitive, in.Promise.L = dataset.FromLabels(sensitive), 2+line%2
			out = append(out, in)
		}
	}
	return out
}

// tree is a hierarchy of groups under one root, each spelled "group leaf leaf ..." or, without a
// group, "leaf".
func tree(t *testing.T, groups string) *hierarchy.Tree {
	t.Helper()
	b := hierarchy.NewBuilder()
	for _, g := range strings.Split(groups, "|") {
		names := strings.Fields(g)
		paths := [][]string{{names[0], "*"}}
		for i, leaf := range names[1:] {
			paths = append(paths[:i], []string{leaf, names[0], "*"})
		}
		for _, p := range paths {
			if err := b.Path(p, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	out, err := b.Build(hierarchy.BuildOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// eachOriginal calls do with every multiset of so many sets of leaves.
func eachOriginal(tree *hierarchy.Tree, size int, do func(data *dataset.Dataset)) {
	var rec func(lines [][]int32, from int)
	rec = func(lines [][]int32, from int) {
		if len(lines) == size {
			b := dataset.NewBuilder(tree.LeafDict())
			for _, tx := range lines {
				b.Add(tx)
			}
			do(b.Build())
			return
		}
		for set := from; set < 1<<tree.Leaves(); set++ {
			var tx []int32
			for x := range int32(tree.Leaves()) {
				if set>>x&1 == 1 {
					tx = append(tx, x)
				}
			}
			rec(append(lines, tx), set)
		}
	}
	rec(nil, 0)
}
