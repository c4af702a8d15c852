package releasefile

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"mingle/dataset/rows"
	"mingle/internal/nearest"
	"mingle/internal/yamltext"
	"mingle/report"
)

// Faults is what is wrong with a file, in the order of its lines.
type Faults struct {
	Name string
	all  []fault
}

type fault struct {
	position
	text string
}

// mostFaults are told one by one.
const mostFaults = 20

func (f *Faults) Error() string {
	var lines []string
	for _, one := range f.all[:min(len(f.all), mostFaults)] {
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s", f.Name, one.line, one.column, one.text))
	}
	if more := len(f.all) - mostFaults; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// reader reads one file.
type reader struct {
	file   *File
	lookup func(string) (string, bool) // of the environment
	faults Faults
	secret bool // what is being read is: no message shows it
}

// Read reads a release file; lookup finds variables of the environment, for secrets. The error is a
// *Faults with all that is wrong, each with its line and column.
func Read(r io.Reader, name string, lookup func(string) (string, bool)) (f *File, err error) {
	defer func() { // the YAML library panics on some texts
		if recover() != nil {
			f, err = nil, fmt.Errorf("%s: this cannot be read as YAML", name)
		}
	}()
	text, err := yamltext.Read(r, "a release file")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	sum := sha256.Sum256(text)
	p := &reader{
		file: &File{
			Name: name, Bytes: int64(len(text)), SHA256: hex.EncodeToString(sum[:]),
			Statements: report.Statements{}, conditions: map[string]position{},
			Passwords: rows.Passwords{},
		},
		lookup: lookup, faults: Faults{Name: name},
	}
	p.read(text)
	if len(p.faults.all) == 0 {
		return p.file, nil
	}
	slices.SortStableFunc(p.faults.all, func(a, b fault) int {
		return cmp.Or(a.line-b.line, a.column-b.column)
	})
	return nil, &p.faults
}

func (p *reader) addf(at position, format string, args ...any) {
	p.faults.all = append(p.faults.all, fault{at, fmt.Sprintf(format, args...)})
}

// top is where faults of the whole file are.
var top = position{1, 1}

func at(node ast.Node) position {
	if t := node.GetToken(); t != nil && t.Position != nil {
		return position{t.Position.Line, t.Position.Column}
	}
	return top
}

func (p *reader) read(text []byte) {
	if !utf8.Valid(text) {
		line := 1 + bytes.Count(text[:invalidAt(text)], []byte("\n"))
		p.addf(position{line, 1}, "the text is not UTF-8")
		return
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	parsed, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		p.syntax(err)
		return
	}
	var body ast.Node
	for _, doc := range parsed.Docs {
		switch {
		case doc.Body == nil:
		case body != nil:
			p.addf(at(doc.Body), "a second document begins: a file says one release")
			return
		default:
			body = doc.Body
		}
	}
	if body == nil {
		p.addf(top, "the file is empty: mingle init writes one to begin with")
		return
	}
	p.document(body)
}

func invalidAt(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(text)
}

func (p *reader) syntax(err error) {
	where := top
	var known yaml.Error
	if errors.As(err, &known) && known.GetToken() != nil {
		where = position{known.GetToken().Position.Line, known.GetToken().Position.Column}
		p.addf(where, "%s", known.GetMessage())
		return
	}
	p.addf(where, "%s", strings.SplitN(err.Error(), "\n", 2)[0])
}

// entry is a key with its value.
type entry struct {
	name  string
	at    position
	value ast.Node
}

// entries are those of a mapping, which what names; false: it is none.
func (p *reader) entries(node ast.Node, what string) ([]entry, bool) {
	var pairs []*ast.MappingValueNode
	switch n := node.(type) {
	case *ast.MappingNode:
		pairs = n.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{n}
	default:
		p.addf(at(node), "%s must be names with values%s", what, yamltext.Instead(node))
		return nil, false
	}
	var out []entry
	seen := map[string]bool{}
	for _, pair := range pairs {
		key, is := pair.Key.(*ast.StringNode)
		switch {
		case !is:
			p.addf(at(pair.Key), "%q is no name of anything in %s%s", pair.Key.String(), what,
				yamltext.Instead(pair.Key))
		case seen[key.Value]:
			p.addf(at(key), "%s is given twice in %s", key.Value, what)
		default:
			seen[key.Value] = true
			out = append(out, entry{key.Value, at(key), pair.Value})
		}
	}
	return out, true
}

func (p *reader) document(body ast.Node) {
	entries, is := p.entries(body, "a release file")
	if !is {
		return
	}
	known := []string{"release"}
	for _, s := range Sections {
		known = append(known, s.Name)
	}
	known = append(known, statementsSection, failIfSection)
	given := map[string]entry{}
	for _, e := range entries {
		if !slices.Contains(known, e.name) {
			p.addf(e.at, "%s is not known%s", e.name, hint(e.name, known))
			continue
		}
		given[e.name] = e
	}
	p.version(given)
	p.family(given)
	for _, s := range Sections {
		p.section(s.Name, given)
	}
	if e, is := given[statementsSection]; is {
		p.statements(e)
	}
	if e, is := given[failIfSection]; is {
		p.failIf(e)
	}
}

// hint is what may be meant, or what there is.
func hint(typed string, known []string) string {
	if meant := nearest.Name(typed, known); meant != "" {
		return ": did you mean " + meant + "?"
	}
	return ": there are " + strings.Join(known, ", ")
}

func (p *reader) version(given map[string]entry) {
	e, is := given["release"]
	if !is {
		p.addf(top, "release is missing: a release file begins with \"release: %d\"", Version)
		return
	}
	if text, ok := p.whole(e.value, "release", 0); ok && text != fmt.Sprint(Version) {
		p.addf(at(e.value), "release (%s): this program reads release files of version %d", text,
			Version)
	}
}

// family finds promise.family, which decides what else there may be.
func (p *reader) family(given map[string]entry) {
	e, is := given["promise"]
	if !is {
		p.addf(top, "promise is missing: it says what is promised, such as "+
			"{family: km, k: 5, m: 2}")
		return
	}
	var pairs []*ast.MappingValueNode
	switch n := e.value.(type) {
	case *ast.MappingNode:
		pairs = n.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{n}
	default:
		return // section says so
	}
	for _, pair := range pairs {
		key, is := pair.Key.(*ast.StringNode)
		if !is || key.Value != "family" {
			continue
		}
		if name, ok := p.choice(pair.Value, "promise.family", all); ok {
			p.file.Family = name
		}
		return
	}
	p.addf(e.at, "promise.family is missing: there are %s", strings.Join(all, ", "))
}

// section reads the fields of a section.
func (p *reader) section(name string, given map[string]entry) {
	var fields []Field
	var names []string
	for _, f := range Of(p.file.Family) {
		if f.Section == name {
			fields, names = append(fields, f), append(names, f.Name)
		}
	}
	e, is := given[name]
	where, said := top, map[string]bool{}
	if is {
		where = e.at
		entries, ok := p.entries(e.value, name)
		if !ok || p.file.Family == "" {
			return
		}
		for _, e := range entries {
			said[e.name] = true
			i := slices.Index(names, e.name)
			switch {
			case name == "promise" && e.name == "family":
			case i >= 0:
				p.field(fields[i], e)
			default:
				p.addf(e.at, "%s.%s is not known%s", name, e.name, p.others(name, e.name, names))
			}
		}
	}
	for _, f := range fields {
		if f.Required && !said[f.Name] {
			p.addf(where, "%s is missing", f.Path())
		}
	}
}

// others says of which families a field is, or what may be meant.
func (p *reader) others(section, name string, names []string) string {
	var of []string
	for _, f := range Fields {
		if f.Section == section && f.Name == name {
			of = append(of, f.Families...)
		}
	}
	switch {
	case len(of) > 0:
		return fmt.Sprintf(" in releases of %s: it is for %s", p.file.Family,
			strings.Join(slices.Compact(of), ", "))
	case len(names) == 0:
		return fmt.Sprintf(": releases of %s have nothing in %s", p.file.Family, section)
	}
	return hint(name, names)
}

func (p *reader) field(f Field, e entry) {
	texts, ok := p.texts(f, e.value)
	if !ok {
		return
	}
	if f.Kind == Path || f.Kind == Target {
		if texts[0], ok = p.withoutPassword(f, texts[0], at(e.value)); !ok {
			return
		}
	}
	for i := range texts {
		texts[i], ok = p.expanded(f, texts[i], at(e.value))
		if !ok {
			return
		}
	}
	p.file.Values = append(p.file.Values, Value{f, texts, at(e.value)})
}

func (p *reader) statements(e entry) {
	entries, _ := p.entries(e.value, statementsSection)
	var names []string
	for _, f := range report.AllFields() {
		names = append(names, f.Name)
	}
	for _, e := range entries {
		if !slices.Contains(names, e.name) {
			p.addf(e.at, "statement %s is not known%s", e.name, hint(e.name, names))
			continue
		}
		text, ok := p.text(e.value, "statement "+e.name)
		if !ok {
			continue
		}
		if err := (report.Statements{e.name: text}).Check(); err != nil {
			p.addf(at(e.value), "%v", err)
			continue
		}
		p.file.Statements[e.name] = text
	}
}

func (p *reader) failIf(e entry) {
	entries, _ := p.entries(e.value, failIfSection)
	for _, e := range entries {
		texts, ok := p.list(e.value, failIfSection+"."+e.name)
		if !ok || p.file.Family == "" {
			continue
		}
		for _, text := range texts {
			t, err := report.ParseThreshold(p.file.Family, e.name, text)
			if err != nil {
				p.addf(e.at, "fail_if: %v", err)
				break
			}
			p.file.FailIf = append(p.file.FailIf, t)
			p.file.conditions[e.name] = at(e.value)
		}
	}
}
