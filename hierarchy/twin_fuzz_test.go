package hierarchy

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mingle/internal/soak"
)

// FuzzTwinARX: what is read from a file of paths is what its naive twin says: each line split at
// the semicolons is a leaf and what is above it.
func FuzzTwinARX(f *testing.F) {
	f.Add([]byte("a1;A;*\na2;A;*\nb;*\n"))
	f.Add([]byte("a;*\nb;B;*\n"))
	soak.Fuzz(f, func(t *testing.T, text []byte) {
		if bytes.ContainsAny(text, "\"\r \t,|\xff\xfe\x1f\xef\xbb\xbf\x28") {
			return // quotes, other delimiters, encodings: the twin knows none
		}
		first, _, _ := strings.Cut(strings.TrimLeft(string(text), "\n"), "\n")
		if slices.ContainsFunc(strings.Split(first, ";"), isLevelName) {
			return // nor names of columns
		}
		tree, err := Read(bytes.NewReader(text), ReadOptions{Format: ARX, Separator: ';'})
		if err != nil || tree.Nodes() == 1 { // the twin knows nodes by what is above them
			return
		}
		var twin twinTree
		for line := range strings.SplitSeq(string(text), "\n") {
			// a table of equal depth repeats a label where a path is shorter
			path := slices.Compact(strings.Split(strings.TrimRight(line, ";"), ";"))
			for i := range len(path) - 1 {
				twin.add(path[i], path[i+1])
			}
		}
		compareLeaves(t, twin.paths(), paths(tree))
	})
}

// twinTree is what is above each node.
type twinTree struct {
	parent   map[string]string
	isParent map[string]bool
}

func (t *twinTree) add(child, parent string) {
	if t.parent == nil {
		t.parent, t.isParent = map[string]string{}, map[string]bool{}
	}
	t.parent[child] = parent
	t.isParent[parent] = true
}

// paths are those of the leaves.
func (t *twinTree) paths() []string {
	out := []string{}
	for child := range t.parent {
		if t.isParent[child] {
			continue
		}
		path := child
		for at, is := t.parent[child]; is; at, is = t.parent[at] {
			path += ";" + at
		}
		out = append(out, path)
	}
	return out
}

// FuzzTwinPairs: the same of a file of pairs: a child and its parent a line.
func FuzzTwinPairs(f *testing.F) {
	f.Add([]byte("a,A\nA,*\n"))
	f.Add([]byte("x,*\ny,Y\nY,*\n"))
	soak.Fuzz(f, func(t *testing.T, text []byte) {
		if bytes.ContainsAny(text, "\"\r \t;|\xff\xfe\x1f\xef\xbb\xbf\x28") {
			return
		}
		tree, err := Read(bytes.NewReader(text), ReadOptions{Format: Pairs, Separator: ','})
		if err != nil || tree.Nodes() == 1 { // the twin knows nodes by what is above them
			return
		}
		var twin twinTree
		for i, line := range strings.Split(string(text), "\n") {
			child, above, is := strings.Cut(strings.TrimRight(line, ","), ",")
			if !is || above == "" || i == 0 && headerOfPairs(line) {
				continue
			}
			twin.add(child, above)
		}
		compareLeaves(t, twin.paths(), paths(tree))
	})
}

// headerOfPairs tells whether a first line only names the columns.
func headerOfPairs(line string) bool {
	return slices.Contains([]string{"child,parent", "item,parent", "parent,child", "parent,item"},
		strings.ToLower(line))
}

func compareLeaves(t *testing.T, want, got []string) {
	t.Helper()
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(slices.Compact(want), got); diff != "" {
		t.Errorf("twin against reader:\n%s", diff)
	}
}

// FuzzLayoutsAgree: the same hierarchy in every layout that can hold it gives the same tree.
func FuzzLayoutsAgree(f *testing.F) {
	f.Add([]byte("a1;A;*\na2;A;*\nb;*\n"))
	f.Add([]byte("1;1-2;*\n2;1-2;*\n10;3-10;*\n"))
	soak.Fuzz(f, func(t *testing.T, text []byte) {
		if len(text) > 1<<12 {
			return
		}
		tree, err := Read(bytes.NewReader(text), ReadOptions{Format: ARX})
		if err != nil {
			return
		}
		for _, layout := range []Format{ARX, Pairs, Amnesia, JSON} {
			var b bytes.Buffer
			if Write(&b, tree, layout) != nil {
				continue
			}
			written := b.String()
			again, err := Read(&b, ReadOptions{Format: layout})
			if err != nil {
				t.Fatalf("%s: written as %q, but not read: %v", layout, written, err)
			}
			compareLeaves(t, paths(tree), paths(again))
		}
	})
}
