package local

// compatibility sees to condition (c) of docs/definitions.md in a release that keeps condition (a):
// an item may be at a node u only if nothing is published at or below the child of u above it, and
// then too few transactions may be left for what is known though k publish u.
//
// A branch is a child c of a node u that some transaction publishes together with nodes below c
// that leave out part of c. Another transaction that publishes u has the branch open if it
// publishes nothing at or below c. A transaction covers a node if all items below it may be in the
// transaction. Sets J of items without an open branch are in k transactions by (a): every
// transaction that publishes the same nodes is compatible with J. What is left are the sets of
// published nodes and open branches of a transaction, one open branch at least. Where k
// transactions cover all of its nodes, every J below it is in order; most sets are found to be so
// by counting them where the branch is open (see branchLook), and the others are looked at one by
// one (see coverage).
//
// Where a J is compatible with too few, all that is published at or below its branch goes back to
// u, in all transactions: a set with u is then in all transactions that it, or the same set with a
// node below c in place of u, was in, so (a) still holds, and c is no branch any more. Then c and
// what is below it are specialised anew, but c by such transactions only as publish nothing at u
// then (see mayTake): so c does not become a branch again, and this ends. What fails depends on
// what is published alone, and nothing is changed where nothing fails.
type compatibility struct {
	*state
	list     []int32   // of all branches, ascending
	branches [][]int32 // by node: its children that are branches; nil: none has any
	mostBars int       // see mostBarred, which is meant by 0
}

func (c *compatibility) findBranches() {
	is := make([]bool, c.tree.Nodes())
	for i := range int32(c.merged.Len()) {
		set := c.published(i)
		for at := len(set) - 1; at >= 0 && !c.tree.IsLeaf(set[at]); at-- {
			c.branchesOf(i, set[at], is)
		}
	}
	for b, branch := range is {
		if !branch {
			continue
		}
		if c.branches == nil {
			c.branches = make([][]int32, c.tree.Nodes())
		}
		up := c.tree.Parent(int32(b))
		c.branches[up] = append(c.branches[up], int32(b))
		c.list = append(c.list, int32(b))
	}
}

// branchesOf marks the children of u that transaction i, which publishes u, makes branches.
func (c *compatibility) branchesOf(i, u int32, is []bool) {
	items, at := c.below(i, u)
	depth := c.depthOf(u)
	for j := 0; j < len(items); {
		if at[j] == depth {
			j++
			continue
		}
		child := c.nodeAt(items[j], depth+1)
		for end := c.ends(child); j < len(items) && items[j] < end; j++ {
			is[child] = is[child] || at[j] != depth+1
		}
	}
}

// openAt tells whether transaction i, which publishes the parent of b, has the branch b open. All
// its items below a child of a published node are at that node, or all are at or below the child.
func (s *state) openAt(i, b int32) bool {
	_, at := s.below(i, b)
	return len(at) == 0 || at[0] < s.depthOf(b)
}

// takeBackBranch publishes what is published at or below c as the parent of c.
func (s *state) takeBackBranch(c int32) {
	u := s.tree.Parent(c)
	var all []int32
	var rec func(v int32)
	rec = func(v int32) {
		all = append(all, v)
		for _, w := range s.tree.Children(v) {
			rec(w)
		}
	}
	rec(c)
	for _, v := range all {
		for _, i := range s.who[v] {
			_, at := s.below(i, v)
			if s.publishes(i, v) {
				s.exclude(i, v)
			}
			for j, depth := range at {
				if depth == s.depthOf(v) {
					at[j] = s.depthOf(u)
					s.loss += (s.tree.Penalty(u) - s.tree.Penalty(v)) * int64(s.lines[i])
				}
			}
			if !s.publishes(i, u) {
				s.include(i, u)
				s.who[u] = append(s.who[u], i)
			}
		}
		s.who[v] = s.who[v][:0]
	}
	s.sortWho(u)
}
