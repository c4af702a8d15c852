package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/internal/disk"
	"mingle/report"
)

// statementFlags are what the human who signs says beside the report.
type statementFlags struct {
	file  string
	top   map[string]*string // by the name of the field
	final bool
}

func (s *statementFlags) register(f *pflag.FlagSet) {
	f.StringVar(&s.file, "statements", "", "file of statements (YAML or JSON), such as -o statements.yaml writes")
	s.top = map[string]*string{}
	for _, field := range report.Top {
		s.top[field.Name] = f.String(field.Name, "", strings.ToLower(field.Label)+" on the page: "+field.Hint)
	}
	f.BoolVar(&s.final, "final", false, "refuse a page with an empty statement, and leave nothing to be filled in but the signature")
}

// given tells whether any of the flags is.
func (s *statementFlags) given(cmd *cobra.Command) (name string, any bool) {
	names := []string{"statements", "final"}
	for _, field := range report.Top {
		names = append(names, field.Name)
	}
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return name, true
		}
	}
	return "", false
}

// add puts the statements beside the report.
func (s *statementFlags) add(o *report.Outcome) error {
	said := report.Statements{}
	if s.file != "" {
		var err error
		if said, err = readStatements(s.file); err != nil {
			return err
		}
	}
	for name, value := range s.top {
		if *value != "" {
			said[name] = *value
		}
	}
	if err := said.Check(); err != nil {
		if s.file != "" {
			return usagef("%s: %w", s.file, err)
		}
		return usagef("%w", err)
	}
	o.Statements, o.Final = said, s.final
	if !s.final {
		return nil
	}
	if !o.Report.Verification.Holds {
		return usagef("--final: the promise does not hold: there is nothing to sign")
	}
	if missing := said.Missing(o.Report); len(missing) > 0 {
		return usagef("%w", &report.Incomplete{Missing: missing})
	}
	return nil
}

// mostStatements bounds a file of statements, in bytes; mostNested the marks that open something
// nested: there is nothing nested in it.
const (
	mostStatements = 512 << 10
	mostNested     = 2000
)

// readStatements reads a file of statements: texts by their names. JSON is YAML, too.
func readStatements(path string) (report.Statements, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, usagef("--statements: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostStatements+1))
	if err != nil {
		return nil, usagef("--statements: %w", err)
	}
	if len(text) > mostStatements {
		return nil, usagef("--statements: %s has more than %d bytes", path, mostStatements)
	}
	nested := 0
	for _, mark := range []string{"[", "{", "- ", "? "} {
		nested += strings.Count(string(text), mark)
	}
	if nested > mostNested {
		return nil, usagef("--statements: %s is no list of texts by their names: it has %d brackets and dashes",
			path, nested)
	}
	out := report.Statements{}
	if err := yaml.Unmarshal(text, &out); err != nil {
		return nil, usagef("--statements: %s is not a file of texts by their names, such as \"owner: ...\": %s",
			path, yaml.FormatError(err, false, false))
	}
	return out, nil
}

// writeStatements writes all statements, with what is asked for beside each, to be filled in.
func writeStatements(all *report.Outcome, w io.Writer) error {
	o := &report.Outcome{Report: all.Report, Statements: all.Statements} // nothing that is secret
	var s strings.Builder
	s.WriteString("# What a human says about this release. Fill in the texts between the quotes, then:\n" +
		"#   mingle report REPORT.json --statements THIS_FILE --final -o page.html\n")
	write := func(fields []report.Field) error {
		for _, f := range fields {
			var text strings.Builder // in quotes as JSON and YAML have them
			quote := json.NewEncoder(&text)
			quote.SetEscapeHTML(false)
			if err := quote.Encode(o.Statements[f.Name]); err != nil {
				return err
			}
			note := f.Hint
			if said := (report.Statements{}).Value(f, o.Report); said != "" {
				note += "; may stay empty: then it is " + said
			}
			fmt.Fprintf(&s, "\n# %s: %s\n%s: %s", f.Label, oneLine(note), f.Name, &text)
		}
		return nil
	}
	err := write(report.Top)
	for i, c := range report.Chapters {
		if err == nil {
			fmt.Fprintf(&s, "\n# --- %d. %s\n", i+1, c.Title)
			for _, known := range c.Machine(o) {
				fmt.Fprintf(&s, "# known: %s\n", oneLine(known))
			}
			err = write(c.Fields)
		}
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, report.Visible(s.String()))
	return err
}

// oneLine keeps a text that somebody else wrote inside its comment.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
