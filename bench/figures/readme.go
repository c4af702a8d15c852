package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"mingle/experiment"
)

// write draws all figures and writes the README, both from the results there are.
func (o options) write(chapters []chapter, table *experiment.Table) error {
	plots := filepath.Join(o.dir, "plots")
	if err := os.MkdirAll(plots, 0o755); err != nil {
		return err
	}
	var summary, body strings.Builder
	for _, c := range chapters {
		rows := table.Select(c.plan)
		charts := c.plan.Charts(rows)
		if len(charts) == 0 {
			continue
		}
		fmt.Fprintf(&body, "\n## %s\n\n`go run ./bench/figures %s`\n", c.plan.Title, c.name)
		if n := len(c.plan.Cells()) - len(rows); n > 0 {
			fmt.Fprintf(
				&body, "\n%d of %d combinations have not been run yet.\n", n, len(c.plan.Cells()),
			)
		}
		for _, chart := range charts {
			if err := draw(plots, &chart); err != nil {
				return err
			}
			summarize(&summary, &chart)
			describe(&body, &chart)
		}
	}
	compared, err := o.compared(chapters, table)
	if err != nil {
		return err
	}
	var all bytes.Buffer
	fmt.Fprintf(&all, head, runtime.Version(), runtime.GOARCH)
	all.WriteString(spent(table))
	all.WriteString("## What the papers say, and whether it holds here\n\n| figure | claim | here |\n| --- | --- | --- |\n" + summary.String())
	all.WriteString(compared + body.String())
	return os.WriteFile(filepath.Join(o.dir, "README.md"), all.Bytes(), 0o644)
}

const head = `# The papers' experiments

This page is written by ` + "`make figures`" + ` (or ` + "`go run ./bench/figures`" + `) from ` + "`bench/results.csv`" + `, which holds one row for every release
that was made, each verified by the independent verifier. Results that are there are not taken again: remove the file to
begin anew. Data that is not at hand is skipped, and its rows say "absent".

Time is processor time of the process where not said otherwise (%s, %s; one worker where not said otherwise, on two cores that other
work was using at the same time). Memory is what the program held at most while the algorithm ran, looked at every 10 ms, data and hierarchy
included; the papers count nodes of a count tree, which is not kept here. BMS-POS is not at hand: retail and a generated
data set of its size (515,597 transactions, 1,657 items, longest 164, average 6.5) stand for it, and the plots say
so. A claim is checked point by point, as the plan of the figure has it: "less", "near", "rising", "falling", with the
slack given there.

`

// spent says what the algorithms of all rows took.
func spent(table *experiment.Table) string {
	elapsed, cpu, done := 0.0, 0.0, 0
	for _, r := range table.Rows {
		if r.Status == experiment.StatusDone {
			elapsed, cpu, done = elapsed+r.Seconds, cpu+r.CPU, done+1
		}
	}
	return fmt.Sprintf("%d of %d releases were made and verified; their algorithms took %.0f seconds elapsed and %.0f of processor time, without reading,\nverifying and measuring.\n\n", done, len(table.Rows), elapsed, cpu)
}

func draw(dir string, c *experiment.Chart) error {
	var b bytes.Buffer
	if err := c.WriteSVG(&b); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, c.Name+".svg"), b.Bytes(), 0o644)
}

func summarize(s *strings.Builder, c *experiment.Chart) {
	fmt.Fprintf(s, "| [%s](#%s) | %s | %s |\n", c.Name, c.Name, c.Claim, c.Verdict())
}

// describe writes one figure: picture, claim, verdict, numbers.
func describe(s *strings.Builder, c *experiment.Chart) {
	fmt.Fprintf(s, "\n### %s\n\n![%s](plots/%s.svg)\n\n", c.Name, c.Title, c.Name)
	v := c.Verdict()
	fmt.Fprintf(s, "The paper: %s.  \nHere: %s", c.Claim, v)
	if len(v.Against) > 0 {
		fmt.Fprintf(s, "; against it: %s", strings.Join(v.Against, "; "))
	}
	s.WriteString(".\n")
	if sub := c.Subtitle(); sub != "" {
		fmt.Fprintf(s, "%s%s.\n", strings.ToUpper(sub[:1]), sub[1:])
	}
	if c.Note != "" {
		fmt.Fprintf(s, "%s\n", c.Note)
	}
	for _, m := range c.Missing {
		fmt.Fprintf(s, "No value: %s.\n", m)
	}
	s.WriteString("\n")
	for i, row := range c.Table() {
		fmt.Fprintf(s, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(s, "|%s\n", strings.Repeat(" --- |", len(row)))
		}
	}
}
