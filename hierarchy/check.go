package hierarchy

import "mingle/dataset"

// CheckResult says how a hierarchy and data go together.
type CheckResult struct {
	// items of the data that are not leaves, in order of their ids; none: the data can be encoded
	Missing []MissingItem `json:"missing"`
	// in which other spelling most of these would be leaves; "": in none that is known
	Hint string `json:"hint,omitempty"`
	// leaves that no transaction contains, in leaf order: they count in the domain
	Unused []string `json:"unused"`
	Leaves int      `json:"leaves"` // of the hierarchy: |I|
	Nodes  int      `json:"nodes"`  // leaves included
	Levels []Level  `json:"levels"` // from the root down
	// groups with a single child: publishing them hides nothing more
	Chains []string `json:"chains"`
}

// Level is what stands at one distance from the root.
type Level struct {
	Nodes        int `json:"nodes"`
	Leaves       int `json:"leaves"`      // so many of Nodes are leaves of the tree
	LeastBelow   int `json:"least_below"` // leaves below the smallest and the largest node
	MostBelow    int `json:"most_below"`
	MostChildren int `json:"most_children"`
}

// OK tells whether every item of the data is a leaf.
func (r CheckResult) OK() bool { return len(r.Missing) == 0 }

// Err is a *MissingItemsError if items are missing.
func (r CheckResult) Err() error {
	if r.OK() {
		return nil
	}
	return &MissingItemsError{r.Missing, r.Hint}
}

// Check compares the hierarchy with data: every item that is missing, with the number of
// transactions that contain it; leaves that are never used; the size of every level. With no data
// (nil) only the hierarchy is described.
func Check(t *Tree, d *dataset.Dataset) CheckResult {
	r := CheckResult{Leaves: t.Leaves(), Nodes: t.Nodes(), Levels: levels(t)}
	for u := range int32(t.Nodes()) {
		if len(t.Children(u)) == 1 {
			r.Chains = append(r.Chains, t.Label(u))
		}
	}
	if d == nil {
		return r
	}
	to, _ := t.nodesOf(d, t.Leaves())
	r.Missing = t.missingItems(d, to)
	r.Hint = t.hint(r.Missing)
	used := make([]bool, t.Leaves())
	for it, n := range d.Supports() {
		if n > 0 && to[it] >= 0 {
			used[to[it]] = true
		}
	}
	for leaf, u := range used {
		if !u {
			r.Unused = append(r.Unused, t.Label(int32(leaf)))
		}
	}
	return r
}

func levels(t *Tree) []Level {
	out := make([]Level, t.Height(t.Root())+1)
	for u := range int32(t.Nodes()) {
		l, n := &out[t.Depth(u)], t.LeafCount(u)
		if l.Nodes == 0 || n < l.LeastBelow {
			l.LeastBelow = n
		}
		l.Nodes++
		if t.IsLeaf(u) {
			l.Leaves++
		}
		l.MostBelow = max(l.MostBelow, n)
		l.MostChildren = max(l.MostChildren, len(t.Children(u)))
	}
	return out
}
