package release

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"mingle/hierarchy"
	"mingle/internal/limits"
)

// The program in a file is OPB, which pseudo-Boolean solvers and checkers read. What it is about
// stands in comments: before the objective the node of every variable, before each clause the set
// of nodes that is rare and what its support is. Labels are quoted as in Go.

const (
	aboutVariable = "* node "
	aboutClause   = "* rare "
)

// WriteOPB writes the program, nodes by their labels in t.
func (p *Program) WriteOPB(w io.Writer, t *hierarchy.Tree) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "* #variable= %d #constraint= %d\n", len(p.Nodes), p.Constraints())
	fmt.Fprintf(b, "* SECRET, for the custodian alone: below stand combinations that few have\n")
	fmt.Fprintf(b, "* least loss of a global recoding with k=%d, m=%d: a variable is 1 where its\n",
		p.K, p.M)
	fmt.Fprintf(b, "* node, or one above it, is published; the objective is NCP times the leaves\n")
	fmt.Fprintf(b, "* times all item occurrences\n")
	for v, u := range p.Nodes {
		fmt.Fprintf(b, "%sx%d %s\n", aboutVariable, v+1, strconv.Quote(t.Label(u)))
	}
	b.WriteString("min:")
	for v, loss := range p.Loss {
		if loss > 0 {
			fmt.Fprintf(b, " %d x%d", loss, v+1)
		}
	}
	b.WriteString(" ;\n")
	for _, pair := range p.Below {
		fmt.Fprintf(b, "1 x%d 1 ~x%d >= 1 ;\n", pair[0]+1, pair[1]+1)
	}
	for _, c := range p.Clauses {
		fmt.Fprintf(b, "%s%d", aboutClause, c.Rare.Support)
		for _, u := range c.Rare.Nodes {
			b.WriteString(" " + strconv.Quote(t.Label(u)))
		}
		b.WriteString("\n")
		for _, v := range c.Vars {
			fmt.Fprintf(b, "1 x%d ", v+1)
		}
		b.WriteString(">= 1 ;\n")
	}
	return b.Flush()
}

// ReadOPB reads what WriteOPB wrote. It checks the form, not what is said of the data: that is what
// package verify is for. A clause without a rare set before it, and all else that WriteOPB does not
// write, is refused.
func ReadOPB(r io.Reader, t *hierarchy.Tree) (*Program, error) {
	text, err := limits.All(r, limits.MaxAudit, "a program")
	if err != nil {
		return nil, fmt.Errorf("program: %w", err)
	}
	d := &programReader{tree: t, program: &Program{}, variable: map[string]int32{}}
	for number := 1; len(text) > 0; number++ {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		text = rest
		// what another reader may take for the end of a line would show it what we do not see
		if i := bytes.IndexFunc(line, unicode.IsControl); i >= 0 {
			return nil, fmt.Errorf("program, line %d: it has a control character (%q)", number,
				line[i])
		}
		if err := d.line(string(line)); err != nil {
			return nil, fmt.Errorf("program, line %d: %w", number, err)
		}
	}
	switch {
	case !d.objective:
		return nil, errors.New("program: it has no objective")
	case d.rare != nil:
		return nil, errors.New("program: after the last rare set no clause follows")
	}
	return d.program, nil
}

type programReader struct {
	tree      *hierarchy.Tree
	program   *Program
	variable  map[string]int32 // number of a name
	objective bool             // was read
	rare      *Clause          // waits for its clause; nil: none
}

func (d *programReader) line(s string) error {
	switch {
	case strings.HasPrefix(s, aboutVariable):
		return d.node(s[len(aboutVariable):])
	case strings.HasPrefix(s, aboutClause):
		return d.rareSet(s[len(aboutClause):])
	case strings.HasPrefix(s, "*") || strings.TrimSpace(s) == "":
		return nil
	case strings.HasPrefix(s, "min:"):
		return d.least(s[len("min:"):])
	}
	return d.constraint(s)
}

// node reads what a variable stands for.
func (d *programReader) node(s string) error {
	name, quoted, _ := strings.Cut(s, " ")
	if _, taken := d.variable[name]; taken || d.objective || !isVariable(name) {
		return fmt.Errorf("variable %q stands out of place", name)
	}
	nodes, err := d.labels(quoted)
	if err != nil {
		return err
	}
	if len(nodes) != 1 {
		return fmt.Errorf("variable %s needs one node", name)
	}
	d.variable[name] = int32(len(d.program.Nodes))
	d.program.Nodes = append(d.program.Nodes, nodes[0])
	d.program.Loss = append(d.program.Loss, 0)
	return nil
}

// isVariable tells whether a name is x and a number: what an outside checker takes for a variable.
func isVariable(name string) bool {
	digits, is := strings.CutPrefix(name, "x")
	return is && digits != "" && strings.Trim(digits, "0123456789") == ""
}

func (d *programReader) rareSet(s string) error {
	number, quoted, _ := strings.Cut(s, " ")
	support, err := strconv.Atoi(number)
	if err != nil || d.rare != nil {
		return errors.New("a rare set has its support and its labels, and a clause follows it")
	}
	nodes, err := d.labels(quoted)
	d.rare = &Clause{Nodes: nodes, Support: support}
	return err
}

// labels reads quoted labels.
func (d *programReader) labels(s string) ([]int32, error) {
	var out []int32
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		quoted, err := strconv.QuotedPrefix(s)
		if err != nil {
			return nil, fmt.Errorf("here a quoted label is expected: %.40s", s)
		}
		label, err := strconv.Unquote(quoted)
		if err != nil {
			return nil, err
		}
		u, ok := d.tree.Node(label)
		if !ok {
			return nil, fmt.Errorf("the hierarchy has no node %s", quoted)
		}
		out, s = append(out, u), s[len(quoted):]
	}
	return out, nil
}

// least reads the objective.
func (d *programReader) least(s string) error {
	terms, err := d.terms(s, "")
	if err != nil {
		return err
	}
	if d.objective { // no constraint stands before it
		return errors.New("the objective stands before the constraints, once")
	}
	d.objective = true
	for _, t := range terms {
		if t.negated || t.factor < 1 || d.program.Loss[t.v] != 0 {
			return fmt.Errorf("the objective names variable %d twice, negated or not positive",
				t.v+1)
		}
		d.program.Loss[t.v] = t.factor
	}
	return nil
}

// constraint reads a clause, or that a node is lifted where one above it is.
func (d *programReader) constraint(s string) error {
	if !d.objective {
		return errors.New("the objective stands before the constraints")
	}
	terms, err := d.terms(s, ">= 1")
	if err != nil {
		return err
	}
	var vars []int32
	negated := 0
	for _, t := range terms {
		if t.factor != 1 {
			return errors.New("the factors of a constraint are 1")
		}
		if t.negated {
			negated++
		}
		vars = append(vars, t.v)
	}
	p := d.program
	if d.rare != nil && negated == 0 && len(vars) > 0 {
		p.Clauses = append(p.Clauses, ProgramClause{*d.rare, vars})
		d.rare = nil
		return nil
	}
	if d.rare == nil && len(vars) == 2 && negated == 1 && terms[1].negated {
		p.Below = append(p.Below, [2]int32{vars[0], vars[1]})
		return nil
	}
	return errors.New("the constraint is neither the clause of a rare set that stands before it " +
		"nor of two nodes")
}

type programTerm struct {
	factor  int64
	v       int32
	negated bool
}

// terms reads factors and variables up to a given end and a semicolon.
func (d *programReader) terms(s, end string) ([]programTerm, error) {
	body, ok := strings.CutSuffix(strings.TrimSpace(s), ";")
	if ok {
		body, ok = strings.CutSuffix(strings.TrimSpace(body), end)
	}
	words := strings.Fields(body)
	if !ok || len(words)%2 != 0 {
		return nil, fmt.Errorf("here factors and variables are expected, then %q", end+" ;")
	}
	var out []programTerm
	for i := 0; i < len(words); i += 2 {
		factor, err := strconv.ParseInt(words[i], 10, 64)
		name, negated := strings.CutPrefix(words[i+1], "~")
		v, known := d.variable[name]
		if err != nil || !known {
			return nil, fmt.Errorf("%q is no factor and variable", words[i]+" "+words[i+1])
		}
		out = append(out, programTerm{factor, v, negated})
	}
	return out, nil
}
