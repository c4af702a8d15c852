package releasefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mingle/internal/lazy"
	"mingle/report"
)

// Draft is a release that is to be written as a file.
type Draft struct {
	Family string
	// Values are by the paths of fields, as the flags have them.
	Values map[string][]string
	// Variables are names of the environment that secret fields come from, by their paths. Their
	// values are not written.
	Variables map[string]string
	// Statements and conditions, which are by the names of figures.
	Statements report.Statements
	FailIf     []report.Threshold

	Head string // a comment at the top
	Tail string // lines at the end
	// About, if not nil, is a comment before a field; "" is none. Offered are fields that are not
	// given and are shown as a comment, with a value to be filled in.
	About   func(f Field) string
	Offered map[string]string
}

// Write writes a release file. What it writes is read again: the error says what a file cannot
// hold.
func Write(d Draft) ([]byte, error) {
	var out bytes.Buffer
	comment(&out, "", d.Head)
	fmt.Fprintf(&out, "release: %d\n", Version)
	for _, s := range Sections {
		if err := d.section(&out, s.Name, s.About); err != nil {
			return nil, err
		}
	}
	if len(d.Statements) > 0 {
		fmt.Fprintf(&out, "\n%s:\n", statementsSection)
		for _, f := range report.AllFields() {
			if text, said := d.Statements[f.Name]; said {
				fmt.Fprintf(&out, "  %s: %s\n", f.Name, quoted(text))
			}
		}
	}
	d.conditions(&out)
	out.WriteString(d.Tail)
	_, err := Read(bytes.NewReader(out.Bytes()), "the file", func(string) (string, bool) {
		return "secret", true
	})
	if err != nil {
		return nil, fmt.Errorf("this cannot be said in a release file: %w", err)
	}
	return out.Bytes(), nil
}

func (d *Draft) section(out *bytes.Buffer, name, about string) error {
	var body bytes.Buffer
	if name == "promise" {
		fmt.Fprintf(&body, "  family: %s\n", d.Family)
	}
	for _, f := range Of(d.Family) {
		if f.Section != name {
			continue
		}
		texts, given := d.Values[f.Path()]
		offered, shown := d.Offered[f.Path()]
		if !given && !shown {
			continue
		}
		if d.About != nil {
			comment(&body, "  ", d.About(f))
		}
		if !given {
			fmt.Fprintf(&body, "  # %s: %s\n", f.Name, offered)
			continue
		}
		if name := d.Variables[f.Path()]; name != "" {
			fmt.Fprintf(&body, "  %s: ${%s}\n", f.Name, name)
			continue
		}
		text, err := f.written(texts)
		if err != nil {
			return err
		}
		fmt.Fprintf(&body, "  %s: %s\n", f.Name, text)
	}
	if body.Len() == 0 {
		return nil
	}
	out.WriteString("\n")
	if d.About != nil {
		comment(out, "", about)
	}
	if onlyComments(body.String()) { // a section without a field would be empty
		fmt.Fprintf(out, "# %s:\n%s", name, body.String())
		return nil
	}
	fmt.Fprintf(out, "%s:\n%s", name, body.String())
	return nil
}

func onlyComments(text string) bool {
	return !slices.ContainsFunc(strings.Split(strings.TrimSpace(text), "\n"), func(line string) bool {
		return !strings.HasPrefix(strings.TrimSpace(line), "#")
	})
}

// commentWidth is how long lines of comments are at most, in bytes.
const commentWidth = 96

// comment writes a text as comments, broken into lines.
func comment(out *bytes.Buffer, indent, text string) {
	for _, line := range strings.Split(text, "\n") {
		length := 0
		for i, word := range strings.Fields(line) {
			if i == 0 || length+1+len(word) > commentWidth {
				if i > 0 {
					out.WriteString("\n")
				}
				out.WriteString(indent + "#")
				length = len(indent) + 1
			}
			out.WriteString(" " + word)
			length += 1 + len(word)
		}
		if length > 0 {
			out.WriteString("\n")
		}
	}
}

// written is a value in YAML.
func (f Field) written(texts []string) (string, error) {
	for _, text := range texts {
		if !utf8.ValidString(text) {
			return "", fmt.Errorf("%s (%q) is not UTF-8, and a release file is", f.Path(), text)
		}
	}
	switch f.Kind {
	case Yes, Whole, Number:
		return texts[0], nil
	case Amount, Size:
		if plainNumber().MatchString(texts[0]) {
			return texts[0], nil
		}
	case List:
		var list []string
		for _, text := range texts {
			list = append(list, f.quoted(text))
		}
		return "[" + strings.Join(list, ", ") + "]", nil
	}
	if len(texts) != 1 {
		return "", errors.New(f.Path() + " has several values")
	}
	return f.quoted(texts[0]), nil
}

var plainNumber = lazy.Regexp(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// quoted is a text that is taken for no variable.
func (f Field) quoted(text string) string {
	return quoted(variable().ReplaceAllStringFunc(text, func(found string) string {
		return "$" + found
	}))
}

// plainText is text that needs no quotes, and that no version of YAML takes for something else.
var plainText = lazy.Regexp(`^[A-Za-z_./][A-Za-z0-9_./-]*$`)

var notPlain = []string{
	"true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf", ".nan", ".inf",
}

func quoted(text string) string {
	if plainText().MatchString(text) && !slices.Contains(notPlain, strings.ToLower(text)) {
		return text
	}
	var out strings.Builder
	enc := json.NewEncoder(&out) // a text of JSON is one of YAML
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		return strconv.Quote(text)
	}
	return strings.TrimSpace(out.String())
}

func (d *Draft) conditions(out *bytes.Buffer) {
	if len(d.FailIf) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s:\n", failIfSection)
	var done []string
	for _, t := range d.FailIf {
		if slices.Contains(done, t.Figure) {
			continue
		}
		done = append(done, t.Figure)
		var list []string
		for _, other := range d.FailIf {
			if other.Figure == t.Figure {
				list = append(list, quoted(other.Text))
			}
		}
		text := list[0]
		if len(list) > 1 {
			text = "[" + strings.Join(list, ", ") + "]"
		}
		fmt.Fprintf(out, "  %s: %s\n", t.Figure, text)
	}
}
