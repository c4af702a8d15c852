package webui

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"

	"mingle/report/chart"
)

//go:embed assets
var assets embed.FS

// asked is a request with what its path names.
type asked struct {
	*http.Request
	w   http.ResponseWriter
	s   *Server
	p   *project // nil: the page is of none
	run *run

	version int // of the news before anything was looked at
}

// handler answers; what it cannot answer is an error.
type handler func(a *asked) error

// fault is an error with its status.
type fault struct {
	status int
	error
}

var errNotThere = &fault{http.StatusNotFound, errors.New("there is no such page: was the data set closed?")}

// routes are all pages.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.entrance)
	mux.HandleFunc("POST /enter", func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
		s.guard.open(w, r)
	})
	mux.HandleFunc("GET /static/{file}", static)
	inner := http.NewServeMux()
	for pattern, h := range map[string]handler{
		"GET /{$}":                               home,
		"POST /open":                             upload,
		"POST /database":                         openDatabase,
		"POST /example":                          example,
		"POST /language":                         language,
		"GET /p/{id}/data":                       showData,
		"POST /p/{id}/data":                      changeData,
		"POST /p/{id}/close":                     closeProject,
		"GET /p/{id}/risk":                       showRisk,
		"GET /p/{id}/hierarchy":                  showHierarchy,
		"POST /p/{id}/hierarchy":                 orFile(held(makeHierarchy), uploadHierarchy),
		"GET /p/{id}/hierarchy/edit":             editHierarchy,
		"GET /p/{id}/hierarchy/tree.json":        held(treeJSON),
		"POST /p/{id}/hierarchy/tree":            held(saveTree),
		"GET /p/{id}/hierarchy/file/{format}":    held(downloadTree),
		"GET /p/{id}/choose":                     showChoice,
		"POST /p/{id}/choose":                    changeChoice,
		"GET /p/{id}/verify":                     showChecks,
		"POST /p/{id}/verify":                    startCheck,
		"GET /p/{id}/compare":                    showCompare,
		"GET /p/{id}/run/{n}":                    showRun,
		"POST /p/{id}/run/{n}/stop":              stopRun,
		"GET /p/{id}/run/{n}/look":               showLook,
		"GET /p/{id}/run/{n}/sign":               showSign,
		"POST /p/{id}/run/{n}/sign":              changeSign,
		"GET /p/{id}/run/{n}/file/{what}/{name}": download,
		"GET /p/{id}/events":                     func(a *asked) error { a.p.news.ServeHTTP(a.w, a.Request); return nil },
	} {
		inner.HandleFunc(pattern, s.answer(h))
	}
	mux.Handle(s.guard.base, http.StripPrefix(strings.TrimSuffix(s.guard.base, "/"), inner))
	return mux
}

// mostForm bounds what a form holds, files aside, in bytes.
const mostForm = 8 << 20

// answer finds what a path names, and shows errors.
func (s *Server) answer(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		a := &asked{Request: r, w: w, s: s}
		err := a.find()
		if err == nil && r.Method == http.MethodPost && !a.multipart() {
			r.Body = http.MaxBytesReader(w, r.Body, mostForm)
			if err = r.ParseForm(); err == nil {
				err = withoutPasswords(r.PostForm)
			}
		}
		if err == nil {
			err = guarded(func() error { return h(a) })
		}
		var told *fault
		var large *http.MaxBytesError
		status := http.StatusUnprocessableEntity
		switch {
		case err == nil:
			return
		case errors.As(err, &large):
			status = http.StatusRequestEntityTooLarge
			err = fmt.Errorf("that is more than the %d bytes that are taken", large.Limit)
		case errors.As(err, &told):
			status, err = told.status, told.error
		}
		a.showError(status, err)
	}
}

func (a *asked) multipart() bool {
	kind, _, _ := mime.ParseMediaType(a.Header.Get("Content-Type"))
	return kind == "multipart/form-data"
}

// orFile answers a form, or one that brings a file, where its page is: that is shown again with
// what is wrong, and its links lead on from there.
func orFile(form, file handler) handler {
	return func(a *asked) error {
		if a.multipart() {
			return file(a)
		}
		return form(a)
	}
}

// isLive tells whether an open page asks, which shows again what changed, and not its reader.
func (a *asked) isLive() bool { return a.Header.Get("Mingle-Live") != "" }

func (a *asked) find() error {
	id := a.PathValue("id")
	if id == "" {
		return nil
	}
	if a.p = a.s.project(id); a.p == nil {
		return errNotThere
	}
	a.version, _ = a.p.news.state()
	if text := a.PathValue("n"); text != "" {
		n, err := strconv.Atoi(text)
		if a.run = a.p.run(n); err != nil || a.run == nil {
			return errNotThere
		}
	}
	return nil
}

// to sends the browser to another page, below the project where there is one.
func (a *asked) to(page string) error {
	http.Redirect(a.w, a.Request, a.link(page), http.StatusSeeOther)
	return nil
}

func (a *asked) link(page string) string {
	if a.p == nil {
		return a.s.guard.base + page
	}
	return a.s.guard.base + "p/" + a.p.id + "/" + page
}

// entrance takes the token out of the address: a script does it, as nobody else sees it there.
func (s *Server) entrance(w http.ResponseWriter, r *http.Request) {
	s.pages.write(w, r, http.StatusOK, "enter", nil)
}

// static serves scripts, styles and pictures of our own.
func static(w http.ResponseWriter, r *http.Request) {
	name := path.Base(r.PathValue("file"))
	kind := map[string]string{
		".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
		".svg": "image/svg+xml",
	}[path.Ext(name)]
	text, err := assets.ReadFile("assets/" + name)
	if err != nil || kind == "" {
		http.Error(w, "there is no such file", http.StatusNotFound)
		return
	}
	if name == "app.css" {
		text = append(text, chart.Style...)
	}
	w.Header().Set("Content-Type", kind)
	w.Write(text)
}

// send lets a file be downloaded under a name; secret ones are of no cache.
func (a *asked) send(name, kind string, write func(io.Writer) error) error {
	a.w.Header().Set("Content-Type", kind)
	a.w.Header().Set("Content-Disposition",
		mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	return write(a.w)
}
