package webui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"mingle/report"
)

// languages are those of the page, the first for whoever asks for none of them.
var languages = []string{"en", "de"}

// pages are the templates in every language, made when the first page is asked for.
type pages struct {
	room string // the private directory, which messages need not name
	once sync.Once
	err  error
	in   map[string]map[string]*template.Template // by language and name
	say  map[string]wording                       // by language
}

func newPages(room string) *pages { return &pages{room: room} }

// catalogue is the texts of a language by the English ones.
func catalogue(language string) (map[string]string, error) {
	texts := map[string]string{}
	raw, err := assets.ReadFile("assets/" + language + ".json")
	if err != nil {
		return nil, err
	}
	return texts, json.Unmarshal(raw, &texts)
}

func (p *pages) load() {
	p.in, p.say = map[string]map[string]*template.Template{}, map[string]wording{}
	names, err := fs.Glob(assets, "assets/*.html")
	for _, language := range languages {
		var texts map[string]string
		if err == nil {
			texts, err = catalogue(language)
		}
		p.in[language], p.say[language] = map[string]*template.Template{}, wording{language, texts}
		for _, path := range names {
			if err != nil {
				break
			}
			name := strings.TrimSuffix(strings.TrimPrefix(path, "assets/"), ".html")
			t := template.New("layout.html").Funcs(functions(p.say[language])).Funcs(p.messages())
			p.in[language][name], err = t.ParseFS(assets, "assets/layout.html", path)
		}
	}
	p.err = err
}

// wording is that of the language of a request.
func (a *asked) wording() wording {
	a.s.pages.once.Do(a.s.pages.load)
	return a.s.pages.say[languageOf(a.Request)]
}

// functions are those of the templates.
func functions(w wording) template.FuncMap {
	return template.FuncMap{
		"t":       w.said,
		"number":  w.number,
		"percent": w.percent,
		"fixed":   w.fixed,
		"loss":    w.loss,
		"super":   report.Superscript,
		"inc":     func(i int) int { return i + 1 },
		"dec":     func(i int) int { return i - 1 },
		"seconds": w.seconds,
		"join":    strings.Join,
		"safe":    report.Visible,
		"fields":  fieldsIn,
	}
}

// messages are the functions that show errors: a line each, files by their names alone.
func (p *pages) messages() template.FuncMap {
	below := regexp.MustCompile(regexp.QuoteMeta(p.room) + `[/\\](?:[^/\\\s:]+[/\\])*`)
	return template.FuncMap{"lines": func(err error) []string {
		lines := report.Lines(err)
		for i, line := range lines {
			lines[i] = below.ReplaceAllString(line, "")
		}
		return lines
	}}
}

// languageOf is the language of a request: the one chosen, or the first of the browser's that is
// there.
func languageOf(r *http.Request) string {
	if c, err := r.Cookie("mingle-language"); err == nil {
		for _, l := range languages {
			if c.Value == l {
				return l
			}
		}
	}
	for _, asked := range strings.Split(r.Header.Get("Accept-Language"), ",") {
		asked, _, _ = strings.Cut(strings.TrimSpace(asked), ";")
		for _, l := range languages {
			if asked == l || strings.HasPrefix(asked, l+"-") {
				return l
			}
		}
	}
	return languages[0]
}

// frame is what every page has.
type frame struct {
	Language string
	Base     string   // the path of all pages
	Here     string   // the path of this one, or of the one before it
	Name     string   // of the page
	Servers  []string // databases that are read over a connection
	Project  *shown   // nil: none is open
	Body     any
}

// shown is a project as pages show it.
type shown struct {
	ID, Name string
	Steps    []step
	Error    error // of the file
	Version  int   // of the news that the page has
}

// step is one on the way, as the head of a page shows it.
type step struct {
	Name, Page string
	Now, Ready bool
}

// write fills a template.
func (p *pages) write(w http.ResponseWriter, r *http.Request, status int, name string, f *frame) {
	p.once.Do(p.load)
	if p.err != nil {
		http.Error(w, p.err.Error(), http.StatusInternalServerError)
		return
	}
	if f == nil {
		f = &frame{}
	}
	f.Language, f.Name = languageOf(r), name
	var text bytes.Buffer
	if err := p.in[f.Language][name].Execute(&text, f); err != nil {
		http.Error(w, "internal fault: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(text.Bytes())
}

// show answers with a page.
func (a *asked) show(name string, body any) error {
	a.showWith(http.StatusOK, name, body)
	return nil
}

func (a *asked) showWith(status int, name string, body any) {
	f := &frame{
		Base: a.s.guard.base, Here: a.here(name), Body: body, Servers: a.servers(),
	}
	if a.p != nil {
		f.Project = a.p.shown(name, a.run)
		f.Project.Version = a.version
	}
	a.s.pages.write(a.w, a.Request, status, name, f)
}

// here is the path of a page. What a form could not do is said where nothing can be asked for: then
// it is the path that the page leads back to.
func (a *asked) here(name string) string {
	switch {
	case name != "error" || a.Method != http.MethodPost:
		return a.s.guard.base + strings.TrimPrefix(a.URL.Path, "/")
	case a.p != nil:
		return a.link("data")
	}
	return a.s.guard.base
}

// showError says what went wrong, on a page of its own.
func (a *asked) showError(status int, err error) { a.showWith(status, "error", err) }

// shown is the project with its steps.
func (p *project) shown(page string, now *run) *shown {
	p.mu.Lock()
	defer p.mu.Unlock()
	read := p.data.sets != nil
	out := &shown{ID: p.id, Name: p.name, Error: p.data.Err}
	add := func(name, to string, ready bool) {
		is := page == name || page == "edit" && name == "hierarchy"
		out.Steps = append(out.Steps, step{strings.ToUpper(name[:1]) + name[1:], to, is, ready})
	}
	add("data", "data", true)
	add("risk", "risk", read)
	add("hierarchy", "hierarchy", read)
	add("choose", "choose", read)
	if now == nil && len(p.runs) > 0 {
		now = p.runs[len(p.runs)-1]
	}
	at, over := "", false
	if now != nil {
		at, over = fmt.Sprintf("run/%d", now.N), now.State == done
	}
	add("run", at, now != nil)
	add("look", at+"/look", over)
	add("sign", at+"/sign", over)
	return out
}
