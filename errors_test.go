package mingle_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle"
	"mingle/anonymize/global"
	"mingle/dataset"
	"mingle/hierarchy"
	"mingle/pipeline"
	"mingle/privacy"
)

// smallJob releases three small files, and refuses nothing.
func smallJob(t *testing.T, change func(*mingle.Job, *pipeline.KM)) error {
	t.Helper()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"lines.csv": strings.Repeat("a1,b\na2\n", 4),
		"tree.csv":  "a1;A;*\na2;A;*\nb;B;*\n",
		"there.csv": "",
	} {
		if err := os.WriteFile(path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	job := mingle.Job{Input: path("lines.csv"), Output: path("published.csv")}
	family := pipeline.KM{
		Layout: dataset.Options{Format: dataset.Basket}, Hierarchy: path("tree.csv"),
		Promise: privacy.KM{K: 2, M: 2}, Algorithm: global.AA{},
	}
	change(&job, &family)
	job.Family = family
	_, err := mingle.Release(t.Context(), job)
	return err
}

// What a run met is told as the type or the value that it is, whatever else is said about it.
func TestReleaseKeepsErrors(t *testing.T) {
	if err := smallJob(t, func(*mingle.Job, *pipeline.KM) {}); err != nil {
		t.Fatal(err)
	}
	err := smallJob(t, func(_ *mingle.Job, f *pipeline.KM) { write(t, f.Hierarchy, "a1;*\nb;*\n") })
	missing, is := errors.AsType[*hierarchy.MissingItemsError](err)
	if !is || len(missing.Items) != 1 || missing.Items[0].Label != "a2" ||
		!strings.Contains(err.Error(), "lines.csv: item \"a2\" (first on line 2") {
		t.Errorf("an item that the hierarchy lacks: %v", err)
	}
	for name, c := range map[string]struct {
		change func(*mingle.Job, *pipeline.KM)
		want   error
	}{
		"no input": {
			func(j *mingle.Job, _ *pipeline.KM) { j.Input += "x" }, fs.ErrNotExist,
		},
		"the output is there": {
			func(j *mingle.Job, _ *pipeline.KM) {
				j.Output = filepath.Join(filepath.Dir(j.Output), "there.csv")
			}, fs.ErrExist,
		},
	} {
		if err := smallJob(t, c.change); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
