package mingle_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle"
	"mingle/anonymize"
	"mingle/anonymize/global"
	"mingle/anonymize/partition"
	"mingle/dataset"
	"mingle/dataset/rows"
	"mingle/hierarchy"
	"mingle/pipeline"
	"mingle/privacy"
	"mingle/release"
	"mingle/report"
	"mingle/verify"
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
	aa, err := pipeline.FindAlgorithm("km", "aa")
	if err != nil {
		t.Fatal(err)
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
		"more lines are needed than there are": {
			func(_ *mingle.Job, f *pipeline.KM) { f.Promise.K = 100 }, privacy.ErrInfeasible,
		},
		"the algorithm is wrong": {
			func(_ *mingle.Job, f *pipeline.KM) { f.Promise.K, f.Algorithm = 5, asItIs{} },
			privacy.ErrBroken,
		},
		"more work than a day": {
			func(_ *mingle.Job, f *pipeline.KM) { f.Algorithm = asItIs{&anonymize.TooMuch{}} },
			privacy.ErrTooMuch,
		},
		"more than can be judged": {
			func(_ *mingle.Job, f *pipeline.KM) { f.Algorithm = asItIs{&verify.TooMuch{}} },
			privacy.ErrTooMuch,
		},
		"no room": {func(j *mingle.Job, f *pipeline.KM) { j.Room, f.Algorithm = 1, partition.LRA{} }, privacy.ErrMemory},
		"no time": {
			func(_ *mingle.Job, f *pipeline.KM) {
				f.Algorithm = aa.Make(pipeline.Settings{Budget: anonymize.Budget{TimeLimit: 1}})
			}, anonymize.ErrTooLate,
		},
		"a fault": {
			func(_ *mingle.Job, f *pipeline.KM) {
				f.Algorithm = asItIs{&pipeline.InternalError{Step: "test", Err: errors.New("x")}}
			}, privacy.ErrFault,
		},
		"the connection is lost": {
			func(j *mingle.Job, _ *pipeline.KM) {
				j.Output, j.Databases = "postgres://server/db#t", losing{}
			}, rows.ErrUnknown,
		},
	} {
		if err := smallJob(t, c.change); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// asItIs publishes data as they are, or fails.
type asItIs struct{ err error }

func (asItIs) Name() string { return "as it is" }

func (asItIs) Traits() anonymize.Traits { return anonymize.Traits{} }

func (a asItIs) Anonymize(_ context.Context, in anonymize.Input) (*release.Generalized, error) {
	return release.Global(in.Data, hierarchy.BottomCut(in.Tree)), a.err
}

// losing is a database to which the connection is lost when a table is to appear.
type losing struct{ rows.Opener }

func (losing) Check(context.Context, rows.Location, rows.Options) error { return nil }

func (losing) Create(context.Context, rows.Location, rows.Options) (rows.Table, error) {
	return &lostTable{}, nil
}

type lostTable struct{ bytes.Buffer }

func (*lostTable) Finish() error { return nil }

func (t *lostTable) Back(context.Context) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(t.Bytes())), nil
}

func (*lostTable) Place() error  { return nil }
func (*lostTable) Commit() error { return fmt.Errorf("lost: %w", rows.ErrUnknown) }
func (*lostTable) Abort()        {}

// A release that keeps its promise and is held to more tells what it did not pass.
func TestReleaseTellsWhatItDidNotPass(t *testing.T) {
	loss, err := report.ParseThreshold("km", "ncp", ">=0")
	if err != nil {
		t.Fatal(err)
	}
	err = smallJob(t, func(j *mingle.Job, _ *pipeline.KM) { j.FailIf = []report.Threshold{loss} })
	if held, is := errors.AsType[*pipeline.ThresholdError](err); !is || len(held.Failed) != 1 {
		t.Error(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
