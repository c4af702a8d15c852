package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"mingle/dataset/database"
	"mingle/webui"
)

// served is the page of a server in this process, in a tab of a browser.
type served struct {
	openedPage
	t      *testing.T
	server *webui.Server
	end    func()
	longer time.Duration // than three minutes is waited for what the page shows
}

// startServing starts a server as "mingle serve" does; end ends it before the test does.
func startServing(t *testing.T, o webui.Options) (server *webui.Server, end func()) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	o.Plan, o.Statements, o.ReleaseFile = plan, writeStatements, releaseText
	o.Databases = database.Opener{}
	server, err := webui.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx) }()
	end = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		ended <- nil
	}
	t.Cleanup(end)
	return server, end
}

// serveInBrowser starts a server and enters it.
func serveInBrowser(t *testing.T, browser context.Context, o webui.Options) *served {
	t.Helper()
	server, end := startServing(t, o)
	s := &served{openedPage: s0(t, browser), t: t, server: server, end: end}
	s.do(t, chromedp.Navigate(server.Address()))
	s.waits(`location.pathname.length > 30 && document.querySelector("h1")`)
	return s
}

// s0 is a tab of its own.
func s0(t *testing.T, browser context.Context) openedPage {
	tab, closeIt := chromedp.NewContext(browser)
	t.Cleanup(closeIt)
	return openedPage{tab}
}

// waits waits until an expression of the page is true.
func (s *served) waits(expression string) {
	s.t.Helper()
	deadline := time.Now().Add(3*time.Minute + s.longer)
	for {
		ok, err := chromedp.Run(s.ctx, chromedp.Evaluate[bool](`document.readyState === "complete" && !!(`+expression+`)`))
		if err == nil && ok {
			return
		}
		if time.Now().After(deadline) {
			text, _ := chromedp.Run(s.ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText`))
			s.t.Fatalf("it does not come to be that %s: %v\n%s", expression, err, text)
		}
		time.Sleep(20 * time.Millisecond) // a look again, no guess at how long it takes
	}
}

// says evaluates an expression that is a text.
func (s *served) says(expression string) string {
	s.t.Helper()
	text, err := chromedp.Run(s.ctx, chromedp.Evaluate[string](`String(`+expression+`)`))
	if err != nil {
		s.t.Fatal(err)
	}
	return text
}

// clicks clicks what a selector finds, and waits for the page it leads to.
func (s *served) clicks(selector, then string) {
	s.t.Helper()
	s.waits(`document.querySelector(` + quote(selector) + `)`)
	s.says(`(window.here = 1, document.querySelector(` + quote(selector) + `).click())`)
	s.waits(then)
}

// follows is clicks of what leads to another page, whose heading has some words.
func (s *served) follows(selector, heading string) {
	s.t.Helper()
	s.clicks(selector, `!window.here && document.querySelector("h1").innerText.includes(`+quote(heading)+`)`)
}

// fills sets a field.
func (s *served) fills(selector, value string) {
	s.t.Helper()
	s.says(`(e => { e.value = ` + quote(value) + `; e.dispatchEvent(new Event("input", {bubbles: true})); })(document.querySelector(` + quote(selector) + `))`)
}

// uploads chooses a file in a field and sends its form.
func (s *served) uploads(selector, path, heading string) {
	s.t.Helper()
	s.do(s.t, chromedp.SetUploadFiles(chromedp.CSS(selector), []string{path}))
	s.says(`(window.here = 1, document.querySelector(` + quote(selector) + `).form.requestSubmit())`)
	s.waits(`!window.here && document.querySelector("h1").innerText.includes(` + quote(heading) + `)`)
}

func quote(text string) string { return "`" + strings.ReplaceAll(text, "`", "\\`") + "`" }

// sound lets axe-core look at the page, and sees that all of it came from this server.
func (s *served) sound() {
	s.t.Helper()
	s.accessible(s.t, desktop)
	elsewhere := s.says(`performance.getEntriesByType("resource").map(e => e.name)` +
		`.filter(name => !name.startsWith(location.origin + "/")).join(" ")`)
	if elsewhere != "" {
		s.t.Errorf("%s loads %s", s.says(`location.pathname`), elsewhere)
	}
	if wide := s.says(`document.documentElement.scrollWidth > innerWidth`); wide != "false" {
		s.t.Errorf("%s is wider than the screen", s.says(`location.pathname`))
	}
}

// pictures leaves pictures of the page on all screens, where they are wanted.
func (s *served) pictures(name string) {
	s.t.Helper()
	s.sound()
	dir := os.Getenv("MINGLE_SCREENSHOTS")
	if dir == "" {
		return
	}
	for _, screen := range []screen{desktop, phone, dark} {
		s.on(s.t, screen)
		s.says(`scrollTo({ top: 0, behavior: "instant" })`)
		data, err := chromedp.Run(s.ctx, capture(screen))
		if err == nil {
			path := filepath.Join(dir, "serve-"+name+"-"+screen.name+".png")
			err = os.WriteFile(path, data, 0o644)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	s.on(s.t, phone)
}

// capture takes a small picture of the upper part of what is in sight.
func capture(on screen) chromedp.Action[[]byte] {
	return func(ctx context.Context, tab *chromedp.Target) ([]byte, error) {
		r, err := cdp.Call(ctx, tab, cdppage.CaptureScreenshot, cdppage.CaptureScreenshotParams{
			Clip: &cdppage.Viewport{
				Width: float64(on.width), Height: min(float64(on.height), 960), Scale: 0.67,
			},
		})
		if err != nil {
			return nil, err
		}
		return r.Data, nil
	}
}

// serveTests are the tests of the page, by name.
var serveTests = map[string]func(*testing.T, context.Context){
	"example": serveExample, "hostile": serveHostile, "bytes": serveBytes,
	"newcomers": serveNewcomers, "tabs": serveTabs, "families": serveFamilies,
	"editor": serveEditor, "many tabs": serveManyTabs, "editors": serveEditors,
}

// The page, in a browser that all of these share.
func TestServe(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	browser := startBrowser(t)
	for name, test := range serveTests {
		t.Run(name, func(t *testing.T) { test(t, browser) })
	}
}

// From the bundled example to the page that is signed.
func serveExample(t *testing.T, browser context.Context) {
	s := serveInBrowser(t, browser, webui.Options{})
	s.on(t, phone)
	s.pictures("open")
	s.follows(`form[action$="example"] button`, "understood")
	s.waits(`document.querySelector("dl.sums")`)
	s.pictures("data")
	s.follows(`button[name=next]`, "singled out")
	s.waits(`document.querySelector("svg.mc") && !document.querySelector("[aria-busy]")`)
	s.pictures("risk")
	s.follows(`.next a`, "stand for")
	s.pictures("hierarchy")
	s.follows(`a[href="hierarchy/edit"]`, "Edit")
	s.waits(`document.querySelectorAll(".node").length > 5`)
	s.pictures("edit")
	s.says(`history.back()`)
	s.waits(`document.querySelector("h1").innerText.includes("stand for")`)
	s.follows(`.next a`, "promised")
	s.follows(`button[value=estimate]`, "promised")
	s.waits(`document.querySelector("#table svg") && !document.querySelector("#table [aria-busy]")`)
	s.pictures("choose")
	s.follows(`button[value=count]`, "promised")
	s.waits(`document.querySelector("#table").innerText.includes("✓")`)
	s.follows(`button[value=run]`, "Run 1")
	s.pictures("run")
	s.waits(`document.querySelector(".verdict")`)
	s.pictures("done")
	s.follows(`.next a`, "became")
	s.waits(`document.querySelector("table.sides")`)
	s.pictures("lines")
	s.follows(`a[href="?view=items"]`, "became")
	s.pictures("items")
	s.follows(`a[href="?view=losses"]`, "became")
	s.pictures("losses")
	s.follows(`a[href="?view=attack"]`, "became")
	s.pictures("attack")
	s.follows(`.next a`, "signs")
	s.pictures("sign")
}

// hostileLabel is a label that does something where it is not escaped.
const hostileLabel = `<img src=x onerror="window.hurt=1">`

// A file with hostile text in every place: its name, columns, items, the hierarchy, and what the
// human says. Nothing of it does anything, on any page.
func serveHostile(t *testing.T, browser context.Context) {
	dir := t.TempDir()
	cell := strings.ReplaceAll(hostileLabel, `"`, `""`)
	var text, tree strings.Builder
	text.WriteString(`tid,item,"` + cell + `","<script>window.hurt=1</script>"` + "\n")
	for i := range 40 {
		label := `"` + cell + string(rune('a'+i%4)) + `"`
		for _, item := range []string{label, `"</script><svg onload=window.hurt=1>"`} {
			text.WriteString(string(rune('A'+i/26)) + string(rune('a'+i%26)) + "," + item + `,"` + cell + `",x` + "\n")
		}
	}
	for _, leaf := range []string{"a", "b", "c", "d"} {
		tree.WriteString(`"` + cell + leaf + `";"` + cell + ` group";"` + cell + ` top"` + "\n")
	}
	tree.WriteString(`"</script><svg onload=window.hurt=1>";"` + cell + ` top"` + "\n")
	data := filepath.Join(dir, `<img src=x onerror='window.hurt=1'>.csv`)
	hierarchy := filepath.Join(dir, `<img src=x onerror='window.hurt=1'>-tree.csv`)
	for path, text := range map[string]string{data: text.String(), hierarchy: tree.String()} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := serveInBrowser(t, browser, webui.Options{})
	harmless := func() {
		t.Helper()
		if got := s.says(`window.hurt + " " + document.querySelectorAll("main img, main script:not([src]), main svg:not(.mc, .keys svg)").length`); got != "undefined 0" {
			t.Errorf("on %s: %s", s.says("location.pathname"), got)
		}
	}
	s.uploads("#file", data, "understood")
	s.waits(`document.querySelector("dl.sums") && document.querySelectorAll(".sets li").length > 5`)
	harmless()
	s.follows(`button[name=next]`, "singled out")
	s.waits(`document.querySelector("svg.mc") && !document.querySelector("[aria-busy]")`)
	harmless()
	s.follows(`.next a`, "stand for")
	s.uploads("#treefile", hierarchy, "stand for")
	harmless()
	s.follows(`a[href="hierarchy/edit"]`, "Edit")
	s.waits(`document.querySelectorAll(".node").length > 1`)
	harmless()
	s.says(`history.back()`)
	s.waits(`document.querySelector("h1").innerText.includes("stand for")`)
	s.follows(`.next a`, "promised")
	s.fills(`[name=items]`, hostileLabel+"a")
	s.fills(`[name=l]`, "2")
	s.fills(`[name=more]`, hostileLabel)
	s.follows(`button[value=run]`, "promised") // such an option is refused
	harmless()
	s.fills(`[name=more]`, "")
	s.fills(`[name=items]`, "")
	s.fills(`[name=l]`, "")
	s.follows(`button[value=run]`, "Run 1")
	s.waits(`document.querySelector(".verdict")`)
	harmless()
	s.follows(`.next a`, "became")
	for _, view := range []string{"rows", "items", "losses", "attack"} {
		s.follows(`a[href="?view=`+view+`"]`, "became")
		s.waits(`!document.querySelector("[aria-busy]")`)
		harmless()
	}
	s.follows(`.next a`, "signs")
	s.fills(`[name=owner]`, hostileLabel)
	s.fills(`textarea`, "</textarea>"+hostileLabel)
	s.follows(`.statements .main`, "signs")
	harmless()
	s.do(t, chromedp.Navigate(s.says(`document.querySelector("iframe").src`)))
	s.waits(`document.querySelector("#verdict")`)
	if got := s.says(`document.querySelectorAll("img, script").length + " " + document.body.innerHTML.includes("onerror")`); got != "0 true" {
		t.Errorf("in the report: %s", got)
	}
	s.do(t, chromedp.Navigate(strings.SplitAfter(s.server.Address(), "/#")[0]))
	s.waits(`document.querySelector(".cards")`)
	harmless()
}
