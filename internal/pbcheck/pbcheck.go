// Package pbcheck checks pseudo-Boolean proofs, naively, for tests: the program in OPB and, of
// VeriPB's format 3.0, the rules that package release/pbproof writes and no others. It shares no
// code with what writes either file. Numbers are of any size.
package pbcheck

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Bounds is what a proof shows of the program's optimum.
type Bounds struct {
	Lower, Upper *big.Int // Upper nil: not bounded
}

// Check checks a proof of a program.
func Check(program, proof string) (Bounds, error) {
	c := &checker{known: []*constraint{nil}}
	if err := c.read(program); err != nil {
		return Bounds{}, fmt.Errorf("program: %w", err)
	}
	c.given = slices.Clone(c.known)
	rules, err := split(proof)
	if err != nil {
		return Bounds{}, err
	}
	for i, rule := range rules {
		if err := c.rule(strings.Fields(rule)); err != nil {
			return Bounds{}, fmt.Errorf("rule %d, %.60s: %w", i+1, rule, err)
		}
	}
	if c.bounds == nil || !c.ended {
		return Bounds{}, fmt.Errorf("the proof does not conclude")
	}
	return *c.bounds, nil
}

// Value is the objective of an assignment, given the variables that are 1. The error says which
// constraint it does not satisfy.
func Value(program string, ones map[string]bool) (*big.Int, error) {
	c := &checker{known: []*constraint{nil}}
	if err := c.read(program); err != nil {
		return nil, fmt.Errorf("program: %w", err)
	}
	holds := maps.Clone(ones)
	for _, x := range append(c.known[1:], c.objective) {
		for l := range x.factor {
			if v := strings.TrimPrefix(l, "~"); !ones[v] {
				holds["~"+v] = true
			}
		}
	}
	for i, x := range c.known[1:] {
		if x.value(holds).Cmp(x.degree) < 0 {
			return nil, fmt.Errorf("constraint %d is not satisfied", i+1)
		}
	}
	return c.objective.value(holds), nil
}

// split takes the rules apart; a proof by contradiction ends with its first line.
func split(proof string) ([]string, error) {
	body, ok := strings.CutPrefix(proof, "pseudo-Boolean proof version 3.0\n")
	if !ok {
		return nil, fmt.Errorf("it is no proof of version 3.0")
	}
	var rules []string
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		rule, ok := strings.CutSuffix(line, ";")
		if !ok && !strings.HasSuffix(line, ": subproof") || strings.Contains(rule, ";") {
			return nil, fmt.Errorf("%.60s: is no rule", line)
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

// checker knows constraints by their numbers, from 1; nil: no longer.
type checker struct {
	objective *constraint // of at least 0
	known     []*constraint
	given     []*constraint // the program's
	open      []opened
	output    bool
	bounds    *Bounds
	ended     bool
}

// opened is a proof by contradiction under way.
type opened struct {
	goal  *constraint
	first int // number of its contrary
}

func (c *checker) add(x *constraint) { c.known = append(c.known, x) }

func (c *checker) get(number string) (*constraint, error) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n >= len(c.known) || c.known[n] == nil {
		return nil, fmt.Errorf("there is no constraint %s", number)
	}
	return c.known[n], nil
}

// read reads the program.
func (c *checker) read(program string) error {
	for line := range strings.Lines(program) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '*' {
			continue
		}
		body, ok := strings.CutSuffix(line, ";")
		if !ok {
			return fmt.Errorf("%s: does not end with ;", line)
		}
		if least, ok := strings.CutPrefix(body, "min:"); ok {
			x, err := parse(strings.Fields(least + " >= 0"))
			if err != nil || c.objective != nil {
				return fmt.Errorf("the objective: %v", err)
			}
			c.objective = x
			continue
		}
		x, err := parse(strings.Fields(body))
		if err != nil {
			return err
		}
		c.add(x)
	}
	if c.objective == nil {
		return fmt.Errorf("there is no objective")
	}
	return nil
}

func (c *checker) rule(words []string) error {
	if len(words) == 0 || c.ended {
		return fmt.Errorf("is no rule")
	}
	rest := words[1:]
	switch words[0] {
	case "f":
		if len(rest) != 1 || rest[0] != strconv.Itoa(len(c.known)-1) {
			return fmt.Errorf("the program has %d constraints", len(c.known)-1)
		}
		return nil
	case "pol":
		return c.pol(rest)
	case "pbc":
		return c.begin(rest)
	case "qed":
		return c.end(rest)
	case "output":
		c.output = slices.Equal(rest, []string{"NONE"})
		return nil
	case "conclusion":
		return c.conclude(rest)
	case "end":
		c.ended = slices.Equal(rest, []string{"pseudo-Boolean", "proof"}) && c.bounds != nil
		return nil
	}
	return fmt.Errorf("this rule is not known")
}

// pol adds up.
func (c *checker) pol(words []string) error {
	var stack []*constraint
	for i, word := range words {
		pop := func(n int) bool { return len(stack) >= n }
		switch {
		case word == "+" && pop(2):
			n := len(stack)
			stack = append(stack[:n-2], stack[n-2].plus(stack[n-1]))
		case (word == "*" || word == "d") && pop(1) && i > 0:
			by, ok := new(big.Int).SetString(words[i-1], 10)
			if !ok || by.Sign() < 1 {
				return fmt.Errorf("%s is no positive factor", words[i-1])
			}
			top := len(stack) - 1
			if word == "*" {
				stack[top] = stack[top].times(by)
			} else {
				stack[top] = stack[top].over(by)
			}
		case i+1 < len(words) && (words[i+1] == "*" || words[i+1] == "d"): // read with these
		case isLiteral(word):
			x := newConstraint()
			x.add(big.NewInt(1), word)
			stack = append(stack, x)
		default:
			x, err := c.get(word)
			if err != nil {
				return err
			}
			stack = append(stack, x)
		}
	}
	if len(stack) != 1 {
		return fmt.Errorf("it leaves %d constraints", len(stack))
	}
	c.add(stack[0])
	return nil
}

func (c *checker) begin(words []string) error {
	n := len(words)
	if n < 2 || words[n-2] != ":" || words[n-1] != "subproof" {
		return fmt.Errorf("a proof by contradiction has a subproof")
	}
	goal, err := parse(words[:n-2])
	if err != nil {
		return err
	}
	c.open = append(c.open, opened{goal, len(c.known)})
	c.add(goal.contrary())
	return nil
}

func (c *checker) end(words []string) error {
	if len(words) != 3 || words[0] != "pbc" || words[1] != ":" || len(c.open) == 0 {
		return fmt.Errorf("no proof by contradiction ends here")
	}
	x, err := c.get(words[2])
	if err != nil {
		return err
	}
	if x.degree.Cmp(x.most()) <= 0 {
		return fmt.Errorf("constraint %s can be satisfied", words[2])
	}
	last := c.open[len(c.open)-1]
	c.open = c.open[:len(c.open)-1]
	for i := last.first; i < len(c.known); i++ {
		c.known[i] = nil
	}
	c.add(last.goal)
	return nil
}

// conclude reads "BOUNDS lower : constraint upper : assignment".
func (c *checker) conclude(words []string) error {
	if len(words) < 5 || words[0] != "BOUNDS" || words[2] != ":" || len(c.open) > 0 || !c.output {
		return fmt.Errorf("it does not conclude bounds")
	}
	lower, ok := new(big.Int).SetString(words[1], 10)
	x, err := c.get(words[3])
	if !ok || err != nil {
		return fmt.Errorf("it has no lower bound")
	}
	if c.objective.atLeast(x).Cmp(lower) < 0 {
		return fmt.Errorf("constraint %s does not show the lower bound", words[3])
	}
	c.bounds = &Bounds{Lower: lower}
	if words[4] == "INF" && len(words) == 5 {
		return nil
	}
	upper, ok := new(big.Int).SetString(words[4], 10)
	if !ok || len(words) < 6 || words[5] != ":" {
		return fmt.Errorf("it has no upper bound")
	}
	c.bounds.Upper = upper
	return c.solution(words[6:], upper)
}

// solution checks that an assignment satisfies the program and costs upper.
func (c *checker) solution(literals []string, upper *big.Int) error {
	holds := map[string]bool{}
	for _, l := range literals {
		if !isLiteral(l) || holds[negated(l)] {
			return fmt.Errorf("%s is no literal, or contradicts another", l)
		}
		holds[l] = true
	}
	for i, x := range c.given[1:] {
		if x.value(holds).Cmp(x.degree) < 0 {
			return fmt.Errorf("constraint %d is not satisfied", i+1)
		}
	}
	for l := range c.objective.factor {
		if !holds[l] && !holds[negated(l)] {
			return fmt.Errorf("%s has no value", l)
		}
	}
	if c.objective.value(holds).Cmp(upper) != 0 {
		return fmt.Errorf("it costs %v", c.objective.value(holds))
	}
	return nil
}
