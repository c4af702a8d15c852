package webui

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// guard keeps everybody out but the one who started the server and sees what it printed. The way
// in: the address with a token in its fragment, which browsers send to nobody, is opened; a script
// hands the token in, once; from then on a cookie is the key. Cookies do not know ports: another
// server on this machine would be sent it too, were it not bound to a path that only the page
// knows.
type guard struct {
	hosts []string // host:port that requests may name
	base  string   // the path of all pages, with a slash at both ends: "/3f…/"
	name  string   // of the cookie

	patience time.Duration // with requests without the key: so long they may take in all

	mu    sync.Mutex
	token string // "": used
	key   string // what the cookie must hold
}

// secret is 256 random bits.
func secret() string {
	b := make([]byte, 32)
	rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

func newGuard(port string) *guard {
	path := make([]byte, 16)
	rand.Read(path)
	return &guard{
		hosts: []string{net.JoinHostPort("127.0.0.1", port), net.JoinHostPort("localhost", port)},
		base:  "/" + hex.EncodeToString(path) + "/", name: "mingle-" + port,
		token: secret(), key: secret(), patience: 10 * time.Second,
	}
}

// allowed tells whether a Host is one of ours, port and all. A name that somebody else's server
// bears now and this machine's address a moment later (DNS rebinding) is none.
func (g *guard) allowed(host string) bool {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		return false
	}
	for _, h := range g.hosts {
		n, p, _ := net.SplitHostPort(h)
		if strings.EqualFold(name, n) && port == p {
			return true
		}
	}
	return false
}

// enter takes the token and gives the key for it; only once.
func (g *guard) enter(token string) (key string, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.token == "" || !same(token, g.token) {
		return "", false
	}
	g.token = ""
	return g.key, true
}

// same compares secrets in a time that tells nothing of them.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// known tells whether a request has the key.
func (g *guard) known(r *http.Request) bool {
	c, err := r.Cookie(g.name)
	return err == nil && same(c.Value, g.key)
}

// policy is what a page may load and do: nothing that does not come from this server, and no
// script or style inside it. The style of the charts is known by its hash.
var policy = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// reportPolicy is that of a report shown as it is: it has its style inside, and no script.
const reportPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

// around is the guard before all pages.
func (g *guard) around(pages http.Handler) http.Handler {
	sameOrigin := http.NewCrossOriginProtection()
	checked := sameOrigin.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.Path
		switch {
		case path == "/" || strings.HasPrefix(path, "/static/") || path == "/enter":
		case !strings.HasPrefix(path, g.base):
			http.Error(w, "there is no such page: if mingle was started anew, open the address "+
				"that it shows in the terminal", http.StatusNotFound)
			return
		case !g.known(r) || elsewhere(r):
			refuse(w)
			return
		default:
			unhurried(w)
		}
		pages.ServeHTTP(w, r)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
		h.Set("Cache-Control", "no-store")
		if !g.allowed(r.Host) {
			http.Error(w, "this address is not that of mingle", http.StatusMisdirectedRequest)
			return
		}
		if o := r.Header.Get("Origin"); o != "" && !g.ours(o) {
			http.Error(w, "this request comes from another page", http.StatusForbidden)
			return
		}
		checked.ServeHTTP(w, r)
	})
}

// unhurried lets a request take as long as it does: uploads, downloads and streams of events of who
// has the key.
func unhurried(w http.ResponseWriter) {
	c := http.NewResponseController(w)
	// fails only where there is no connection
	_ = errors.Join(c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(time.Time{}))
}

// ours tells whether an Origin is that of this server: also for reading, which
// CrossOriginProtection lets through.
func (g *guard) ours(origin string) bool {
	host, is := strings.CutPrefix(origin, "http://")
	return is && g.allowed(host)
}

// elsewhere tells that a page of another server asks, as browsers say: also one of this machine
// with another port, which they take for the same site.
func elsewhere(r *http.Request) bool {
	from := r.Header.Get("Sec-Fetch-Site")
	return from != "" && from != "same-origin" && from != "none"
}

func refuse(w http.ResponseWriter) {
	http.Error(w, "Only the browser that opened the address in the terminal sees this page.",
		http.StatusForbidden)
}

// open hands the token in.
func (g *guard) open(w http.ResponseWriter, r *http.Request) {
	key, ok := g.enter(r.PostFormValue("token"))
	if !ok {
		refuse(w)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: g.name, Value: key, Path: g.base, HttpOnly: true,
		SameSite: http.SameSiteStrictMode, MaxAge: 7 * 24 * 3600,
	})
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Write([]byte(g.base))
}
