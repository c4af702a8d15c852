// Package experiment runs grids of releases and compares them: a plan in YAML names data sets,
// algorithms and parameters; every combination is a cell, run by itself, measured, verified, and
// kept in a table; figures are drawn from the table.
//
// A cell that is finished is not run again unless its data have changed. A cell that fails is a row
// that says so.
package experiment

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"

	"mingle/dataset/rows"
	"mingle/generate"
	"mingle/internal/lazy"
	"mingle/pipeline"
)

// Plan is what is to be compared.
type Plan struct {
	Title string `yaml:"title"`
	Data  []Data `yaml:"data"`
	Runs  []Grid `yaml:"runs"`
	Plots []Plot `yaml:"plots"`

	// Passwords are those of databases: a plan has the names of variables in their place, and
	// Data.File has nothing there.
	Passwords rows.Passwords `yaml:"-"`
}

// Data is one data set: a file, rows of a database, or made from numbers.
type Data struct {
	Name string `yaml:"name"` // required
	// relative to the directory of the data; or the address of a database
	File   string `yaml:"file"`
	Layout `yaml:",inline"`
	// a file; "": a fan-out tree over the items in natural order
	Hierarchy string `yaml:"hierarchy"`
	// the hierarchy is a table: its columns, from the item up
	Columns []string `yaml:"hierarchy_columns"`
	Root    string   `yaml:"add_root"` // put above a hierarchy that has several roots
	// a file of sensitive items, one a line, for l-diversity
	Sensitive string `yaml:"sensitive"`
	Shape     *Shape `yaml:"shape"` // made with exactly these numbers
	// baskets of a made-up shop are made, with its catalogue as hierarchy
	Shop   *Shop `yaml:"shop"`
	Income int   `yaml:"income" least:"1"` // so many bags of yearly incomes are made
	// items of a query for items present, of nonreciprocal recoding; default 3
	Present int `yaml:"query_present" least:"1"`
	Absent  int `yaml:"query_absent" least:"1"` // and absent; default 4
	// the data of the paper that it stands for; plots say so
	InsteadOf string `yaml:"instead_of"`
}

// Shape are the numbers of made transactions: see generate.ShapeParams.
type Shape struct {
	Transactions int     `yaml:"transactions" least:"1"`
	Items        int     `yaml:"items" least:"1"`
	Longest      int     `yaml:"longest" least:"1"`
	Average      float64 `yaml:"average"`
	Exponent     float64 `yaml:"exponent"`
	Seed         uint64  `yaml:"seed"`
}

// Shop are the numbers of a made-up shop.
type Shop struct {
	Transactions int    `yaml:"transactions" least:"1"`
	Products     int    `yaml:"products"` // 0: generate.MaxProducts
	Seed         uint64 `yaml:"seed"`
}

func (s Shop) params() generate.ShopParams {
	return generate.ShopParams{Transactions: s.Transactions, Products: s.Products, Seed: s.Seed}
}

// Grid is a set of cells: one for each combination of the values. A single value need not be in a
// list.
type Grid struct {
	Data      texts   `yaml:"data"`        // required
	Algorithm texts   `yaml:"algorithm"`   // required
	K         numbers `yaml:"k" least:"2"` // required, or l
	M         numbers `yaml:"m" least:"1"` // required but for nr, nr-ring, nr-gray, cahd and walks
	// over a hierarchy: of data with sensitive items; nr, nr-ring, nr-gray and cahd: in place of k,
	// with made-up labels
	L           numbers  `yaml:"l"`
	Parts       numbers  `yaml:"parts" least:"1"` // of vpa and lra
	Level       numbers  `yaml:"level"`           // of vpa: partition level
	Flexibility numbers  `yaml:"flexibility"`     // of lra
	Threshold   decimals `yaml:"d"`               // of acd
	// of the hierarchy where the data name none; default 5
	Fanout  numbers `yaml:"fanout" least:"2"`
	First   numbers `yaml:"first"`            // transactions; 0: all
	Fold    numbers `yaml:"fold"`             // items by rank modulo this; 0: as they are
	Copies  numbers `yaml:"copies" least:"1"` // the data so many times, slightly changed; default 1
	Workers numbers `yaml:"workers"`          // default 1
	Measure texts   `yaml:"measure"`          // beside NCP: ml2, queries, attack, gap
	Timeout string  `yaml:"timeout"`          // of a cell, such as 90s; default 10m
}

// Plot is one figure.
type Plot struct {
	Name  string `yaml:"name"` // required: of the file
	Title string `yaml:"title"`
	Paper string `yaml:"paper"` // the figure it is of
	X     string `yaml:"x"`     // required: a column
	Y     string `yaml:"y"`     // required: a column of numbers
	// columns of numbers that stand beside each other along x; X and Y are then but names
	Over   texts `yaml:"over"`
	Series texts `yaml:"series"` // columns that tell lines apart; default: algorithm
	// only rows with these values; several are separated by blanks
	Where map[string]string `yaml:"where"`
	LogX  bool              `yaml:"log_x"`
	LogY  bool              `yaml:"log_y"`
	Claim string            `yaml:"claim"` // what the paper says, in a line
	Check []Check           `yaml:"check"` // the claim as comparisons
	Note  string            `yaml:"note"`  // what is different here
}

// Check is a claim that can be checked. Exactly one of Less, Near, Rising, Falling, Below and Above
// is given.
type Check struct {
	Less texts `yaml:"less"` // two lines: the first is below the second at every x
	Near texts `yaml:"near"` // two lines: they differ by at most Factor
	// a line, or "*" for all: from one x to the next it does not fall
	Rising  string  `yaml:"rising"`
	Falling string  `yaml:"falling"` // the opposite
	Below   float64 `yaml:"below"`   // all values
	Above   float64 `yaml:"above"`
	From    float64 `yaml:"from"` // only at x of at least this
	To      float64 `yaml:"to"`   // only at x of at most this; 0: no limit
	// Less: by this factor; Near: at most it; Rising, Falling: slack. Default 1, 1.25, 1.05
	Factor float64 `yaml:"factor"`
}

// texts, numbers and decimals are lists in which a single value needs no brackets.
type (
	texts    []string
	numbers  []int
	decimals []float64
)

func (l *texts) UnmarshalYAML(
	decode func(any) error,
) error {
	return list(decode, (*[]string)(l))
}
func (l *numbers) UnmarshalYAML(decode func(any) error) error { return list(decode, (*[]int)(l)) }
func (l *decimals) UnmarshalYAML(
	decode func(any) error,
) error {
	return list(decode, (*[]float64)(l))
}

func list[T any](decode func(any) error, to *[]T) error {
	var one T
	if decode(&one) == nil {
		*to = []T{one}
		return nil
	}
	return decode(to)
}

// Read reads a plan; lookup finds variables of the environment, for passwords of databases. Faults
// of the text are told with their line and column, faults of the content all at once. No error
// repeats a password.
func Read(r io.Reader, name string, lookup func(string) (string, bool)) (*Plan, error) {
	p := &Plan{Passwords: rows.Passwords{}}
	err := p.decode(r)
	if err == nil {
		err = errors.Join(p.takePasswords(lookup), p.validate())
	}
	if err != nil && rows.HasPassword(err.Error()) { // an address stands where none should
		err = rows.ErrPassword
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

// decode reads the text. The YAML library panics on some that are not what a field asks for, such
// as a tag where a list should be.
func (p *Plan) decode(r io.Reader) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the plan cannot be read: something in it is of no use to plans, perhaps a tag (!name), an anchor (&name) or an alias (*name)")
		}
	}()
	text, err := checkedText(r)
	if err != nil {
		return err
	}
	err = p.fill(text)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF):
		return errors.New("the plan is empty")
	default:
		// the lines around the fault may have a password
		return errors.New(yaml.FormatError(inWords(err), false, !rows.HasPassword(string(text))))
	}
}

// fill reads the first document of the text.
func (p *Plan) fill(text []byte) error {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return err
	}
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if err := readNumbers(doc.Body); err != nil {
			return err
		}
		empty := strings.NewReader("") // it is parsed already
		return yaml.NewDecoder(empty, yaml.Strict()).DecodeFromNode(doc.Body, p)
	}
	return io.EOF
}

var plainName = lazy.Regexp(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func (p *Plan) validate() error {
	var faults []error
	fault := func(broken bool, format string, args ...any) {
		if broken {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	known := map[string]bool{}
	for i, d := range p.Data {
		fault(
			!plainName().MatchString(d.Name),
			"data %d: name (%q) must be of letters, digits, dots and hyphens", i+1, d.Name,
		)
		fault(known[d.Name], "data: there are two called %q", d.Name)
		known[d.Name] = true
		fault(
			d.sources() != 1, "data %s: exactly one of file, shape, shop and income must be given",
			d.Name,
		)
		if err := d.checkFiles(); err != nil {
			faults = append(faults, fmt.Errorf("data %s: %w", d.Name, err))
		}
	}
	fault(len(p.Runs) == 0, "runs: there are none")
	for i, g := range p.Runs {
		if err := g.validate(known); err != nil {
			faults = append(faults, fmt.Errorf("run %d: %w", i+1, err))
		}
	}
	for i, plot := range p.Plots {
		fault(
			!plainName().MatchString(plot.Name),
			"plot %d: name (%q) must be of letters, digits, dots and hyphens", i+1, plot.Name,
		)
		if err := plot.validate(); err != nil {
			faults = append(faults, fmt.Errorf("plot %s: %w", plot.Name, err))
		}
	}
	if err := errors.Join(append(faults, p.bounds())...); err != nil {
		return err
	}
	for i, g := range p.Runs { // which are bounded by now
		if err := g.promises(); err != nil {
			faults = append(faults, fmt.Errorf("run %d: %w", i+1, err))
		}
	}
	return errors.Join(faults...)
}

func (d Data) sources() int {
	n := 0
	for _, given := range []bool{d.File != "", d.Shape != nil, d.Shop != nil, d.Income > 0} {
		if given {
			n++
		}
	}
	return n
}

func (g Grid) validate(known map[string]bool) error {
	var faults []error
	for _, d := range g.Data {
		if !known[d] {
			faults = append(faults, fmt.Errorf("data %q is not named above", d))
		}
	}
	for _, a := range g.Algorithm {
		if _, known := familyOf(a); !known {
			faults = append(
				faults,
				fmt.Errorf("algorithm %q is not known: %s", a, strings.Join(Algorithms(), ", ")),
			)
			continue
		}
		apart := isOf(a, pipeline.Nonreciprocal{})
		if len(g.M) == 0 && !apart {
			faults = append(faults, fmt.Errorf("m is missing for %s", a))
		}
		if len(g.K) == 0 && len(g.L) > 0 && (a == "walks" || !apart) {
			faults = append(faults, fmt.Errorf("k is missing for %s", a))
		}
	}
	for _, what := range g.Measure {
		if !slices.Contains(measures, what) {
			faults = append(
				faults,
				fmt.Errorf("measure %q is not known: %s", what, strings.Join(measures, ", ")),
			)
		}
	}
	if len(g.Data) == 0 || len(g.Algorithm) == 0 || len(g.K)+len(g.L) == 0 {
		faults = append(faults, errors.New("data, algorithm and k (or l) must each have a value"))
	}
	for _, d := range g.Threshold {
		if d < 0 || d > 1 {
			faults = append(faults, fmt.Errorf("d (%v) must be between 0 and 1", d))
		}
	}
	_, err := g.timeout()
	return errors.Join(append(faults, err)...)
}

// promises are the faults of what the grid would promise, each algorithm's once.
func (g Grid) promises() error {
	var faults []error
	seen := map[string]bool{}
	g.each(func(c Cell) {
		trial := Task{Cell: c}.trial(&source{})
		err := trial.Family.Validate()
		if km, is := trial.Family.(pipeline.KM); is {
			err = km.Promise.Validate() // whether the data have sensitive items, its cells say
		}
		if err == nil {
			return
		}
		err = fmt.Errorf("%s: %w", c.Algorithm, err)
		if !seen[err.Error()] {
			seen[err.Error()] = true
			faults = append(faults, err)
		}
	})
	return errors.Join(faults...)
}

func (p Plot) validate() error {
	var faults []error
	columns := slices.Concat(p.Over, p.Series)
	if len(p.Over) == 0 {
		columns = append(columns, p.X, p.Y)
	}
	for c := range p.Where {
		columns = append(columns, c)
	}
	slices.Sort(columns)
	for _, c := range slices.Compact(columns) {
		if !slices.Contains(Columns(), c) {
			faults = append(
				faults, fmt.Errorf("column %q is not known: %s", c, strings.Join(Columns(), ", ")),
			)
		}
	}
	for i, c := range p.Check {
		if c.kinds() != 1 {
			faults = append(faults, fmt.Errorf("check %d: exactly one of less, near, rising, falling, below and above must be given", i+1))
		}
		if n := len(c.Less) + len(c.Near); n != 0 && n != 2 {
			faults = append(faults, fmt.Errorf("check %d: two lines must be named", i+1))
		}
	}
	return errors.Join(faults...)
}

func (c Check) kinds() int {
	n := 0
	for _, given := range []bool{
		c.Less != nil, c.Near != nil, c.Rising != "", c.Falling != "", c.Below != 0, c.Above != 0,
	} {
		if given {
			n++
		}
	}
	return n
}
