package main

import (
	"bytes"
	"context"
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
	var said statementFlags
	cmd := &cobra.Command{
		Use:   "report REPORT.json [-o page.html], or report --check REPORT PUBLISHED [ORIGINAL]",
		Short: "Render a report (a page to sign, or text), or check which files it belongs to",
		Long: `Renders a report as one HTML page that needs nothing else (-o FILE.html), as the same page in
PDF (-o FILE.pdf, by a Chromium or Chrome that is installed), or as text on standard output. It
shows what the report says and verifies none of it. With --audit the page also has what only
the custodian may see: the exact losses, the test on the original, times.
The first sheet is to be signed. What a human must say about a release comes from --statements
(-o FILE.yaml writes such a file to be filled in); --final refuses while a statement is empty.
With --check nothing is rendered: the published file, the hierarchy (-H) and, where the audit
file is given, the original are compared with the hashes in the report, or in its page, and the
audit file; of a page, its own hash is taken too. Only with the audit file it is seen whether
the report itself was changed, and a report as PDF or text can be checked with it alone. The
exit code is 0 when all that was compared is the same, and 3 when it is not.`,
		Example: `  mingle generate shop -o shop.jsonl --catalogue catalogue.csv
  mingle anonymize km shop.jsonl -H catalogue.csv -k 5 -m 2 -o published.jsonl \
    --report report.json --audit audit.json
  mingle report report.json -o draft.html
  mingle report report.json -o statements.yaml
  # fill in the statements; with --final the page is refused while one is empty
  mingle report report.json --statements statements.yaml -o page.html
  mingle report --check page.html published.jsonl -H catalogue.csv
  mingle report --check report.json published.jsonl shop.jsonl --audit audit.json`,
		Args: arguments(1, 3, "one report in JSON"),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, any := said.given(cmd)
			switch {
			case any && check.check:
				return usagef("--%s is for a page; --check compares files", name)
			case check.check:
				return a.checkReport(cmd, args, &check, &out)
			case len(args) > 1 || check.hierarchy != "" || check.items != "" ||
				check.releaseFile != "":
				return usagef(
					"%s renders one report; --check compares it with other files",
					cmd.CommandPath(),
				)
			}
			return a.renderReport(cmd.Context(), args[0], check.audit, &said, &out)
		},
	}
	check.register(cmd.Flags())
	said.register(cmd.Flags())
	out.register(
		cmd.Flags(), "what to write: the page (.html or .pdf), text (.txt), or statements to be filled in (.yaml); default: text on standard output",
	)
	return cmd
}

// renderReport reads a report, puts what humans say beside it, and shows both.
func (a *app) renderReport(
	ctx context.Context, path, audit string, said *statementFlags, out *outputFlags,
) error {
	set, err := out.set(a, "page", path, audit, said.file)
	if err != nil {
		return err
	}
	rep, err := pipeline.ReadReport(ctx, a.files(0), path, audit)
	if err != nil {
		return err
	}
	if err := said.add(rep); err != nil {
		return err
	}
	if out.path != "" {
		return a.writeReport(ctx, rep, set, out.path)
	}
	var text strings.Builder
	if err := rep.WriteText(&text); err != nil {
		return err
	}
	return a.console.print(text.String(), rep)
}

// writeReport writes the page or the text that the path asks for.
func (a *app) writeReport(
	ctx context.Context, rep *report.Outcome, set *publish.Set, path string,
) error {
	render, err := renderer(ctx, path)
	if err != nil {
		return err
	}
	mode := publish.Public
	if rep.Custodian != nil { // the page is as secret as the audit file
		mode = publish.Private
	}
	var out bytes.Buffer // before there is a file: it may need a browser
	if err := render(rep, &out); err != nil {
		return err
	}
	err = a.writeFile(set, path, mode, func(w io.Writer) error {
		_, err := out.WriteTo(w)
		return err
	})
	if err != nil {
		return err
	}
	return a.console.print(path+" is written\n", map[string]string{"written": path})
}

// renderer goes by the extension; standard output gets the page.
func renderer(
	ctx context.Context, target string,
) (func(*report.Outcome, io.Writer) error, error) {
	switch strings.ToLower(filepath.Ext(target)) {
	case ".html", ".htm":
		return writePage, nil
	case ".pdf":
		browser, err := findBrowser() // before any work
		return func(o *report.Outcome, w io.Writer) error {
			return writePDF(ctx, browser, o, w)
		}, err
	case ".yaml", ".yml":
		return writeStatements, nil
	case ".txt":
		return writeReportText, nil
	}
	if target == publish.Stdout {
		return writePage, nil
	}
	return nil, usagef("%s: a report is written as .html, .pdf or .txt, and statements to be "+
		"filled in as .yaml", target)
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
