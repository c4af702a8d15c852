package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// widest is the limit on the length of a line of code or prose, a tab counted as four columns.
const widest = 100

// retired are words that were private to this project, and the field's own that took their place.
// They stand in no name and no comment of the code, and on no page.
var retired = []struct{ word, instead string }{
	{`[Tt]astes?`, "rollback"},
	{`[Cc]areless(ly)?`, "name the rollback by what it does"},
	{`[Rr]enewals?`, "destroy and repair"},
	{`[Bb]ur(y|ied|ies)`, "deactivate"},
	{`[Cc]rews?`, "worker pool"},
	{`[Ss]labs?`, "chunk"},
	{`letGo`, "releaseMemory"},
	{`[Ss]ettle[sd]?`, "the effect itself"},
	{`[Cc]oins?`, "random draw"},
	{`[Kk]ids?`, "child, or specialisation"},
	{`[Cc]rowds?`, "the persons who are counted"},
	{`[Ss]hel(f|ves)`, "witnesses, or category"},
	{`[Bb]earers?`, "person with a sensitive item"},
	{`[Ll]eavers?`, "removal"},
	{`[Ss]hoppers?`, "population"},
}

// Every word is the field's own.
func TestRetiredWords(t *testing.T) {
	words := make([]*regexp.Regexp, len(retired))
	for n, r := range retired {
		words[n] = regexp.MustCompile(`\b` + r.word + `\b`)
	}
	root := filepath.Join("..", "..")
	walk(t, root, func(path string) {
		ext := filepath.Ext(path)
		if ext != ".go" && ext != ".md" || strings.HasPrefix(path, "internal/lint") || isHistory(path) || later(path) {
			return
		}
		for i, line := range lines(t, filepath.Join(root, path)) {
			for n, r := range retired {
				if word := words[n].FindString(line); word != "" {
					t.Errorf("%s:%d: %q: say %s", path, i+1, word, r.instead)
				}
			}
		}
	})
}

// A line fits beside another window. Long links, tables and text that stands as it is printed are
// left as they are.
func TestLinesAreShort(t *testing.T) {
	root := filepath.Join("..", "..")
	walk(t, root, func(path string) {
		if filepath.Ext(path) != ".go" || later(path) {
			return
		}
		raw := false // inside a text between backquotes
		for i, line := range lines(t, filepath.Join(root, path)) {
			if strings.Count(line, "`")%2 == 1 {
				raw = !raw
			}
			if n := columns(line); !raw && n > widest && !asPrinted.MatchString(line) {
				t.Errorf("%s:%d: %d columns, more than %d", path, i+1, n, widest)
			}
		}
	})
}

// The same of all pages: there only tables, pictures, and what is typed or printed may be longer.
func TestLinesOfPagesAreShort(t *testing.T) {
	root := filepath.Join("..", "..")
	walk(t, root, func(path string) {
		slashed := filepath.ToSlash(path)
		// tables made by programs, and a report that was printed
		made := strings.HasPrefix(slashed, "bench/") || strings.HasPrefix(slashed, "docs/report-")
		if filepath.Ext(path) != ".md" || made || later(path) {
			return
		}
		printed := false // inside a block of code
		for i, line := range lines(t, filepath.Join(root, path)) {
			if strings.HasPrefix(strings.TrimSpace(line), "```") {
				printed = !printed
			}
			if n := columns(line); n > widest && !printed && !longer.MatchString(line) {
				t.Errorf("%s:%d: %d columns, more than %d", path, i+1, n, widest)
			}
		}
	})
}

// longer are lines of pages that may be so: tables, HTML, pictures, code.
var longer = regexp.MustCompile(`^(\||<|!\[|    )`)

// asPrinted is a line with a text that a program prints: breaking it would hide it from a search.
var asPrinted = regexp.MustCompile("[\"`]")

// isHistory tells whether a page says how it was once, in the words of then.
func isHistory(path string) bool {
	return path == "CHANGELOG.md" || strings.HasPrefix(filepath.ToSlash(path), "docs/decisions/")
}

// notYet are places that these tests do not look at yet. The list gets shorter only.
var notYet []string

func later(path string) bool {
	for _, place := range notYet {
		if strings.HasPrefix(filepath.ToSlash(path), place) {
			return true
		}
	}
	return false
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

func columns(line string) int {
	return utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
}
