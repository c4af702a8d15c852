package webui

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mingle/dataset"
	"mingle/dataset/rows"
	"mingle/generate"
	"mingle/hierarchy"
)

// homeView is the page to begin with.
type homeView struct {
	Projects []homeProject
	Most     int64 // bytes of a file, in MB
}

type homeProject struct {
	ID, Name string
	Runs     []homeRun
}

type homeRun struct {
	N            int
	Title, State string
	Loss         string
}

func home(a *asked) error {
	v := homeView{Most: a.s.MaxUpload >> 20}
	for _, p := range a.s.all() {
		p.locked(func() {
			v.Projects = append(v.Projects, homeProject{p.id, p.name, p.listed(a.wording())})
		})
	}
	return a.show("home", v)
}

// listed are all runs in short. The project is locked.
func (p *project) listed(w wording) (out []homeRun) {
	for _, r := range p.runs {
		out = append(out, homeRun{r.N, r.Title(), r.State, r.loss(w)})
	}
	return out
}

// upload takes a file into a private directory of its own.
func upload(a *asked) error {
	dir, err := a.s.files.directory()
	if err != nil {
		return err
	}
	path, err := a.store(dir)
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	p := newProject(a.s, dir, path, guess(path))
	a.s.add(p)
	a.p = p
	return a.to("data")
}

// store writes the one file of a form, up to the bound.
func (a *asked) store(dir string) (path string, err error) {
	a.Body = http.MaxBytesReader(a.w, a.Body, a.s.MaxUpload)
	form, err := a.MultipartReader()
	if err != nil {
		return "", &fault{http.StatusBadRequest, errors.New("no file came with the form")}
	}
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			return "", &fault{http.StatusBadRequest, errors.New("no file was chosen")}
		}
		if err != nil {
			return "", err
		}
		if part.FormName() != "file" || part.FileName() == "" {
			continue
		}
		path = filepath.Join(dir, safeName(part.FileName()))
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(f, part)
		return path, errors.Join(err, f.Close())
	}
}

// example opens the baskets of the made-up shop, with their catalogue as hierarchy.
func example(a *asked) error {
	dir, err := a.s.files.directory()
	if err != nil {
		return err
	}
	path, tree := filepath.Join(dir, "shop.csv"), filepath.Join(dir, "catalogue.csv")
	var p *project
	if err = writeExample(path, tree); err == nil {
		p = newProject(a.s, dir, path, guess(path))
		if err = p.useTree(a.Context(), tree, "file", "", nil); err != nil {
			p.close()
		}
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	a.s.add(p)
	a.p = p
	return a.to("data")
}

// writeExample writes the baskets and the catalogue.
func writeExample(path, tree string) error {
	shop, err := generate.NewShop(generate.ShopParams{Transactions: 3000, Seed: 1})
	if err != nil {
		return err
	}
	dict, err := dataset.NewDictionary(shop.Labels())
	if err != nil {
		return err
	}
	b := dataset.NewBuilder(dict)
	if err := shop.Baskets(func(tx []int32) error { b.Add(tx); return b.Err() }); err != nil {
		return err
	}
	return errors.Join(
		write(path, func(w io.Writer) error {
			return dataset.Write(w, b.Build(), dataset.Options{Format: dataset.Basket})
		}),
		write(tree, func(w io.Writer) error {
			return hierarchy.Write(w, shop.Tree(), hierarchy.ARX)
		}),
	)
}

// write makes a private file.
func write(path string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(fill(f), f.Close())
}

func closeProject(a *asked) error {
	err := a.s.forget(a.p)
	a.p = nil
	return errors.Join(err, a.to(""))
}

// dataView is the page of what was read.
type dataView struct {
	data
	Layout  layout
	Formats []dataset.Format
	// rows of a database are read
	Database bool
	Names    []column // of the file, with what they hold
	Rows     [][]string
	Sets     [][]string // the first transactions, as they were understood
}

// column is one of the file, and its part.
type column struct {
	Name, Part string
	Identifier bool
	Person     bool // it looks like that of the persons
}

func showData(a *asked) error { return a.showRead(nil) }

// showRead shows how the file is read; where a form is wrong, with what that says.
func (a *asked) showRead(wrong error) error {
	p, status := a.p, http.StatusOK
	v := dataView{Formats: formats()}
	p.locked(func() { v.data, v.Layout = p.data, p.layout })
	if wrong != nil {
		v.Err, status = wrong, http.StatusUnprocessableEntity
		v.Layout = layoutFrom(a.PostForm, v.Layout)
	}
	if v.Database = v.Layout.isRows(); rows.Is(p.path) {
		v.Formats = []dataset.Format{dataset.Database}
	}
	if v.Layout.named() && len(v.Head) > 0 {
		for _, name := range v.Head[0] {
			v.Names = append(v.Names, v.column(name))
		}
		v.Rows = v.Head[1:]
	} else if v.sets != nil {
		for _, c := range v.sets.Columns {
			v.Names = append(v.Names, v.column(c.Name))
		}
	}
	if marks := a.PostForm["part"]; wrong != nil && len(marks) == len(v.Names) {
		for i, part := range marks {
			v.Names[i].Part = part
		}
	}
	if v.sets != nil {
		for i := range min(shownRows, v.sets.Len()) {
			v.Sets = append(v.Sets, v.sets.Labels(i))
		}
	}
	a.showWith(status, "data", v)
	return nil
}

// named is a value of a choice with its name.
type named struct{ Name, Value string }

// Delimiters are those that can be chosen.
func (dataView) Delimiters() []named {
	return []named{{"comma", ""}, {"semicolon", ";"}, {"tab", "tab"}, {"bar |", "|"}}
}

// Encodings are those that can be chosen beside what is found by itself.
func (dataView) Encodings() []string { return dataset.Encodings()[1:] }

// Parts are what a column can hold.
func (v dataView) Parts() []string {
	switch l := v.Layout; {
	case l.Format == string(dataset.Long):
		return []string{"drop", "transaction", "item", "person", "sensitive", "keep"}
	case l.Format == string(dataset.Table):
		return []string{"drop", "set", "person", "sensitive", "keep"}
	case l.isColumns():
		return []string{"drop", "transaction", "item", "set", "person", "sensitive", "keep"}
	}
	return []string{"drop", "person", "sensitive", "keep"}
}

// column says what a column holds.
func (v *dataView) column(name string) column {
	c := column{Name: name, Part: "drop", Identifier: slices.Contains(v.Identifiers, name)}
	for _, p := range v.Persons {
		c.Person = c.Person || p.Name == name
	}
	l := v.Layout
	table := l.Format == string(dataset.Table) || l.isColumns()
	switch {
	case l.isLong() && name == l.Transaction:
		c.Part = "transaction"
	case l.isLong() && name == l.Item:
		c.Part = "item"
	case table && name == l.Set:
		c.Part = "set"
	case name == l.Person:
		c.Part = "person"
	case slices.Contains(l.Sensitive, name):
		c.Part = "sensitive"
	case slices.Contains(l.Keep, name):
		c.Part = "keep"
	}
	return c
}

// layoutFrom reads the form. While a file is being read its columns may not be shown: what they
// hold stays, then, unless the format is another.
func layoutFrom(f url.Values, before layout) layout {
	l := layout{
		Format: f.Get("format"), Delimiter: f.Get("delimiter"), Inner: f.Get("inner"),
		Encoding: f.Get("encoding"),
		Header:   f.Get("header"), SkipIncomplete: f.Get("incomplete") != "",
		Table: strings.TrimSpace(f.Get("table")), Query: strings.TrimSpace(f.Get("query")),
	}
	if !f.Has("name") && l.Format == before.Format {
		l.Transaction, l.Item, l.Set = before.Transaction, before.Item, before.Set
		l.Person, l.Sensitive, l.Keep = before.Person, before.Sensitive, before.Keep
	}
	for i, name := range f["name"] {
		if i >= len(f["part"]) {
			break
		}
		switch f["part"][i] {
		case "transaction":
			l.Transaction = name
		case "item":
			l.Item = name
		case "set":
			l.Set = name
		case "person":
			l.Person = name
		case "sensitive":
			l.Sensitive = append(l.Sensitive, name)
		case "keep":
			l.Keep = append(l.Keep, name)
		}
	}
	return l.after(before)
}

// marked says of which part a form marks several columns, where one alone can be it.
func marked(f url.Values) error {
	names := map[string][]string{}
	for i, name := range f["name"] {
		if i < len(f["part"]) {
			names[f["part"][i]] = append(names[f["part"][i]], name)
		}
	}
	var wrong []error
	for _, part := range []string{"transaction", "item", "set", "person"} {
		if all := names[part]; len(all) > 1 {
			wrong = append(wrong, fmt.Errorf("columns %s are all marked as %s: one alone can be it. "+
				"Where several together are, join them into one before", strings.Join(all, ", "), part))
		}
	}
	return errors.Join(wrong...)
}

// relaid completes the layout of a form. What the columns of another format, or of other rows, hold
// is guessed anew. Another encoding, or first line, gives some columns other names: those that are
// no longer there hold nothing, and what is missing then is guessed. It reads the beginning of the
// file, and is asked for without a lock.
func (p *project) relaid(l layout) relaid {
	before, head := p.laid()
	if l.isColumns() {
		if l.sameRows(before) {
			return relaid{l, head, false}
		}
		without := l.withoutColumns()
		return relaid{without, nil, !l.equal(without)}
	}
	asked, renamed := l, before.Encoding != l.Encoding || before.Header != l.Header
	if l.named() && (renamed || before.Format != l.Format) {
		head := headOf(p.path, l, 200)
		if renamed {
			l = l.within(slices.Concat(head[:min(1, len(head))]...))
		}
		cleared := !l.equal(asked)
		if l.Set == "" && (l.Item == "" || cleared && l.Transaction == "") && len(head) > 1 {
			l.guessParts(head)
		}
		return relaid{l, headOf(p.path, l, shownRows), cleared}
	}
	return relaid{l, headOf(p.path, l, shownRows), false}
}

// relaid is a layout that was completed.
type relaid struct {
	layout  layout
	head    [][]string // the first records by it, as far as they are at hand
	cleared bool       // it does not have all that was said of columns
}

// lay takes a layout, and tells whether the file has to be read again for it.
func (p *project) lay(to relaid) (again bool) {
	l := to.layout
	p.change(func() {
		again = p.data.Err != nil || !slices.Equal(l.reading(), p.layout.reading())
		if again || l.Person != p.layout.Person {
			p.forgetTable()
		}
		p.layout = l
		if again { // what is being read is no longer what is asked for
			p.data, p.round = data{Reading: true, Head: to.head}, p.round+1
		}
	})
	return again
}

// changeData reads the file again, in another way. Where that leaves out something that was said of
// the columns, such as which holds the persons, it is not gone on without: the page shows what is
// left.
func changeData(a *asked) error {
	if wrong := marked(a.PostForm); wrong != nil {
		return a.showRead(wrong)
	}
	before, _ := a.p.laid()
	to := a.p.relaid(layoutFrom(a.PostForm, before))
	if a.p.lay(to) {
		a.p.read()
	}
	if a.PostForm.Get("next") != "" && !to.cleared {
		return a.to("risk")
	}
	return a.to("data")
}

// language sets that of the page.
func language(a *asked) error {
	http.SetCookie(a.w, &http.Cookie{
		Name: "mingle-language", Value: a.PostForm.Get("language"), Path: a.s.guard.base,
		SameSite: http.SameSiteStrictMode, HttpOnly: true, MaxAge: 365 * 24 * 3600,
	})
	to := a.PostForm.Get("here")
	if len(to) < len(a.s.guard.base) || to[:len(a.s.guard.base)] != a.s.guard.base {
		to = a.s.guard.base
	}
	http.Redirect(a.w, a.Request, to, http.StatusSeeOther)
	return nil
}
