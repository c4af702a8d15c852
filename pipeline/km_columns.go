package pipeline

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mingle/anonymize"
	"mingle/attack"
	"mingle/dataset"
	"mingle/privacy"
	"mingle/report"
	"mingle/verify"
)

// promised is the promise, with what the files say of it: whether any items are sensitive, and
// whether some values are not.
func (f KM) promised() privacy.KM {
	p := f.Promise
	p.ColumnsOnly = f.Sensitive == "" && len(p.Columns) > 0
	p.OpenValues = f.NotSensitive != "" && len(p.Columns) > 0
	p.Persons = f.PersonColumn != ""
	return p
}

// validateSensitive refuses what is asked of sensitive items or columns that are not given.
func (f KM) validateSensitive() error {
	var faults []error
	if f.NotSensitive != "" && len(f.Promise.Columns) == 0 {
		faults = append(faults, errors.New("a list of values that are not sensitive is given, but "+
			"no sensitive column: name it with --sensitive-column"))
	}
	for i, c := range f.Promise.Columns {
		if slices.Contains(f.Promise.Columns[:i], c) {
			faults = append(faults, fmt.Errorf("sensitive column %q is named twice", c))
		}
		if c == f.PersonColumn {
			faults = append(faults, fmt.Errorf("the column of the persons (%q) is never "+
				"published: it cannot be a sensitive column too, whose values are", c))
		}
	}
	return errors.Join(faults...)
}

// hasColumns refuses data without the sensitive columns.
func hasColumns(path string, d *dataset.Dataset, columns []string) error {
	var faults dataset.Faults
	for _, c := range columns {
		if _, has := d.Column(c); !has {
			faults.Addf(0, "there is no column %q: sensitive columns are columns of long and table "+
				"files, and fields of jsonl", c)
		}
	}
	return faults.Err(name(path))
}

// encodeColumns adds the values of the original's sensitive columns to its sensitive items.
func (t *kmTask) encodeColumns(raw *dataset.Dataset) (err error) {
	if err := hasColumns(t.originalPath, raw, t.Promise.Columns); err != nil {
		return err
	}
	var faults dataset.Faults
	for _, c := range t.Promise.Columns {
		values, _ := raw.Column(c)
		col := anonymize.Column{
			Name: c, Values: values.Values, Null: t.Promise.NullIsValue, Free: t.free,
		}
		t.valued = append(t.valued, col)
		alikeValues(&faults, col)
	}
	if err := faults.Err(name(t.originalPath)); err != nil || len(t.valued) == 0 {
		return err
	}
	t.input.Sensitive, t.input.Values, err = anonymize.WithColumns(t.items, raw.Len(), t.valued)
	return err
}

// blanked is data in which cells of blanks alone in a sensitive column are empty, as those of
// suppressed transactions are: neither is a value, and nobody is to tell them apart.
func (t *kmTask) blanked(d *dataset.Dataset) *dataset.Dataset {
	if t.Promise.NullIsValue {
		return d
	}
	out := *d
	out.Columns = slices.Clone(d.Columns)
	for n, c := range out.Columns {
		if !slices.Contains(t.Promise.Columns, c.Name) {
			continue
		}
		blank := func(v string) bool { return v != "" && strings.TrimSpace(v) == "" }
		if slices.ContainsFunc(c.Values, blank) {
			out.Columns[n].Values = slices.Clone(c.Values)
			for i, v := range c.Values {
				if blank(v) {
					out.Columns[n].Values[i] = ""
				}
			}
		}
	}
	return &out
}

// alikeValues refuses values that differ in blanks around them only: they are one value to whoever
// reads them, and two to whoever counts.
func alikeValues(faults *dataset.Faults, c anonymize.Column) {
	first := map[string]string{}
	told := map[string]bool{}
	for _, v := range c.Values {
		trimmed := strings.TrimSpace(v)
		was, known := first[trimmed]
		if !known {
			first[trimmed] = v
		} else if was != v && (trimmed != "" || c.Null) && !told[v] && !told[was] {
			told[v] = true
			faults.Addf(0, "column %q has values %q and %q, which differ in blanks only: write "+
				"them alike", c.Name, was, v)
		}
	}
}

// judgedColumns are the sensitive columns as the verifier sees them.
func (t *kmTask) judgedColumns() []verify.SensitiveColumn {
	var out []verify.SensitiveColumn
	for n, c := range t.Promise.Columns {
		published, _ := t.published.Column(c)
		judged := verify.SensitiveColumn{Name: c, Published: published.Values}
		if t.input.Data != nil {
			judged.Original = t.valued[n].Values
		}
		out = append(out, judged)
	}
	return out
}

// layOut: the published file has the sensitive columns beside the sets.
func (t *kmTask) layOut(asked dataset.Format) error {
	err := t.sets.layOut(asked)
	if err != nil || len(t.Promise.Columns) == 0 {
		return err
	}
	t.output.ValueColumns = t.Promise.Columns
	if !t.output.Format.HasColumns() {
		return fmt.Errorf("%s: files of the format %s have no place for column %q: %s have",
			nameWritten(t.publishedPath), t.output.Format, t.Promise.Columns[0],
			dataset.WithColumns())
	}
	return nil
}

// sensitiveColumns are what the report says of the sensitive columns, as the published file shows
// them.
func (p *publicKM) sensitiveColumns() []report.SensitiveColumn {
	var out []report.SensitiveColumn
	for _, c := range p.valuedColumns() {
		values := map[string]bool{}
		one := report.SensitiveColumn{Name: c.Name}
		for _, v := range c.Values {
			if !c.IsValue(v) {
				continue
			}
			one.Rows++
			if !values[v] && slices.Contains(c.Free, v) {
				one.Open = append(one.Open, v)
			}
			values[v] = true
		}
		one.Values = len(values)
		slices.SortFunc(one.Open, dataset.CompareLabels)
		out = append(out, one)
	}
	return out
}

func (p *publicKM) valuedColumns() (out []anonymize.Column) {
	for _, name := range p.promise.Columns {
		c, _ := p.published.Column(name)
		out = append(out, anonymize.Column{
			Name: name, Values: c.Values, Null: p.promise.NullIsValue, Free: p.free,
		})
	}
	return out
}

// sensitiveBeside are the sensitive columns as they stand in the published file.
func (p *publicKM) sensitiveBeside() (out []dataset.Column) {
	for _, name := range p.promise.Columns {
		c, _ := p.published.Column(name)
		out = append(out, c)
	}
	return out
}

// publishedValues are the sensitive columns of the published file.
func (t *kmTask) publishedValues() (out []anonymize.Column) {
	for _, c := range t.valued {
		published, _ := t.published.Column(c.Name)
		c.Values = published.Values
		out = append(out, c)
	}
	return out
}

// attackColumns adds sensitive columns to a case, as they are in the data and in the release: the
// values of the lines that have one.
func attackColumns(c *attack.Case, data, published []anonymize.Column) error {
	for n, col := range data {
		if err := c.Column(col.Name, cellsOf(col), cellsOf(published[n])); err != nil {
			return err
		}
	}
	return nil
}

func cellsOf(col anonymize.Column) attack.Cells {
	values := make([]string, len(col.Values)) // "": none, or one that may be learned
	has := make([]bool, len(col.Values))
	for i, v := range col.Values {
		if has[i] = col.IsValue(v); has[i] && !slices.Contains(col.Free, v) {
			values[i] = "=" + v
		}
	}
	return attack.Cells{Values: values, Has: has}
}

// valueWarnings name values that are counted as such and may be none, or may be one: what bounds
// the others is then less than it seems.
func valueWarnings(columns []anonymize.Column) (out []string) {
	for _, c := range columns {
		counts := map[string]int{}
		for _, v := range c.Values {
			if c.IsValue(v) {
				counts[v]++
			}
		}
		spelled := map[string]string{}
		for _, v := range slices.SortedFunc(maps.Keys(counts), dataset.CompareLabels) {
			if dataset.MeansNothing(v) {
				advice := ": if it means that there is none, leave such cells empty"
				if c.Null { // an empty one would be a value, too
					advice = ""
				}
				out = append(out, fmt.Sprintf("column %q has %q on %d lines, which is counted as a "+
					"value%s", c.Name, v, counts[v], advice))
			}
			folded := dataset.Folded(v)
			if was, twice := spelled[folded]; twice {
				one, other := dataset.Apart(was, v)
				out = append(out, fmt.Sprintf("column %q has values %s and %s, which are counted "+
					"as two: if they are one, write them alike", c.Name, one, other))
			} else {
				spelled[folded] = v
			}
		}
	}
	return shortened(out, "such values")
}
