package webui

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"mingle/pipeline"
	"mingle/verify"
)

// check is a published file that is judged, by the promise that is chosen.
type check struct {
	Name, Promise string
	Running       bool
	Finding       *verify.Finding
	Err           error
}

// checkView is the page of these.
type checkView struct {
	Checks  []check // the last one first
	Promise string
	Err     error
}

func showChecks(a *asked) error { return a.showChecked(nil) }

func (a *asked) showChecked(wrong error) error {
	v := checkView{Err: wrong}
	a.p.locked(func() {
		v.Promise = a.p.choice.promise()
		for i := len(a.p.checks) - 1; i >= 0; i-- {
			v.Checks = append(v.Checks, *a.p.checks[i])
		}
	})
	status := 200
	if wrong != nil {
		status = 422
	}
	a.showWith(status, "verify", v)
	return nil
}

// startCheck takes a published file and judges it against the original.
func startCheck(a *asked) error {
	dir, err := a.p.directory()
	if err != nil {
		return err
	}
	path, err := a.store(dir)
	var job pipeline.Job
	l, t, chosen := a.p.chosen()
	if err == nil {
		job, err = a.p.promised(a.Context(), l, t, chosen, path)
	}
	if err != nil {
		return errors.Join(a.showChecked(err), os.RemoveAll(dir))
	}
	c := &check{Name: filepath.Base(path), Promise: chosen.promise(), Running: true}
	a.p.locked(func() { a.p.checks = append(a.p.checks, c) })
	pair := pipeline.Pair{
		Family: job.Family, Original: a.p.path, Published: path, Files: a.s.sources(),
		PublishedFormat: job.OutputFormat, PublishedDelimiter: job.Delimiter,
	}
	var finding *verify.Finding
	a.s.within(a.p.ctx, bounded{
		do: func(ctx context.Context) (err error) {
			finding, err = pair.Verify(ctx)
			return err
		},
		ended: func(err error) {
			a.p.change(func() { c.Finding, c.Err, c.Running = finding, err, false })
		},
	})
	return a.to("verify")
}

// promised is what is chosen, as a job: for its family. What is written lies beside the published
// file.
func (p *project) promised(
	ctx context.Context, l layout, t tree, c choice, published string,
) (pipeline.Job, error) {
	dir := filepath.Dir(published)
	files := made{
		published: published, report: filepath.Join(dir, "report.json"),
		audit: filepath.Join(dir, "audit.json"),
	}
	if c.lists() {
		files.list = filepath.Join(dir, "items.txt")
		if err := c.writeList(files.list); err != nil {
			return pipeline.Job{}, err
		}
	}
	args, err := p.args(l, t, c, files)
	if err != nil {
		return pipeline.Job{}, err
	}
	return p.planned(ctx, c, args)
}
