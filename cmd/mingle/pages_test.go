package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/report"
)

// Every flag of every command is named on a page: by its name, or by its letter.
func TestEveryFlagIsOnAPage(t *testing.T) {
	pages := pagesOfUsers(t)
	named := func(flag string) bool {
		return regexp.MustCompile(`(^|[^-\w])` + flag + `([^-\w]|$)`).MatchString(pages)
	}
	missing := map[string][]string{}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && !named("--"+f.Name) && (f.Shorthand == "" || !named("-"+f.Shorthand)) {
				missing[f.Name] = append(missing[f.Name], cmd.CommandPath())
			}
		})
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	walk((&app{out: io.Discard, errs: io.Discard}).command())
	for flag, commands := range missing {
		t.Errorf("no page names --%s of %s", flag, strings.Join(commands, ", "))
	}
}

// pagesOfUsers is the text of the README and of the pages below docs, but for decisions, which say
// how it was once.
func pagesOfUsers(t *testing.T) string {
	root := filepath.Join("..", "..")
	names := []string{filepath.Join(root, "README.md")}
	docs := filepath.Join(root, "docs")
	err := filepath.WalkDir(docs, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "decisions" {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var pages strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pages.Write(text)
	}
	return pages.String()
}

// The page about reports names every field that a human fills in, and says how many there are.
func TestThePageOfReportsHasEveryField(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	fields := report.AllFields()
	if says := fmt.Sprintf("%d fields", len(fields)); !strings.Contains(string(text), says) {
		t.Errorf("the page does not say %q", says)
	}
	for _, f := range fields {
		// intruder-who, `-sources`, ... are named by what differs
		_, last, _ := strings.Cut(f.Name, "-")
		if !slices.ContainsFunc([]string{"`" + f.Name + "`", "`--" + f.Name + "`", "`-" + last + "`"},
			func(name string) bool { return strings.Contains(string(text), name) }) {
			t.Errorf("the page does not name the field %s", f.Name)
		}
	}
}
