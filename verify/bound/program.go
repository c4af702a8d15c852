package bound

import (
	"context"
	"fmt"

	"mingle/release"
)

// ProgramFinding is the verdict on a pseudo-Boolean program: is it the data's?
type ProgramFinding struct {
	Holds   bool   `json:"holds"`
	Clauses int    `json:"clauses"` // rare sets that were counted anew
	Nodes   int    `json:"nodes"`   // inner nodes that have a variable
	Unit    int64  `json:"unit"`    // what the objective is where NCP is 1
	Fault   string `json:"fault,omitempty"`
}

// NCP is that of a value of the program's objective.
func (f *ProgramFinding) NCP(objective int64) float64 {
	if f.Unit == 0 {
		return 0
	}
	return float64(objective) / float64(f.Unit)
}

// Program checks that no global recoding with the promise can lose less than the optimum of a
// program: variables are inner nodes, the objective is the
// loss, every clause is of a rare set, counted anew, and every other constraint says what the
// hierarchy says. Whatever an outside checker then proves of the program, it proves of the data.
// Constraints that are missing make the optimum lower, and are no fault.
//
// [Certificate] has why a clause holds.
func Program(ctx context.Context, in Input, program *release.Program) (*ProgramFinding, error) {
	if program == nil {
		return nil, errNoProof
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	f := &ProgramFinding{
		Clauses: len(program.Clauses), Nodes: len(program.Nodes),
		Unit: int64(in.Data.Occurrences()) * int64(in.Tree.Leaves()),
	}
	cert := &release.Certificate{K: in.K, M: in.M, Scale: 1}
	for _, c := range program.Clauses {
		cert.Clauses = append(cert.Clauses, c.Rare)
	}
	p, err := newProofCheck(ctx, in, cert)
	if err == nil {
		err = p.clauses()
	}
	if err == nil {
		err = p.program(program)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		f.Fault = err.Error()
		return f, nil
	}
	f.Holds = true
	return f, nil
}

// program checks what the program says beside that its sets are rare.
func (p *proofCheck) program(program *release.Program) error {
	of := make([]int32, len(program.Nodes)) // inner node of each variable, from 0
	met := make([]bool, len(p.parent))
	for v, u := range program.Nodes {
		of[v] = u - int32(p.in.Tree.Leaves())
		if of[v] < 0 || met[of[v]] {
			return fmt.Errorf("variable %d is for %q, which is an item or has another variable",
				v+1, p.in.Tree.Label(u))
		}
		met[of[v]] = true
		if program.Loss[v] != p.weight[of[v]] {
			return fmt.Errorf("variable %d, %q, has %d in the objective instead of %d", v+1,
				p.in.Tree.Label(u), program.Loss[v], p.weight[of[v]])
		}
	}
	for _, pair := range program.Below {
		a, above := of[pair[0]], of[pair[1]]
		if a == above || !p.atOrAbove(above, a) {
			return fmt.Errorf("the program says that %q is above %q, and it is not",
				p.in.Tree.Label(program.Nodes[pair[1]]), p.in.Tree.Label(program.Nodes[pair[0]]))
		}
	}
	for i, c := range program.Clauses {
		var said []int32
		for _, v := range c.Vars {
			said = append(said, of[v])
		}
		if key(sorted(said)) != key(p.sets[i]) {
			return fmt.Errorf("clause %d is not that of %s", i+1, p.names(c.Rare.Nodes))
		}
	}
	return nil
}
