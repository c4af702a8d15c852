package webui

import (
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"

	"mingle/dataset"
	"mingle/pipeline"
)

// choice is what is promised and how, as it stands in the form: texts, which the command judges.
type choice struct {
	Family        string
	K, M, L       string
	H, P          string // of coherence
	Nuggets       string // support that makes itemsets worth keeping, of coherence
	Label         string // column of the labels, of nonreciprocal
	Values        string // what numbers are, of continuous
	Items         string // sensitive or private items, one a line
	Algorithm     string
	Effort, Limit string
	Suppress      string // "", items or transactions
	Most          string // of that
	Knows         string // data or algorithm
	Negative      bool
	Gap           bool
	More          string // further flags, as on a command line
}

// The families, as the commands have them.
var (
	km            = pipeline.KM{}.Name()
	continuous    = pipeline.Continuous{}.Name()
	nonreciprocal = pipeline.Nonreciprocal{}.Name()
	coherence     = pipeline.Coherence{}.Name()
)

func firstChoice() choice {
	return choice{
		Family: km, K: "5", M: "2", Algorithm: pipeline.Algorithms(km)[0].Name, Most: "2%",
		Knows: "data", H: "0.5", P: "2", Nuggets: "1%", Values: "number",
	}
}

// choiceFrom reads the form. What it does not show stays as it was.
func choiceFrom(f url.Values, before choice) choice {
	c := before
	for name, text := range map[string]*string{
		"family": &c.Family, "k": &c.K, "m": &c.M, "l": &c.L, "h": &c.H, "p": &c.P,
		"nuggets": &c.Nuggets, "label": &c.Label, "values": &c.Values,
		"algorithm": &c.Algorithm, "effort": &c.Effort, "limit": &c.Limit,
		"suppress": &c.Suppress, "most": &c.Most, "knows": &c.Knows, "more": &c.More,
	} {
		if f.Has(name) {
			*text = strings.TrimSpace(f.Get(name))
		}
	}
	if f.Has("items") {
		c.Items = strings.ReplaceAll(f.Get("items"), "\r", "")
	}
	if f.Has("suppress") { // the boxes beside it are shown, too
		c.Negative, c.Gap = f.Get("negative") != "", f.Get("gap") != ""
	}
	if c.Family != before.Family {
		c.Algorithm, c.L, c.More = "", "", ""
		if all := pipeline.Algorithms(c.Family); len(all) > 0 {
			c.Algorithm = all[0].Name
		}
	}
	return c
}

// keepsBest tells whether the algorithm can be stopped with the best it has.
func (c choice) keepsBest() bool {
	e, err := pipeline.FindAlgorithm(c.Family, c.Algorithm)
	return c.Family == km && (c.Suppress != "" || err == nil && e.Traits().KeepsBest)
}

// countsPersons tells whether a column can say whose each record is. Else each is of another one.
func (c choice) countsPersons() bool { return c.Family == km }

// promise is what is promised, in short.
func (c choice) promise() string {
	short := fmt.Sprintf("k = %s, m = %s", c.K, c.M)
	switch {
	case c.Family == coherence:
		short = fmt.Sprintf("coherence, h = %s, k = %s, p = %s", c.H, c.K, c.P)
	case c.Family == nonreciprocal && c.Label != "":
		short = fmt.Sprintf("nonreciprocal, l = %s", c.L)
	case c.Family == nonreciprocal:
		short = fmt.Sprintf("nonreciprocal, k = %s", c.K)
	case c.Family == continuous:
		short = "continuous, " + short
	case c.L != "":
		short += ", l = " + c.L
	}
	return short
}

// sensitive are the sensitive or private items.
func (c choice) sensitive() []string {
	var out []string
	for _, line := range strings.Split(c.Items, "\n") {
		if line != "" {
			out = append(out, line)
		}
	}
	return out
}

// lists tells whether the items of the choice are given to the command, in a file.
func (c choice) lists() bool { return c.Items != "" && (c.Family == km || c.Family == coherence) }

// writeList writes the sensitive or private items to a file.
func (c choice) writeList(path string) error {
	return os.WriteFile(path, []byte(strings.Join(c.sensitive(), "\n")+"\n"), 0o600)
}

// flags are those of the command; list is the file of the items, "" where there are none.
func (c choice) flags(list string) ([]string, error) {
	var out []string
	add := func(flag, value string) {
		if value != "" {
			out = append(out, "--"+flag, value)
		}
	}
	out = append(out, "-k", c.K)
	switch c.Family {
	case km:
		out = append(out, "-m", c.M)
		add("sensitive", list)
		add("l", c.L)
		out = append(out, c.method()...)
	case continuous:
		out = append(out, "-m", c.M)
		add("values", c.Values)
		add("algorithm", c.Algorithm)
	case nonreciprocal:
		if c.Label != "" {
			out = []string{"-l", c.L, "--label", c.Label}
		}
		add("algorithm", c.Algorithm)
	case coherence:
		out = append(out, "--h", c.H, "-p", c.P)
		add("private", list)
		add("nugget-support", c.Nuggets)
	}
	more, err := words(c.More)
	return append(out, more...), err
}

// method are the flags of how a release over a hierarchy is made.
func (c choice) method() []string {
	var out []string
	add := func(flag, value string) {
		if value != "" {
			out = append(out, "--"+flag, value)
		}
	}
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
	return out
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
	if c.Family == continuous {
		l.Header = "" // numbers tell whether there is one
	}
	out := append([]string{"anonymize", c.Family, p.path}, l.reading()...)
	switch {
	case c.Family == km:
		out = append(out, l.columns()...)
		if t.Path != "" {
			out = append(append(out, "-H", t.Path), t.args...)
		}
	case c.Family != nonreciprocal:
		out = append(out, l.kept()...)
	}
	sets := c.Family == km || c.Family == coherence
	if ext := dataset.Extension(files.published); l.isRows() && sets && ext == ".csv" {
		out = append(out, "--output-format", l.likeRows())
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
