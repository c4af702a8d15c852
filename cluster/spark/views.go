package spark

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"mingle/cluster/engine"
)

// source is what a view reads: a file, or all files of a folder, which are of one kind.
type source struct {
	path  string
	table bool // engine.Table
}

// sourceOf is a file.
func sourceOf(path string) source { return source{path, strings.HasSuffix(path, engine.Table)} }

// sources makes the views that a job reads: of each file one. Of very many files a statement cannot
// name each: where their order does not matter, folders are read as a whole, in parts as Spark puts
// them together.
func (e *Engine) sources(ctx context.Context, job engine.Job) ([]string, error) {
	var all []source
	for _, f := range job.Input {
		all = append(all, sourceOf(f))
	}
	var err error
	if len(all) > engine.MostOrdered && !job.Ordered() {
		if all, err = e.folders(ctx, job.Input); err != nil {
			return nil, err
		}
	}
	if len(all) > engine.MostOrdered {
		return nil, fmt.Errorf("there are %d files to read one by one, more than %d: merge some",
			len(all), engine.MostOrdered)
	}
	var views []string
	for _, s := range all {
		v, err := e.view(ctx, s)
		if err != nil {
			return nil, err
		}
		views = append(views, v)
	}
	return views, nil
}

// folders is the folders of files, where these are all that a folder has and of one kind; else the
// files.
func (e *Engine) folders(ctx context.Context, files []string) ([]source, error) {
	of := map[string][]string{}
	var order []string
	for _, f := range files {
		dir, _ := path.Split(f)
		if of[dir] == nil {
			order = append(order, dir)
		}
		of[dir] = append(of[dir], f)
	}
	var out []source
	for _, dir := range order {
		whole, kind, err := e.isWhole(ctx, dir, of[dir])
		if err != nil {
			return nil, err
		}
		if whole {
			out = append(out, source{dir, kind})
			continue
		}
		for _, f := range of[dir] {
			out = append(out, sourceOf(f))
		}
	}
	return out, nil
}

// isWhole tells whether files are all that a folder has, once each, and of one kind, and of which.
func (e *Engine) isWhole(
	ctx context.Context, dir string, files []string,
) (whole, table bool, err error) {
	there, err := e.Files(ctx, dir)
	if err != nil || len(there) != len(files) {
		return false, false, err
	}
	table = sourceOf(files[0]).table
	files = slices.Sorted(slices.Values(files))
	for i, f := range there { // in the order of their names
		if path.Base(f.Path) != path.Base(files[i]) || sourceOf(f.Path).table != table {
			return false, false, nil
		}
	}
	return true, table, nil
}

// view makes a view of a source, once: lines end with a line feed and nothing else.
func (e *Engine) view(ctx context.Context, of source) (string, error) {
	if v := e.views[of]; v != "" {
		return v, nil
	}
	if !plain(of.path) {
		return "", fmt.Errorf("%q: %s", of.path, onlyPlain)
	}
	v := fmt.Sprintf("mingle_file_%d", e.tried) // another name after a failure, too
	e.tried++
	made := fmt.Sprintf("CREATE TEMPORARY VIEW %s (value STRING) USING text OPTIONS "+
		"(path '%s', lineSep '\\n')", v, uri(of.path))
	if of.table {
		made = fmt.Sprintf("CREATE TEMPORARY VIEW %s (value) AS SELECT %s FROM parquet.`%s`", v,
			joined, uri(of.path))
	}
	rows, fault, err := e.session.statement(ctx, func(row string) string {
		return fmt.Sprintf("%s;\nSELECT '%s', count(*) FROM %s WHERE false", made, row, v)
	}, nil)
	if err == nil && rows != 1 {
		err = fmt.Errorf("spark-sql does not read %s: %s", of.path, fault)
	}
	if err != nil {
		return "", err
	}
	e.views[of] = v
	return v, nil
}
