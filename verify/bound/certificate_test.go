package bound

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/release"
)

// triangle is data of three groups X, Y and Z of two items each, of which the pairs x1 y1, y1 z1
// and x1 z1 are rare for k=2: two of the groups must be lifted, which costs 4 each; the root costs
// 24 more. The best cut costs 8 of 36.
func triangle(t *testing.T) (*hierarchy.Tree, *dataset.Dataset) {
	t.Helper()
	tree := leafTree(t, []string{"x1", "X", "*"}, []string{"x2", "X", "*"},
		[]string{"y1", "Y", "*"}, []string{"y2", "Y", "*"}, []string{"z1", "Z", "*"},
		[]string{"z2", "Z", "*"})
	return tree, encode(t, tree, lines("x1 y1", "y1 z1", "x1 z1"))
}

// nodesOf are the nodes of some labels.
func nodesOf(t *testing.T, tree *hierarchy.Tree, labels string) (out []int32) {
	t.Helper()
	for l := range strings.FieldsSeq(labels) {
		u, ok := tree.Node(l)
		if !ok {
			t.Fatalf("no node %s", l)
		}
		out = append(out, u)
	}
	return out
}

// certified is a certificate of triangle with the three clauses and a proof.
func certified(
	t *testing.T, tree *hierarchy.Tree, bound int64, proof *release.Proof,
) *release.Certificate {
	t.Helper()
	c := &release.Certificate{K: 2, M: 2, Scale: 1, Bound: bound, Proof: proof}
	for _, rare := range []string{"x1 y1", "y1 z1", "x1 z1"} {
		c.Clauses = append(c.Clauses, release.Clause{Nodes: nodesOf(t, tree, rare), Support: 1})
	}
	return c
}

// proofs of the bound 8 of triangle.
func proofsOf(t *testing.T, tree *hierarchy.Tree) map[string]func() *release.Proof {
	t.Helper()
	nodes := func(labels string) []int32 { return nodesOf(t, tree, labels) }
	row := func(labels string, need int, y int64) release.ProofRow {
		return release.ProofRow{Nodes: nodes(labels), Need: need, Y: y}
	}
	x := nodes("X")[0]
	return map[string]func() *release.Proof{
		"one row": func() *release.Proof {
			return &release.Proof{Rows: []release.ProofRow{row("X Y Z", 2, 4)}}
		},
		// each clause takes half of two groups: 6, so that X not lifted and X lifted remain
		"sides": func() *release.Proof {
			return &release.Proof{
				Rows: []release.ProofRow{
					row("X Y", 1, 2), row("Y Z", 1, 2), row("Z X", 1, 2),
				},
				Branch: x,
				Sides: [2]*release.Proof{
					{Rows: []release.ProofRow{row("Y Z", 1, 4)}},
					{},
				},
			}
		},
		// cuts that cost less than 8 have the root not lifted; that is all that is concluded
		"threshold": func() *release.Proof {
			return &release.Proof{
				Rows: []release.ProofRow{
					row("X Y", 1, 2), row("Y Z", 1, 2), row("Z X", 1, 2),
				},
				Threshold: 8, Branch: x,
				Sides: [2]*release.Proof{
					{Rows: []release.ProofRow{row("Y Z", 1, 4)}},
					{},
				},
			}
		},
		"parts": func() *release.Proof {
			return &release.Proof{Parts: []release.ProofPart{{
				Nodes: nodes("X Y Z"), Bound: 8,
				Proof: &release.Proof{Rows: []release.ProofRow{row("X Y Z", 2, 4)}},
			}}}
		},
	}
}

func findCertificate(
	t *testing.T, tree *hierarchy.Tree, data *dataset.Dataset, c *release.Certificate,
) *CertificateFinding {
	t.Helper()
	f, err := Certificate(t.Context(), Input{Data: data, Tree: tree, K: 2, M: 2}, c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A bound is proved in several ways, and one that is higher in none of them.
func TestCertificateOfATriangle(t *testing.T) {
	tree, data := triangle(t)
	steps := map[string]int{"one row": 1, "sides": 3, "threshold": 3, "parts": 2}
	for name, proof := range proofsOf(t, tree) {
		f := findCertificate(t, tree, data, certified(t, tree, 8, proof()))
		want := CertificateFinding{Holds: true, NCP: 8.0 / 36, Clauses: 3, Steps: steps[name]}
		if *f != want {
			t.Errorf("%s: %+v, want %+v", name, *f, want)
		}
		if f := findCertificate(t, tree, data, certified(t, tree, 9, proof())); f.Holds {
			t.Errorf("%s: 9 is accepted", name)
		}
	}
}

// A row is a set of nodes: their order is no matter. Of three groups with a rare set of three items
// one must be lifted.
func TestNodesOfARowInAnyOrder(t *testing.T) {
	tree, _ := triangle(t)
	data := encode(t, tree, lines("x1 y1 z1"))
	for _, order := range []string{"X Y Z", "Z Y X", "Y Z X"} {
		c := &release.Certificate{
			K: 2, M: 3, Scale: 1, Bound: 2,
			Clauses: []release.Clause{{Nodes: nodesOf(t, tree, "x1 y1 z1"), Support: 1}},
			Proof: &release.Proof{
				Rows: []release.ProofRow{{Nodes: nodesOf(t, tree, order), Need: 1, Y: 2}},
			},
		}
		in := Input{Data: data, Tree: tree, K: 2, M: 3}
		if f, err := Certificate(t.Context(), in, c); err != nil || !f.Holds {
			t.Errorf("%s: %v, %+v", order, err, f)
		}
	}
}

// What is wrong with a certificate is said.
func TestCertificatesThatAreRefused(t *testing.T) {
	tree, data := triangle(t)
	nodes := func(labels string) []int32 { return nodesOf(t, tree, labels) }
	inRow := "a row of the proof names a node that is decided already"
	negative := "a row of the proof has a negative multiplier or names a node twice"
	unsaid := "a row of the proof does not follow from the clauses"
	decided := "the proof distinguishes cases by a node that is decided already"
	inPart := "a part of the proof names a node that is decided already or is in another part"
	for _, c := range []struct {
		proof string
		alter func(c *release.Certificate)
		fault string // "": accepted
	}{
		{"one row", func(c *release.Certificate) { c.K = 3 }, "the certificate is for k=3, not 2"},
		{
			"one row", func(c *release.Certificate) { c.M = 3 },
			"the certificate is for m=3: it says nothing about the smaller 2",
		},
		{
			"one row", func(c *release.Certificate) { c.M = 1 },
			"clause 1 has 2 nodes; it must have 1 to 1",
		},
		{
			"one row", func(c *release.Certificate) { c.Scale = 0 },
			"the scale (0) must be 1 or more than the number of leaves (6)",
		},
		{
			"one row", func(c *release.Certificate) { c.Scale = 6 },
			"the scale (6) must be 1 or more than the number of leaves (6)",
		},
		{"one row", func(c *release.Certificate) { c.Scale = 7 }, ""}, // proves 8/7 and no more
		{
			"one row", func(c *release.Certificate) { c.Scale = 1 << 57 },
			"the scale is too large for this data",
		},
		{
			"one row", func(c *release.Certificate) { c.Clauses[0].Support = 2 },
			"clause 1 {x1, y1} is said to be in 2 transactions and is in 1",
		},
		{
			"one row", func(c *release.Certificate) { c.Clauses[0].Nodes = nil },
			"clause 1 has 0 nodes; it must have 1 to 2",
		},
		{
			"one row", func(c *release.Certificate) {
				c.Clauses[1].Nodes, c.Clauses[1].Support = nodes("x1 y2"), 0
			}, "clause 2 {x1, y2} is in 0 transactions, which proves nothing for k=2",
		},
		{
			"one row", func(c *release.Certificate) {
				c.Clauses[1].Nodes, c.Clauses[1].Support = nodes("x1"), 2
			}, "clause 2 {x1} is in 2 transactions, which proves nothing for k=2",
		},
		{
			"one row", func(c *release.Certificate) { c.Clauses[0].Nodes = nodes("x1 X") },
			"clause 1 {x1, X} has a node above another",
		},
		{
			"one row", func(c *release.Certificate) { c.Clauses[0].Nodes = nodes("x1 x1") },
			"clause 1 {x1, x1} has a node above another",
		},
		{
			"one row", func(c *release.Certificate) { c.Clauses[0].Nodes = nodes("*") },
			"clause 1 names a node that cannot be lifted",
		},
		{
			"one row", func(c *release.Certificate) { c.Clauses[0].Nodes = []int32{-1} },
			"clause 1 names a node that cannot be lifted",
		},
		{
			"one row", func(c *release.Certificate) { c.Clauses = c.Clauses[:2] }, unsaid,
		},
		{
			"one row", func(c *release.Certificate) { c.Proof = nil },
			"the proof ends 8 short of its bound",
		},
		{
			"one row", func(c *release.Certificate) { c.Bound = 9 },
			"the parts of the proof add up to 0, which is under 9",
		},
		{
			"one row", func(c *release.Certificate) { c.Proof.Rows[0].Need = 3 }, unsaid,
		},
		{
			"one row", func(c *release.Certificate) { c.Proof.Rows[0].Need = 0 }, unsaid,
		},
		{
			"one row", func(c *release.Certificate) { c.Proof.Rows[0].Need = 1 }, unsaid,
		},
		{
			"one row", func(c *release.Certificate) { c.Proof.Rows[0].Nodes = nodes("X Y *") },
			unsaid,
		},
		{
			"one row", func(c *release.Certificate) { c.Proof.Rows[0].Nodes = nodes("X Y Y") },
			negative,
		},
		{"one row", func(c *release.Certificate) { c.Proof.Rows[0].Y = -1 }, negative},
		{"one row", func(c *release.Certificate) { c.Proof.Rows[0].Y = 5 }, "the parts of the " +
			"proof add up to 0, which is under 8"}, // 10 - 3: two that are lifted pay -1 each
		{"one row", func(c *release.Certificate) { c.Proof.Rows[0].Y = 3 }, "the parts of the " +
			"proof add up to 0, which is under 8"},
		{
			"one row", func(c *release.Certificate) { c.Proof.Rows[0].Y = 1 << 59 },
			"the multipliers of the proof are too large",
		},
		{
			"one row", func(c *release.Certificate) { c.Proof.Rows[0].Nodes = nodes("x1 Y Z") },
			inRow,
		},
		{
			"one row", func(c *release.Certificate) { c.Proof.Rows[0].Nodes = []int32{99, 7, 8} },
			inRow,
		},
		{
			"sides", func(c *release.Certificate) { c.Proof.Branch = nodes("x1")[0] }, decided,
		},
		{"sides", func(c *release.Certificate) { c.Proof.Branch = 10 }, decided},
		{
			"sides", func(c *release.Certificate) {
				c.Proof.Sides[0].Sides = [2]*release.Proof{{}, {}}
				c.Proof.Sides[0].Rows, c.Proof.Sides[0].Branch = nil, nodes("X")[0]
			}, decided,
		},
		{
			"sides", func(c *release.Certificate) { c.Proof.Sides[0].Rows[0].Nodes = nodes("X Z") },
			inRow,
		},
		{
			"sides", func(c *release.Certificate) { c.Proof.Sides[1] = nil },
			"the parts of the proof add up to 0, which is under 8",
		},
		{
			"sides", func(c *release.Certificate) { c.Proof.Sides[0].Rows[0].Y = 3 },
			"the parts of the proof add up to 0, which is under 4",
		},
		{
			"threshold", func(c *release.Certificate) { c.Proof.Threshold = 7 },
			"a threshold of 7 is below the target 8",
		},
		{
			"threshold", func(c *release.Certificate) { c.Proof.Rows = nil },
			"", // nothing is concluded from the threshold, and the sides prove it
		},
		{
			"parts", func(c *release.Certificate) { c.Proof.Parts[0].Bound = 7 },
			"the parts of the proof add up to 7, which is under 8",
		},
		{
			"parts", func(c *release.Certificate) { c.Proof.Parts[0].Bound = 9 },
			"the parts of the proof add up to 0, which is under 9",
		},
		{
			"parts", func(c *release.Certificate) { c.Proof.Parts[0].Nodes = nodes("X X Y Z") },
			inPart,
		},
		{
			"parts", func(c *release.Certificate) { c.Proof.Parts[0].Nodes = nodes("x1 Y Z") },
			inPart,
		},
		{
			"parts", func(c *release.Certificate) { c.Proof.Parts[0].Nodes = []int32{10} }, inPart,
		},
		{
			"parts", func(c *release.Certificate) { c.Proof.Parts[0].Nodes = nodes("X Y") }, inRow,
		},
		{
			"parts", func(c *release.Certificate) { c.Proof.Parts[0].Nodes = nodes("*") }, "",
		}, // what is below the root is in its part
		{
			"parts", func(c *release.Certificate) {
				c.Proof.Parts = append(c.Proof.Parts, c.Proof.Parts[0])
			}, inPart,
		},
		{
			"parts", func(c *release.Certificate) {
				c.Proof.Parts = append(c.Proof.Parts, release.ProofPart{
					Nodes: nodes("*"), Bound: -4,
				})
			}, "",
		},
	} {
		cert := certified(t, tree, 8, proofsOf(t, tree)[c.proof]())
		c.alter(cert)
		f := findCertificate(t, tree, data, cert)
		if f.Holds != (c.fault == "") || f.Fault != c.fault {
			t.Errorf("%s: holds %v, %q, want %q", c.proof, f.Holds, f.Fault, c.fault)
		}
	}
}

// leastLoss is what the best cut loses, times the domain and the occurrences, that publishes of
// each rare set some item as a group: by enumeration of what is lifted.
func leastLoss(tree *hierarchy.Tree, data *dataset.Dataset, rare []release.Clause) int64 {
	best := int64(-1)
	for set := range 1 << (tree.Nodes() - tree.Leaves()) {
		at := func(x int32) int32 { // the highest lifted node above it
			for u := tree.Parent(x); u >= 0; u = tree.Parent(u) {
				if set>>(int(u)-tree.Leaves())&1 == 1 {
					x = u
				}
			}
			return x
		}
		loss, satisfied := int64(0), true
		for _, x := range data.Items() {
			if u := at(x); u != x {
				loss += int64(tree.LeafCount(u))
			}
		}
		for _, c := range rare {
			satisfied = satisfied && slices.ContainsFunc(c.Nodes, func(x int32) bool {
				return at(x) != x
			})
		}
		if satisfied && (best < 0 || loss < best) {
			best = loss
		}
	}
	return best
}

// A proof with anything in it, at random, proves no more than the best cut loses.
func TestRandomProofsProveNothingFalse(t *testing.T) {
	tree, data := triangle(t)
	best := leastLoss(tree, data, certified(t, tree, 8, nil).Clauses)
	if best != 8 {
		t.Fatalf("the best cut loses %d, not 8", best)
	}
	r := rand.New(rand.NewPCG(23, 3))
	var random func(depth int) *release.Proof
	random = func(depth int) *release.Proof {
		if depth == 0 || r.IntN(6) == 0 {
			return nil
		}
		subset := func() (out []int32) {
			for _, u := range nodesOf(t, tree, "X Y Z *") {
				if r.IntN(3) > 0 {
					out = append(out, u)
				}
			}
			return out
		}
		p := &release.Proof{Branch: int32(6 + r.IntN(4))}
		for range r.IntN(4) {
			p.Rows = append(p.Rows, release.ProofRow{
				Nodes: subset(), Need: 1 + r.IntN(2), Y: int64(r.IntN(6)),
			})
		}
		if r.IntN(3) == 0 {
			p.Threshold = int64(r.IntN(14))
		}
		switch r.IntN(3) {
		case 0:
			p.Sides = [2]*release.Proof{random(depth - 1), random(depth - 1)}
		case 1:
			for range 1 + r.IntN(2) {
				p.Parts = append(p.Parts, release.ProofPart{
					Nodes: subset(), Bound: int64(r.IntN(10)), Proof: random(depth - 1),
				})
			}
		}
		return p
	}
	highest := int64(0)
	rounds := 20_000
	if testing.Short() {
		rounds = 2000 // under the race detector, which has nothing to find here
	}
	for range rounds {
		c := certified(t, tree, int64(1+r.IntN(12)), random(3))
		c.Clauses = slices.DeleteFunc(c.Clauses,
			func(release.Clause) bool { return r.IntN(5) == 0 })
		if f := findCertificate(t, tree, data, c); f.Holds {
			highest = max(highest, c.Bound)
			if c.Bound > best {
				t.Fatalf("%d is proved, and %d is best: %+v", c.Bound, best, c)
			}
		}
	}
	if !testing.Short() && highest < best {
		t.Errorf("no proof of more than %d is found: nothing was tested", highest)
	}
}

// Persons are counted in place of lines where they are given, and nobody is none.
func TestCertificateOfPersonsCountsPersons(t *testing.T) {
	tree, _ := triangle(t)
	data := encode(t, tree, lines("x1 y1", "x1 y1", "y1 z1", "x1 z1"))
	for _, c := range []struct {
		persons []int32
		support int
		fault   string
	}{
		{[]int32{0, 0, 1, 2}, 1, ""},
		{[]int32{0, nobody, 1, 2}, 1, ""},
		{
			[]int32{0, 3, 1, 2},
			2,
			"clause 1 {x1, y1} is in 2 transactions, which proves nothing for k=2",
		},
		{
			[]int32{0, 0, 1, 2},
			2,
			"clause 1 {x1, y1} is said to be in 2 transactions of different persons and is in 1",
		},
	} {
		cert := certified(t, tree, 8, proofsOf(t, tree)["one row"]())
		cert.Clauses[0].Support = c.support
		in := Input{Data: data, Tree: tree, Persons: c.persons, K: 2, M: 2}
		f, err := Certificate(t.Context(), in, cert)
		if err != nil || f.Fault != c.fault {
			t.Errorf("%v: %v, %q, want %q", c.persons, err, f.Fault, c.fault)
		}
	}
	// a rare set of nobody at all proves what any other does: it occurs
	cert := certified(t, tree, 8, proofsOf(t, tree)["one row"]())
	cert.Clauses[0].Support = 0
	persons := []int32{nobody, nobody, 1, 2}
	in := Input{Data: data, Tree: tree, Persons: persons, K: 2, M: 2}
	f, err := Certificate(t.Context(), in, cert)
	if err != nil || !f.Holds {
		t.Errorf("%v, %+v", err, f)
	}
}

// A check that is cancelled says so, and nothing else.
func TestCertificateStops(t *testing.T) {
	tree, data := triangle(t)
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	cert := certified(t, tree, 8, proofsOf(t, tree)["one row"]())
	in := Input{Data: data, Tree: tree, K: 2, M: 2}
	if f, err := Certificate(ctx, in, cert); f != nil || !errors.Is(err, why) {
		t.Errorf("%+v, %v", f, err)
	}
	if f, err := Program(ctx, in, &release.Program{}); f != nil ||
		!errors.Is(err, why) {
		t.Errorf("%+v, %v", f, err)
	}
}

// A program is refused where it says more, or something else, than the data does.
func TestProgramsThatAreRefused(t *testing.T) {
	tree, data := triangle(t)
	occurrences := []int{2, 0, 2, 0, 2, 0}
	const item = "which is an item or has another variable"
	for _, c := range []struct {
		alter func(p *release.Program)
		fault string // "": accepted
	}{
		{func(*release.Program) {}, ""},
		{func(p *release.Program) { p.Below, p.Clauses = nil, nil }, ""}, // that is less
		{func(p *release.Program) { slices.Reverse(p.Clauses[1].Vars) }, ""},
		{func(p *release.Program) { p.Nodes[0] = 0 }, `variable 1 is for "x1", ` + item},
		{func(p *release.Program) { p.Nodes[1] = p.Nodes[0] }, `variable 2 is for "X", ` + item},
		{
			func(p *release.Program) { p.Loss[2]++ },
			`variable 3, "Z", has 5 in the objective instead of 4`,
		},
		{
			func(p *release.Program) { p.Loss[2]-- },
			`variable 3, "Z", has 3 in the objective instead of 4`,
		},
		{
			func(p *release.Program) { p.Below[0] = [2]int32{3, 0} },
			`the program says that "X" is above "*", and it is not`,
		},
		{
			func(p *release.Program) { p.Below[0] = [2]int32{0, 0} },
			`the program says that "X" is above "X", and it is not`,
		},
		{
			func(p *release.Program) { p.Below[0] = [2]int32{0, 1} },
			`the program says that "Y" is above "X", and it is not`,
		},
		{
			func(p *release.Program) { p.Clauses[1].Vars = []int32{1} },
			"clause 2 is not that of {y1, z1}",
		},
		{
			func(p *release.Program) { p.Clauses[1].Vars = []int32{0, 2} },
			"clause 2 is not that of {y1, z1}",
		},
		{
			func(p *release.Program) { p.Clauses[0].Rare.Support = 2 },
			"clause 1 {x1, y1} is said to be in 2 transactions and is in 1",
		},
	} {
		program := release.NewProgram(tree, occurrences, certified(t, tree, 8, nil))
		c.alter(program)
		f, err := Program(t.Context(), Input{Data: data, Tree: tree, K: 2, M: 2}, program)
		if err != nil || f.Holds != (c.fault == "") || f.Fault != c.fault {
			t.Errorf("%v: holds %v, %q, want %q", err, f.Holds, f.Fault, c.fault)
		}
	}
	program := release.NewProgram(tree, occurrences, certified(t, tree, 8, nil))
	in := Input{Data: data, Tree: tree, K: 2, M: 2}
	f, err := Program(t.Context(), in, program)
	want := ProgramFinding{Holds: true, Clauses: 3, Nodes: 4, Unit: 36}
	if err != nil || *f != want || f.NCP(9) != 0.25 {
		t.Errorf("%v, %+v, want %+v", err, f, want)
	}
	if n := (&ProgramFinding{}).NCP(1); n != 0 {
		t.Errorf("NCP %v of no data", n)
	}
	// persons, as in certificates: two of them with x1 and y1
	in.Persons = []int32{nobody, 1, 2}
	f, err = Program(t.Context(), in, program)
	if err != nil || f.Fault != "clause 1 {x1, y1} is said to be in 1 transactions of different "+
		"persons and is in 0" {
		t.Errorf("%v, %+v", err, f)
	}
}

// The scale orders cuts of the same loss by how many items are not published as themselves.
func TestCertificateOfAScale(t *testing.T) {
	tree, data := triangle(t)
	row := release.ProofRow{Nodes: nodesOf(t, tree, "X Y Z"), Need: 2, Y: 7*4 + 2}
	proof := &release.Proof{Rows: []release.ProofRow{row}}
	cert := certified(t, tree, 2*(7*4+2), proof)
	cert.Scale = 7
	f := findCertificate(t, tree, data, cert)
	if !f.Holds || f.NCP != 8.0/36 {
		t.Errorf("%+v", f)
	}
	cert.Bound++
	if f := findCertificate(t, tree, data, cert); f.Holds {
		t.Errorf("%d is accepted", cert.Bound)
	}
}

// Two levels: what is above a node that is not lifted is not lifted, what is below one that is, is.
func TestCertificateOfTwoLevels(t *testing.T) {
	tree := leafTree(t, []string{"a", "A", "N", "*"}, []string{"b", "A", "N", "*"},
		[]string{"c", "C", "N", "*"}, []string{"d", "C", "N", "*"}, []string{"e", "E", "*"})
	data := encode(t, tree, lines("a c e", "a e", "c e", "b"))
	// A or C (a c), E alone is an item's group; N or E (A e... of C d)
	clause := func(labels string, support int) release.Clause {
		return release.Clause{Nodes: nodesOf(t, tree, labels), Support: support}
	}
	nodes := func(labels string) []int32 { return nodesOf(t, tree, labels) }
	for name, c := range map[string]struct {
		clauses []release.Clause
		bound   int64
		proof   *release.Proof
	}{
		// A is lifted: 2 leaves, a twice and b once
		"one clause": {[]release.Clause{clause("b", 1)}, 6, nil},
		// A C: N is lifted, and so is what is below: 4 leaves for each of 5 occurrences
		"lifted below": {[]release.Clause{clause("A C", 1), clause("b", 1)}, 20, nil},
		// A lifted and C lifted are 6 and 4; a row of A and C needs only one of them
		"a row": {
			[]release.Clause{clause("a c", 1)}, 4, &release.Proof{
				Rows: []release.ProofRow{{Nodes: nodes("A C"), Need: 1, Y: 4}},
			},
		},
		// with C not lifted, A is, which costs 6; with C lifted 4 is paid
		"sides": {
			[]release.Clause{clause("a c", 1)}, 4, &release.Proof{
				Branch: nodes("C")[0], Sides: [2]*release.Proof{nil, nil},
			},
		},
	} {
		cert := &release.Certificate{
			K: 2, M: 2, Scale: 1, Bound: c.bound, Clauses: c.clauses, Proof: c.proof,
		}
		if c.proof != nil && c.proof.Branch > 0 {
			c.proof.Sides = [2]*release.Proof{{}, {}}
		}
		if f := findCertificate(t, tree, data, cert); !f.Holds {
			t.Errorf("%s: %+v", name, f)
		}
		cert.Bound++
		if f := findCertificate(t, tree, data, cert); f.Holds {
			t.Errorf("%s: %d is accepted", name, cert.Bound)
		}
	}
}

// A transaction with two items of a group has the group once, and a clause of a node and of one
// below its parent's sibling is of the lower parent: the higher is lifted with it.
func TestClausesOfGroups(t *testing.T) {
	tree := leafTree(t, []string{"a", "A", "N", "*"}, []string{"b", "A", "N", "*"},
		[]string{"c", "C", "N", "*"}, []string{"d", "C", "N", "*"}, []string{"e", "E", "*"})
	data := encode(t, tree, lines("a b c", "a e", "b e", "c d"))
	cert := &release.Certificate{K: 2, M: 2, Scale: 1, Bound: 8, Clauses: []release.Clause{
		{Nodes: nodesOf(t, tree, "a C"), Support: 1}, // A is lifted: a and b, twice each
		{Nodes: nodesOf(t, tree, "A C"), Support: 1},
	}}
	if f := findCertificate(t, tree, data, cert); !f.Holds {
		t.Errorf("%+v", f)
	}
	program := release.NewProgram(tree, []int{2, 2, 2, 1, 2}, cert)
	f, err := Program(t.Context(), Input{Data: data, Tree: tree, K: 2, M: 2}, program)
	if err != nil || !f.Holds {
		t.Errorf("%v, %+v", err, f)
	}
}

// The largest scale is that with which no sum overflows: (occurrences + 1) * leaves * scale is
// 2^60.
func TestLargestScale(t *testing.T) {
	tree := leafTree(t, []string{"a", "*"}, []string{"b", "*"}, []string{"c", "*"},
		[]string{"d", "*"}, []string{"e", "*"}, []string{"f", "*"}, []string{"g", "*"},
		[]string{"h", "*"})
	data := encode(t, tree, lines("a b c d e f g"))
	for scale, fault := range map[int64]string{
		1 << 54: "", 1<<54 + 16: "the scale is too large for this data",
	} {
		c := &release.Certificate{K: 2, M: 2, Scale: scale}
		if f := findCertificate(t, tree, data, c); f.Fault != fault {
			t.Errorf("scale %d: %q, want %q", scale, f.Fault, fault)
		}
	}
}

// Of no data nothing is lost.
func TestCertificateOfNoData(t *testing.T) {
	tree, _ := triangle(t)
	f := findCertificate(t, tree, encode(t, tree, nil), &release.Certificate{K: 2, M: 2, Scale: 1})
	if !f.Holds || f.NCP != 0 {
		t.Errorf("%+v", f)
	}
}

// Rows that name what is no node, and the largest multiplier.
func TestRowsAtTheEdge(t *testing.T) {
	tree, data := triangle(t)
	row := func(y int64, nodes ...int32) *release.Proof {
		return &release.Proof{Rows: []release.ProofRow{{Nodes: nodes, Need: 1, Y: y}}}
	}
	for _, c := range []struct {
		proof *release.Proof
		want  string
	}{
		{row(1, 6, int32(tree.Nodes())), "a row of the proof names a node that is decided already"},
		{row(1<<59, 6, 7), "the parts of the proof add up to 0, which is under 8"},
		{row(1<<59+256, 6, 7), "the multipliers of the proof are too large"},
		{row(0, 6, 7), "the parts of the proof add up to 0, which is under 8"},
	} {
		if f := findCertificate(t, tree, data, certified(t, tree, 8, c.proof)); f.Fault != c.want {
			t.Errorf("%+v: %q, want %q", c.proof.Rows, f.Fault, c.want)
		}
	}
}
