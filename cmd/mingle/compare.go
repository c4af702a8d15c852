package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mingle/dataset/database"
	"mingle/experiment"
	"mingle/internal/disk"
	"mingle/internal/publish"
	"mingle/report"
)

// compare is "mingle compare".
func (a *app) compare() *cobra.Command {
	var (
		dir, out string
		retry    bool
	)
	cmd := &cobra.Command{
		Use:   "compare PLAN -o DIRECTORY",
		Short: "Run a grid of algorithms, parameters and data sets, and draw the figures",
		Long: `Runs every combination that the plan (YAML) names: anonymizes, verifies and measures. Data are
files, tables and queries of databases, or made up. The results are DIRECTORY/results.csv, one row
a combination, one SVG a figure, and one page, index.html. A combination that is finished is not
run again unless its data have changed, so a run that was stopped goes on where it was. One that
fails is a row that says why, and the exit code is 2. Memory is what the program held at most while
the algorithm ran, looked at every 10 ms, data included.`,
		Example: `  echo '{data: [{name: shop, shop: {transactions: 1000}}],
    runs: [{data: [shop], algorithm: [aa, exact], k: [5, 10], m: 2}]}' > plan.yaml
  mingle compare plan.yaml -o comparison`,
		Args: arguments(1, 1, "one plan"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := required(cmd, "output"); err != nil {
				return err
			}
			if dir == "" {
				dir = filepath.Dir(args[0])
			}
			return a.runPlan(cmd, args[0], &experiment.Runner{Dir: dir, Retry: retry}, out)
		},
	}
	f := cmd.Flags()
	f.StringVar(
		&dir, "data", "", "directory that the files of the plan are in (default: that of the plan)",
	)
	f.StringVarP(
		&out, "output", "o", "", "directory of the results; those that are there already are kept",
	)
	f.BoolVar(
		&retry, "retry", false,
		"run combinations again that failed, took too long, or whose data was absent",
	)
	return cmd
}

func (a *app) runPlan(
	cmd *cobra.Command, path string, r *experiment.Runner, out string,
) (err error) {
	in, err := disk.Open(path)
	if err != nil {
		return readable(path, err)
	}
	r.Plan, err = experiment.Read(in, path, os.LookupEnv)
	if err = errors.Join(err, in.Close()); err != nil {
		return readable(path, err)
	}
	r.Databases = database.Opener{Passwords: r.Plan.Passwords}
	if err := disk.MkdirAll(out, 0o755); err != nil {
		return readable(out, err)
	}
	results := filepath.Join(out, "results.csv")
	release, err := experiment.HoldTable(results)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	set, err := a.openResults(r, append(r.Plan.Inputs(r.Dir), path), out, results)
	if err != nil {
		return err
	}
	r.Progress = func(p experiment.Progress) {
		stage := p.Running
		if p.Left > 0 {
			stage += fmt.Sprintf(" (about %v left)", p.Left.Round(time.Second))
		}
		a.console.progress(stage, int64(p.Done), int64(p.Total))
	}
	if err := r.Run(cmd.Context()); err != nil {
		if cmd.Context().Err() != nil && !a.console.json {
			fmt.Fprintf(a.errs, "mingle: %d finished combinations are kept in %s; the same command goes on from there\n",
				len(r.Table.Rows), report.Visible(out))
		}
		return err
	}
	rows := r.Table.Select(r.Plan)
	if err := r.Plan.WriteFigures(set, out, rows); err != nil {
		return err
	}
	if err := a.console.print(comparisonText(r.Plan, rows, out), rowValues(rows)); err != nil {
		return err
	}
	return unfinished(rows, results)
}

// openResults opens the table of results, and checks what is written beside it. Figures of a
// comparison are made anew with every run; what else is there is somebody's.
func (a *app) openResults(
	r *experiment.Runner, inputs []string, out, results string,
) (*publish.Set, error) {
	figures := r.Plan.Targets(out)
	targets := append(slices.Clone(figures), publish.Target{Role: "table of results", Path: results})
	set, err := a.newSet(true, inputs, targets...)
	if err != nil {
		return nil, err
	}
	if r.Table, err = experiment.OpenTable(results); err != nil {
		return nil, err
	}
	if set.Force = len(r.Table.Rows) > 0; set.Force {
		return set, nil
	}
	var faults []error
	for _, t := range figures {
		if _, err := disk.Lstat(t.Path); err == nil {
			faults = append(faults, usagef("%s exists already, and no results of a comparison are "+
				"beside it: move it away, or name another directory", t.Path))
		}
	}
	return set, errors.Join(faults...)
}

// unfinished is the error for combinations that could not be run, so that a script notices. That no
// release keeps a promise, or not in time, is a result.
func unfinished(rows []experiment.Row, results string) error {
	n := 0
	for _, r := range rows {
		if r.Status == experiment.StatusFailed || r.Status == experiment.StatusAbsent {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return usagef("%d of %d combinations could not be run; why is in %s: mend it and say --retry",
		n, len(rows), report.Visible(results))
}

func readable(path string, err error) error {
	var known *os.PathError
	if errors.Is(err, os.ErrNotExist) {
		return usagef("%s: there is no such file", path)
	}
	if errors.As(err, &known) {
		return fmt.Errorf("%s: %w", path, known.Err)
	}
	return err
}

func comparisonText(p *experiment.Plan, rows []experiment.Row, out string) string {
	var s strings.Builder
	states := map[string]int{}
	for _, r := range rows {
		states[r.Status]++
		if r.Status != experiment.StatusDone {
			fmt.Fprintf(&s, "%s: %s: %s\n", r.Status, r.Cell, r.Message)
		}
	}
	fmt.Fprintf(
		&s, "%d of %d combinations are done; results, figures and index.html are in %s\n",
		states[experiment.StatusDone], len(rows), out,
	)
	for _, c := range p.Charts(rows) {
		if c.Claim != "" {
			fmt.Fprintf(&s, "%s: %s\n  %s\n", c.Name, c.Claim, c.Verdict())
		}
	}
	return s.String()
}

// rowValues is the table for programs: only what was measured.
func rowValues(rows []experiment.Row) []map[string]string {
	out := []map[string]string{}
	for _, r := range rows {
		row := map[string]string{}
		for _, c := range experiment.Columns() {
			if v := r.Text(c); v != "" {
				row[c] = v
			}
		}
		out = append(out, row)
	}
	return out
}
