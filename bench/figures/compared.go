package main

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mingle/experiment"
)

// everything is the plan of all algorithms on all data; it has no plots but tables.
const everything = "all-algorithms"

// compared writes the page of all algorithms on all data, and returns a summary of its losses and
// what other tools need on the same files.
func (o options) compared(chapters []chapter, table *experiment.Table) (string, error) {
	at := slices.IndexFunc(chapters, func(c chapter) bool { return c.name == everything })
	if at < 0 {
		return "", nil
	}
	p := chapters[at].plan
	rows := table.Select(p)
	missing := len(p.Cells()) - len(rows)
	if err := os.WriteFile(
		filepath.Join(o.dir, everything+".md"), []byte(allCells(p.Title, rows, missing)), 0o644,
	); err != nil {
		return "", err
	}
	others, err := o.others(rows)
	if err != nil {
		return "", err
	}
	return lossMatrix(p.Title, rows, missing) + others, nil
}

// setting is what a line of the matrix is about.
type setting struct {
	data string
	k, m int
}

// lossMatrix sets the NCP of all algorithms side by side; the least of a line is bold.
func lossMatrix(title string, rows []experiment.Row, missing int) string {
	rows = bySetting(rows)
	var settings []setting
	var algorithms []string
	cells := map[setting]map[string]experiment.Row{}
	for _, r := range rows {
		s := setting{r.Data, r.K, r.M}
		if cells[s] == nil {
			settings, cells[s] = append(settings, s), map[string]experiment.Row{}
		}
		cells[s][r.Algorithm] = r
		if !slices.Contains(algorithms, r.Algorithm) {
			algorithms = append(algorithms, r.Algorithm)
		}
	}
	var s strings.Builder
	fmt.Fprintf(&s, "\n## %s\n\n`go run ./bench/figures %s`. NCP; the least of a line is bold. Time, memory, ML2, dML2 and query error of each are in\n[%s.md](%s.md). %s%s\n\n", title, everything, everything, everything, legend, lacking(missing))
	s.WriteString("| data | k | m | " + strings.Join(algorithms, " | ") + " |\n|" + strings.Repeat(" --- |", 3+len(algorithms)) + "\n")
	for _, at := range settings {
		least := math.Inf(1)
		for _, r := range cells[at] {
			if r.Status == experiment.StatusDone {
				least = min(least, r.NCP)
			}
		}
		fmt.Fprintf(&s, "| %s | %d | %d |", at.data, at.k, at.m)
		for _, a := range algorithms {
			r, there := cells[at][a]
			fmt.Fprintf(&s, " %s |", loss(&r, there, least))
		}
		s.WriteString("\n")
	}
	return s.String()
}

const legend = "\"too long\": not done within the cell's time limit. Items+: items of up to 2.5 % of all occurrences may be left out; each that is\nleft out counts as a loss of 1."

func lacking(missing int) string {
	if missing == 0 {
		return ""
	}
	return fmt.Sprintf(" %d combinations have not been run yet.", missing)
}

func loss(r *experiment.Row, there bool, least float64) string {
	switch {
	case !there:
		return ""
	case r.Status == experiment.StatusTimeout:
		return "too long"
	case r.Status != experiment.StatusDone:
		return r.Status
	case r.NCP <= least:
		return fmt.Sprintf("**%.4f**", r.NCP)
	}
	return fmt.Sprintf("%.4f", r.NCP)
}

// allCells is the page of all rows, a table a data set.
func allCells(title string, rows []experiment.Row, missing int) string {
	var s strings.Builder
	fmt.Fprintf(&s, "# %s\n\nMade by `go run ./bench/figures %s` from `bench/results.csv`. One worker; elapsed time suffers from what else ran. ML2 and dML2\nare the means of the thresholds 1, 2 and 3 %%, and are missing where more than a million itemsets are frequent or mining takes more than a minute.\nQuery error: mean over 1,000 random pairs of items. %s%s\n", title, everything, legend, lacking(missing))
	rows = bySetting(rows)
	last := ""
	for _, r := range rows {
		if r.Data != last {
			fmt.Fprintf(&s, "\n## %s\n\n%s transactions, %d items, hierarchy of height %d.\n\n| k | m | algorithm | NCP | ML2 | dML2 | query error | elapsed s | processor s | peak MB |\n|%s\n",
				r.Data, fmt.Sprint(r.Transactions), r.Items, r.Height, strings.Repeat(" --- |", 10))
			last = r.Data
		}
		fmt.Fprintf(&s, "| %d | %d | %s | ", r.K, r.M, r.Algorithm)
		if r.Status != experiment.StatusDone {
			fmt.Fprintf(&s, "%s | | | | %s | | |\n", loss(&r, true, 0), seconds(r.Seconds))
			continue
		}
		fmt.Fprintf(
			&s, "%.4f | %s | %s | %s | %s | %s | %.0f |\n", r.NCP, share(r.ML2), share(r.DML2),
			share(r.QueryError), seconds(r.Seconds), seconds(r.CPU), r.PeakMB,
		)
	}
	return s.String()
}

// bySetting puts the rows of a data set in the order of k and m.
func bySetting(rows []experiment.Row) []experiment.Row {
	place := map[string]int{}
	for _, r := range rows {
		if _, there := place[r.Data]; !there {
			place[r.Data] = len(place)
		}
	}
	out := slices.Clone(rows)
	slices.SortStableFunc(out, func(a, b experiment.Row) int {
		return cmp.Or(place[a.Data]-place[b.Data], a.K-b.K, a.M-b.M)
	})
	return out
}

func share(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return fmt.Sprintf("%.3f", x)
}

func seconds(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return fmt.Sprintf("%.2f", x)
}

// others is the table of what other tools need on the same files, beside the algorithms here.
func (o options) others(rows []experiment.Row) (string, error) {
	text, err := os.ReadFile(filepath.Join(o.dir, "others.csv"))
	if err != nil {
		return "", err
	}
	records, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		return "", err
	}
	var s strings.Builder
	s.WriteString("\n## Beside other tools\n\nOn the same files, fan-out 5, one worker; elapsed time suffers from what else ran. The other tools' figures were taken by hand, on\ntwo shared cores; of pos-like theirs was made with the same numbers by another generator. No command here runs them.\n\n")
	s.WriteString("| data | k | m | program | elapsed s | processor s | peak MB | NCP |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	done := map[string]bool{}
	for _, r := range records[1:] {
		data, k, m := r[0], r[1], r[2]
		if at := data + " " + k + " " + m; !done[at] {
			done[at] = true
			for _, row := range rows {
				if row.Data == data && fmt.Sprint(row.M) == m && fmt.Sprint(row.K) == k &&
					row.Status == experiment.StatusDone {
					fmt.Fprintf(
						&s, "| %s | %s | %s | %s | %s | %s | %.0f | %.4f |\n", data, k, m, row.Algorithm,
						seconds(row.Seconds), seconds(row.CPU), row.PeakMB, row.NCP,
					)
				}
			}
		}
		fmt.Fprintf(
			&s, "| %s | %s | %s | *%s* | %s | %s | %s | %s |\n", data, k, m, r[3], r[4], r[5], r[6], r[7],
		)
	}
	return s.String(), nil
}
