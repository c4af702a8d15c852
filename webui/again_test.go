package webui

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Whatever an upload is called, what a run reads and makes has names of its own: in one directory
// a release file can make it again.
func TestNamesOfARun(t *testing.T) {
	c := choice{Family: km, K: "5", M: "2", L: "2", Items: "a"}
	for _, name := range []string{
		"shop.csv", "published.csv", "Published.CSV", "hierarchy.csv", "report.json", "AUDIT.json",
		"sensitive.txt", "report.html", "published", "hierarchy-2.csv",
	} {
		s := newServing(t, Options{})
		p := newProject(s.Server, t.TempDir(), filepath.Join("/in", name), layout{})
		at, err := p.treeFile()
		if err != nil {
			t.Fatal(err)
		}
		for _, own := range []string{filepath.Base(at), "published.csv", "report.html"} {
			tree := tree{Path: filepath.Join("/up", distinct(own, p.path))}
			r := &run{p: p, tree: tree.Path, files: p.files("/made", p.layout, tree, c), choice: c}
			if r.args, err = p.args(p.layout, tree, c, r.files); err != nil {
				t.Fatal(err)
			}
			var names []string
			args := r.again()
			for i, arg := range args {
				if i == 2 || slices.Contains([]string{
					"-o", "-H", "--report", "--audit", "--sensitive", "--page",
				}, args[i-min(i, 1)]) {
					names = append(names, strings.ToLower(arg))
				}
			}
			slices.Sort(names)
			if all := len(names); all != 7 || len(slices.Compact(names)) != all {
				t.Errorf("%s, %s: %q", name, tree.Path, args)
			}
		}
	}
}

// A hierarchy that is uploaded under the name of the data gets another.
func TestHierarchyWithTheNameOfTheData(t *testing.T) {
	s := newServing(t, Options{}).enter()
	p := s.addFile("a.csv", "1;2\n")
	s.work.Wait()
	s.uploadTo("p/"+p.id+"/hierarchy", "a.csv", "1;all\n2;all\n")
	if got := filepath.Base(p.tree.Path); got != "a-2.csv" {
		t.Errorf("it is called %q", got)
	}
}
