package bag

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"mingle/dataset"
)

// Layout says how a file of bags is laid out, in any format of package dataset but spmf.
type Layout struct {
	Format    dataset.Format
	Name      string // of the file, for errors
	Delimiter rune   // between fields of basket, table and long; default ','
	// between the values of a bag that is one text, in tables and files of columns; default ';', or
	// ',' where Delimiter is ';'
	Inner rune

	// Set is the column of the bags of a table or jsonl file (default: "values", "items" or "set"),
	// the column of the values of a long one (default: "value", "values", "item", or the second of
	// two). In a file of columns it is that of the values where ID is named, else that of the bags.
	Set string
	// ID is the column of a file with a row a value that says which record (default: "record",
	// "transaction", "transaction_id", "tid", of a long file also the first of two).
	ID string

	Sheet        string // xlsx: see [dataset.Options]
	Table, Query string // database: see [dataset.Options]

	Encoding string // of the text; see [dataset.Options]

	SkipIncomplete bool // leave out rows with something missing; see [dataset.Options]
	// Keep are further columns that are kept of a file with a row a value; see [dataset.Options].
	Keep []string

	Kind   Kind
	Ranges bool // the fields may be ranges: a published file
	Own    bool // the program wrote the file itself: it may unpack to any multiple of its size
}

// usual are the names by which columns are found.
var usual = dataset.Names{
	Transaction: []string{"record", "transaction", "transaction_id", "tid"},
	Item:        []string{"value", "values", "item"},
	Set:         []string{"values", "items", "set", "bags"},
}

// options are the layout as package dataset has it, which refuses columns of another format.
// Delimiters that a format has no use for are left out.
func (l *Layout) options() (dataset.Options, error) {
	o := dataset.Options{
		Format: l.Format, Name: l.Name, Own: l.Own, SkipIncomplete: l.SkipIncomplete,
		Encoding: l.Encoding, Sheet: l.Sheet, Table: l.Table, Query: l.Query,
	}
	switch l.Format {
	case "":
		o.Delimiter = l.Delimiter
	case dataset.Basket:
		o.Delimiter, o.TransactionColumn, o.SetColumn = l.Delimiter, l.ID, l.Set
	case dataset.Parquet, dataset.Arrow, dataset.Sheet, dataset.Database:
		o.Delimiter, o.InnerDelimiter, o.Keep = l.Delimiter, l.Inner, l.Keep
		if o.TransactionColumn = l.ID; l.ID != "" {
			o.ItemColumn = l.Set
		} else {
			o.SetColumn = l.Set
		}
	case dataset.Table:
		o.Delimiter, o.InnerDelimiter = l.Delimiter, l.Inner
		o.TransactionColumn, o.SetColumn = l.ID, l.Set
	case dataset.Long:
		o.Delimiter, o.TransactionColumn, o.ItemColumn = l.Delimiter, l.ID, l.Set
		o.Keep = l.Keep
	case dataset.JSONL, dataset.Fimi:
		o.TransactionColumn, o.SetColumn = l.ID, l.Set
	default:
		return o, fmt.Errorf("%s: bags of numbers are in files of every format but %s",
			cmp.Or(l.Name, "input"), l.Format)
	}
	return o, nil
}

// RowAValue tells whether a file has a row for each value, and so none for a record without any.
// Of a file that is read it is known afterwards.
func (l *Layout) RowAValue() bool {
	return l.Format == dataset.Long || l.Format.IsColumns() && l.ID != ""
}

// Read reads a file of bags, plain or compressed by gzip or zstd. A format of text that is not
// given is found by its beginning; format and columns that were found are put into l. What is wrong
// is told with its lines, the first 20 faults and a count of the others, as a
// *dataset.Faults. Blank lines of fimi and basket files are empty records. After the end of ctx it
// returns as soon as the current Read of r does.
//
// Of published data (Ranges) every field must be written as the program writes its term: in the
// unit of the kind, a range of one value as that value, and each term in one text throughout. Any
// other text shows more than the term, so it is a fault.
func Read(ctx context.Context, r io.Reader, l *Layout) (*Bags, error) {
	opts, err := l.options()
	if err != nil {
		return nil, err
	}
	var fields []Term
	var texts []string // as they stand in the file
	records, found, err := dataset.ReadRecords(ctx, r, opts, dataset.Values{
		Names: usual,
		Find: func(head []byte) (dataset.Options, error) {
			if l.Format, err = l.sniff(head); err != nil {
				return opts, err
			}
			return l.options()
		},
		Check: func(field string) error {
			t, err := l.parse(strings.TrimSpace(field))
			fields, texts = append(fields, t), append(texts, field)
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	set, record := cmp.Or(found.SetColumn, found.ItemColumn), found.TransactionColumn
	if l.Format != dataset.Long || set != "" && record != "" { // else written with the usual names
		l.Set, l.ID = set, record
	}
	terms, id := unite(fields)
	if l.Ranges {
		if err := asWritten(&records, texts, l.Name, func(field int32) string {
			return terms[id[field]].String()
		}); err != nil {
			return nil, err
		}
	}
	term := func(pos int) int32 { return id[records.Items()[pos]] }
	if l.Ranges {
		records.Surplus.Unsorted = unsorted(&records, term)
	}
	return &Bags{records.Recode(term), terms}, nil
}

// unsorted is the line of the first record whose terms do not ascend; 0: those of all do.
func unsorted(r *dataset.Records, term func(pos int) int32) int {
	for i := range r.Len() {
		for pos := r.Start(i) + 1; pos < r.Start(i+1); pos++ {
			if term(pos) < term(pos-1) {
				return r.Line(i)
			}
		}
	}
	return 0
}

// asWritten refuses fields that do not stand in the file as they are written.
func asWritten(r *dataset.Records, texts []string, name string, written func(int32) string) error {
	var faults dataset.Faults
	wrong := map[int32]string{} // fields by what they must be
	for id, text := range texts {
		if w := written(int32(id)); w != text {
			wrong[int32(id)] = w
		}
	}
	for i := range r.Len() {
		if len(wrong) == 0 {
			break
		}
		for _, field := range r.Record(i) {
			if w, is := wrong[field]; is {
				faults.Addf(r.Line(i), "%.80q stands for %.80s, and must be written so: another "+
					"text in a published file shows more than was verified", texts[field], w)
			}
		}
	}
	return faults.Err(name)
}

func (l *Layout) parse(s string) (Term, error) {
	t, err := l.Kind.ParseTerm(s)
	if err == nil && !l.Ranges && strings.HasPrefix(s, "[") {
		return t, errRange
	}
	return t, err
}

// CheckTerms tells which terms the layout cannot hold, as [Write] would.
func CheckTerms(terms []Term, l *Layout) error {
	opts, err := l.options()
	if err != nil {
		return err
	}
	texts := make([]string, len(terms))
	for i, t := range terms {
		texts[i] = t.String()
	}
	return dataset.CheckLabels(texts, opts)
}

// Write writes bags in a layout, arranged as in the file they were read from where its format is
// the same. Record i of the file is record i of b; the values of a record ascend. A text that the
// layout cannot hold (a timestamp with a blank in a fimi file) is an error that names it.
func Write(w io.Writer, b *Bags, l *Layout) error {
	opts, err := l.options()
	if err != nil {
		return err
	}
	texts := make([]string, len(b.terms))
	for i, t := range b.terms {
		texts[i] = t.String()
	}
	return dataset.WriteRecords(w, &b.Records, texts, opts)
}
