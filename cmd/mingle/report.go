package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mingle/internal/publish"
	"mingle/report"
)

// report is "mingle report".
func (a *app) report() *cobra.Command {
	var out outputFlags
	cmd := &cobra.Command{
		Use:     "report REPORT.json [-o report.html]",
		Short:   "Render a report: a page to sign, or text",
		Long:    `Renders a report as one HTML page that needs nothing else (-o FILE.html), or as text on standard output.`,
		Example: `  mingle report report.json -o report.html`,
		Args:    arguments(1, 1, "one report in JSON"),
		RunE: func(cmd *cobra.Command, args []string) error {
			set, err := out.set(a, "page", args[0])
			if err != nil {
				return err
			}
			rep, err := a.readReport(args[0])
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
			render, err := renderer(out.path)
			if err != nil {
				return err
			}
			err = a.writeFile(set, out.path, publish.Public, func(w io.Writer) error {
				return render(rep, w)
			})
			if err != nil {
				return err
			}
			return a.console.print(out.path+" is written\n", map[string]string{"written": out.path})
		},
	}
	out.register(cmd.Flags(), "the page (.html) or text (.txt) to write; default: text on standard output")
	return cmd
}

func (a *app) readReport(path string) (*report.Report, error) {
	in := a.in
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, publish.Reason(err))
		}
		defer f.Close()
		in = f
	}
	rep, err := report.Read(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return rep, nil
}

// renderer goes by the extension; standard output gets the page.
func renderer(target string) (func(*report.Report, io.Writer) error, error) {
	switch strings.ToLower(filepath.Ext(target)) {
	case ".html", ".htm":
		return func(r *report.Report, w io.Writer) error { return r.WriteHTML(w) }, nil
	case ".txt":
		return writeReportText, nil
	}
	if target == publish.Stdout {
		return func(r *report.Report, w io.Writer) error { return r.WriteHTML(w) }, nil
	}
	return nil, usagef("%s: a report is written as .html or .txt", target)
}

func writeReportText(r *report.Report, w io.Writer) error {
	var text strings.Builder
	if err := r.WriteText(&text); err != nil {
		return err
	}
	_, err := io.WriteString(w, visible(text.String()))
	return err
}
