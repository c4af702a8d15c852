package experiment

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"mingle/dataset"
	"mingle/dataset/rows"
	"mingle/internal/disk"
	"mingle/pipeline"
)

// Layout says what is read of a file of columns, or of a database, by the names that a release file
// has for it.
type Layout struct {
	Table       string `yaml:"table"`
	Query       string `yaml:"query"` // the rows of a SELECT, in place of a table
	Transaction string `yaml:"transaction_column"`
	Item        string `yaml:"item_column"`
	Set         string `yaml:"set_column"`
}

// fieldNames are the flags that the readers' messages name, by the fields of a plan.
var fieldNames = strings.NewReplacer(
	"--table", "table", "--query", "query", "--transaction-column", "transaction_column",
	"--item-column", "item_column", "--set-column", "set_column",
)

// takePasswords takes the passwords of databases from the environment.
func (p *Plan) takePasswords(lookup func(string) (string, bool)) error {
	var faults []error
	for i := range p.Data {
		d := &p.Data[i]
		for _, text := range []string{d.Hierarchy, d.Sensitive} {
			if rows.HasPassword(text) {
				return rows.ErrPassword
			}
		}
		file, err := p.Passwords.Take(d.File, lookup)
		if err != nil {
			faults = append(faults, fmt.Errorf("data %s: file: %w", d.Name, err))
			continue
		}
		d.File = file
	}
	return errors.Join(faults...)
}

// checkFiles refuses databases where files are meant, and files where databases are.
func (d Data) checkFiles() error {
	var faults []error
	fault := func(broken bool, text string) {
		if broken {
			faults = append(faults, errors.New(text))
		}
	}
	fault(rows.Is(d.Hierarchy), "hierarchy: a hierarchy is not read from a database: name a file")
	fault(rows.Is(d.Sensitive), "sensitive: the list is not read from a database: name a file")
	fault(d.Table != "" && d.Query != "", "both a table and a query are named: name one")
	fault(d.Table+d.Query != "" && !rows.Is(d.File),
		"file is no database: leave table and query out")
	fault(d.Layout != Layout{} && d.File == "", "columns are those of a file: name it")
	return errors.Join(faults...)
}

// from is where the data are: a path below the directory, or a location.
func (d Data) from(dir string) string {
	if rows.Is(d.File) {
		return rows.Within(dir, d.File)
	}
	return within(dir, d.File)
}

// within is where a file is that a plan names: in the directory, or where an absolute path says.
func within(dir, name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// onDisk is the file that a path is or a location is in; "": it is on a server.
func onDisk(path string) string {
	if rows.Is(path) {
		return rows.File(path)
	}
	return path
}

// read reads the file or the rows of the data.
func (r *Runner) read(ctx context.Context, d Data) (*dataset.Dataset, error) {
	path := d.from(r.Dir)
	if file := onDisk(path); file != "" {
		if _, err := disk.Stat(file); err != nil {
			return nil, absent(err)
		}
	}
	opts := dataset.Options{
		Table: d.Table, Query: d.Query, TransactionColumn: d.Transaction, ItemColumn: d.Item,
		SetColumn: d.Set,
	}
	var data *dataset.Dataset
	var err error
	if rows.Is(path) {
		files := pipeline.Files{Databases: r.Databases}
		data, _, err = files.Transactions(ctx, "", path, opts)
	} else {
		data, err = dataset.Open(ctx, path, opts)
	}
	if err != nil && ctx.Err() == nil {
		err = &inFields{err}
	}
	return data, err
}

// inFields is an error whose text names fields of a plan in place of flags.
type inFields struct{ error }

func (e *inFields) Error() string { return fieldNames.Replace(e.error.Error()) }

func (e *inFields) Unwrap() error { return e.error }
