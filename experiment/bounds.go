package experiment

import (
	"errors"
	"fmt"
	"io"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"mingle/generate"
	"mingle/internal/yamltext"
)

// A plan is a few lines that a person writes; what is beyond these bounds is a mistake, or meant to
// exhaust the memory.
const (
	maxCells       = 100_000       // combinations
	maxOccurrences = 2_000_000_000 // of made data, copies included
	maxMadeItems   = 10_000_000    // distinct
	nestedAlias    = "line %d: an alias (*name) stands within a value that has an anchor (&name): write the values out"
	maxAliases     = 64
	tooManyMade    = "data %s: %s (%d) must be from 0 to %d"
	tooManyCells   = "the grids have more than %d combinations, the most that are run: leave out values, or make several plans"
)

// checkedText reads the text of a plan and refuses, before it is parsed, what would make a short
// text a large structure.
func checkedText(r io.Reader) ([]byte, error) {
	text, err := yamltext.Read(r, "a plan")
	if err != nil {
		return nil, err
	}
	return text, checkAliases(text)
}

// checkAliases refuses aliases of what holds aliases itself, which would double a text with every
// line, and more aliases than a person writes. Text that is no YAML is for the decoder to refuse.
func checkAliases(text []byte) error {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil
	}
	a := &aliases{}
	for _, doc := range file.Docs {
		if doc.Body != nil {
			ast.Walk(a, doc.Body)
		}
	}
	return a.err
}

// aliases visits a plan; inside says that it is below an anchor.
type aliases struct {
	inside bool
	outer  *aliases
	n      int
	err    error
}

func (a *aliases) Visit(node ast.Node) ast.Visitor {
	if a.inside {
		if node.Type() == ast.AliasType {
			a.outer.err = fmt.Errorf(nestedAlias, node.GetToken().Position.Line)
		}
		return a
	}
	switch node.Type() {
	case ast.AnchorType:
		return &aliases{inside: true, outer: a}
	case ast.AliasType:
		if a.n++; a.n > maxAliases {
			a.err = fmt.Errorf(
				"line %d: there are more than %d aliases (*name): write the values out",
				node.GetToken().Position.Line, maxAliases,
			)
		}
	}
	return a
}

// count is the number of combinations of a grid, maxCells+1 where it is more than that.
func (g Grid) count() int {
	n := 1
	for _, values := range []int{
		len(g.Data), len(g.First), len(g.Fold), len(g.Copies), len(g.Fanout), len(g.Algorithm),
		len(g.K), len(g.M), len(g.L),
		len(g.Parts), len(g.Level), len(g.Flexibility), len(g.Threshold), len(g.Workers),
	} {
		if n *= max(1, values); n > maxCells {
			return maxCells + 1
		}
	}
	return n
}

// bounds refuses grids of too many cells and made data that is too large.
func (p *Plan) bounds() error {
	var faults []error
	cells, copies := 0, 1
	for _, g := range p.Runs {
		if cells += g.count(); cells > maxCells {
			faults = append(faults, fmt.Errorf(tooManyCells, maxCells))
			break
		}
		for _, c := range g.Copies {
			copies = max(copies, c)
		}
	}
	for _, d := range p.Data {
		faults = append(faults, d.bounds(copies))
	}
	return errors.Join(faults...)
}

// bounds refuses made data that is too large, in so many copies.
func (d Data) bounds(copies int) error {
	var faults []error
	within := func(what string, n, most int) {
		if n < 0 || n > most {
			faults = append(faults, fmt.Errorf(tooManyMade, d.Name, what, n, most))
		}
	}
	most := maxOccurrences / max(1, min(copies, maxOccurrences))
	if s := d.Shape; s != nil {
		within("items", s.Items, maxMadeItems)
		within("longest", s.Longest, maxMadeItems)
		within("transactions", s.Transactions, int(float64(most)/max(1, s.Average)))
		faults = append(faults, d.fault(generate.ShapeParams(*s).Validate()))
	}
	if s := d.Shop; s != nil {
		within("products", s.Products, maxMadeItems)
		within("transactions", s.Transactions, most/10)
		faults = append(faults, d.fault(s.params().Validate()))
	}
	within("income", d.Income, most/10)
	return errors.Join(faults...)
}

// fault is an error of the data's numbers.
func (d Data) fault(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("data %s: %w", d.Name, err)
}
