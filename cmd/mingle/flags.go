package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mingle/anonymize"
	"mingle/dataset"
	"mingle/dataset/database"
	"mingle/dataset/rows"
	"mingle/hierarchy"
	"mingle/internal/publish"
	"mingle/pipeline"
)

// formatFlags say how a file is laid out, whatever is in it.
type formatFlags struct {
	input, output    string
	delimiter, inner string
	outputDelimiter  string
	between          rune // the fields of the published file, once layout was called
	incomplete       bool
	encoding, sheet  string
	tables           tableFlags
}

// register are the flags of a file that is read, and of a published one where there is one.
func (l *formatFlags) register(f *pflag.FlagSet, output bool) {
	f.StringVar(&l.delimiter, "delimiter", "", delimiterHelp)
	f.BoolVar(&l.incomplete, "skip-incomplete", false, incompleteHelp)
	f.StringVar(&l.sheet, "sheet", "", sheetHelp)
	l.tables.register(f, output)
	f.StringVar(&l.encoding, "encoding", "", encodingHelp())
}

// written are the flags of the file that is written; what says which it is, and byDefault which
// format it has without one.
func (l *formatFlags) written(f *pflag.FlagSet, what, formats, byDefault string) {
	f.StringVar(&l.output, "output-format", "", "format of the "+what+" file"+formats+" (default: "+byDefault+")")
	f.StringVar(&l.outputDelimiter, "output-delimiter", "", "between the fields of the "+what+" file"+outputDelimiterHelp)
}

// layout is the format that is read, and what is between fields and between what is within one.
func (l *formatFlags) layout(bad *faults) (format dataset.Format, delimiter, inner rune) {
	format = bad.format("--input-format", l.input)
	bad.format("--output-format", l.output)
	delimiter = bad.rune("--delimiter", l.delimiter)
	l.between = bad.rune("--output-delimiter", l.outputDelimiter)
	return format, delimiter, bad.rune("--inner-delimiter", l.inner)
}

// layoutFlags say how files of transactions are laid out.
type layoutFlags struct {
	formatFlags
	header                 string
	transaction, item, set string
	sequences              bool
	clean, null            []string
}

func (l *layoutFlags) register(f *pflag.FlagSet, output bool) {
	formats := formatNames()
	f.StringVar(
		&l.input, "input-format", "",
		"format of the transactions: "+formats+" (default: by the extension)",
	)
	if output {
		l.writtenTransactions(f, "published", formats)
	}
	f.StringVar(
		&l.inner, "inner-delimiter", "", "between the items of a set in a table (default ';')",
	)
	f.StringVar(
		&l.header, "header", "",
		"whether a csv file has a header: yes or no (default: long and table yes, basket no)",
	)
	f.StringVar(
		&l.transaction, "transaction-column", "", "column of the transaction in a long file",
	)
	f.StringVar(&l.item, "item-column", "", "column of the item in a long file")
	f.StringVar(&l.set, "set-column", "", "column of the set in a table, field of the set in jsonl")
	f.StringSliceVar(
		&l.clean, "clean", nil, "what is done to items as they are read: "+dataset.CleaningHelp,
	)
	f.StringSliceVar(
		&l.null, "null", nil, "items that stand for no value, such as NA,NULL: they are left out, "+
			"and counted",
	)
	f.BoolVar(
		&l.sequences, "sequences", false,
		"read a sequence file of spmf, and unite the sets of a sequence",
	)
	l.formatFlags.register(f, output)
}

// writtenTransactions are the flags of a file of transactions that is written.
func (l *layoutFlags) writtenTransactions(f *pflag.FlagSet, what, formats string) {
	l.written(f, what, ": "+formats, "by the extension, else as the input")
}

// options makes the options of a reader, or says all that is wrong.
func (l *layoutFlags) options() (dataset.Options, error) {
	opts := dataset.Options{
		TransactionColumn: l.transaction, ItemColumn: l.item, SetColumn: l.set,
		Sequences: l.sequences, SkipIncomplete: l.incomplete, Encoding: l.encoding, Sheet: l.sheet,
		Table: l.tables.table, Query: l.tables.query,
	}
	var bad faults
	clean, err := dataset.ParseCleaning(l.clean, l.null)
	if opts.Clean = clean; err != nil {
		bad.addf("--clean: %v", err)
	}
	opts.Format, opts.Delimiter, opts.InnerDelimiter = l.layout(&bad)
	switch l.header {
	case "":
	case "yes":
		opts.Header = dataset.HeaderPresent
	case "no":
		opts.Header = dataset.HeaderAbsent
	default:
		bad.addf("--header (%s) must be yes or no", l.header)
	}
	return opts, bad.err()
}

// tableFlags say which tables of databases are read and written.
type tableFlags struct{ table, query, output string }

func (t *tableFlags) register(f *pflag.FlagSet, output bool) {
	f.StringVar(&t.table, "table", "", "table of a database (PostgreSQL: schema.table, as SQL reads it)")
	f.StringVar(&t.query, "query", "", "read the rows of this SELECT in place of a table; end it with ORDER BY, so that the same data are the same lines")
	if output {
		f.StringVar(&t.output, "output-table", "", "table that is published, where the output is a database: new, or one that mingle wrote, with --force")
	}
}

// published is the published file, or the table of a database where one is named.
func (t *tableFlags) published(path string) (string, error) {
	if t.output == "" {
		return path, nil
	}
	if !rows.Is(path) || path == pipeline.Stdin {
		return path, usagef("--output-table: %s is no database: leave it out", path)
	}
	at, err := rows.WithTable(path, t.output)
	if err != nil {
		return path, usagef("--output-table: %w", err)
	}
	return at, nil
}

func formatNames() string { return namesBut("") }

// fileFormatNames are those of the formats of files.
func fileFormatNames() string { return namesBut(dataset.Database) }

func namesBut(other dataset.Format) string {
	var names []string
	for _, f := range dataset.Formats() {
		if f != other {
			names = append(names, string(f))
		}
	}
	return strings.Join(names, ", ")
}

// faults collects what is wrong with the flags, so that all of it is told at once.
type faults []string

func (f *faults) addf(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

func (f *faults) notNegative(flag string, n int) {
	if n < 0 {
		f.addf("--%s (%d) must not be negative", flag, n)
	}
}

func (f *faults) atLeastOne(flag string, n int) {
	if n < 1 {
		f.addf("--%s (%d) must be at least 1", flag, n)
	}
}

func (f *faults) format(flag, name string) dataset.Format {
	if name == "" {
		return ""
	}
	format, err := dataset.ParseFormat(name)
	if err != nil {
		f.addf("%s: %v", flag, err)
	}
	return format
}

// The help of delimiters, which families share.
const (
	delimiterHelp = "between the fields of a csv file: a character, or tab, comma, semicolon, pipe (default ',', of .tsv files tab)"

	outputDelimiterHelp = ", as --delimiter (default: as the original where both are csv, of .tsv files tab)"
)

const sheetHelp = "sheet of an xlsx workbook (default: the first one)"

const incompleteHelp = "leave out rows of long, table and jsonl files in which something is missing (a field, the transaction, the set, a value), and count them"

func encodingHelp() string {
	return "of the text: " + strings.Join(dataset.Encodings(), ", ") +
		" (default utf-8, or utf-16 where the text has its mark)"
}

// runeNames are words for delimiters that are awkward to type.
var runeNames = map[string]rune{
	`\t`: '\t', "tab": '\t', "comma": ',', "semicolon": ';', "pipe": '|',
}

// rune is a single character, or a word for one.
func (f *faults) rune(flag, text string) rune {
	if text == "" {
		return 0
	}
	if r, is := runeNames[strings.ToLower(text)]; is {
		return r
	}
	r, size := utf8.DecodeRuneInString(text)
	if size != len(text) {
		f.addf("%s (%s) must be a single character, or tab, comma, semicolon or pipe", flag, text)
	}
	return r
}

func (f *faults) err() error {
	if len(*f) == 0 {
		return nil
	}
	return usagef("%s", strings.Join(*f, "\n"))
}

// hierarchyFlags name a hierarchy and its layout.
type hierarchyFlags struct {
	path, format, separator, root string
	columns                       []string
}

func (h *hierarchyFlags) register(f *pflag.FlagSet) {
	f.StringVarP(&h.path, "hierarchy", "H", "", "the hierarchy of the items")
	h.layout(f)
}

func (h *hierarchyFlags) layout(f *pflag.FlagSet) {
	f.StringVar(
		&h.format, "hierarchy-format", "",
		"layout of the hierarchy: arx, pairs, amnesia, json (default: found out)",
	)
	f.StringVar(&h.separator, "hierarchy-separator", "", "between its labels (default: found out)")
	f.StringVar(&h.root, "add-root", "", "put this node above a hierarchy that has several roots")
	f.StringSliceVar(
		&h.columns, "hierarchy-columns", nil,
		"the hierarchy is a table: its columns, from the item up",
	)
}

func (h *hierarchyFlags) options() (hierarchy.ReadOptions, error) {
	var bad faults
	opts := hierarchy.ReadOptions{
		AddRoot: h.root, Columns: h.columns,
		Separator: bad.rune("--hierarchy-separator", h.separator),
	}
	if h.format != "" {
		format, err := hierarchy.ParseFormat(h.format)
		if err != nil {
			bad.addf("--hierarchy-format: %v", err)
		}
		opts.Format = format
	}
	return opts, bad.err()
}

// required says all at once which flags are missing.
func required(cmd *cobra.Command, names ...string) error {
	var bad faults
	for _, name := range names {
		if f := cmd.Flags().Lookup(name); !f.Changed {
			short := ""
			if f.Shorthand != "" && f.Shorthand != f.Name {
				short = " (-" + f.Shorthand + ")"
			}
			bad.addf("%s needs --%s%s: %s", cmd.CommandPath(), f.Name, short, f.Usage)
		}
	}
	return bad.err()
}

// machineFlags bound what a run may use.
type machineFlags struct{ workers int }

func (m *machineFlags) register(f *pflag.FlagSet) {
	f.IntVar(&m.workers, "workers", 0, "work with at most this many goroutines, and at most four a core (default: one a core); the result is the same")
}

// check also keeps the workers to a number that more could not help: each has memory of its own.
func (m *machineFlags) check() error {
	if m.workers < 0 {
		return usagef("--workers (%d) must not be negative", m.workers)
	}
	const perCore = 4
	m.workers = min(m.workers, perCore*runtime.GOMAXPROCS(0))
	return nil
}

// progress adapts the console to algorithms.
func (a *app) progress(p anonymize.Progress) { a.console.progress(p.Stage, p.Done, p.Total) }

// databases opens databases, with the passwords that a release file has variables for.
func (a *app) databases() rows.Opener {
	var o database.Opener
	if a.definition != nil {
		o.Passwords = a.definition.Passwords
	}
	return o
}

func (a *app) files(workers int) *pipeline.Files {
	return &pipeline.Files{
		In: a.in, Workers: workers, Progress: a.console.progress, Databases: a.databases(),
	}
}

// unpublished are the flags that a report does not name: they do not change the release, or are
// secret.
// A query may tell of the data.
// A threshold may be on what only the custodian sees, and statements are on the page alone.
var unpublished = []string{
	"workers", "memory", "quiet", "json", "force", "seed", "report", "audit", "page", "statements",
	"final", "fail-if", "print-release", "proof",
	"master", "conf", "spark-home", "spark-log", "query", "worker-memory",
}

// recipe is the command without directories and without what must not be published, its flags in
// the order of their names.
func recipe(cmd *cobra.Command, args []string) string {
	words := strings.Fields(cmd.CommandPath())
	for _, arg := range args {
		words = append(words, quoted(fileName(arg)))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(unpublished, f.Name) {
			return
		}
		for _, value := range flagTexts(f) {
			switch f.Name {
			case "hierarchy", "sensitive", "private", "not-sensitive-values", "output":
				value = fileName(value)
			}
			switch {
			case f.Value.Type() == "bool":
				words = append(words, "--"+f.Name+"="+value)
			case len(f.Name) == 1 && f.Shorthand == f.Name:
				words = append(words, "-"+f.Name, quoted(value))
			default:
				words = append(words, "--"+f.Name, quoted(value))
			}
		}
	})
	return strings.Join(words, " ")
}

// flagTexts are the words that give a flag what it has: a list of which each is a word of its own,
// or that takes one word apart at commas.
func flagTexts(f *pflag.Flag) []string {
	list, is := f.Value.(pflag.SliceValue)
	switch {
	case !is:
		return []string{f.Value.String()}
	case f.Value.Type() == "stringSlice":
		return []string{separated(list.GetSlice())}
	}
	return list.GetSlice()
}

// separated is a list as one word, as a flag of type stringSlice takes it apart.
func separated(texts []string) string {
	var line strings.Builder
	w := csv.NewWriter(&line)
	_ = w.Write(texts) // to memory
	w.Flush()
	return strings.TrimSuffix(line.String(), "\n")
}

// fileName is a path without directories, such that it is not taken for a flag.
func fileName(path string) string {
	if path != pipeline.Stdin && rows.Is(path) {
		return rows.Shown(path)
	}
	base := filepath.Base(path)
	if base != "-" && strings.HasPrefix(base, "-") {
		return "./" + base
	}
	return base
}

// quoted puts a word in quotes where a shell would take it apart.
func quoted(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"\\$`*?[]{}()<>|&;!#~") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// newSet is the set of the files that a command writes, checked before the work: none of them is an
// input, or another.
func (a *app) newSet(force bool, inputs []string, targets ...publish.Target) (*publish.Set, error) {
	for _, t := range targets {
		if t.Path != publish.Stdout && rows.Is(t.Path) {
			return nil, usagef("%s: the %s is written to a file: name one", fileName(t.Path), t.Role)
		}
	}
	set := &publish.Set{Force: force, Out: a.out, In: a.in, Inputs: inputs}
	return set, set.Check(targets...)
}

// create lets write fill one file of a set, compressed as its extension has it.
func (a *app) create(set *publish.Set, target string, mode fs.FileMode, write func(io.Writer) error) error {
	f, err := set.Create(target, mode)
	if err != nil {
		return err
	}
	packed, err := dataset.Compress(f, target)
	if err == nil {
		err = write(packed)
	}
	if err == nil {
		err = packed.Close()
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", target, publish.Reason(err))
	}
	return nil
}

// writeFile writes the only file of a set, all of it or nothing.
func (a *app) writeFile(set *publish.Set, target string, mode fs.FileMode, write func(io.Writer) error) error {
	defer set.Abort()
	if err := a.create(set, target, mode, write); err != nil {
		return err
	}
	return set.Commit()
}

// outputFlags name the file a command writes.
type outputFlags struct {
	path  string
	force bool
}

func (o *outputFlags) register(f *pflag.FlagSet, what string) {
	f.StringVarP(&o.path, "output", "o", "", what+" ('-' for standard output)")
	writes(f, "output")
	f.BoolVar(&o.force, "force", false, "replace existing files")
}

// set is the set of the one file that a command writes.
func (o *outputFlags) set(a *app, role string, inputs ...string) (*publish.Set, error) {
	return a.newSet(o.force, inputs, publish.Target{Role: role, Path: o.path})
}
