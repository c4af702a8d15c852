package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"mingle/internal/plan"
)

// write draws all figures and writes the README, both from the results there are.
func (o options) write(chapters []chapter, table *plan.Table) error {
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
			fmt.Fprintf(&body, "\n%d of %d combinations have not been run yet.\n", n, len(c.plan.Cells()))
		}
		for _, chart := range charts {
			if err := draw(plots, &chart); err != nil {
				return err
			}
			summarize(&summary, &chart)
			describe(&body, &chart)
		}
	}
	compared, err := o.compared(table)
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
func spent(table *plan.Table) string {
	elapsed, cpu, done := 0.0, 0.0, 0
	for _, r := range table.Rows {
		if r.Status == plan.StatusDone {
			elapsed, cpu, done = elapsed+r.Seconds, cpu+r.CPU, done+1
		}
	}
	return fmt.Sprintf("%d of %d releases were made and verified; their algorithms took %.0f seconds elapsed and %.0f of processor time, without reading,\nverifying and measuring.\n\n", done, len(table.Rows), elapsed, cpu)
}

func draw(dir string, c *plan.Chart) error {
	var b bytes.Buffer
	if err := c.WriteSVG(&b); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, c.Name+".svg"), b.Bytes(), 0o644)
}

func summarize(s *strings.Builder, c *plan.Chart) {
	fmt.Fprintf(s, "| [%s](#%s) | %s | %s |\n", c.Name, c.Name, c.Claim, c.Verdict())
}

// describe writes one figure: picture, claim, verdict, numbers.
func describe(s *strings.Builder, c *plan.Chart) {
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

// compared is the table of all algorithms beside what other tools need on the same files.
func (o options) compared(table *plan.Table) (string, error) {
	others, err := os.ReadFile(filepath.Join(o.dir, "others.csv"))
	if err != nil {
		return "", err
	}
	records, err := csv.NewReader(bytes.NewReader(others)).ReadAll()
	if err != nil {
		return "", err
	}
	var s strings.Builder
	s.WriteString("\n## All algorithms, beside other tools\n\n`go run ./bench/figures all-algorithms`; k=5; fan-out 5, groceries and mimic3 with categories of their own (vpa and lra: 3 parts). Elapsed s / processor s / peak MB / NCP, all with one worker. Elapsed time suffers from\nwhat else ran. The other tools' figures were taken by hand, two shared cores, on the same files but pos-like (theirs was\nmade with the same numbers by another generator); this command does not run them.\n\n")
	s.WriteString("| data | m | program | elapsed s | processor s | peak MB | NCP |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, data := range []string{"wv1", "wv2", "retail", "pos-like"} {
		for _, m := range []string{"1", "2", "3"} {
			for _, a := range []string{"aa", "vpa", "lra", "partition", "local", "exact"} {
				compareRow(&s, table, map[string]string{"data": data, "m": m, "algorithm": a})
			}
			for _, r := range records[1:] {
				if r[0] == data && r[1] == m {
					fmt.Fprintf(&s, "| %s | %s | *%s* | %s | %s | %s | %s |\n", data, m, r[2], r[3], r[4], r[5], r[6])
				}
			}
		}
	}
	return s.String(), nil
}

// compareRow is the line of the plain cell with these values.
func compareRow(s *strings.Builder, table *plan.Table, want map[string]string) {
	plain := map[string]string{"k": "5", "fanout": "5", "first": "0", "fold": "0", "copies": "1", "workers": "1", "level": "0", "flexibility": "0"}
	for _, r := range table.Rows {
		fits := r.Parts == 0 || r.Parts == 3
		for column, value := range plain {
			fits = fits && r.Text(column) == value
		}
		for column, value := range want {
			fits = fits && r.Text(column) == value
		}
		if !fits {
			continue
		}
		if r.Status != plan.StatusDone {
			fmt.Fprintf(s, "| %s | %s | %s | %s: %s | | | |\n", want["data"], want["m"], want["algorithm"], r.Status, r.Message)
			return
		}
		fmt.Fprintf(s, "| %s | %s | %s | %.2f | %.2f | %.0f | %.4f |\n", want["data"], want["m"], want["algorithm"], r.Seconds, r.CPU, r.PeakMB, r.NCP)
	}
}
