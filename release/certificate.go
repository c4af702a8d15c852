package release

// Certificate proves a lower bound on the loss of every global recoding that keeps k^m-anonymity,
// in a way that can be checked from the original data without the run that found it
// (verify/bound). It is secret: clauses name combinations that few transactions have.
//
// What is bounded is, for a cut, Scale times the sum over the item occurrences of the leaves below
// the node each is published as (0 for a leaf itself), plus the number of leaves that are not
// published as themselves. The second summand orders cuts of the same loss; it is left out when
// Scale is 1.
type Certificate struct {
	K, M    int
	Scale   int64 // 1, or more than the number of leaves
	Bound   int64
	Clauses []Clause
	Proof   *Proof
}

// Loss is the bound without the scale: every cut's loss is at least this much.
func (c *Certificate) Loss() int64 { return c.Bound / c.Scale }

// Proof shows that, with some nodes known to be lifted (the cut is at or above them) and some known
// not to be, every cut that satisfies the clauses costs at least a target. Package cover makes it,
// docs/algorithms/exact.md explains it.
//
// Rows, constraints with multipliers, give a Lagrangian bound. If it reaches the target, that is
// all. If not, and Threshold is set (it is at least the target), nodes whose lifting would bring
// the bound to Threshold are known not to be lifted, and those whose not being lifted would are
// known to be lifted. What is left is shown by Parts, disjoint sets of nodes whose bounds add up,
// or by the two Sides of a case distinction: Branch lifted, Branch not lifted.
type Proof struct {
	Rows      []ProofRow
	Threshold int64
	Parts     []ProofPart
	Branch    int32
	Sides     [2]*Proof // both or none
}

// ProofRow says that of some inner nodes at least Need are lifted. Need is 1 and a clause says so,
// or it is one less than there are nodes and for every two of them a clause says so. Y is its
// multiplier.
type ProofRow struct {
	Nodes []int32
	Need  int
	Y     int64
}

// ProofPart is a set of inner nodes, with those below them that stand in no part of their own,
// whose cost by itself is at least Bound.
type ProofPart struct {
	Nodes []int32
	Bound int64
	Proof *Proof
}
