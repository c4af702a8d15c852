package hierarchy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mingle/dataset"
)

func TestFanout(t *testing.T) {
	tree, err := Fanout([]string{"1", "2", "3", "4", "5"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"1;1..2;1..4;*", "2;1..2;1..4;*", "3;3..4;1..4;*", "4;3..4;1..4;*", "5;*"}
	if diff := cmp.Diff(want, paths(tree)); diff != "" {
		t.Error(diff)
	}
}

// TestFanoutProperties: the leaves in their order; every group has 2 to fan children; the height is
// the least possible for that fan-out; names do not collide whatever the leaves are called.
func TestFanoutProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		fan := rapid.IntRange(2, 6).Draw(rt, "fan")
		plain := rapid.IntRange(0, 60).Draw(rt, "leaves")
		leaves := rapid.SliceOfDistinct(
			rapid.SampledFrom([]string{"*", "**", "0..1", "0..1*", "0..3", "1..2"}), rapid.ID).
			Draw(rt, "nasty")
		for i := range plain {
			leaves = append(leaves, strconv.Itoa(i))
		}
		leaves = rapid.Permutation(leaves).Draw(rt, "order")
		tree, err := Fanout(leaves, fan)
		if len(leaves) == 0 {
			if err == nil {
				rt.Fatal("a tree of no leaves")
			}
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(leaves, tree.LeafDict().Labels()); diff != "" {
			rt.Error(diff)
		}
		for u := int32(tree.Leaves()); u <= tree.Root(); u++ {
			if n := len(tree.Children(u)); n < 2 || n > fan {
				rt.Errorf("%q has %d children", tree.Label(u), n)
			}
		}
		height, holds := 0, 1
		for ; holds < len(leaves); holds *= fan {
			height++
		}
		if tree.Height(tree.Root()) != height {
			rt.Errorf(
				"height %d for %d leaves with fan-out %d", tree.Height(tree.Root()), len(leaves),
				fan,
			)
		}
	})
}

func TestFanoutRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		leaves []string
		fan    int
	}{
		"fan-out (1) must be at least 2":       {[]string{"a", "b"}, 1},
		`leaf "a" is given twice`:              {[]string{"a", "b", "a"}, 2},
		"leaf number 2 has an empty label":     {[]string{"a", ""}, 2},
		"the hierarchy is empty: it needs at ": {nil, 2},
	} {
		if _, err := Fanout(c.leaves, c.fan); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

func TestPrefix(t *testing.T) {
	codes := []string{
		"0389", "V5", "038", "0380", "0391", "E9320", "E9321", "E9330", "V5861", "250",
	}
	tree, err := Prefix(codes, []int{3, 1, 4}, "all")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"038;038*;0*;all", "0380;038*;0*;all", "0389;038*;0*;all", "0391;0*;all", "250;all",
		"E9320;E932*;E*;all", "E9321;E932*;E*;all", "E9330;E*;all", "V5;V*;all", "V5861;V*;all",
	}
	if diff := cmp.Diff(want, paths(tree)); diff != "" {
		t.Error(diff)
	}
}

func TestPrefixNamesDoNotCollide(t *testing.T) {
	tree, err := Prefix([]string{"0*", "01", "0**", "漢1", "漢2"}, []int{1}, "")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"0*;0***;*", "0**;0***;*", "01;0***;*", "漢1;漢*;*", "漢2;漢*;*"}
	if diff := cmp.Diff(want, paths(tree)); diff != "" {
		t.Error(diff)
	}
}

// TestPrefixAgainstDefinition: two codes are below a common group exactly if they share a prefix of
// one of the lengths, and the lowest such group is that of the longest one they share (or, if that
// would be the same codes, of a shorter).
func TestPrefixAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		codes := rapid.SliceOfNDistinct(rapid.StringMatching(`[01é]{1,5}`), 1, 25, rapid.ID).
			Draw(rt, "codes")
		lengths := rapid.SliceOfNDistinct(rapid.IntRange(1, 5), 1, 4, rapid.ID).Draw(rt, "lengths")
		tree, err := Prefix(codes, lengths, "root")
		if err != nil {
			rt.Fatal(err)
		}
		if tree.Leaves() != len(codes) {
			rt.Fatalf("%d leaves of %d codes", tree.Leaves(), len(codes))
		}
		for u := int32(tree.Leaves()); u <= tree.Root(); u++ {
			if len(tree.Children(u)) < 2 {
				rt.Errorf("%q has one child", tree.Label(u))
			}
		}
		groups := map[string]bool{} // sets of codes that share a prefix of a length, and all codes
		for _, a := range codes {
			for _, n := range lengths {
				if prefix, ok := firstRunes(a, n); ok {
					groups[strings.Join(below(codes, prefix), " ")] = true
				}
			}
		}
		groups[strings.Join(below(codes, ""), " ")] = true
		got := map[string]bool{}
		for u := range int32(tree.Nodes()) {
			lo, hi := tree.Range(u)
			labels := slices.Clone(tree.LeafDict().Labels()[lo:hi])
			slices.Sort(labels)
			if len(labels) > 1 {
				got[strings.Join(labels, " ")] = true
			} else {
				delete(groups, labels[0])
			}
		}
		if len(codes) == 1 {
			delete(groups, codes[0])
		}
		if diff := cmp.Diff(groups, got); diff != "" {
			rt.Error(diff)
		}
	})
}

func below(codes []string, prefix string) []string {
	var out []string
	for _, c := range codes {
		if strings.HasPrefix(c, prefix) {
			out = append(out, c)
		}
	}
	slices.Sort(out)
	return out
}

func TestPrefixRefuses(t *testing.T) {
	for want, c := range map[string]struct {
		labels  []string
		lengths []int
		root    string
	}{
		"at least one prefix length":              {[]string{"a"}, nil, ""},
		"prefix length (0) must be at least 1":    {[]string{"a"}, []int{3, 0}, ""},
		"prefix length 3 is given twice":          {[]string{"a"}, []int{3, 1, 3}, ""},
		`the root cannot be called "a"`:           {[]string{"a", "b"}, []int{1}, "a"},
		`leaf "a" is given twice`:                 {[]string{"a", "a"}, []int{1}, ""},
		"the hierarchy is empty: it needs at lea": {nil, []int{1}, ""},
	} {
		if _, err := Prefix(c.labels, c.lengths, c.root); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

func TestCheck(t *testing.T) {
	tree := mustRead(t, "a1;A;*\na2;A;*\nb;*\nc;C;*\n")
	d := dataset.FromLabels([][]string{{"a1", "x"}, {"A", "x"}, {"b"}, {"x", "b"}})
	got := Check(tree, d)
	want := CheckResult{
		Missing: []MissingItem{
			{Label: "A", Count: 1, FirstLine: 2, Group: true},
			{Label: "x", Count: 3, FirstLine: 1},
		},
		Unused: []string{"a2", "c"},
		Leaves: 4, Nodes: 7,
		Levels: []Level{
			{Nodes: 1, LeastBelow: 4, MostBelow: 4, MostChildren: 3},
			{Nodes: 3, Leaves: 1, LeastBelow: 1, MostBelow: 2, MostChildren: 2},
			{Nodes: 3, Leaves: 3, LeastBelow: 1, MostBelow: 1},
		},
		Chains: []string{"C"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.OK() ||
		!strings.Contains(
			got.Err().Error(),
			`item "A" (first on line 2, in 1 transaction) is not a leaf of the hierarchy but `+
				`a group`,
		) {
		t.Error(got.Err())
	}
	if r := Check(tree, nil); !r.OK() || r.Err() != nil || r.Unused != nil || len(r.Levels) != 3 {
		t.Errorf("%+v", r)
	}
}

func TestMissingItemsAreCounted(t *testing.T) {
	var tx []string
	for i := range 25 {
		tx = append(tx, fmt.Sprint(i))
	}
	err := Check(mustRead(t, "a;*\nb;*\n"), dataset.FromLabels([][]string{tx})).Err()
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 21 ||
		lines[20] != "... and 5 more" {
		t.Error(err)
	}
}
