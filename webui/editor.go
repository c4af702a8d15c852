package webui

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"mingle/hierarchy"
)

// The tree is edited in the browser, on a copy; what is saved is checked here as any hierarchy is.

func editHierarchy(a *asked) error {
	_, t, _ := a.p.chosen()
	v := treeView{Tree: t}
	if v.Tree.Path == "" {
		return errNotThere
	}
	return a.show("edit", v)
}

// edited is a tree on the way to the editor and back: the root is node 0, and above every other
// node is one that stands before it. Missing are items without a place. Of is the hierarchy that
// was edited.
type edited struct {
	Of      string   `json:"of"`
	Labels  []string `json:"labels"`
	Parents []int32  `json:"parents"`
	Leaves  []bool   `json:"leaves,omitempty"`
	Missing []string `json:"missing,omitempty"`
}

// mark tells a hierarchy from all others of its project: each has a directory of its own.
func (t tree) mark() string { return filepath.Base(filepath.Dir(t.Path)) }

var errOtherTree = &fault{http.StatusConflict, errors.New("nothing was saved: meanwhile another " +
	"hierarchy was saved or taken in place of the one that is edited here, as in another tab. Load " +
	"this page again to edit that one; what was changed here is lost then")}

func treeJSON(a *asked) error {
	_, used, _ := a.p.chosen()
	if used.Path == "" {
		return errNoTree
	}
	t, err := used.read(a.Context())
	if err != nil {
		return err
	}
	out := edited{Of: used.mark()}
	at := make([]int32, t.Nodes())
	var add func(u int32, above int32)
	add = func(u, above int32) {
		at[u] = int32(len(out.Labels))
		out.Labels = append(out.Labels, t.Label(u))
		out.Parents, out.Leaves = append(out.Parents, above), append(out.Leaves, t.IsLeaf(u))
		for _, c := range t.Children(u) {
			add(c, at[u])
		}
	}
	add(t.Root(), -1)
	if used.Check != nil {
		for _, m := range used.Check.Missing {
			out.Missing = append(out.Missing, m.Label)
		}
	}
	a.w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(a.w).Encode(out)
}

// saveTree takes an edited tree, in the order in which the nodes stand.
func saveTree(a *asked) error {
	var in edited
	err := json.Unmarshal([]byte(a.PostForm.Get("tree")), &in)
	var t *hierarchy.Tree
	if err == nil {
		t, err = in.tree()
	}
	var path string
	if err == nil {
		path, err = a.p.treeFile()
	}
	if err == nil {
		err = write(path, func(w io.Writer) error { return hierarchy.Write(w, t, hierarchy.ARX) })
	}
	same := false
	if err == nil {
		err = a.p.useTreeIf(a.Context(), tree{Path: path, How: "edited"}, func() bool {
			same = a.p.tree.mark() == in.Of
			return same
		})
	}
	if err == nil && !same {
		return errors.Join(errOtherTree, os.RemoveAll(filepath.Dir(path)))
	}
	if err != nil {
		return err
	}
	a.w.WriteHeader(http.StatusNoContent)
	return nil
}

// tree builds it, by the rules of all hierarchies.
func (e edited) tree() (*hierarchy.Tree, error) {
	b := hierarchy.NewBuilder()
	for i, label := range e.Labels {
		if i < len(e.Parents) && e.Parents[i] >= 0 && int(e.Parents[i]) < len(e.Labels) {
			if err := b.Edge(label, e.Labels[e.Parents[i]], 0); err != nil {
				return nil, err
			}
		} else {
			b.Add(label)
		}
	}
	return b.Build(hierarchy.BuildOptions{})
}
