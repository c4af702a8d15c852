// Package releasefile reads and writes release.yaml: one reviewed file that says a whole release.
//
// A file stands for a command. Each of its fields is a flag of "mingle anonymize" under another
// name, and [Fields] is the one table of them: the reader, the writer and the schema are made of
// it, and a test of the command compares it with the flags.
package releasefile

import (
	"slices"
	"strings"

	"mingle/anonymize/continuous"
	"mingle/anonymize/nonreciprocal"
	"mingle/dataset"
	"mingle/dataset/bag"
	"mingle/hierarchy"
	"mingle/pipeline"
)

// Version is that of the format; files begin with it.
const Version = 1

// Kind says what a value looks like.
type Kind int

// The kinds of values.
const (
	Text   Kind = iota
	Path        // of a file to be read, relative to the release file
	Target      // of a file to be written
	Char        // a delimiter: a character, or a word for one
	Choice      // one of Field.Choices
	Yes         // true or false
	Whole       // a whole number of at least Field.Least
	Number      // from 0 to 1
	Amount      // a number, or a share such as 2%
	Size        // of memory, such as 2GB
	Time        // a duration, such as 10m
	Ratio       // 1/N
	List        // of texts; a single one needs no brackets
)

// Field is an option of a release: a field of the file, and a flag of the command.
type Field struct {
	Section, Name string
	Flag          string   // as Name, where the table says nothing; "": the Argument
	Argument      bool     // the one of the command, no flag
	Families      []string // that have it
	Kind          Kind
	Choices       map[string][]string // by family, of a Choice
	Least         int                 // of a Whole
	Required      bool
	Secret        bool // may come from the environment: ${NAME}
}

// families, as fields have them.
var (
	all   = pipeline.Families()
	km    = []string{pipeline.KM{}.Name()}
	bags  = []string{pipeline.Continuous{}.Name()}
	bases = []string{pipeline.Nonreciprocal{}.Name()}
	moles = []string{pipeline.Coherence{}.Name()}

	sets    = without(all, bags[0]) // files of transactions
	trees   = slices.Concat(km, bags)
	columns = without(all, bases[0]) // may publish columns, in the order of the original
)

func without(list []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == name })
}

// Sections are the parts of a file, in their order, with what each is about.
var Sections = []struct{ Name, About string }{
	{"input", "the original: what it is, and how the file is laid out"},
	{"hierarchy", "what stands above the items, or how ranges are built"},
	{"promise", "what is promised, and about what"},
	{"algorithm", "how the release is made"},
	{"limits", "what the run may take"},
	{"output", "the files that are written: all of them, or none"},
}

// The two sections that are no fields: texts by the names of statements, conditions by the names of
// figures.
const (
	statementsSection = "statements"
	failIfSection     = "fail_if"
)

// Fields is the table of all fields, in the order in which a file has them.
var Fields = slices.Concat(
	inputFields, hierarchyFields, promiseFields, algorithmFields, limitFields, outputFields,
)

var inputFields = in("input", []Field{
	{Name: "file", Families: all, Kind: Path, Required: true, Argument: true},
	{
		Name: "format", Flag: "input-format", Families: all, Kind: Choice,
		Choices: same(all, formats()),
	},
	{Name: "delimiter", Families: all, Kind: Char},
	{Name: "inner_delimiter", Families: all, Kind: Char},
	{Name: "header", Families: sets, Kind: Choice, Choices: same(sets, []string{"yes", "no"})},
	{Name: "transaction_column", Families: sets},
	{Name: "item_column", Families: sets},
	{Name: "set_column", Families: sets},
	{Name: "record_column", Families: bags},
	{Name: "value_column", Families: bags},
	{
		Name: "values", Families: bags, Kind: Choice,
		Choices: same(bags, []string{"number", "date", "timestamp"}),
	},
	{Name: "layout", Families: bags},
	{Name: "unit", Families: bags, Kind: Choice, Choices: same(bags, bag.Units())},
	{Name: "encoding", Families: all},
	{Name: "sheet", Families: all},
	{Name: "table", Families: all},
	{Name: "query", Families: all},
	{Name: "clean", Families: sets, Kind: List},
	{Name: "null_tokens", Flag: "null", Families: sets, Kind: List},
	{Name: "skip_incomplete", Families: all, Kind: Yes},
	{Name: "sequences", Families: sets, Kind: Yes},
})

var hierarchyFields = in("hierarchy", []Field{
	{Name: "file", Flag: "hierarchy", Families: km, Kind: Path, Required: true},
	{Name: "file", Flag: "hierarchy", Families: bags, Kind: Path},
	{
		Name: "format", Flag: "hierarchy-format", Families: trees, Kind: Choice,
		Choices: same(trees, hierarchy.FormatNames()),
	},
	{Name: "separator", Flag: "hierarchy-separator", Families: trees, Kind: Char},
	{Name: "add_root", Families: trees},
	{Name: "columns", Flag: "hierarchy-columns", Families: trees, Kind: List},
	{Name: "width", Families: bags},
	{Name: "fan_out", Families: bags, Kind: Whole, Least: 2},
	{Name: "origin", Families: bags},
})

var promiseFields = in("promise", []Field{
	{Name: "k", Families: without(all, bases[0]), Kind: Whole, Least: 2, Required: true},
	{Name: "k", Families: bases, Kind: Whole, Least: 2},
	{Name: "m", Families: trees, Kind: Whole, Least: 1, Required: true},
	{Name: "h", Families: moles, Kind: Number, Required: true},
	{Name: "p", Families: moles, Kind: Whole, Least: 1, Required: true},
	{Name: "l", Families: slices.Concat(km, bases), Kind: Whole, Least: 2},
	{Name: "label", Families: bases},
	{Name: "private", Families: moles, Kind: Path},
	{Name: "allow_unknown_private", Families: moles, Kind: Yes},
	{Name: "sensitive", Families: km, Kind: Path},
	{Name: "allow_unknown_sensitive", Families: km, Kind: Yes},
	{Name: "sensitive_known", Families: km, Kind: Yes},
	{Name: "sensitive_columns", Flag: "sensitive-column", Families: km, Kind: List},
	{Name: "null_is_value", Families: km, Kind: Yes},
	{Name: "not_sensitive_values", Families: km, Kind: Path},
	{Name: "person_column", Families: km},
	{Name: "max_person_share", Families: km, Kind: Ratio},
	{
		Name: "adversary", Families: km, Kind: Choice,
		Choices: same(km, []string{"data", "algorithm"}),
	},
	{Name: "negative_knowledge", Families: km, Kind: Yes},
})

var algorithmFields = in("algorithm", []Field{
	{
		Name: "name", Flag: "algorithm", Families: without(all, moles[0]), Kind: Choice,
		Choices: algorithms(),
	},
	{Name: "parts", Families: km, Kind: Whole},
	{Name: "flexibility", Families: km, Kind: Whole},
	{Name: "partition_level", Families: km, Kind: Whole},
	{Name: "effort", Families: km, Kind: Whole},
	{Name: "gap", Families: km, Kind: Yes},
	{
		Name: "suppress", Families: km, Kind: Choice,
		Choices: same(km, []string{"items", "transactions"}),
	},
	{Name: "max_suppressed", Families: km, Kind: Amount},
	{Name: "drop", Families: km, Kind: Yes},
	{Name: "threshold", Families: bags, Kind: Number},
	{
		Name: "graph", Families: bases, Kind: Choice,
		Choices: same(bases, []string{"nearest", "ring"}),
	},
	{
		Name: "item_order", Families: bases, Kind: Choice,
		Choices: same(bases, []string{"dictionary", "frequent", "rare"}),
	},
	{Name: "segment_min", Families: bases, Kind: Whole},
	{Name: "segment_max", Families: bases, Kind: Whole},
	{Name: "nugget_support", Families: moles, Kind: Amount, Required: true},
	{Name: "nugget_length", Families: moles, Kind: Whole},
	{Name: "ignore_nuggets", Families: moles, Kind: Yes},
	{
		Name: "count_moles", Families: moles, Kind: Choice,
		Choices: same(moles, []string{"auto", "projection", "diagram"}),
	},
	{Name: "paper_only", Families: slices.Concat(bags, moles), Kind: Yes},
	{Name: "seed", Families: all, Secret: true},
})

var limitFields = in("limits", []Field{
	{Name: "memory", Families: all, Kind: Size},
	{Name: "time", Flag: "time-limit", Families: km, Kind: Time},
	{Name: "keep_best", Families: km, Kind: Yes},
	{Name: "workers", Families: all, Kind: Whole},
})

var outputFields = in("output", []Field{
	{Name: "release", Flag: "output", Families: all, Kind: Target, Required: true},
	{Name: "table", Flag: "output-table", Families: columns},
	{
		Name: "format", Flag: "output-format", Families: columns, Kind: Choice,
		Choices: same(columns, formats()),
	},
	{Name: "delimiter", Flag: "output-delimiter", Families: columns, Kind: Char},
	{Name: "keep_columns", Families: columns, Kind: List},
	{Name: "keep_identifiers", Families: columns, Kind: Yes},
	{Name: "shuffle", Families: columns, Kind: Yes},
	{Name: "report", Families: all, Kind: Target},
	{Name: "page", Families: all, Kind: Target},
	{Name: "final", Families: all, Kind: Yes},
	{Name: "audit", Families: all, Kind: Target},
	{Name: "proof", Families: km, Kind: Target},
	{Name: "replace", Flag: "force", Families: all, Kind: Yes},
})

// in puts fields into a section, with the usual names of their flags.
func in(section string, fields []Field) []Field {
	for i := range fields {
		f := &fields[i]
		f.Section = section
		if f.Flag == "" && !f.Argument {
			f.Flag = strings.ReplaceAll(f.Name, "_", "-")
		}
	}
	return fields
}

func same(families, choices []string) map[string][]string {
	out := map[string][]string{}
	for _, f := range families {
		out[f] = choices
	}
	return out
}

func formats() []string {
	var out []string
	for _, f := range dataset.Formats() {
		out = append(out, string(f))
	}
	return out
}

func algorithms() map[string][]string {
	out := map[string][]string{
		bags[0]: continuous.Algorithms(), bases[0]: {nonreciprocal.NR, nonreciprocal.CAHD},
	}
	for _, e := range pipeline.Algorithms(km[0]) {
		out[km[0]] = append(out[km[0]], e.Name)
	}
	return out
}

// Of are the fields of a family.
func Of(family string) []Field {
	var out []Field
	for _, f := range Fields {
		if slices.Contains(f.Families, family) {
			out = append(out, f)
		}
	}
	return out
}

// Path is the field as messages name it.
func (f Field) Path() string { return f.Section + "." + f.Name }
