package verify

import (
	"context"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/internal/soak"
	"mingle/privacy"
)

// What looking at single leaves, as terrovitis-2011 does in section 5.1, lets pass.
func TestNegativeKnowledgeNamed(t *testing.T) {
	for name, c := range map[string]struct {
		tree                *hierarchy.Tree
		original, published []string
		k, m                int
		witness             string
		lines               int
	}{
		"a group whose leaves are all lacked": {
			rootOver(t, "A a1 a2", "C c d"),
			[]string{"a1 c", "a2 c", "a1 c", "a2 c", "c"},
			[]string{"A c", "a2 c", "A c", "a2 c", "c"},
			2, 2, "not a1, not a2", 5,
		},
		"a group of one leaf": {
			rootOver(t, "U x", "V y z"),
			[]string{"x y", "x y", "x y", "y"},
			[]string{"U y", "U y", "U y", "y"},
			2, 1, "not x", 4,
		},
		"decoys": {
			rootOver(t, "A a1 a2", "y"),
			[]string{"a1 y", "a1 y", "a1", "a2", "a2"},
			[]string{"a1 y", "a1 y", "a1", "A", "A"},
			2, 2, "a1, not y", 3,
		},
		"what is left of a group beside a more detailed item": {
			rootOver(t, "A a1 a2", "y"),
			[]string{"a1 a2", "a1 a2", "a1"},
			[]string{"A a1", "A a1", "a1"},
			2, 2, "not a2", 3,
		},
	} {
		in := KMInput{
			Tree: c.tree, Published: publish(t, c.tree, lines(c.published...)),
			Promise: privacy.KM{K: c.k, M: c.m},
		}
		for _, original := range []*dataset.Dataset{encode(t, c.tree, lines(c.original...)), nil} {
			in.Original, in.Promise.NegativeKnowledge = original, false
			if f := check(t, in); !f.Holds {
				t.Errorf("%s: without negative knowledge: %+v", name, f)
			}
			in.Promise.NegativeKnowledge = true
			f := check(t, in)
			if f.Holds || f.Breaches[0].Kind != KindKnowledge ||
				strings.Join(f.Breaches[0].Itemset, ", ") != c.witness ||
				f.Breaches[0].Support != 1 || len(f.Breaches[0].Lines) != 1 ||
				f.Breaches[0].Lines[0] != c.lines {
				t.Errorf("%s: %+v", name, f)
			}
		}
	}
}

// Diversity against what a person has and has not: of those without y, two thirds have s.
func TestNegativeKnowledgeWithDiversity(t *testing.T) {
	tree := rootOver(t, "x", "y", "z")
	in := KMInput{Tree: tree, Promise: privacy.KM{K: 2, M: 1, L: 2}}
	in.Published = publish(t, tree, lines("x", "x", "x", "x y", "x y", "x y"))
	in.PublishedSensitive = dataset.FromLabels(lines("s", "s", "", "", "", ""))
	if f := check(t, in); !f.Holds {
		t.Errorf("%+v", f)
	}
	in.Promise.NegativeKnowledge = true
	f := check(t, in)
	if f.Holds || f.Breaches[0].Kind != KindKnowledge || f.Breaches[0].Sensitive != "s" ||
		f.Breaches[0].Itemset[0] != "not y" {
		t.Errorf("%+v", f)
	}
}

// A domain that takes too long is refused, not checked in part.
func TestNegativeKnowledgeRefused(t *testing.T) {
	tree := rootOver(t, "a", "b", "c")
	in := KMInput{
		Tree: tree, Published: publish(t, tree, lines("a b", "a b", "c", "c")),
		Promise: privacy.KM{K: 2, M: 2, NegativeKnowledge: true},
	}
	if _, err := judge(context.Background(), in, 10); err == nil ||
		!strings.Contains(err.Error(), "steps would be needed") {
		t.Errorf("%v", err)
	}
}

// Releases of two to four different lines, each once or twice, over small hierarchies: the verdict
// is that of the definition read aloud, by trying all originals of each line.
func TestNegativeKnowledgeAgainstDefinitionSoak(t *testing.T) {
	cases, kept, held := 0, 0, 0
	for _, tree := range []*hierarchy.Tree{
		rootOver(t, "a", "b", "c"), rootOver(t, "A a1 a2", "b"), rootOver(t, "U x", "V y z"),
		rootOver(t, "A a1 a2", "C c d"), rootOver(t, "A a1 a2 a3", "b"),
		rootOver(t, "A a1 a2", "b", "c"),
	} {
		every := possibleLines(tree)
		for _, size := range []int{2, 3, 4} {
			n, stride := 0, max(1, multisets(len(every), size)<<size/soak.Share(120, 5_000))
			eachMultiset(len(every), size, func(pick []int) {
				for twice := range 1 << size {
					if n++; n%stride != 0 {
						continue
					}
					b := dataset.NewBuilder(tree.Dict())
					for at, i := range pick {
						b.Add(every[i])
						if twice>>at&1 == 1 {
							b.Add(every[i])
						}
					}
					published := b.Build()
					for _, km := range [][2]int{{2, 1}, {2, 2}, {2, 3}, {3, 2}} {
						in := KMInput{
							Tree: tree, Published: published,
							Promise: privacy.KM{K: km[0], M: km[1]}, Workers: 1,
						}
						if (twin{in}).holds() {
							kept++
						}
						in.Promise.NegativeKnowledge = true
						f := check(t, in)
						if want := (twin{in}).holds(); f.Holds != want {
							t.Fatalf("k=%d m=%d: holds %v, want %v: %v\n%+v", km[0], km[1],
								f.Holds, want, spellAll(published), f)
						}
						cases++
						if f.Holds {
							held++
						}
					}
				}
			})
		}
	}
	t.Logf("%d cases, %d keep k^m-anonymity, %d of these against negative knowledge", cases, kept,
		held)
	if held == 0 || held == kept || kept == cases {
		t.Error("the releases are one-sided")
	}
}

// possibleLines are all lines that some original could be published as.
func possibleLines(tree *hierarchy.Tree) [][]int32 {
	var out [][]int32
	for set := range 1 << tree.Nodes() {
		line := itemsOf(set)
		if (twin{KMInput{Tree: tree}}).comes(leavesOf(tree), line, true) {
			out = append(out, line)
		}
	}
	return out
}

// multisets is the number of multisets of a size from n things.
func multisets(n, size int) int {
	out := 1
	for i := range size {
		out = out * (n + i) / (i + 1)
	}
	return out
}

// eachMultiset calls do with every multiset of a size from n things, as ascending numbers.
func eachMultiset(n, size int, do func(pick []int)) {
	var rec func(pick []int, from int)
	rec = func(pick []int, from int) {
		if len(pick) == size {
			do(pick)
			return
		}
		for i := from; i < n; i++ {
			rec(append(pick, i), i)
		}
	}
	rec(nil, 0)
}
