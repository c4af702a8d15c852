package experiment

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"

	"mingle/pipeline"
)

// Cell is one release to be made: what a row of the table begins with. Its parameters are those of
// [Grid], one value of each; 0: not given.
type Cell struct {
	Data        string  `csv:"data"`
	First       int     `csv:"first"`
	Fold        int     `csv:"fold"`
	Copies      int     `csv:"copies"`
	Fanout      int     `csv:"fanout"`
	Algorithm   string  `csv:"algorithm"`
	K           int     `csv:"k"`
	M           int     `csv:"m"`
	L           int     `csv:"l"`
	Parts       int     `csv:"parts"`
	Level       int     `csv:"level"`
	Flexibility int     `csv:"flexibility"`
	Threshold   float64 `csv:"d"`
	Workers     int     `csv:"workers"`
}

// Outcome is what came of it. Figures that were not taken are not numbers, and empty in the table.
// Losses, errors and what is found by known items are shares, where nothing else is said.
type Outcome struct {
	Status       string  `csv:"status"` // done, infeasible, timeout, failed or absent
	Transactions int     `csv:"transactions"`
	Items        int     `csv:"items"`
	Height       int     `csv:"height"`      // of the hierarchy
	Seconds      float64 `csv:"seconds"`     // of the algorithm, by the clock
	CPU          float64 `csv:"cpu_seconds"` // processor time of the whole process meanwhile
	PeakMB       float64 `csv:"peak_mb"`     // what was held at most meanwhile, in MiB
	NCP          float64 `csv:"ncp"`
	Verified     string  `csv:"verified"` // yes or no
	ML2          float64 `csv:"ml2"`      // mean of the three thresholds
	DML2         float64 `csv:"dml2"`     // levels up, the same
	ML2At1       float64 `csv:"ml2_1"`    // at 1 %
	ML2At2       float64 `csv:"ml2_2"`
	ML2At3       float64 `csv:"ml2_3"`
	DML2At1      float64 `csv:"dml2_1"`
	DML2At2      float64 `csv:"dml2_2"`
	DML2At3      float64 `csv:"dml2_3"`
	QueryError   float64 `csv:"query_error"`
	ErrorRate    float64 `csv:"error_rate"`    // of nonreciprocal recoding
	TypeI        float64 `csv:"query_error_1"` // of nonreciprocal recoding: items present
	TypeII       float64 `csv:"query_error_2"` // items absent
	UniqueBefore float64 `csv:"unique_before"` // of a random person by m known items
	UniqueAfter  float64 `csv:"unique_after"`
	UnderAfter   float64 `csv:"under_k_after"`
	Success      float64 `csv:"success_after"`
	Least        float64 `csv:"least"`             // NCP that no global recoding gets under, proven
	Gap          float64 `csv:"gap"`               // how far NCP is above that, as a share of it
	Walk         float64 `csv:"walk_seconds"`      // of drawing assignments by closed walks
	Backtrack    float64 `csv:"backtrack_seconds"` // and with backtracking
	WalkGain     float64 `csv:"walk_gain"`         // the second over the first
	Hash         string  `csv:"data_hash"`         // of the data; empty where it is not known
	Message      string  `csv:"message"`
}

// Row is one line of the table.
type Row struct {
	Cell
	Outcome
}

// The states of a cell.
const (
	StatusDone       = "done"
	StatusInfeasible = "infeasible" // no release keeps the promise
	StatusTimeout    = "timeout"
	StatusFailed     = "failed"
	StatusAbsent     = "absent" // the data is not at hand
)

func newOutcome() Outcome {
	var o Outcome
	v := reflect.ValueOf(&o).Elem()
	for i := range v.NumField() {
		if v.Field(i).Kind() == reflect.Float64 {
			v.Field(i).SetFloat(math.NaN())
		}
	}
	return o
}

// String names the cell, as short as can be.
func (c Cell) String() string {
	s := fmt.Sprintf("%s %s k=%d", c.Data, c.Algorithm, c.K)
	if c.M > 0 {
		s += fmt.Sprintf(" m=%d", c.M)
	}
	for _, p := range []struct {
		name  string
		value int
	}{{"l", c.L}, {"first", c.First}, {"fold", c.Fold}, {"parts", c.Parts}, {"level", c.Level}, {"flexibility", c.Flexibility}} {
		if p.value > 0 {
			s += fmt.Sprintf(" %s=%d", p.name, p.value)
		}
	}
	return s
}

// Cells are the cells of the plan in the order of its grids, each once; the data vary slowest.
func (p *Plan) Cells() []Task {
	var out []Task
	at := map[Cell]int{}
	for _, g := range p.Runs {
		timeout, _ := g.timeout()
		g.each(func(c Cell) {
			i, there := at[c]
			if !there {
				i = len(out)
				at[c] = i
				out = append(out, Task{Cell: c, timeout: timeout})
			}
			for _, what := range g.Measure {
				if c.has(what) {
					out[i].measure = append(out[i].measure, what)
				}
			}
		})
	}
	return out
}

// Task is a cell and what is to be measured.
type Task struct {
	Cell
	measure texts
	timeout time.Duration
}

func (g Grid) timeout() (time.Duration, error) {
	if g.Timeout == "" {
		return 10 * time.Minute, nil
	}
	d, err := time.ParseDuration(g.Timeout)
	if err == nil && d <= 0 {
		err = fmt.Errorf("timeout (%s) must be more than nothing", g.Timeout)
	}
	return d, err
}

// each calls f with every combination. Parameters that an algorithm does not have are left out of
// its cells, so that they do not multiply.
func (g Grid) each(f func(Cell)) {
	cells := []Cell{{}}
	cells = cross(cells, g.Data, "", func(c *Cell, v string) { c.Data = v })
	cells = cross(cells, g.First, 0, func(c *Cell, v int) { c.First = v })
	cells = cross(cells, g.Fold, 0, func(c *Cell, v int) { c.Fold = v })
	cells = cross(cells, g.Copies, 1, func(c *Cell, v int) { c.Copies = v })
	cells = cross(cells, g.Fanout, 5, func(c *Cell, v int) { c.Fanout = v })
	cells = cross(cells, g.Algorithm, "", func(c *Cell, v string) { c.Algorithm = v })
	cells = cross(cells, g.K, 0, func(c *Cell, v int) { c.K = v })
	cells = cross(cells, g.M, 0, func(c *Cell, v int) { c.M = v })
	cells = cross(cells, g.L, 0, func(c *Cell, v int) { c.L = v })
	cells = cross(cells, g.Parts, 0, func(c *Cell, v int) { c.Parts = v })
	cells = cross(cells, g.Level, 0, func(c *Cell, v int) { c.Level = v })
	cells = cross(cells, g.Flexibility, 0, func(c *Cell, v int) { c.Flexibility = v })
	cells = cross(cells, g.Threshold, 0, func(c *Cell, v float64) { c.Threshold = v })
	cells = cross(cells, g.Workers, 1, func(c *Cell, v int) { c.Workers = v })
	for _, c := range cells {
		f(c.trim())
	}
}

func cross[T any](cells []Cell, values []T, none T, set func(*Cell, T)) []Cell {
	if len(values) == 0 {
		values = []T{none}
	}
	var out []Cell
	for _, c := range cells {
		for _, v := range values {
			set(&c, v)
			out = append(out, c)
		}
	}
	return out
}

// trim leaves out what the algorithm does not have, and puts in its defaults.
func (c Cell) trim() Cell {
	if c.Algorithm != "vpa" {
		c.Level = 0
	}
	if c.Algorithm != "lra" {
		c.Flexibility = 0
	}
	if c.Algorithm != "vpa" && c.Algorithm != "lra" {
		c.Parts = 0
	} else {
		c.Parts = cmp.Or(c.Parts, 3)
	}
	if !isOf(c.Algorithm, pipeline.Continuous{}) {
		c.Threshold = 0
	}
	if isOf(c.Algorithm, pipeline.Continuous{}) {
		c.L = 0
	}
	if isOf(c.Algorithm, pipeline.Nonreciprocal{}) {
		c.M, c.Fanout = 0, 0
	}
	return c
}

// has tells whether a measure can be taken of what the algorithm makes. Nonreciprocal releases have
// figures of their own, taken without being asked for.
func (c Cell) has(what string) bool {
	switch {
	case isOf(c.Algorithm, pipeline.Nonreciprocal{}):
		return false
	case isOf(c.Algorithm, pipeline.Continuous{}):
		return what == "attack"
	}
	return true
}

// fields are the columns of the table.
var fields = func() []reflect.StructField {
	var out []reflect.StructField
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Row]()) {
		if f.Tag.Get("csv") != "" {
			out = append(out, f)
		}
	}
	return out
}()

// Columns are the names of the columns of the table.
func Columns() []string {
	var out []string
	for _, f := range fields {
		out = append(out, f.Tag.Get("csv"))
	}
	return out
}

// Text is the value of a column as it stands in the table.
func (r *Row) Text(column string) string {
	for _, f := range fields {
		if f.Tag.Get("csv") == column {
			return spell(reflect.ValueOf(r).Elem().FieldByIndex(f.Index))
		}
	}
	return ""
}

// Number is the value of a column as a number; NaN where it is none.
func (r *Row) Number(column string) float64 {
	v, err := strconv.ParseFloat(r.Text(column), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

func spell(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Int:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float64:
		if math.IsNaN(v.Float()) {
			return ""
		}
		return strconv.FormatFloat(v.Float(), 'g', 7, 64)
	}
	return v.String()
}

// parse sets a column from its text.
func (r *Row) parse(f reflect.StructField, text string) error {
	v := reflect.ValueOf(r).Elem().FieldByIndex(f.Index)
	switch v.Kind() {
	case reflect.Int:
		n, err := strconv.Atoi(text)
		v.SetInt(int64(n))
		return err
	case reflect.Float64:
		if text == "" {
			v.SetFloat(math.NaN())
			return nil
		}
		x, err := strconv.ParseFloat(text, 64)
		v.SetFloat(x)
		return err
	}
	v.SetString(text)
	return nil
}
