package webui

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"mingle/dataset"
)

// layout is how a file is to be read, as the flags of the commands say it.
type layout struct {
	Format, Delimiter, Inner, Header string
	Encoding                         string // of the text; "": as Read finds it
	Transaction, Item, Set           string
	SkipIncomplete                   bool
	Person                           string
	Sensitive, Keep                  []string
	Table, Query                     string // of a database
}

// reading are the flags that say how the file is read. What a format has no use for is among them,
// so that it is refused, and not ignored.
func (l layout) reading() []string {
	var out []string
	add := func(flag, value string) {
		if value != "" {
			out = append(out, "--"+flag, value)
		}
	}
	add("input-format", l.Format)
	add("delimiter", l.Delimiter)
	add("header", l.Header)
	add("encoding", l.Encoding)
	add("inner-delimiter", l.Inner)
	if l.isRows() {
		add("table", l.Table)
		add("query", l.Query)
	}
	switch {
	case l.Format == string(dataset.Long):
		add("transaction-column", l.Transaction)
		add("item-column", l.Item)
	case l.Format == string(dataset.Table):
		add("set-column", l.Set)
	case l.Format == string(dataset.JSONL):
		add("set-column", l.Set)
	case l.isColumns():
		add("transaction-column", l.Transaction)
		add("item-column", l.Item)
		add("set-column", l.Set)
	}
	if l.SkipIncomplete {
		out = append(out, "--skip-incomplete")
	}
	return out
}

// fields are those of the form that not every format has a use for, by their names there.
func (l *layout) fields() map[string]*string {
	return map[string]*string{
		"delimiter": &l.Delimiter, "header": &l.Header, "encoding": &l.Encoding, "inner": &l.Inner,
	}
}

// takes tells whether the format has a use for such a field, as far as the format is known.
func (l layout) takes(field string) bool {
	f := dataset.Format(l.Format)
	switch field {
	case "encoding":
		return !l.isColumns()
	case "inner":
		return f == "" || f == dataset.Table || f.IsColumns()
	case "header":
		return f == "" || f.IsCSV() || f == dataset.Sheet
	}
	return f == "" || f.IsCSV()
}

// Shows tells whether the form has a field: where the format has a use for it, or refuses what is
// in it.
func (l layout) Shows(field string) bool { return l.takes(field) || *l.fields()[field] != "" }

// after is the layout of a form that followed another: what was said for the format before, and
// this one has no use for, is gone with it.
func (l layout) after(before layout) layout {
	old := before.fields()
	for field, value := range l.fields() {
		if *value == *old[field] && before.takes(field) && !l.takes(field) {
			*value = ""
		}
	}
	return l
}

// columns are the flags of what else is in the file.
func (l layout) columns() []string {
	var out []string
	if l.Person != "" {
		out = append(out, "--person-column", l.Person)
	}
	for _, c := range l.Sensitive {
		out = append(out, "--sensitive-column", c)
	}
	out = append(out, l.kept()...)
	return out
}

// kept are the flags of the columns that are kept. Their names may have commas in them.
func (l layout) kept() []string {
	var out []string
	for _, name := range l.Keep {
		if strings.ContainsAny(name, ",\"\r\n") {
			name = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
		out = append(out, "--keep-columns", name)
	}
	return out
}

// named tells whether the file has columns with names.
func (l layout) named() bool {
	f := dataset.Format(l.Format)
	return f == dataset.Long || f == dataset.Table || f.IsColumns()
}

// isColumns tells whether the file is one of columns that have types, or a database.
func (l layout) isColumns() bool { return dataset.Format(l.Format).IsColumns() }

// The words that a column's name has by which it is guessed what is in it.
var (
	transactionWords = []string{
		"transaction", "tid", "invoice", "basket", "order", "hadm", "stay", "visit", "session",
		"receipt", "bon", "ticket", "case", "admission", "encounter",
	}
	itemWords = []string{
		"item", "stockcode", "product", "article", "sku", "icd", "code", "diagnos", "label",
		"query", "page", "artikel", "ean",
	}
	setWords = []string{"items", "itemset", "set", "codes", "products", "basket", "diagnoses"}
)

// usual are the names by which the commands find columns.
var usual = dataset.UsualNames()

// guess looks at a file and says how it may be read: as the commands would do it by themselves, and
// where they would ask, by what its first records look like. The user sees the guess, and what was
// read by it.
func guess(path string) layout {
	var l layout
	if o, err := (dataset.Options{}).WithFormat(path); err == nil {
		l.Format = string(o.Format)
		if !o.Format.IsCSV() {
			return l
		}
	}
	delimiter, head, err := dataset.Head(path, "", 200)
	if err != nil || len(head) == 0 {
		return l
	}
	if !dataset.NamedCSV(path) {
		if l.Format = plain(head); l.Format != "" {
			return l
		}
	}
	if delimiter != ',' {
		l.Delimiter = map[rune]string{';': ";", '\t': "tab", '|': "|"}[delimiter]
	}
	if dataset.Extension(path) == dataset.TSV && delimiter == '\t' {
		l.Delimiter = ""
	}
	if !l.named() && l.Format != string(dataset.Basket) {
		l.Format = string(dataset.Basket)
		if hasHeader(head) {
			l.Format = ""
		}
	}
	switch l.Format {
	case string(dataset.Basket):
	case string(dataset.Table): // by the usual name of the set's column
		l.Set = usually(head[0], usual.Set...)
	case string(dataset.Long):
		l.Transaction = usually(head[0], usual.Transaction...)
		l.Item = usually(head[0], usual.Item...)
	default:
		l.arrange(head)
	}
	return l
}

// usually is the column that has one of the names, in whatever case; "": none has.
func usually(names []string, usual ...string) string {
	for _, n := range names {
		if slices.Contains(usual, strings.ToLower(n)) {
			return n
		}
	}
	return ""
}

// plain is the format of a file without columns; "": it may have some.
func plain(head [][]string) string {
	first := strings.TrimSpace(strings.Join(head[0], ","))
	switch {
	case strings.HasPrefix(first, "{"):
		return string(dataset.JSONL)
	case len(head[0]) == 1:
		return string(dataset.Fimi)
	}
	return ""
}

// hasHeader tells whether all records have as many fields, and the first names them: no number is
// among these, and none occurs in its column again.
func hasHeader(head [][]string) bool {
	names := head[0]
	if len(head) < 2 || len(names) < 2 {
		return false
	}
	for i, n := range names {
		if n == "" || slices.Contains(names[:i], n) || strings.IndexFunc(n, unicode.IsLetter) < 0 {
			return false
		}
	}
	for _, record := range head[1:] {
		if len(record) != len(names) {
			return false
		}
		for i, field := range record {
			if field == names[i] {
				return false
			}
		}
	}
	return true
}

// arrange guesses which columns hold what. Records may be shorter or longer than the first, as in a
// file that is no table: the guess stands, and whoever reads the file says which line is wrong.
func (l *layout) arrange(head [][]string) {
	if len(head) == 0 || len(head[0]) == 0 {
		return
	}
	names, rows := head[0], head[1:]
	l.Format = string(dataset.Long)
	if at, inner := setColumn(names, rows); at >= 0 {
		l.Format, l.Set = string(dataset.Table), names[at]
		if !(inner == ";" && l.Delimiter != ";") && !(inner == "," && l.Delimiter == ";") {
			l.Inner = inner
		}
		return
	}
	t, i := likely(names, transactionWords), likely(names, itemWords)
	if t < 0 {
		t = mostRepeated(names, rows)
	}
	if i < 0 || i == t {
		i = mostDistinct(names, rows, t)
	}
	l.Transaction, l.Item = names[t], names[i]
}

// likely is the column whose name has the earliest of the words; -1: none has.
func likely(names, words []string) int {
	for _, w := range words {
		for i, n := range names {
			if strings.Contains(strings.ToLower(n), w) {
				return i
			}
		}
	}
	return -1
}

// fieldOf is a field of a record; "": the record ends before it.
func fieldOf(record []string, i int) string {
	if i >= len(record) {
		return ""
	}
	return record[i]
}

// setColumn is the column whose cells hold several items, and what is between these.
func setColumn(names []string, rows [][]string) (at int, inner string) {
	for _, inner := range []string{";", ",", "|", " "} {
		for i, n := range names {
			several := 0
			for _, r := range rows {
				if strings.Contains(fieldOf(r, i), inner) {
					several++
				}
			}
			named := slices.ContainsFunc(setWords, func(w string) bool {
				return strings.EqualFold(n, w)
			})
			if several*2 > len(rows) && (inner != " " || named) || named && several > 0 {
				return i, inner
			}
		}
	}
	return -1, ""
}

// mostRepeated is the column whose value is most often that of the row before, if not of all.
func mostRepeated(names []string, rows [][]string) int {
	best, most := 0, -1
	for i := range names {
		same := 0
		for r := 1; r < len(rows); r++ {
			if fieldOf(rows[r], i) == fieldOf(rows[r-1], i) {
				same++
			}
		}
		if same > most && same < len(rows)-1 {
			best, most = i, same
		}
	}
	return best
}

// mostDistinct is the column with most values, beside one.
func mostDistinct(names []string, rows [][]string, beside int) int {
	best, most := 0, -1
	for i := range names {
		values := map[string]bool{}
		for _, r := range rows {
			values[fieldOf(r, i)] = true
		}
		if i != beside && len(values) > most {
			best, most = i, len(values)
		}
	}
	return best
}

// published is the name of the published file, in the format of the original where the family has
// no format of its own.
func (l layout) published(name, family string) string {
	if family == nonreciprocal {
		return "published.jsonl"
	}
	for _, packed := range []string{".gz", ".zst"} {
		name = strings.TrimSuffix(name, packed)
	}
	ext := filepath.Ext(name)
	if f := dataset.Format(l.Format); !f.IsCSV() && dataset.ByExtension(ext) != f {
		ext = map[dataset.Format]string{
			dataset.Fimi: ".dat", dataset.JSONL: ".jsonl", dataset.SPMF: ".txt",
		}[f]
	}
	if l.isRows() {
		ext = ".csv"
	}
	return "published" + ext
}
