package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"mingle/dataset"
	"mingle/internal/disk"
	"mingle/report"
	"mingle/verify"
)

// sets is what the tasks of families of sets have in common: how their files are laid out and read.
type sets struct {
	*env
	layout dataset.Options // of the original
	output dataset.Options // of the published file
	raw    *dataset.Dataset
	little bool // large files are kept packed
}

// packedFrom is how many bytes of text are packed where little memory is to be used. Less takes
// little in plain form, too, and packing takes time.
const packedFrom = 16 << 20

// packs tells whether the transactions of a file are to be packed. A compressed file is taken for
// four times as large.
func (s *sets) packs(path string) bool {
	info, err := disk.Stat(path)
	if !s.little || err != nil {
		return false
	}
	size := info.Size()
	if dataset.Extension(path) != strings.ToLower(filepath.Ext(path)) {
		size *= 4
	}
	return size >= packedFrom
}

// pack keeps the files packed, to be judged in little memory.
func (t *kmTask) pack(little bool) {
	t.little = little && !t.Promise.Persons // whose lines are looked up one by one
}

// judgeable refuses more than a verifier can number the occurrences of, where files are kept packed
// to be judged: plain data cannot be larger.
func (s *sets) judgeable(path string, d *dataset.Dataset) error {
	if s.little && d.Occurrences() > dataset.MaxOccurrences {
		return reading(path, dataset.ErrTooLarge)
	}
	return nil
}

func (s *sets) read(ctx context.Context) (err error) {
	s.layout.Keep = s.columns.keep
	s.layout.Packed = s.layout.Packed || s.packs(s.originalPath)
	s.raw, s.layout, err = s.files.Transactions(ctx, roleTransactions, s.originalPath, s.layout)
	if err == nil {
		err = s.judgeable(s.originalPath, s.raw)
	}
	if err == nil {
		err = s.columns.refuse(s.layout.Format)
	}
	if err == nil {
		err = s.columns.check(s.originalPath, s.raw.Columns)
	}
	if err == nil {
		s.raw, err = s.inOrder(s.raw)
	}
	return err
}

// layOut lays the published file out as the original where the two formats are the same.
func (s *sets) layOut(asked dataset.Format) (err error) {
	opts := publishedOptions(s.publishedPath, asked, s.layout, s.originalPath)
	usual := opts.Format
	if s.compared && s.originalPath != "" && asked == "" && dataset.NamedCSV(s.publishedPath) {
		shown := s.layout.Beside(s.publishedPath)
		opts = publishedOptions(s.publishedPath, shown, s.layout, s.originalPath)
	}
	if s.delimiter != 0 {
		opts.Delimiter = s.delimiter
	}
	if s.compared {
		adapted := opts.Adapted(s.publishedPath)
		s.adapted = dialectNote(usual, opts, adapted)
		opts = adapted
	}
	if s.delimiter != 0 {
		opts.Delimiter = s.delimiter
	}
	opts.Progress, opts.Keep, opts.SkipIncomplete = nil, s.columns.all(), false
	opts.Encoding, opts.Clean, opts.Table, opts.Query = "", dataset.Cleaning{}, "", ""
	opts.Packed = opts.Packed || s.packs(s.publishedPath)
	if s.output, err = s.files.layout(s.publishedPath, opts); err == nil {
		err = s.columns.refuse(s.output.Format)
	}
	if err == nil {
		set := opts.SetColumn
		if opts.TransactionColumn+opts.ItemColumn == "" && s.layout.Format != dataset.Database {
			set = cmp.Or(set, dataset.UsualSet)
		}
		err = differ(s.publishedPath, append(slices.Clone(opts.Keep), opts.TransactionColumn,
			opts.ItemColumn, set)...)
	}
	return err
}

// holds tells which of the labels the published file cannot hold, and if it has no place for empty
// transactions.
func (s *sets) holds(labels []string, empty int) error {
	err := dataset.CheckLabels(labels, s.output)
	if empty > 0 && s.output.Format == dataset.SPMF {
		err = errors.Join(err, fmt.Errorf("%s: %d transactions of the original are empty, and spmf "+
			"has no empty transactions: write fimi instead", s.output.Name, empty))
	}
	return err
}

// writable looks at the items that occur.
func (s *sets) writable() error { return s.holds(occurring(s.raw), s.raw.Empty()) }

// occurring are the labels of the items that some transaction has.
func occurring(d *dataset.Dataset) []string {
	var out []string
	for _, it := range d.Occurring() {
		out = append(out, d.Dict().Label(it))
	}
	return out
}

// dialectNote says how a published file is read in another way than was asked for; "": it is not.
func dialectNote(usual dataset.Format, asked, read dataset.Options) string {
	var how []string
	if asked.Format != usual {
		how = append(how, fmt.Sprintf("in the format %s (--output-format names another)",
			asked.Format))
	}
	if asked.Delimiter != read.Delimiter {
		how = append(how, fmt.Sprintf("with the delimiter %q", read.Delimiter))
	}
	if asked.TransactionColumn != read.TransactionColumn || asked.ItemColumn != read.ItemColumn ||
		asked.SetColumn != read.SetColumn {
		how = append(how, "by the usual names of columns")
	}
	if len(how) == 0 {
		return ""
	}
	return "the published file was read " + strings.Join(how, " and ") + ", as its header shows"
}

// put writes a release with the columns that are to be published.
func (s *sets) put(w io.Writer, d *dataset.Dataset) error {
	opts := s.output
	opts.Progress = func(done, total int64) { s.progress("writing", done, total) }
	return dataset.Write(w, d.WithColumns(s.columns.all()), opts)
}

func (s *sets) format() dataset.Format { return s.output.Format }

// parsed reads a published file of sets.
func (s *sets) parsed(ctx context.Context, in io.Reader, own bool) (*dataset.Dataset, error) {
	opts := s.output
	opts.Own = own // what the program wrote may unpack to any multiple of its size
	if own {
		opts.Progress = func(done, total int64) { s.progress("reading back", done, total) }
	}
	d, err := dataset.Read(ctx, in, opts)
	if err == nil && !own {
		err = noBaseSets(s.publishedPath, d)
	}
	if err == nil {
		err = s.judgeable(s.publishedPath, d)
	}
	if err == nil && own {
		err = s.columns.alone(d.Columns)
	}
	if err == nil && !own {
		s.columns.see(d.Columns, d.Surplus.Unread)
		s.beside = append(repeatsNote(d.Repeats), verify.Surplus(d.Surplus)...)
	}
	return d, err
}

// repeatsNote is what figures of a published file with repeats are to say; none: there are none.
func repeatsNote(r dataset.Repeats) []string {
	if r.Count == 0 {
		return nil
	}
	return []string{fmt.Sprintf("the published file has an item more than once in a line, first in line %d "+
		"(%s in all): such items were passed over here, and tell whoever has the file how many "+
		"items a person had", r.Line, report.Number(r.Count))}
}

// over is published data over the dictionary of the original, which must have all its labels.
func (s *sets) over(dict *dataset.Dictionary, d *dataset.Dataset) (*dataset.Dataset, error) {
	to := make([]int32, d.Dict().Len())
	for i, label := range d.Dict().Labels() {
		id, ok := dict.ID(label)
		if !ok {
			return nil, fmt.Errorf("%s: item %q is not in the original: such a release leaves items out and adds none",
				name(s.publishedPath), label)
		}
		to[i] = id
	}
	return d.Recode(dict, to), nil
}

// misread are the ways in which a published file with an item that nothing knows may have been
// read wrongly, with what to do.
func (s *sets) misread(item string) (hints []string) {
	if !s.compared || !s.output.Format.IsCSV() {
		return nil
	}
	if s.adapted != "" {
		hints = append(hints, s.adapted)
	}
	if f, _, err := dataset.FormatOf(s.publishedPath); err == nil && f.IsCSV() &&
		f != s.output.Format {
		hints = append(hints, fmt.Sprintf("it was read in the format %s, and its first line is the "+
			"header of a %[2]s file: if it is one, say --output-format %[2]s", s.output.Format, f))
	}
	if strings.ContainsAny(item, ",;\t|") {
		hints = append(hints, fmt.Sprintf("item %q has a delimiter in it: has the published file "+
			"another one than the original? Give it with --output-delimiter", item))
	}
	return hints
}
