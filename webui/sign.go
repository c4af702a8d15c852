package webui

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"mingle/dataset/rows"
	"mingle/report"
	"mingle/report/page"
)

// signView is the page of what a human says, and of what can be taken along.
type signView struct {
	N                int
	Title            string
	Verdict, Colour  string
	Top              []fieldView
	Chapters         []chapterView
	Missing          int
	Of               int
	Err              error
	Saved, Unkept    bool
	Seen             string // what was kept when the page was made
	Published        string
	PDF, Statements  bool
	Command          string
	ReleaseFile      bool
	Tree, List       string   // files that the run reads, to be kept with the release file
	Beside           []string // all that it reads
	Database         bool     // it reads rows of one
	Drawn            bool     // chance decided: the command needs the seed
	Cautions         []report.Caution
	Preview, Release string
}

type chapterView struct {
	Title   string
	Machine []string
	Fields  []fieldView
}

type fieldView struct {
	report.Field
	Value, Standard string
	Long            bool
}

func showSign(a *asked) error { return a.showSigned(nil, nil) }

// outcome is that of the run, with what is said.
func (r *run) outcome(secret bool) *report.Outcome {
	r.p.mu.Lock()
	defer r.p.mu.Unlock()
	if r.Outcome == nil {
		return nil
	}
	out := &report.Outcome{Report: r.Outcome.Report, Statements: report.Statements{}}
	for name, text := range r.Said {
		out.Statements[name] = text
	}
	if secret {
		out.Custodian = r.Outcome.Custodian
	}
	return out
}

// showSigned shows the page, with what is wrong, and with what was said where that is not kept.
func (a *asked) showSigned(wrong error, said report.Statements) error {
	r := a.run
	o := r.outcome(true)
	if o == nil {
		return errNotThere
	}
	v := signView{
		N: r.N, Title: r.Title(), Verdict: o.Verdict(), Colour: colour(o),
		Missing: len(o.Statements.Missing(o.Report)), Of: len(report.AllFields()), Err: wrong,
		Published: filepath.Base(r.files.published), PDF: a.s.PDF != nil,
		Statements: a.s.Statements != nil, Command: r.job.Recipe, Cautions: o.Cautions(),
		Drawn: r.job.Seed == nil, Saved: a.URL.Query().Has("saved"),
		ReleaseFile: a.s.ReleaseFile != nil, Beside: r.beside(),
		Database: rows.Is(r.p.path), Unkept: said != nil, Seen: hashOf(o.Statements),
	}
	if said == nil {
		said = o.Statements
	}
	if r.tree != "" {
		v.Tree = filepath.Base(r.tree)
	}
	if r.files.list != "" {
		v.List = filepath.Base(r.files.list)
	}
	fields := func(all []report.Field) (out []fieldView) {
		for _, f := range all {
			shown := fieldView{Field: f, Value: said[f.Name]}
			if f.Default != nil {
				shown.Standard = f.Default(o.Report)
			}
			out = append(out, shown)
		}
		return out
	}
	v.Top = fields(report.Top)
	public := r.outcome(false)
	for _, c := range report.Chapters {
		shown := chapterView{c.Title, c.Machine(public), fields(c.Fields)}
		for i := range shown.Fields {
			shown.Fields[i].Long = true
		}
		v.Chapters = append(v.Chapters, shown)
	}
	status := http.StatusOK
	if wrong != nil {
		status = http.StatusUnprocessableEntity
	}
	a.showWith(status, "sign", v)
	return nil
}

var errOtherStatements = errors.New("other statements were kept meanwhile, as in another tab. Nothing " +
	"was kept now: below is what you wrote, and what was kept there where you left a field empty. " +
	"Look at it again, and keep it")

// hashOf is another text for other statements.
func hashOf(said report.Statements) string {
	text, _ := json.Marshal(said) // texts by their names, in their order
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// keep keeps what is said by whoever has seen what was said before. If that is no longer so, what
// was kept meanwhile fills what is empty in said, and nothing is kept, also where said cannot be:
// it is shown beside all that is kept. The project is locked.
func (r *run) keep(said report.Statements, seen string) error {
	if seen != "" && seen != hashOf(r.Said) {
		for name, text := range r.Said {
			if said[name] == "" {
				said[name] = text
			}
		}
		return errOtherStatements
	}
	if err := said.Check(); err != nil {
		return err
	}
	r.Said = said
	return nil
}

// changeSign keeps what is said.
func changeSign(a *asked) error {
	said := report.Statements{}
	for _, f := range report.AllFields() {
		text := strings.ReplaceAll(a.PostForm.Get(f.Name), "\r", "")
		if strings.TrimSpace(text) != "" {
			said[f.Name] = text
		}
	}
	var err error
	if a.p.change(func() { err = a.run.keep(said, a.PostForm.Get("seen")) }); err != nil {
		return a.showSigned(err, said)
	}
	return a.to("run/" + a.PathValue("n") + "/sign?saved")
}

// download sends one of the files. The page of the report may be shown in the page itself; it is as
// strict as the page is.
func download(a *asked) error {
	r := a.run
	o := r.outcome(false)
	if o == nil {
		return errNotThere
	}
	o.Final = a.URL.Query().Has("final")
	if missing := o.Statements.Missing(o.Report); o.Final && len(missing) > 0 {
		return a.showSigned(&report.Incomplete{Missing: missing}, nil)
	}
	what := a.PathValue("what")
	if path := r.onDisk(what); path != "" {
		return a.sendFile(path)
	}
	switch what {
	case "preview":
		a.w.Header().Set("Content-Security-Policy", reportPolicy)
		a.w.Header().Set("Content-Type", "text/html; charset=utf-8")
		return page.Write(a.w, o)
	case "page":
		a.w.Header().Set("Content-Security-Policy", reportPolicy)
		return a.send("report.html", "text/html; charset=utf-8", func(w io.Writer) error {
			return page.Write(w, o)
		})
	case "custodian":
		o.Custodian = r.outcome(true).Custodian
		a.w.Header().Set("Content-Security-Policy", reportPolicy)
		return a.send("custodian.html", "text/html; charset=utf-8", func(w io.Writer) error {
			return page.Write(w, o)
		})
	case "text":
		return a.send("report.txt", "text/plain; charset=utf-8", o.WriteText)
	case "release":
		return a.releaseFile(r)
	case "statements":
		if a.s.Statements == nil {
			return errNotThere
		}
		return a.send("statements.yaml", "text/plain; charset=utf-8", func(w io.Writer) error {
			return a.s.Statements(o, w)
		})
	case "pdf":
		return a.pdf(o)
	}
	return errNotThere
}

// onDisk is the path of a file that the run made or read; "": it is none of them.
func (r *run) onDisk(what string) string {
	return map[string]string{
		"published": r.files.published, "report": r.files.report, "audit": r.files.audit,
		"hierarchy": r.tree, "list": r.files.list,
	}[what]
}

// sendFile sends a file as it is.
func (a *asked) sendFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	kind := "application/octet-stream"
	if filepath.Ext(path) == ".json" {
		kind = "application/json"
	}
	return a.send(filepath.Base(path), kind, func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}

// pdf prints the page by a browser that is installed.
func (a *asked) pdf(o *report.Outcome) error {
	if a.s.PDF == nil {
		return errors.New("no browser is installed that prints: save the page and print it")
	}
	var text strings.Builder
	if err := a.s.PDF(a.Context(), o, &text); err != nil {
		return err
	}
	return a.send("report.pdf", "application/pdf", func(w io.Writer) error {
		_, err := io.WriteString(w, text.String())
		return err
	})
}
