package webui

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"mingle/dataset"
	"mingle/pipeline"
)

// choice is what is promised and how, as it stands in the form: texts, which the command judges.
type choice struct {
	K, M, L       string
	Items         string // sensitive items, one a line
	Algorithm     string
	Effort, Limit string
	Suppress      string // "", items or transactions
	Most          string // of that
	Knows         string // data or algorithm
	Negative      bool
	Gap           bool
	More          string // further flags, as on a command line
}

func firstChoice() choice {
	return choice{
		K: "5", M: "2", Algorithm: pipeline.Algorithms("km")[0].Name, Most: "2%", Knows: "data",
	}
}

// choiceFrom reads the form.
func choiceFrom(f url.Values) choice {
	text := func(name string) string { return strings.TrimSpace(f.Get(name)) }
	return choice{
		K: text("k"), M: text("m"), L: text("l"), Items: strings.ReplaceAll(f.Get("items"), "\r", ""),
		Algorithm: text("algorithm"), Effort: text("effort"), Limit: text("limit"),
		Suppress: text("suppress"), Most: text("most"), Knows: text("knows"),
		Negative: f.Get("negative") != "", Gap: f.Get("gap") != "", More: text("more"),
	}
}

// keepsBest tells whether the algorithm can be stopped with the best it has.
func (c choice) keepsBest() bool {
	switch c.Algorithm {
	case "auto", "exact", "local", "core":
		return true
	}
	return c.Suppress != ""
}

// sensitive are the sensitive items.
func (c choice) sensitive() []string {
	var out []string
	for _, line := range strings.Split(c.Items, "\n") {
		if line != "" {
			out = append(out, line)
		}
	}
	return out
}

// flags are those of the command; list is the file of the sensitive items, "" where there are none.
func (c choice) flags(list string) ([]string, error) {
	out := []string{"-k", c.K, "-m", c.M}
	add := func(flag, value string) {
		if value != "" {
			out = append(out, "--"+flag, value)
		}
	}
	if list != "" {
		add("sensitive", list)
	}
	add("l", c.L)
	add("algorithm", c.Algorithm)
	add("effort", c.Effort)
	add("time-limit", c.Limit)
	if c.Suppress != "" {
		add("suppress", c.Suppress)
		add("max-suppressed", c.Most)
	}
	if c.Knows == "algorithm" {
		add("adversary", c.Knows)
	}
	if c.Negative {
		out = append(out, "--negative-knowledge")
	}
	if c.Gap {
		out = append(out, "--gap")
	}
	if c.keepsBest() {
		out = append(out, "--keep-best")
	}
	more, err := words(c.More)
	return append(out, more...), err
}

// words takes a command line apart as a shell does, as far as blanks and quotes go.
func words(line string) ([]string, error) {
	var out []string
	var word strings.Builder
	quote, begun := rune(0), false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n' || r == '\r'):
			if begun {
				out = append(out, word.String())
				word.Reset()
			}
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("further options: a quote %c is not closed", quote)
	}
	if begun {
		out = append(out, word.String())
	}
	return out, nil
}

// args are the arguments of the command that makes a release.
func (p *project) args(l layout, t tree, c choice, files made) ([]string, error) {
	chosen, err := c.flags(files.list)
	if err != nil {
		return nil, err
	}
	out := append([]string{"anonymize", "km", p.path}, l.reading()...)
	out = append(out, l.columns(c.L != "")...)
	if t.Path != "" {
		out = append(append(out, "-H", t.Path), t.args...)
	}
	return append(append(out, chosen...), "-o", files.published, "--report", files.report,
		"--audit", files.audit), nil
}

// made are the files that a run is given and makes.
type made struct{ list, published, report, audit string }

// number is a text as a number; 0: it is none.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

// diverse tells whether something is sensitive.
func (c choice) diverse(l layout) bool { return c.Items != "" || len(l.Sensitive) > 0 }

// formats are those a file may have.
func formats() []dataset.Format { return dataset.Formats() }
