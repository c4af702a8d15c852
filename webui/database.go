package webui

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"mingle/dataset"
	"mingle/dataset/rows"
	"mingle/pipeline"
)

// errNoAddress does not repeat what was given: it may be a password.
var errNoAddress = errors.New("this is no address of a database: write " +
	"postgres://user@host/database, or the path of a file of SQLite, such as shop.db")

// openDatabase opens a table, or the rows of a query.
func openDatabase(a *asked) error {
	f := a.PostForm
	p, err := a.s.openRows(f.Get("address"), f.Get("table"), f.Get("query"))
	if err != nil {
		return err
	}
	a.p = p
	return a.to("data")
}

// openRows opens a database where it is; what is read of it is a table or a query. A table may
// stand in the address, too. Passwords are refused, as in commands.
func (s *Server) openRows(address, table, query string) (*project, error) {
	address, table = strings.TrimSpace(address), strings.TrimSpace(table)
	if !rows.Is(address) {
		return nil, errNoAddress
	}
	if table != "" {
		var err error
		if address, err = rows.WithTable(address, table); err != nil {
			return nil, err
		}
	}
	at, err := rows.Parse(address)
	if err == nil && at.Kind == rows.SQLite {
		if info, failed := os.Stat(at.Address); failed != nil || !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s: there is no such file", at.Address)
		}
		at.Address, err = filepath.Abs(at.Address)
	}
	if err != nil {
		return nil, err
	}
	l := layout{Format: string(dataset.Database), Table: at.Table, Query: strings.TrimSpace(query)}
	at.Table = "" // it can be changed beside the address
	dir, err := s.files.directory()
	if err != nil {
		return nil, err
	}
	p := newProject(s, dir, at.String(), l)
	p.name = rows.Shown(p.path)
	s.add(p)
	return p, nil
}

// sources opens what is read, databases too.
func (s *Server) sources() *pipeline.Files { return &pipeline.Files{Databases: s.Databases} }

// servers are the databases that are read over a connection: that of the page, or of all that is
// open.
func (a *asked) servers() (out []string) {
	open := a.s.all()
	if a.p != nil {
		open = []*project{a.p}
	}
	for _, p := range open {
		if p.onServer() && !slices.Contains(out, p.name) {
			out = append(out, p.name)
		}
	}
	return out
}

// onServer tells whether rows are read, and not from a file.
func (p *project) onServer() bool { return rows.Is(p.path) && rows.File(p.path) == "" }

// isRows tells whether rows of a database are read.
func (l layout) isRows() bool { return l.Format == string(dataset.Database) }

// isLong tells whether a row is an item.
func (l layout) isLong() bool {
	return l.Format == string(dataset.Long) || l.isColumns() && l.Transaction+l.Item != ""
}

// likeRows is the format of a published file that is laid out as the rows are.
func (l layout) likeRows() string {
	if l.isLong() {
		return string(dataset.Long)
	}
	return string(dataset.Table)
}

// sameRows tells whether both read the same rows, if in other ways: where the first one is data the
// columns have other names.
func (l layout) sameRows(other layout) bool {
	unnamed := func(l layout) bool { return l.Header == "no" }
	return l.Format == other.Format && l.Table == other.Table && l.Query == other.Query &&
		unnamed(l) == unnamed(other)
}

// withoutColumns is the layout for other rows.
func (l layout) withoutColumns() layout {
	l.Transaction, l.Item, l.Set, l.Person, l.Sensitive, l.Keep = "", "", "", "", nil, nil
	return l
}

// within is the layout for columns of these names alone.
func (l layout) within(names []string) layout {
	for _, part := range []*string{&l.Transaction, &l.Item, &l.Set, &l.Person} {
		if !slices.Contains(names, *part) {
			*part = ""
		}
	}
	for _, part := range []*[]string{&l.Sensitive, &l.Keep} {
		*part = slices.DeleteFunc(slices.Clone(*part), func(name string) bool {
			return !slices.Contains(names, name)
		})
	}
	return l
}

// equal tells whether both say the same.
func (l layout) equal(other layout) bool {
	lists := slices.Equal(l.Sensitive, other.Sensitive) && slices.Equal(l.Keep, other.Keep)
	l.Sensitive, l.Keep, other.Sensitive, other.Keep = nil, nil, nil, nil
	return lists && reflect.DeepEqual(l, other)
}

// guessParts guesses what is not said: which columns hold the transaction and the item, or the set.
// A column of which something else is said is none of them.
func (l *layout) guessParts(head [][]string) {
	again := layout{Delimiter: l.Delimiter}
	if again.arrange(head); again.Format != l.Format {
		return
	}
	said := slices.Concat([]string{l.Transaction, l.Item, l.Set, l.Person}, l.Sensitive, l.Keep)
	fill := func(part *string, guessed string) {
		if *part == "" && !slices.Contains(said, guessed) {
			*part = guessed
		}
	}
	fill(&l.Transaction, again.Transaction)
	fill(&l.Item, again.Item)
	fill(&l.Set, again.Set)
}

// beginning is the first records of what is read. Where nothing is said of what the columns of a
// database hold, or of a file of columns, it is guessed, in l.
func (p *project) beginning(ctx context.Context, l *layout) ([][]string, error) {
	if !l.isColumns() {
		return headOf(p.path, *l, shownRows), nil
	}
	_, head := p.laid()
	said := l.Transaction != "" || l.Item != "" || l.Set != ""
	if said && len(head) > 0 {
		return head, nil
	}
	head, lists, err := p.firstRows(ctx, *l)
	if err == nil && !said {
		l.arrangeRows(head, lists)
	}
	return head[:min(len(head), shownRows+1)], err
}

// guessedRows are looked at for what columns hold.
const guessedRows = 200

// firstRows are the names of the columns of a database, or of a file of columns, with its first
// rows, and the columns of lists among them.
func (p *project) firstRows(
	ctx context.Context, l layout,
) (head [][]string, lists []string, err error) {
	if !l.isRows() {
		opts := dataset.Options{Format: dataset.Format(l.Format)}
		if l.Header == "no" {
			opts.Header = dataset.HeaderAbsent
		}
		return dataset.HeadColumns(ctx, p.path, opts, guessedRows)
	}
	if p.server.Databases == nil {
		return nil, nil, rows.ErrNone
	}
	from, err := rows.Parse(p.path)
	if err != nil {
		return nil, nil, err
	}
	from.Table = l.Table
	in, err := p.server.Databases.Read(ctx, from, l.Query)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	return rows.Head(in, guessedRows)
}

// arrangeRows guesses which columns of such rows hold what: by the names that the commands know,
// then by the only list, then by what is in them.
func (l *layout) arrangeRows(head [][]string, lists []string) {
	if len(head[0]) == 0 {
		return
	}
	format, names := l.Format, head[0]
	l.Transaction, l.Item = usually(names, usual.Transaction...), usually(names, usual.Item...)
	l.Set = usually(names, usual.Set...)
	switch {
	case l.Set == "" && l.Transaction != "" && l.Item != "":
	case l.Set != "":
		l.Transaction, l.Item = "", ""
	case len(lists) == 1:
		l.Transaction, l.Item, l.Set = "", "", lists[0]
	default:
		l.arrange(head)
		if l.Set != "" {
			l.Transaction, l.Item = "", ""
		}
	}
	l.Format = format
}

// withoutPasswords refuses the address of a database with a password wherever in a form it stands:
// nothing of it is kept or shown.
func withoutPasswords(form url.Values) error {
	for _, values := range form {
		if slices.ContainsFunc(values, rows.HasPassword) {
			return rows.ErrPassword
		}
	}
	return nil
}
