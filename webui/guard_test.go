package webui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mingle/dataset"
	"mingle/pipeline"
)

// serving is a server that was entered.
type serving struct {
	*Server
	t      *testing.T
	pages  http.Handler
	cookie *http.Cookie
}

// newServing makes a server. Its plan, where none is given, knows no more than formats: what is
// read is asked for by these tests, and nothing is run.
func newServing(t *testing.T, o Options) *serving {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	if o.Plan == nil {
		o.Plan = planFormats
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return &serving{Server: s, t: t, pages: s.guard.around(s.routes())}
}

func TestNoFolderForFiles(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	t.Setenv("TMPDIR", none)
	_, err := New(Options{})
	if want := "the folder for temporary files, " + none + ", cannot be used"; err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

func planFormats(_ context.Context, args []string) (pipeline.Job, error) {
	var l dataset.Options
	for i, arg := range args {
		switch arg {
		case "--input-format":
			l.Format = dataset.Format(args[i+1])
		case "--header":
			l.Header = map[string]dataset.Header{"no": dataset.HeaderAbsent}[args[i+1]]
		}
	}
	return pipeline.Job{Family: pipeline.KM{Layout: l}}, nil
}

// enter hands the token in and keeps the cookie.
func (s *serving) enter() *serving {
	s.t.Helper()
	answer := s.ask("POST", "/enter", url.Values{"token": {s.guard.token}})
	if cookies := answer.Result().Cookies(); answer.Code == http.StatusOK && len(cookies) == 1 {
		s.cookie = cookies[0]
		return s
	}
	s.t.Fatalf("the token does not open the page: %d %s", answer.Code, answer.Body)
	return nil
}

// ask asks as the browser of the user does, but for what change changes.
func (s *serving) ask(
	method, path string, form url.Values, change ...func(*http.Request),
) *httptest.ResponseRecorder {
	s.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
	if method == "POST" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+s.guard.hosts[0])
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	r.Host = s.guard.hosts[0]
	if s.cookie != nil {
		r.AddCookie(s.cookie)
	}
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	s.Server.t(w, r, s.pages)
	return w
}

// t serves a request whose stream would go on, for as long as its context lets it.
func (s *Server) t(w http.ResponseWriter, r *http.Request, h http.Handler) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if strings.HasSuffix(r.URL.Path, "/events") {
		cancel() // a stream that is let in ends after its first event
	}
	h.ServeHTTP(w, r.WithContext(ctx))
}

// Who names another host, or this one without its port or with another, sees nothing: whatever the
// path, the stream of events too.
func TestHosts(t *testing.T) {
	s := newServing(t, Options{}).enter()
	p := s.addFile("a.dat", "1 2\n")
	port := strings.TrimPrefix(s.guard.hosts[0], "127.0.0.1:")
	for _, host := range []string{
		"127.0.0.1.evil.example:" + port, "evil.example:" + port, "127.0.0.1", "localhost", "",
		"127.0.0.1:1", "127.0.0.1:" + port + "0", "[::1]:" + port, "localhost.evil.example:" + port,
		"evil.example", "127.0.0.1:" + port + ".evil.example", "127.0.0.1@evil.example:" + port,
		"user@127.0.0.1:" + port, "127.0.0.1:" + port + "@evil.example", "127.1:" + port,
	} {
		for _, path := range []string{
			"/", "/static/app.js", s.guard.base, s.guard.base + "p/" + p.id + "/data",
			s.guard.base + "p/" + p.id + "/events",
		} {
			answer := s.ask("GET", path, nil, func(r *http.Request) { r.Host = host })
			if answer.Code != http.StatusMisdirectedRequest {
				t.Errorf("host %q, %s: %d", host, path, answer.Code)
			}
		}
	}
	for _, host := range []string{"127.0.0.1:" + port, "localhost:" + port, "LOCALHOST:" + port} {
		answer := s.ask("GET", s.guard.base, nil, func(r *http.Request) { r.Host = host })
		if answer.Code != http.StatusOK {
			t.Errorf("host %q: %d", host, answer.Code)
		}
	}
}

// The token opens the page once; without the cookie, with another one or by another page nothing is
// shown and nothing done.
func TestStrangers(t *testing.T) {
	s := newServing(t, Options{})
	token := s.guard.token
	for _, wrong := range []string{"", "x", token + "x", token[1:]} {
		if code := s.ask("POST", "/enter", url.Values{"token": {wrong}}).Code; code != http.StatusForbidden {
			t.Errorf("token %q: %d", wrong, code)
		}
	}
	s.enter()
	if code := s.ask("POST", "/enter", url.Values{"token": {token}}).Code; code != http.StatusForbidden {
		t.Errorf("a used token: %d", code)
	}
	if c := s.cookie; c.Path != s.guard.base || !c.HttpOnly || len(c.Value) < 40 ||
		c.SameSite != http.SameSiteStrictMode {
		t.Errorf("the cookie is %v", c)
	}
	p := s.addFile("a.dat", "1 2\n")
	at := s.guard.base + "p/" + p.id
	for _, path := range []string{s.guard.base, at + "/data", at + "/events", at + "/risk"} {
		for name, change := range map[string]func(*http.Request){
			"no cookie":    func(r *http.Request) { r.Header.Del("Cookie") },
			"other cookie": func(r *http.Request) { r.Header.Set("Cookie", s.guard.name+"=x") },
			"foreign":      func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
			"opaque":       func(r *http.Request) { r.Header.Set("Origin", "null") },
			"https":        func(r *http.Request) { r.Header.Set("Origin", "https://"+s.guard.hosts[0]) },
			"other port":   func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
			"cross site":   func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
			"another port": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
			"prefix": func(r *http.Request) {
				r.Header.Set("Origin", "http://"+s.guard.hosts[0]+".evil.example")
			},
		} {
			if answer := s.ask("GET", path, nil, change); answer.Code != http.StatusForbidden {
				t.Errorf("%s, %s: %d", name, path, answer.Code)
			}
			post := s.ask("POST", at+"/close", nil, change)
			if post.Code != http.StatusForbidden || s.project(p.id) == nil {
				t.Fatalf("%s closes a data set: %d", name, post.Code)
			}
		}
		if answer := s.ask("GET", path, nil); answer.Code != http.StatusOK {
			t.Errorf("the user, %s: %d", path, answer.Code)
		}
	}
	if code := s.ask("GET", "/0123456789abcdef0123456789abcdef/", nil).Code; code != http.StatusNotFound {
		t.Errorf("another path: %d", code)
	}
}

// No answer lets a page run or load what is not ours.
func TestPolicy(t *testing.T) {
	s := newServing(t, Options{}).enter()
	p := s.addFile("a.dat", "1 2\n")
	for _, path := range []string{
		"/", "/static/app.js", "/nowhere", s.guard.base, s.guard.base + "p/" + p.id + "/data",
		s.guard.base + "nowhere",
	} {
		h := s.ask("GET", path, nil).Header()
		policy := h.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'self'") || strings.Contains(policy, "unsafe") ||
			!strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: the policy is %q", path, policy)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", path, h)
		}
	}
	if strings.Contains(reportPolicy, "script") || !strings.Contains(reportPolicy, "sandbox") {
		t.Errorf("a report may do too much: %s", reportPolicy)
	}
}

// Names of uploaded files stay in their directory, and files stay below the bound.
func TestUploads(t *testing.T) {
	s := newServing(t, Options{MaxUpload: 1000}).enter()
	for name, want := range map[string]string{
		"../../../etc/passwd": "passwd", `..\..\evil.dat`: "evil.dat", "a/b.csv": "b.csv",
		"..": "file", "": "file", "-o.dat": "fileo.dat", ".hidden": "file.hidden",
		"a\x00b\n.csv": "a_b_.csv", "<img src=x onerror=alert(1)>.csv": "<img src=x onerror=alert(1)>.csv",
	} {
		if got := safeName(name); name != "" && got != want {
			t.Errorf("%q is kept as %q, not %q", name, got, want)
		}
	}
	if got := safeName(strings.Repeat("ä", 300) + ".csv"); len(got) > 120 || !strings.HasSuffix(got, ".csv") {
		t.Errorf("a long name is kept as %q", got)
	}
	if answer := s.upload("../../../x.dat", "1 2\n3\n"); answer.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	path := s.all()[0].path
	if rel, err := filepath.Rel(s.files.dir, path); err != nil || strings.HasPrefix(rel, "..") {
		t.Errorf("the file lies in %s", path)
	}
	for _, dir := range []string{s.files.dir, filepath.Dir(path)} {
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v %v", dir, info.Mode(), err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if answer := s.upload("big.dat", strings.Repeat("1 2\n", 1000)); answer.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("too large a file: %d %s", answer.Code, answer.Body)
	}
	if n := len(s.all()); n != 1 {
		t.Errorf("%d data sets are open", n)
	}
	entries, err := os.ReadDir(s.files.dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("what was refused is still there: %v %v", entries, err)
	}
	for _, path := range []string{"/static/..%2fguard.go", "/static/%2e%2e/guard.go", "/static/de.json"} {
		if answer := s.ask("GET", path, nil); answer.Code == http.StatusOK {
			t.Errorf("%s: %s", path, answer.Body)
		}
	}
}

// The private directory goes at the end, and what a crash left goes with the next server; that of a
// server that lives stays.
func TestRooms(t *testing.T) {
	below := t.TempDir()
	alive, err := newRoom(below)
	if err != nil {
		t.Fatal(err)
	}
	dead, err := newRoom(below)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dead.directory(); err != nil {
		t.Fatal(err)
	}
	dead.lock.Close() // as the system does when a process is killed
	foreign := filepath.Join(below, roomPrefix+"without-a-lock")
	if err := os.Mkdir(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	again, err := newRoom(below)
	if err != nil {
		t.Fatal(err)
	}
	there := func(dir string) bool {
		_, err := os.Stat(dir)
		return !errors.Is(err, os.ErrNotExist)
	}
	if !there(alive.dir) || there(dead.dir) || !there(again.dir) || !there(foreign) {
		t.Errorf("alive %v, dead %v, new %v, foreign %v", there(alive.dir), there(dead.dir),
			there(again.dir), there(foreign))
	}
	for _, r := range []*room{alive, again} {
		if err := r.remove(); err != nil || there(r.dir) {
			t.Errorf("it stays: %v", err)
		}
	}
}

// A lock that cannot be held is closed, and so leaves no open file behind.
func TestLockThatIsNotHeld(t *testing.T) {
	refused := errors.New("no locks here")
	var opened *os.File
	lock, err := newLock(filepath.Join(t.TempDir(), lockName), func(f *os.File) error {
		opened = f
		return refused
	})
	if lock != nil || !errors.Is(err, refused) {
		t.Errorf("%v %v", lock, err)
	}
	if err := opened.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("it was left open: %v", err)
	}
}

// addFile opens a file that was uploaded.
func (s *serving) addFile(name, text string) *project {
	s.t.Helper()
	n := len(s.all())
	if answer := s.upload(name, text); answer.Code != http.StatusSeeOther {
		s.t.Fatalf("%d %s", answer.Code, answer.Body)
	}
	return s.all()[n]
}

func (s *serving) upload(name, text string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.uploadTo("open", name, text)
}

func (s *serving) uploadTo(page, name, text string) *httptest.ResponseRecorder {
	s.t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreatePart(map[string][]string{
		"Content-Disposition": {fmt.Sprintf(`form-data; name="file"; filename="%s"`, name)},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	io.WriteString(part, text)
	form.Close()
	return s.ask("POST", s.guard.base+page, nil, func(r *http.Request) {
		r.Body, r.ContentLength = io.NopCloser(&body), int64(body.Len())
		r.Header.Set("Content-Type", form.FormDataContentType())
	})
}
