package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mingle/internal/publish"
	"mingle/pipeline"
	"mingle/report"
	"mingle/report/page"
)

// report is "mingle report".
func (a *app) report() *cobra.Command {
	var out outputFlags
	var check checkFlags
	cmd := &cobra.Command{
		Use:   "report REPORT.json [-o report.html], or report --check REPORT.json PUBLISHED [ORIGINAL]",
		Short: "Render a report (a page to sign, or text), or check which files it belongs to",
		Long: `Renders a report as one HTML page that needs nothing else (-o FILE.html), or as text on standard
output. It shows what the report says and verifies none of it. With --audit the page also has
what only the custodian may see: the exact losses, the test on the original, times.
With --check nothing is rendered: the published file, the hierarchy (-H) and, where the audit
file is given, the original are compared with the hashes in the report and the audit file. Only
with the audit file it is seen whether the report itself was changed. The exit code is 0 when all
that was compared is the same, and 3 when it is not.`,
		Example: `  mingle report report.json -o report.html
  mingle report --check report.json published.csv -H catalogue.csv
  mingle report --check report.json published.csv shop.csv --audit audit.json`,
		Args: arguments(1, 3, "one report in JSON"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if check.check {
				return a.checkReport(cmd, args, &check, &out)
			}
			if len(args) > 1 || check.hierarchy != "" || check.items != "" {
				return usagef(
					"%s renders one report; --check compares it with other files",
					cmd.CommandPath(),
				)
			}
			set, err := out.set(a, "page", args[0], check.audit)
			if err != nil {
				return err
			}
			rep, err := pipeline.ReadReport(cmd.Context(), a.files(0), args[0], check.audit)
			if err != nil {
				return err
			}
			if out.path == "" {
				var text strings.Builder
				if err := rep.WriteText(&text); err != nil {
					return err
				}
				return a.console.print(text.String(), rep)
			}
			return a.writeReport(rep, set, out.path)
		},
	}
	check.register(cmd.Flags())
	out.register(
		cmd.Flags(), "the page (.html) or text (.txt) to write; default: text on standard output",
	)
	return cmd
}

// writeReport writes the page or the text that the path asks for.
func (a *app) writeReport(rep *report.Outcome, set *publish.Set, path string) error {
	render, err := renderer(path)
	if err != nil {
		return err
	}
	mode := publish.Public
	if rep.Custodian != nil { // the page is as secret as the audit file
		mode = publish.Private
	}
	err = a.writeFile(set, path, mode, func(w io.Writer) error { return render(rep, w) })
	if err != nil {
		return err
	}
	return a.console.print(path+" is written\n", map[string]string{"written": path})
}

// renderer goes by the extension; standard output gets the page.
func renderer(target string) (func(*report.Outcome, io.Writer) error, error) {
	switch strings.ToLower(filepath.Ext(target)) {
	case ".html", ".htm":
		return writePage, nil
	case ".txt":
		return writeReportText, nil
	}
	if target == publish.Stdout {
		return writePage, nil
	}
	return nil, usagef("%s: a report is written as .html or .txt", target)
}

func writePage(r *report.Outcome, w io.Writer) error { return page.Write(w, r) }

func writeReportText(r *report.Outcome, w io.Writer) error {
	var text strings.Builder
	if err := r.WriteText(&text); err != nil {
		return err
	}
	_, err := io.WriteString(w, report.Visible(text.String()))
	return err
}
