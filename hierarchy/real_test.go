package hierarchy

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/internal/testdata"
)

// These tests read public hierarchies; they are skipped where the files are absent.

func open(t *testing.T, name string, o ReadOptions) *Tree {
	t.Helper()
	tree, err := Open(testdata.Path(t, name), o)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestBMS: the columns of the file hold 3340, 835, 209, 53, 14, 4 and 1 different labels. A label
// repeated up the path is one node, so that by height there are one less of two levels. Labels hold
// commas.
func TestBMS(t *testing.T) {
	tree := open(t, "bms-webview-2/bms_hierarchy.csv", ReadOptions{})
	if tree.Leaves() != 3340 || tree.Height(tree.Root()) != 6 || tree.Label(tree.Root()) != "*" {
		t.Errorf(
			"%d leaves, height %d, root %q", tree.Leaves(), tree.Height(tree.Root()),
			tree.Label(tree.Root()),
		)
	}
	atHeight := make([]int, 7)
	for u := range int32(tree.Nodes()) {
		atHeight[tree.Height(u)]++
	}
	if diff := cmp.Diff([]int{3340, 835, 209, 52, 13, 4, 1}, atHeight); diff != "" {
		t.Error(diff)
	}
	if u, ok := tree.Node("55267,55283"); !ok || tree.LeafCount(u) != 4 {
		t.Error("no group 55267,55283 of four leaves")
	}
	sameInEveryLayout(t, tree)
}

// TestBMSIsAFanoutTree: the file was made by grouping the ids in order by fours, and so does
// Fanout. (The file's upper groups are not all of four.)
func TestBMSIsAFanoutTree(t *testing.T) {
	tree := open(t, "bms-webview-2/bms_hierarchy.csv", ReadOptions{})
	made, err := Fanout(tree.LeafDict().Labels(), 4)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(groupsOf(tree), groupsOf(made)); diff != "" {
		t.Error(diff)
	}
}

// groupsOf is the ranges of leaves that the lowest groups hold, whatever they are called.
func groupsOf(t *Tree) map[[2]int32]bool {
	out := map[[2]int32]bool{}
	for u := int32(t.Leaves()); u <= t.Root(); u++ {
		if lo, hi := t.Range(u); hi-lo > 1 && t.Height(u) == 1 {
			out[[2]int32{lo, hi}] = true
		}
	}
	return out
}

// TestICD9: 1,221 codes on ragged lines of 3 to 5 labels.
func TestICD9(t *testing.T) {
	tree := open(t, "icd9/treefile_ICD9CODX.txt", ReadOptions{})
	if tree.Leaves() != 1221 {
		t.Errorf("%d leaves", tree.Leaves())
	}
	if tree.Depth(mustNode(t, tree, "-9")) != 2 || tree.Label(tree.Root()) != "*" {
		t.Error(paths(tree)[0])
	}
	sameInEveryLayout(t, tree)
}

// TestGroceries: item, label, level2, level1: 169 items in 55 groups in 10 departments.
func TestGroceries(t *testing.T) {
	o := ReadOptions{Columns: []string{"item", "level2", "level1"}, AddRoot: "*"}
	ids := open(t, "groceries/groceries_items_hierarchy.csv", o)
	o.Columns[0] = "label"
	named := open(t, "groceries/groceries_items_hierarchy.csv", o)
	for _, tree := range []*Tree{ids, named} {
		if tree.Leaves() != 169 || len(tree.Children(tree.Root())) != 10 ||
			tree.Height(tree.Root()) != 3 {
			t.Errorf(
				"%d leaves, %d departments, height %d", tree.Leaves(),
				len(tree.Children(tree.Root())), tree.Height(tree.Root()),
			)
		}
	}
	want := []string{"sausage", "sausage*", "meat and sausage", "*"}
	got := labelsOf(named, named.Path(mustNode(t, named, "sausage")))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	sameInEveryLayout(t, named)
}

// TestICD9Prefixes builds the tree of all 14,567 diagnoses by prefix lengths 3 and 1.
func TestICD9Prefixes(t *testing.T) {
	f, err := os.Open(testdata.Path(t, "icd9/D_ICD_DIAGNOSES.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zr, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(zr).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, row := range rows[1:] {
		codes = append(codes, row[1])
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	tree, err := Prefix(codes, []int{3, 1}, "*")
	if err != nil {
		t.Fatal(err)
	}
	group := mustNode(t, tree, "038*")
	if tree.Leaves() != len(codes) || tree.Label(tree.Parent(group)) != "0*" {
		t.Errorf("%d leaves of %d codes", tree.Leaves(), len(codes))
	}
	for _, c := range tree.Children(group) {
		if !strings.HasPrefix(tree.Label(c), "038") {
			t.Errorf("%q is below 038*", tree.Label(c))
		}
	}
	sameInEveryLayout(t, tree)
}

func mustNode(t *testing.T, tree *Tree, label string) int32 {
	t.Helper()
	u, ok := tree.Node(label)
	if !ok {
		t.Fatalf("no node %q", label)
	}
	return u
}

func sameInEveryLayout(t *testing.T, tree *Tree) {
	t.Helper()
	for _, f := range Formats() {
		var text bytes.Buffer
		if err := Write(&text, tree, f); err != nil {
			if f != Amnesia || !strings.Contains(err.Error(), "a blank") {
				t.Error(err)
			}
			continue
		}
		again, err := Read(&text, ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(paths(tree), paths(again)); diff != "" {
			t.Errorf("%s: %s", f, diff)
		}
	}
}

func BenchmarkOpenBMS(b *testing.B) {
	path := testdata.Path(b, "bms-webview-2/bms_hierarchy.csv")
	for b.Loop() {
		if _, err := Open(path, ReadOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
