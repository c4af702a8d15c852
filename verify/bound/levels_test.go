package bound

import (
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/release"
)

// twoLevels is data of *(N(A(a,b),C(c,d)),E(e)) of which {a, c} and {C, e} are rare for k=3: A or C
// is lifted, and N or E. Lifting costs 6 for A, 4 for C, 3 for E, 10 more for N, 17 more for the
// root. The best is C and E: 7.
func twoLevels(t *testing.T) (*hierarchy.Tree, *dataset.Dataset) {
	t.Helper()
	tree := leafTree(t, []string{"a", "A", "N", "*"}, []string{"b", "A", "N", "*"},
		[]string{"c", "C", "N", "*"}, []string{"d", "C", "N", "*"}, []string{"e", "E", "*"})
	return tree, encode(t, tree, lines("a c e", "a e", "c e", "b"))
}

// Every way to prove 7 proves it, and not 8.
func TestProofsOfTwoLevels(t *testing.T) {
	tree, data := twoLevels(t)
	nodes := func(labels string) []int32 { return nodesOf(t, tree, labels) }
	rows := func(text string) (out []release.ProofRow) { // "A C 1 4" is need and multiplier
		for row := range strings.SplitSeq(text, ",") {
			f := strings.Fields(row)
			number := func(s string) int { return int(s[0] - '0') }
			out = append(out, release.ProofRow{
				Nodes: nodes(strings.Join(f[:len(f)-2], " ")), Need: number(f[len(f)-2]),
				Y: int64(number(f[len(f)-1])),
			})
		}
		return out
	}
	for name, c := range map[string]struct {
		bound int64
		proof func() *release.Proof
		fault string // "": accepted
	}{
		"rows": {7, func() *release.Proof { return &release.Proof{Rows: rows("A C 1 4,N E 1 3")} }, ""},
		// with C not lifted N is not, so that A and E are
		"sides": {7, func() *release.Proof {
			return &release.Proof{Branch: nodes("C")[0], Sides: [2]*release.Proof{
				{Rows: rows("N E 1 3")}, {},
			}}
		}, ""},
		// with N lifted all below it is; with N not lifted E is
		"sides of N": {7, func() *release.Proof {
			return &release.Proof{Branch: nodes("N")[0], Sides: [2]*release.Proof{
				{}, {Rows: rows("A C 1 4")},
			}}
		}, ""},
		// what is proved is not looked at any further
		"a side that needs no proof": {7, func() *release.Proof {
			return &release.Proof{Branch: nodes("C")[0], Sides: [2]*release.Proof{
				{Rows: rows("N E 1 3")}, {Rows: rows("A C 1 1")},
			}}
		}, ""},
		// neither A nor C under 7, though one of them is lifted
		"a contradiction": {7, func() *release.Proof {
			return &release.Proof{
				Rows: rows("A C 1 3,N E 1 3"), Threshold: 7, Branch: nodes("C")[0],
				Sides: [2]*release.Proof{{}, {}},
			}
		}, ""},
		"nothing is left": {7, func() *release.Proof {
			return &release.Proof{
				Rows: rows("A C 1 3,N E 1 2"), Threshold: 7, Branch: nodes("C")[0],
				Sides: [2]*release.Proof{{}, {}},
			}
		}, ""},
		// N and the root are not lifted, so E is
		"a threshold alone": {7, func() *release.Proof {
			return &release.Proof{
				Threshold: 7, Branch: nodes("C")[0], Sides: [2]*release.Proof{{}, {}},
			}
		}, ""},
		"a side of another part": {7, func() *release.Proof {
			return &release.Proof{Parts: []release.ProofPart{
				{Nodes: nodes("A C"), Bound: 4, Proof: &release.Proof{
					Branch: nodes("E")[0], Sides: [2]*release.Proof{{}, {}},
				}},
				{Nodes: nodes("N E *"), Bound: 3, Proof: &release.Proof{Rows: rows("N E 1 3")}},
			}}
		}, "the proof distinguishes cases by a node that is decided already"},
		"a part in another": {7, func() *release.Proof {
			return &release.Proof{Parts: []release.ProofPart{
				{Nodes: nodes("A C"), Bound: 4, Proof: &release.Proof{
					Parts: []release.ProofPart{{Nodes: nodes("E"), Bound: 4}},
				}},
				{Nodes: nodes("N E *"), Bound: 3, Proof: &release.Proof{Rows: rows("N E 1 3")}},
			}}
		}, "a part of the proof names a node that is decided already or is in another part"},
		"a part of what is decided": {7, func() *release.Proof {
			return &release.Proof{Branch: nodes("C")[0], Sides: [2]*release.Proof{
				{Parts: []release.ProofPart{{Nodes: nodes("C"), Bound: 3}}}, {},
			}}
		}, "a part of the proof names a node that is decided already or is in another part"},
		"no side by itself": {7, func() *release.Proof {
			return &release.Proof{Branch: nodes("N")[0], Sides: [2]*release.Proof{{}, {}}}
		}, "the parts of the proof add up to 0, which is under 4"},
		// 5, and A, N or the root would bring it to 7: they are not lifted, so C and E are
		"not lifted": {7, func() *release.Proof {
			return &release.Proof{Rows: rows("A C 1 3,N E 1 2"), Threshold: 7}
		}, ""},
		// 4, and without C it would be 8: C is lifted, and N, which would bring it to 7, is not
		"lifted": {7, func() *release.Proof {
			return &release.Proof{Rows: rows("A C 1 8,N E 1 2"), Threshold: 7}
		}, ""},
		// 0, and only the root and N would bring it to 7: E is lifted, A and C are undecided
		"undecided": {7, func() *release.Proof {
			return &release.Proof{Rows: rows("A C 1 0"), Threshold: 7}
		}, "the parts of the proof add up to 0, which is under 4"},
		"parts": {7, func() *release.Proof {
			return &release.Proof{Parts: []release.ProofPart{
				{Nodes: nodes("A C"), Bound: 4, Proof: &release.Proof{Rows: rows("A C 1 4")}},
				{Nodes: nodes("N E *"), Bound: 3, Proof: &release.Proof{Rows: rows("N E 1 3")}},
			}}
		}, ""},
		// what is below a node of a part, and in none, is in it
		"parts below": {7, func() *release.Proof {
			return &release.Proof{Parts: []release.ProofPart{
				{Nodes: nodes("*"), Bound: 7, Proof: &release.Proof{Rows: rows("A C 1 4,N E 1 3")}},
			}}
		}, ""},
		"a part of another": {7, func() *release.Proof {
			return &release.Proof{Parts: []release.ProofPart{
				{Nodes: nodes("A C"), Bound: 4, Proof: &release.Proof{Rows: rows("A C 1 4")}},
				{Nodes: nodes("N"), Bound: 3, Proof: &release.Proof{Rows: rows("N E 1 3")}},
			}}
		}, "a row of the proof names a node that is decided already"},
		// N may be lifted in the other part: nothing is said of E alone
		"a clause of two parts": {7, func() *release.Proof {
			return &release.Proof{Parts: []release.ProofPart{
				{Nodes: nodes("A C"), Bound: 4, Proof: &release.Proof{Rows: rows("A C 1 4")}},
				{Nodes: nodes("E"), Bound: 3, Proof: &release.Proof{Rows: rows("E 1 3")}},
				{Nodes: nodes("N"), Bound: 0},
			}}
		}, "a row of the proof does not follow from the clauses"},
		// N or E is lifted, so A or E is, and C or E: of A, C and E two are
		"below a clause": {6, func() *release.Proof {
			return &release.Proof{Rows: rows("A C E 2 3")}
		}, ""},
		"below both ends": {3, func() *release.Proof {
			return &release.Proof{Rows: rows("A E 1 3")}
		}, ""},
		"not below": {6, func() *release.Proof {
			return &release.Proof{Rows: rows("A C N 2 3")}
		}, "a row of the proof does not follow from the clauses"},
	} {
		cert := func(bound int64) *release.Certificate {
			return &release.Certificate{
				K: 3, M: 2, Scale: 1, Bound: bound, Proof: c.proof(),
				Clauses: []release.Clause{
					{Nodes: nodes("a c"), Support: 1}, {Nodes: nodes("C e"), Support: 2},
				},
			}
		}
		f, err := Certificate(t.Context(), Input{Data: data, Tree: tree, K: 3, M: 2}, cert(c.bound))
		if err != nil || f.Holds != (c.fault == "") || f.Fault != c.fault {
			t.Errorf("%s: %v, holds %v, %q, want %q", name, err, f.Holds, f.Fault, c.fault)
		}
		f, err = Certificate(t.Context(), Input{Data: data, Tree: tree, K: 3, M: 2}, cert(8))
		if err != nil || f.Holds {
			t.Errorf("%s: %v, 8 is accepted", name, err)
		}
	}
}

// A node of one part is not counted in a part of another, though it is below a node of that: of
// A or C, and A or E, the best is A alone, 6.
func TestPartsOfParts(t *testing.T) {
	tree, data := twoLevels(t)
	nodes := func(labels string) []int32 { return nodesOf(t, tree, labels) }
	row := func(labels string, y int64) *release.Proof {
		return &release.Proof{
			Rows: []release.ProofRow{{Nodes: nodes(labels), Need: 1, Y: y}},
		}
	}
	cert := &release.Certificate{
		K: 3, M: 2, Scale: 1, Bound: 7, Clauses: []release.Clause{
			{Nodes: nodes("a c"), Support: 1}, {Nodes: nodes("a e"), Support: 2},
		},
		Proof: &release.Proof{Parts: []release.ProofPart{
			{Nodes: nodes("N E *"), Bound: 3, Proof: &release.Proof{Parts: []release.ProofPart{
				{Nodes: nodes("N E *"), Bound: 3, Proof: row("A E", 3)},
			}}},
			{Nodes: nodes("A C"), Bound: 4, Proof: row("A C", 4)},
		}},
	}
	f, err := Certificate(t.Context(), Input{Data: data, Tree: tree, K: 3, M: 2}, cert)
	if err != nil || f.Holds || f.Fault != "a row of the proof names a node that is decided already" {
		t.Errorf("%v, %+v: 7 is proved, and 6 is best", err, f)
	}
}
