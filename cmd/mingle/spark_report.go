package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mingle/cluster"
	"mingle/cluster/engine"
	"mingle/internal/memory"
	"mingle/internal/publish"
	"mingle/pipeline"
)

// reportBytes is what a report needs for each byte of the published files, about.
const reportBytes = 8

// sparkReport has a release write a report, which appears right after it. The set of files is to be
// aborted in the end.
func (a *app) sparkReport(
	cmd *cobra.Command, args []string, r *cluster.Release, asked *sparkRelease,
) (*publish.Set, error) {
	tree, path := asked.tree.path, asked.report
	set := &publish.Set{Out: a.out, Force: false}
	if path == "" {
		return set, nil
	}
	render, err := new(pageFlags).renderer(cmd.Context(), path, nil)
	if err != nil {
		return nil, err
	}
	set.Inputs = []string{tree, asked.sensitive}
	if err := set.Check(publish.Target{Role: "report", Path: path}); err != nil {
		return nil, err
	}
	original := "query"
	if r.Input != "" {
		original = fileName(r.Input)
	}
	release := pipeline.Elsewhere{
		Hierarchy: tree, HierarchyOptions: r.Layout.Reading, Original: original,
		Published: fileName(r.Output), Layout: r.Layout.Options(), Promise: r.Promise,
		Sensitive: asked.sensitive, AllowUnknownSensitive: r.AllowUnknown,
		Algorithm: r.Algorithm, Recipe: recipe(cmd, args), Memory: a.memory.bound,
		FixedSeed: r.Seed != nil,
		Progress:  a.progress,
	}
	r.Announce = func(ctx context.Context, files []string) (func() error, error) {
		if err := a.fitsReport(ctx, r.Engine, files...); err != nil {
			return nil, err
		}
		in := &inTurn{ctx: ctx, files: files, open: r.Engine.Open}
		defer in.close()
		made, err := release.Report(ctx, in)
		if err != nil {
			return nil, err
		}
		out, err := set.Create(path, publish.Public)
		if err != nil {
			return nil, err
		}
		if render != nil {
			err = render(out, made)
		} else {
			err = made.WriteJSON(out)
		}
		return set.Commit, err
	}
	return set, nil
}

// fitsReport refuses a report on more than fits in memory.
func (a *app) fitsReport(ctx context.Context, e engine.Engine, paths ...string) error {
	total := int64(0)
	for _, path := range paths {
		files, err := e.Files(ctx, path)
		if err != nil {
			return err
		}
		for _, f := range files {
			total += f.Bytes
		}
	}
	if need := reportBytes * total; need > a.memory.bound {
		what := fmt.Sprintf("a report on %d MB of transactions (leave out --report)", total>>20)
		return &memory.Short{What: what, Least: need, Bound: a.memory.bound}
	}
	return nil
}

// inTurn reads files one after another.
type inTurn struct {
	ctx   context.Context
	files []string
	open  func(context.Context, string) (io.ReadCloser, error)
	at    io.ReadCloser
}

func (t *inTurn) Read(p []byte) (int, error) {
	for {
		if t.at == nil {
			if len(t.files) == 0 {
				return 0, io.EOF
			}
			var err error
			if t.at, err = t.open(t.ctx, t.files[0]); err != nil {
				return 0, err
			}
			t.files = t.files[1:]
		}
		n, err := t.at.Read(p)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		t.close()
		if n > 0 {
			return n, nil
		}
	}
}

func (t *inTurn) close() {
	if t.at != nil {
		t.at.Close()
		t.at = nil
	}
}
