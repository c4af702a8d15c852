package webui

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"mingle/pipeline"
)

// chooseView is the page of what is promised and how.
type chooseView struct {
	Choice     choice
	Algorithms []pipeline.Entry
	Table      table
	Cells      [][]*cell // a row a k, a column an m
	Chart      template.HTML
	Families   []string
	Columns    []string // sensitive ones
	Labels     []string // columns that may be labels
	NoTree     bool     // a hierarchy is needed, and there is none
	Missing    int      // items without a place in the hierarchy
	Person     string   // the column of the persons that are counted
	Uncounted  string   // that of the persons, where this kind of promise does not count them
	LeftOut    []string // columns that were marked, of which this kind publishes none
	Command    string
	Seen       string // the data that this is chosen for
	Err        error
}

func showChoice(a *asked) error { return a.showChosen(nil) }

func (a *asked) showChosen(wrong error) error {
	var v chooseView
	var l layout
	var t tree
	a.p.locked(func() { v, l, t = a.p.choosing(), a.p.layout, a.p.tree })
	v.Err, v.Command = wrong, a.p.command(a, l, t, v.Choice)
	status := http.StatusOK
	if wrong != nil {
		status = http.StatusUnprocessableEntity
	}
	a.showWith(status, "choose", v)
	return nil
}

// choosing is what the page shows of the choice. The project is locked.
func (p *project) choosing() chooseView {
	v := chooseView{
		Choice: p.choice, Algorithms: pipeline.Algorithms(p.choice.Family), Table: p.table,
		Families: pipeline.Families(), NoTree: p.choice.Family == km && p.tree.Path == "",
		Columns: p.layout.Sensitive, Seen: p.chosenFor(),
	}
	if v.Choice.countsPersons() {
		v.Person = p.layout.Person
	} else {
		v.Uncounted = p.layout.Person
	}
	v.LeftOut = p.leftOut()
	v.Table.Cells = maps.Clone(v.Table.Cells)
	for _, c := range p.data.Columns {
		v.Labels = append(v.Labels, c.Name)
	}
	// a label that was chosen is shown where the columns are not known: it is what a run goes by
	if l := p.choice.Label; l != "" && !slices.Contains(v.Labels, l) {
		v.Labels = append(v.Labels, l)
	}
	if v.Choice.Family != km {
		v.Table = table{}
	}
	if v.Choice.Family == km && p.tree.Check != nil {
		v.Missing = len(p.tree.Check.Missing)
	}
	for _, k := range v.Table.Ks {
		var row []*cell
		for _, m := range v.Table.Ms {
			c := v.Table.Cell(k, m)
			if c == nil {
				c = &cell{K: k, M: m}
			}
			row = append(row, c)
		}
		v.Cells = append(v.Cells, row)
	}
	if len(v.Table.Cells) > 1 {
		v.Chart = template.HTML(v.Table.Chart("k", "NCP, %", "Loss by k and m"))
	}
	return v
}

// leftOut are the columns that are sensitive or kept, and that the kind of promise knows nothing
// of. The project is locked.
func (p *project) leftOut() []string {
	var out []string
	if p.choice.Family != km {
		out = append(out, p.layout.Sensitive...)
	}
	if p.choice.Family == nonreciprocal {
		out = append(out, p.layout.Keep...)
		out = slices.DeleteFunc(out, func(name string) bool { return name == p.choice.Label })
	}
	return out
}

// command is the command line of what is chosen; "": it is not complete.
func (p *project) command(a *asked, l layout, t tree, c choice) string {
	args, err := p.args(l, t, c, p.files("", l, t, c))
	if err != nil {
		return ""
	}
	job, err := p.server.Plan(a.Context(), args)
	if err != nil {
		return ""
	}
	return job.Recipe
}

// chosenFor is another text whenever what a promise is about is another: how the data are read,
// what their columns hold, the hierarchy. The project is locked.
func (p *project) chosenFor() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%#v %q", p.layout, p.tree.Path))
	return hex.EncodeToString(sum[:8])
}

// Why a form is shown again before anything is made by it.
var (
	errOtherKind = errors.New("this kind of promise has a form of its own: look at it, and " +
		"choose again")
	errOtherData = errors.New("the data, what their columns hold, or the hierarchy were changed " +
		"meanwhile, as in another tab: look again at what is promised")
)

// unseen says what of a form is not what its page showed; before is the choice that was held. The
// project is locked.
func (p *project) unseen(f url.Values, before choice) error {
	switch {
	case p.choice.Family != before.Family:
		return errOtherKind
	case f.Has("seen") && f.Get("seen") != p.chosenFor():
		return errOtherData
	}
	return nil
}

// changeChoice takes the form: to begin the run, to estimate, or just to be shown again.
func changeChoice(a *asked) error {
	var c choice
	var wrong error
	a.p.change(func() {
		before := a.p.choice
		if c = choiceFrom(a.PostForm, before); c.Items != before.Items || c.L != before.L {
			a.p.forgetTable()
		}
		a.p.choice = c
		wrong = a.p.unseen(a.PostForm, before)
	})
	if a.PostForm.Get("do") == "family" {
		return a.to("choose")
	}
	if wrong == nil {
		wrong = a.p.consistent(c)
	}
	if wrong != nil {
		return a.showChosen(wrong)
	}
	switch a.PostForm.Get("do") {
	case "estimate", "count":
		a.p.tabulate(a.PostForm.Get("do") == "count")
		return a.to("choose#table")
	case "run":
		r, err := a.p.start(a.Context())
		if err != nil {
			return a.showChosen(err)
		}
		return a.to(fmt.Sprintf("run/%d", r.N))
	}
	return a.to("choose")
}

// consistent says what the form lacks, in its own words; all else the command says.
func (p *project) consistent(c choice) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var wrong []string
	labelled := c.Family == nonreciprocal && c.Label != ""
	for _, field := range []struct {
		what, text string
		least      int
		asked      bool
	}{
		{"k", c.K, 2, !labelled},
		{"m", c.M, 1, c.Family == km || c.Family == continuous},
		{"p", c.P, 1, c.Family == coherence},
		{"l", c.L, 2, labelled},
	} {
		if field.asked && number(field.text) < field.least {
			wrong = append(wrong, fmt.Sprintf("%s (%s) must be a number of at least %d", field.what,
				field.text, field.least))
		}
	}
	if c.Family == km && c.L != "" && !c.diverse(p.layout) {
		wrong = append(wrong, "l is about sensitive items or columns: name some, or leave l empty")
	}
	if c.Family == km && c.L == "" && c.diverse(p.layout) {
		wrong = append(wrong, "sensitive items and columns need l: how sure may somebody be, at most "+
			"1/l? Or let none be sensitive")
	}
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("%s", strings.Join(wrong, "\n"))
}
