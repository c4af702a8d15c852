package exact_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"mingle/anonymize"
	"mingle/anonymize/conformance"
	"mingle/anonymize/global/exact"
	"mingle/release"
	"mingle/verify/bound"
)

// boundInput is what a bound on the loss of a release is about.
func boundInput(in anonymize.Input) bound.Input {
	return bound.Input{
		Data: in.Data, Tree: in.Tree, Persons: in.Persons, K: in.Promise.K, M: in.Promise.M,
	}
}

func TestCertificates(t *testing.T) {
	steps, longest := 0, 0
	conformance.Suite{
		Instances: 4000, NoDiversity: true, NoNegative: true,
		New: func() anonymize.Algorithm { return exact.Algorithm{} },
		Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
			f, err := bound.Certificate(t.Context(), boundInput(in), g.Bound.Certificate)
			if err != nil || !f.Holds || f.NCP != g.Bound.NCP {
				t.Fatalf("%v, %+v, NCP %v\n%s", err, f, g.Bound.NCP, conformance.Describe(in))
			}
			steps += f.Steps
			longest = max(longest, f.Steps)
		},
	}.Run(t)
	t.Logf("%d steps, at most %d a proof", steps, longest)
}

// A certificate with anything altered so that it says more, or something else, than the data does
// is refused.
func TestAlteredCertificatesAreRefused(t *testing.T) {
	in := conformance.Medium(11)
	in.Promise.K, in.Promise.M = 4, 3
	g, err := exact.Algorithm{}.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := g.Bound.Certificate.Write(&file, in.Tree); err != nil {
		t.Fatal(err)
	}
	holds := func(alter func(c *release.Certificate)) *bound.CertificateFinding {
		c, err := release.ReadCertificate(bytes.NewReader(file.Bytes()), in.Tree)
		if err != nil {
			t.Fatal(err)
		}
		alter(c)
		f, err := bound.Certificate(t.Context(), boundInput(in), c)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if f := holds(func(*release.Certificate) {}); !f.Holds || f.Clauses < 5 {
		t.Fatalf("the certificate itself: %+v", f)
	}
	refused := func(what string, alter func(c *release.Certificate)) {
		if f := holds(alter); f.Holds {
			t.Errorf("%s: accepted", what)
		}
	}
	refused("bound", func(c *release.Certificate) { c.Bound++ })
	refused("k", func(c *release.Certificate) { c.K++ })
	refused("m", func(c *release.Certificate) { c.M++ })
	refused("scale", func(c *release.Certificate) { c.Scale-- })
	refused("no clauses", func(c *release.Certificate) { c.Clauses = nil })
	refused("a scale without end", func(c *release.Certificate) { c.Scale = 1 << 60 })
	refused("a clause of nothing", func(c *release.Certificate) { c.Clauses[0].Nodes = nil })
	refused("a clause of what does not occur", func(c *release.Certificate) {
		c.Clauses[0] = frequent(t, in, c)
	})
	refused("no proof", func(c *release.Certificate) { c.Proof = nil })
	for i := range g.Bound.Certificate.Clauses {
		refused("support", func(c *release.Certificate) { c.Clauses[i].Support++ })
		refused("support", func(c *release.Certificate) { c.Clauses[i].Support-- })
		refused("root", func(c *release.Certificate) { c.Clauses[i].Nodes[0] = in.Tree.Root() })
		refused("parent", func(c *release.Certificate) {
			u := c.Clauses[i].Nodes[0]
			c.Clauses[i].Nodes[0] = in.Tree.Parent(u)
		})
	}
}

// frequent is a clause of a node that is in k lines and more, which proves nothing.
func frequent(t *testing.T, in anonymize.Input, c *release.Certificate) release.Clause {
	t.Helper()
	for leaf := range int32(in.Tree.Leaves()) {
		if n := in.Data.Supports()[leaf]; n >= c.K {
			return release.Clause{Nodes: []int32{leaf}, Support: n}
		}
	}
	t.Fatal("no item is in k lines")
	return release.Clause{}
}

// A node of a clause exchanged for another is refused, unless the altered clause is as true as the
// first and the proof still holds.
func TestExchangedNodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	in := conformance.Medium(12)
	in.Promise.K, in.Promise.M = 4, 2
	g, err := exact.Algorithm{}.Anonymize(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	const tries = 300
	for range tries {
		c := *g.Bound.Certificate
		c.Clauses = append([]release.Clause(nil), c.Clauses...)
		i := rng.IntN(len(c.Clauses))
		nodes := append([]int32(nil), c.Clauses[i].Nodes...)
		j := rng.IntN(len(nodes))
		for nodes[j] == c.Clauses[i].Nodes[j] {
			nodes[j] = int32(rng.IntN(in.Tree.Nodes()))
		}
		c.Clauses[i].Nodes = nodes
		f, err := bound.Certificate(t.Context(), boundInput(in), &c)
		if err != nil {
			t.Fatal(err)
		}
		if !f.Holds {
			refused++
		} else if f.NCP != g.Bound.NCP {
			t.Fatalf("an altered clause proves %v instead of %v", f.NCP, g.Bound.NCP)
		}
	}
	if refused < tries/2 {
		t.Errorf("only %d of %d altered certificates are refused", refused, tries)
	}
}

// The checker believes no multiplier and no bound of a part: altered at random, a proof is refused
// or proves something true.
func TestAlteredProofsProveNothingFalse(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	conformance.Suite{
		Instances: 3000, NoDiversity: true, NoNegative: true,
		New: func() anonymize.Algorithm { return exact.Algorithm{} },
		Check: func(t *testing.T, in anonymize.Input, g *release.Generalized) {
			c := *g.Bound.Certificate
			c.Bound += 1 + rng.Int64N(2*c.Scale)
			alterProof(rng, c.Proof)
			f, err := bound.Certificate(t.Context(), boundInput(in), &c)
			if err != nil {
				t.Fatal(err)
			}
			if f.Holds {
				t.Fatalf("a bound above the optimum is accepted\n%s", conformance.Describe(in))
			}
		},
	}.Run(t)
}

func alterProof(rng *rand.Rand, p *release.Proof) {
	if p == nil {
		return
	}
	shift := func() int64 { return rng.Int64N(200) }
	for i := range p.Rows {
		if rng.IntN(2) == 0 {
			p.Rows[i].Y += shift()
		}
		if rng.IntN(6) == 0 {
			p.Rows[i].Need++
		}
	}
	if len(p.Rows) > 0 && rng.IntN(10) == 0 { // what no proof may say
		row := &p.Rows[rng.IntN(len(p.Rows))]
		switch rng.IntN(4) {
		case 0:
			row.Y = -row.Y - 1
		case 1:
			row.Y = 1 << 60
		case 2:
			row.Nodes = append(row.Nodes[:len(row.Nodes):len(row.Nodes)], row.Nodes[0])
		case 3:
			row.Nodes = []int32{row.Nodes[0] + int32(rng.IntN(5)) - 2}
		}
	}
	if p.Branch > 0 && rng.IntN(10) == 0 {
		p.Branch += int32(rng.IntN(5)) - 2
	}
	if len(p.Parts) > 1 && rng.IntN(10) == 0 {
		p.Parts[1].Nodes = p.Parts[0].Nodes
	}
	for i := range p.Parts {
		p.Parts[i].Bound += shift()
		alterProof(rng, p.Parts[i].Proof)
	}
	if p.Threshold > 0 {
		p.Threshold += shift()
	}
	alterProof(rng, p.Sides[0])
	alterProof(rng, p.Sides[1])
}
