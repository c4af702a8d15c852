package webui

import (
	"encoding/json"
	"io"

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
// node is one that stands before it. Missing are items without a place.
type edited struct {
	Labels  []string `json:"labels"`
	Parents []int32  `json:"parents"`
	Leaves  []bool   `json:"leaves,omitempty"`
	Missing []string `json:"missing,omitempty"`
}

func treeJSON(a *asked) error {
	t, err := a.p.current(a.Context())
	if err != nil {
		return err
	}
	out := edited{}
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
	if _, used, _ := a.p.chosen(); used.Check != nil {
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
	if err == nil {
		err = a.p.useTree(a.Context(), path, "edited", "", nil)
	}
	if err != nil {
		return err
	}
	a.w.WriteHeader(204)
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
